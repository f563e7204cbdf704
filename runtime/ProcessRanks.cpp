// Forks a process for each rank, gives them calls, and finds out which of them
// have ended.
//
// A rank's process waits for the number of the next call, runs it, and reports.
// The caller's process waits for the last report or for the end of a process:
// where one ends, or does not report in time, all are ended, as none is of use
// without the others. Ranks end with the process that made them. So nobody
// wakes before there is something to do.

#include "runtime/ProcessRanks.h"

#include "runtime/Border.h"
#include "runtime/Memory.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/BlockedSignals.h"
#include "runtime/drivers/cpu/Clock.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

/// How long the caller's process waits at once if somebody may cancel.
static constexpr uint64_t cancelCheckNs = 1000000;
/// How long it waits at once for ranks that have counted their reports, and
/// only have to note them.
static constexpr uint64_t noteNs = 50000;
/// How long a rank has to end by itself.
static constexpr uint64_t patienceNs = 1000000000;
/// How long all ranks have to get ready, and to report once their call is
/// cancelled or its deadline has passed.
static constexpr uint64_t createNs = 120000000000, overdueNs = 5000000000;

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

/// A descriptor of a child; -1 with `errno`.
static int openProcess(pid_t process) {
  return static_cast<int>(syscall(SYS_pidfd_open, process, 0));
}

static void killProcess(int process) {
  syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
}

/// Whether a process has ended, and how: "its process ...". Waits for it, or
/// not.
static bool hasEnded(int process, bool waits, std::string &how) {
  constexpr auto byDescriptor = static_cast<idtype_t>(3); // P_PIDFD
  siginfo_t info = {};
  int failed;
  do
    failed = waitid(byDescriptor, static_cast<id_t>(process), &info,
                    WEXITED | (waits ? 0 : WNOHANG));
  while (failed && errno == EINTR);
  if (!failed && !info.si_pid)
    return false;
  // Where the host ignores its children, or has waited for all of them, nobody
  // knows how this one ended.
  if (failed)
    how = "its process has ended";
  else if (info.si_code == CLD_EXITED)
    how = "its process has ended with exit code " +
          std::to_string(info.si_status);
  else
    how = "its process was ended by signal " + std::to_string(info.si_status) +
          " (" + strsignal(info.si_status) + ")";
  return true;
}

ProcessRanks::ProcessRanks(std::shared_ptr<LoadedProgram> given, size_t index)
    : RankGroup(std::move(given), index), owner(getpid()) {}

ProcessRanks::~ProcessRanks() {
  if (owner == getpid())
    stop();
  for (Member &member : members)
    if (member.process >= 0)
      close(member.process);
  if (lastReport >= 0)
    close(lastReport);
  if (world)
    engine.close(world);
}

//===----------------------------------------------------------------------===//
// Making ranks
//===----------------------------------------------------------------------===//

/// Lays orders, reports, the parts of tensors and arenas into shared memory.
Error ProcessRanks::placeMemory(uint32_t threads) {
  if (Error error = Context::memoryBytes(*program, entryIndex, nullptr, 0,
                                         threads, arenaBytes))
    return error;
  uint32_t count = parts.ranks();
  uint64_t reportsAt = alignUp(sizeof(Orders), alignof(Report)),
           bytes = alignUp(reportsAt + count * sizeof(Report), pageBytes);
  members = std::vector<Member>(count);
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < tensors.count(); ++i)
    for (uint32_t rank = 0; rank < count; ++rank) {
      // All ranks read one copy of an input that is not cut.
      bool isCopy = rank > 0 && tensors.isInput(i) && parts.isUncut(i);
      offsets.push_back(isCopy ? offsets.back() : bytes);
      if (!isCopy)
        bytes += alignUp(static_cast<uint64_t>(tensors.spec(i).largestBytes),
                         pageBytes);
    }
  uint64_t arenasAt = bytes, arenaStep = alignUp(arenaBytes, pageBytes);
  bytes += count * arenaStep;
  if (Error error = shared.allocate(bytes, "the memory of ranks"))
    return error;
  orders = new (shared.data()) Orders();
  reported = reinterpret_cast<Report *>(shared.data() + reportsAt);
  for (uint32_t rank = 0; rank < count; ++rank)
    new (reported + rank) Report();
  for (size_t i = 0; i < offsets.size(); ++i)
    members[i % count].staged.push_back(shared.data() + offsets[i]);
  for (uint32_t rank = 0; rank < count; ++rank)
    members[rank].arena = shared.data() + arenasAt + rank * arenaStep;
  return {};
}

Error ProcessRanks::forkMembers(uint32_t threads) {
  // Signals are for the host, also those to its group. They stay blocked in the
  // ranks, where no handler of the host's may run.
  BlockedSignals blocked;
  for (uint32_t rank = 0; rank < members.size(); ++rank) {
    pid_t process = fork();
    if (process == 0)
      serve(rank, threads);
    int &opened = members[rank].process;
    if (process > 0 && (opened = openProcess(process)) >= 0) {
      awaited.push_back({opened, POLLIN, 0});
      continue;
    }
    Error error = {HEDDLE_THREADS_UNAVAILABLE,
                   "no process could be made for rank " + std::to_string(rank) +
                       ": " + std::strerror(errno)};
    if (process > 0) {
      kill(process, SIGKILL);
      while (waitpid(process, nullptr, 0) < 0 && errno == EINTR)
        ;
    }
    return error;
  }
  return {};
}

Error ProcessRanks::create(uint32_t threads) {
  if (program->devices().size() > 1)
    return {HEDDLE_ARGUMENT_INVALID,
            "ranks that are processes run on the cpu alone, and the program "
            "uses other devices, too"};
  heddle_status why;
  if (int32_t code = engine.open(parts.ranks(), &world, &why))
    return told(code, why);
  finder.open(engine, world, parts.ranks(), slow);
  if (Error error = placeMemory(threads))
    return error;
  lastReport = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (lastReport < 0)
    return {HEDDLE_THREADS_UNAVAILABLE,
            std::string("ranks cannot report: ") + std::strerror(errno)};
  awaited.push_back({lastReport, POLLIN, 0});
  heddle_call_options options = {};
  options.deadline_ns = monotonicNs() + createNs;
  order(options);
  if (Error error = forkMembers(threads))
    return error;
  if (awaitReports(options))
    return {HEDDLE_RANK_FAILED, "the ranks' processes were not ready in " +
                                    std::to_string(createNs / 1000000000) +
                                    " seconds"};
  looksForSlow = finder.looks();
  return outcome();
}

/// Ends all processes, those that do not end by themselves soon by force.
void ProcessRanks::stop() {
  if (!orders)
    return;
  orders->stops.store(1, std::memory_order_seq_cst);
  orders->wanted.wake();
  uint64_t until = monotonicNs() + patienceNs;
  std::string how;
  for (Member &member : members)
    while (member.process >= 0 && monotonicNs() < until) {
      if (hasEnded(member.process, /*waits=*/false, how)) {
        close(std::exchange(member.process, -1));
        break;
      }
      usleep(1000);
    }
  killAll();
}

void ProcessRanks::killAll() {
  std::string how;
  for (Member &member : members)
    if (member.process >= 0)
      killProcess(member.process);
  for (Member &member : members)
    if (member.process >= 0) {
      hasEnded(member.process, /*waits=*/true, how);
      close(std::exchange(member.process, -1));
    }
}

//===----------------------------------------------------------------------===//
// The caller's process
//===----------------------------------------------------------------------===//

Error ProcessRanks::checkReady(const heddle_call_options &options) {
  if (owner != getpid())
    return {HEDDLE_RANK_FAILED,
            "the ranks are processes of the process that made them, not of "
            "this one, which was forked from it"};
  if (options.on_step)
    return {HEDDLE_ARGUMENT_INVALID,
            "ranks that are processes do not tell their steps"};
  findEnded();
  return told(failure.code, failure);
}

/// Of a call.
Error ProcessRanks::outcome() const {
  if (failure.code)
    return told(failure.code, failure);
  return outcomeOfAll([&](uint32_t rank) -> const heddle_status & {
    return reported[rank].outcome;
  });
}

/// Where a process has ended, all of them end.
void ProcessRanks::findEnded() {
  std::string how;
  for (uint32_t rank = 0; rank < members.size() && !failure.code; ++rank)
    if (hasEnded(members[rank].process, /*waits=*/false, how)) {
      close(std::exchange(members[rank].process, -1));
      fail(rank, how);
    }
}

/// Notes why there are no ranks any more.
void ProcessRanks::fail(uint32_t rank, const std::string &how) {
  failure = toStatus(
      {HEDDLE_RANK_FAILED, "rank " + std::to_string(rank) + " failed: " + how});
  killAll();
}

/// Tells of ranks that are slow.
void ProcessRanks::findSlow() {
  finder.look([&](uint32_t rank) -> uint64_t {
    bool hasReported =
        reported[rank].call.load(std::memory_order_acquire) == calls;
    return hasReported ? reported[rank].endedNs.load() : 0;
  });
}

/// The first rank that has not reported its call; the number of ranks: none.
uint32_t ProcessRanks::firstMissing() const {
  uint32_t rank = 0;
  while (rank < members.size() &&
         reported[rank].call.load(std::memory_order_acquire) == calls)
    ++rank;
  return rank;
}

void ProcessRanks::order(const heddle_call_options &options) {
  engine.begin(world);
  finder.begin();
  orders->cancel = 0;
  orders->deadlineNs = options.deadline_ns;
  orders->flags = options.flags;
  orders->missing.store(parts.ranks(), std::memory_order_relaxed);
  orders->wanted.wake();
  calls = orders->wanted.value();
}

/// Returns when the last rank has reported or some process has ended, which is
/// true, or at a time (0: never).
bool ProcessRanks::awaitChange(uint64_t untilNs) {
  uint64_t now = untilNs ? monotonicNs() : 0,
           span = untilNs > now ? untilNs - now : 0;
  timespec time;
  time.tv_sec = static_cast<time_t>(span / 1000000000);
  time.tv_nsec = static_cast<long>(span % 1000000000);
  if (ppoll(awaited.data(), awaited.size(), untilNs ? &time : nullptr,
            nullptr) <= 0)
    return false;
  uint64_t reports; // maybe of the call before, whose end was seen earlier
  (void)!read(lastReport, &reports, sizeof(reports));
  return true;
}

/// Returns when all ranks have reported or one has ended; with an error where
/// they went on long behind the end of the call, for which they are ended.
Error ProcessRanks::awaitReports(const heddle_call_options &options) {
  uint64_t until = 0;
  bool isCancelled = false;
  while (!failure.code) {
    if (looksForSlow)
      findSlow();
    uint32_t missing = firstMissing();
    if (missing == members.size())
      return {};
    uint64_t now = monotonicNs();
    if (!isCancelled && options.cancel &&
        __atomic_load_n(options.cancel, __ATOMIC_RELAXED)) {
      isCancelled = true;
      __atomic_store_n(&orders->cancel, 1, __ATOMIC_RELEASE);
      engine.look(world);
    }
    bool isOver =
        isCancelled || (options.deadline_ns && now >= options.deadline_ns);
    if (isOver && !until)
      until = now + overdueNs;
    if (until && now >= until) {
      fail(missing, "its process went on for " +
                        std::to_string(overdueNs / 1000000000) +
                        " seconds after a call's end, and was ended");
      return {isCancelled ? HEDDLE_CANCELLED : HEDDLE_DEADLINE_EXCEEDED,
              std::string(isCancelled ? "the call was cancelled: "
                                      : "the call's deadline has passed: ") +
                  failure.message};
    }
    uint64_t next = until ? until : options.deadline_ns;
    if (options.cancel && !isCancelled)
      next = earlier(next, now + cancelCheckNs);
    if (looksForSlow)
      next = earlier(next, now + finder.stepNs());
    // Where all have counted their reports, they note them at once, and nobody
    // wakes for that.
    bool sleeps = orders->missing.load(std::memory_order_acquire);
    if (awaitChange(sleeps ? next : now + noteNs))
      findEnded();
  }
  return {};
}

void ProcessRanks::fillInputs() {
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    auto bytes = static_cast<size_t>(tensors.spec(i).largestBytes);
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      char *target = members[rank].staged[i];
      if (parts.isUncut(i) && rank > 0)
        continue; // it is where rank 0 has it
      if (tensors.isWhole(i) && !parts.isUncut(i))
        parts.cut(i, rank, tensors.data(i), target);
      else if (bytes)
        std::memcpy(target,
                    tensors.isWhole(i) ? tensors.data(i)
                                       : tensors.data(i, rank),
                    bytes);
    }
  }
}

void ProcessRanks::giveOutputs() {
  for (size_t i = entry.inputs.size(); i < tensors.count(); ++i) {
    auto bytes = static_cast<size_t>(tensors.spec(i).largestBytes);
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      const char *source = members[rank].staged[i];
      if (!tensors.isWhole(i) && bytes)
        std::memcpy(tensors.data(i, rank), source, bytes);
      else if (tensors.isWhole(i) && !parts.isUncut(i) && parts.owns(i, rank))
        parts.join(i, rank, source, tensors.data(i));
      else if (tensors.isWhole(i) && parts.isUncut(i) && rank == 0 && bytes)
        std::memcpy(tensors.data(i), source, bytes);
    }
  }
}

Error ProcessRanks::run(const heddle_call_options &options) {
  fillInputs();
  order(options);
  if (Error error = awaitReports(options))
    return error;
  if (Error error = outcome())
    return error;
  giveOutputs();
  return {};
}

//===----------------------------------------------------------------------===//
// A rank's process
//===----------------------------------------------------------------------===//

void ProcessRanks::report(uint32_t rank, uint32_t call,
                          const heddle_status &outcome) {
  engine.end(world, rank, outcome.code, outcome.message);
  reported[rank].outcome = outcome;
  reported[rank].endedNs = monotonicNs();
  // Counted before it is noted: the next call begins when all are noted, and
  // counts its own.
  bool isLast = orders->missing.fetch_sub(1, std::memory_order_acq_rel) == 1;
  reported[rank].call.store(call, std::memory_order_release);
  uint64_t one = 1;
  if (isLast)
    (void)!write(lastReport, &one, sizeof(one));
}

heddle_status ProcessRanks::callOnce(Calls &with) {
  return runtime::guarded([&] {
    heddle_call_options options = {};
    options.size = sizeof(options);
    options.deadline_ns = orders->deadlineNs;
    options.flags = orders->flags;
    options.cancel = &orders->cancel;
    size_t inputs = entry.inputs.size();
    const heddle_tensor *const *pointers = with.pointers.data();
    return toStatus(with.context->call(pointers, inputs, pointers + inputs,
                                       with.pointers.size() - inputs, options));
  });
}

/// Gives up what a child has of the host but no rank needs: handlers of
/// signals, and descriptors, by which others would wait for an end of the
/// host's files that does not come. `kept` gets another number.
static Error leaveHost(int &kept) {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, &standard, nullptr);
  constexpr int first = STDERR_FILENO + 1;
  if (kept != first && dup2(kept, first) == first)
    kept = first;
  if (kept != first || syscall(SYS_close_range, first + 1, ~0u, 0))
    return {HEDDLE_RANK_FAILED,
            "the host's files cannot be closed in its process: " +
                std::string(std::strerror(errno))};
  return {};
}

/// Ends this process when the one that made it has ended.
static Error endWith(pid_t host) {
  int process = openProcess(host);
  // It may have ended before, and its number be another's.
  if (process < 0 || getppid() != host)
    return {HEDDLE_RANK_FAILED, "the process that the rank belongs to has "
                                "ended, or cannot be watched"};
  auto wait = [](void *given) -> void * {
    pollfd ended = {static_cast<int>(reinterpret_cast<intptr_t>(given)), POLLIN,
                    0};
    while (poll(&ended, 1, /*timeout=*/-1) != 1)
      ;
    _exit(0);
  };
  pthread_t thread;
  if (int failed = pthread_create(&thread, nullptr, wait,
                                  reinterpret_cast<void *>(intptr_t(process))))
    return {HEDDLE_THREADS_UNAVAILABLE,
            std::string("no thread could be started: ") +
                std::strerror(failed)};
  pthread_detach(thread);
  return {};
}

Error ProcessRanks::prepare(uint32_t rank, uint32_t threads, Calls &made) {
  if (Error error = leaveHost(lastReport))
    return error;
  if (Error error = endWith(owner))
    return error;
  if (Error error = prefault(members[rank].arena, arenaBytes,
                             /*forWriting=*/true, "the arena"))
    return error;
  RankSeat seat = {&engine, world, rank, parts.ranks()};
  made.context = std::make_unique<Context>(program, entryIndex, seat);
  heddle_context_options options = {};
  options.size = sizeof(options);
  options.threads = threads;
  options.arena = members[rank].arena;
  options.arena_bytes = arenaBytes;
  if (Error error = made.context->create(options, nullptr))
    return error;
  reported[rank].threads = static_cast<uint32_t>(made.context->threads());
  for (size_t i = 0; i < tensors.count(); ++i) {
    made.tensors.push_back(parts.partTensor(i));
    made.tensors.back().data = members[rank].staged[i];
  }
  for (const heddle_tensor &tensor : made.tensors)
    made.pointers.push_back(&tensor);
  return {};
}

/// What the process of a rank does until it is told to stop. It never returns
/// to its caller's code.
void ProcessRanks::serve(uint32_t rank, uint32_t threads) {
  Calls with;
  uint32_t done = calls;
  report(rank, done, runtime::guarded([&] {
           return toStatus(prepare(rank, threads, with));
         }));
  while (true) {
    uint32_t wanted = orders->wanted.value();
    if (orders->stops.load(std::memory_order_seq_cst))
      _exit(0);
    if (wanted == done) {
      orders->wanted.wait(done, /*spinNs=*/0, /*deadlineNs=*/0);
      continue;
    }
    done = wanted;
    report(rank, done, callOnce(with));
  }
}
