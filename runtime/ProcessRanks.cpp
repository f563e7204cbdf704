// Forks a process for each rank, gives them calls, and finds out which of them
// have ended.
//
// A rank's process waits for the number of the next call, runs it, and reports.
// The caller's process waits for all reports, and looks meanwhile whether each
// process is there yet: where one is not, the others are told.

#include "runtime/ProcessRanks.h"

#include "runtime/Border.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

/// How long a process waits at once before it looks whether others have ended.
static constexpr uint64_t lookNs = 20000000;
/// How long a rank has to end by itself.
static constexpr uint64_t patienceNs = 1000000000;

ProcessRanks::ProcessRanks(std::shared_ptr<LoadedProgram> given, size_t index)
    : RankGroup(std::move(given), index), owner(getpid()) {}

ProcessRanks::~ProcessRanks() {
  if (owner == getpid())
    stop();
  if (world)
    engine.close(world);
}

//===----------------------------------------------------------------------===//
// Making ranks
//===----------------------------------------------------------------------===//

/// Lays orders, reports and the parts of tensors into shared memory.
Error ProcessRanks::placeTensors() {
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
  if (Error error = shared.allocate(bytes, "the tensors of ranks"))
    return error;
  orders = new (shared.data()) Orders();
  reported = reinterpret_cast<Report *>(shared.data() + reportsAt);
  for (uint32_t rank = 0; rank < count; ++rank)
    new (reported + rank) Report();
  for (size_t i = 0; i < offsets.size(); ++i)
    members[i % count].staged.push_back(shared.data() + offsets[i]);
  return {};
}

Error ProcessRanks::forkMembers() {
  for (uint32_t rank = 0; rank < members.size(); ++rank) {
    pid_t process = fork();
    if (process == 0)
      serve(rank);
    if (process < 0)
      return {HEDDLE_THREADS_UNAVAILABLE, "no process could be made for rank " +
                                              std::to_string(rank) + ": " +
                                              std::strerror(errno)};
    members[rank].process = process;
  }
  return {};
}

Error ProcessRanks::create(uint32_t threads) {
  if (program->devices().size() > 1)
    return {HEDDLE_ARGUMENT_INVALID,
            "ranks that are processes run on the cpu alone, and the program "
            "uses other devices, too"};
  threadCount = threads;
  heddle_status why;
  if (int32_t code = engine.open(parts.ranks(), &world, &why))
    return told(code, why);
  if (Error error = placeTensors())
    return error;
  heddle_call_options options = {};
  order(options);
  if (Error error = forkMembers())
    return error;
  awaitReports(options);
  return outcome();
}

/// Ends all processes, those that do not end by themselves soon by force.
void ProcessRanks::stop() {
  if (!orders)
    return;
  orders->stops.store(1, std::memory_order_seq_cst);
  wakeShared(orders->wanted);
  uint64_t until = monotonicNs() + patienceNs;
  auto areThere = [&] {
    findEnded();
    for (const Member &member : members)
      if (member.process > 0 && !member.end.code)
        return true;
    return false;
  };
  while (areThere() && monotonicNs() < until)
    usleep(1000);
  for (Member &member : members)
    if (member.process > 0 && !member.end.code) {
      kill(member.process, SIGKILL);
      waitpid(member.process, nullptr, 0);
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
  return firstEnded();
}

/// The error of a rank whose process has ended.
Error ProcessRanks::firstEnded() const {
  for (uint32_t rank = 0; rank < members.size(); ++rank)
    if (members[rank].end.code)
      return {HEDDLE_RANK_FAILED, "rank " + std::to_string(rank) +
                                      " failed: " + members[rank].end.message};
  return {};
}

/// Of a call: the same, else the error of a rank that failed.
Error ProcessRanks::outcome() const {
  if (Error error = firstEnded())
    return error;
  return outcomeOfAll([&](uint32_t rank) -> const heddle_status & {
    return reported[rank].outcome;
  });
}

/// Notes whose processes have ended, and tells the other ranks.
void ProcessRanks::findEnded() {
  for (uint32_t rank = 0; rank < members.size(); ++rank) {
    Member &member = members[rank];
    int status = 0;
    if (member.process <= 0 || member.end.code)
      continue;
    pid_t found = waitpid(member.process, &status, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR))
      continue;
    member.end.code = HEDDLE_RANK_FAILED;
    // Where the host ignores its children nobody knows how they end.
    if (found < 0)
      std::snprintf(member.end.message, sizeof(member.end.message),
                    "its process has ended");
    else if (WIFSIGNALED(status))
      std::snprintf(member.end.message, sizeof(member.end.message),
                    "its process was ended by signal %d (%s)", WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
    else
      std::snprintf(member.end.message, sizeof(member.end.message),
                    "its process has ended with exit code %d",
                    WEXITSTATUS(status));
    engine.end(world, rank, member.end.code, member.end.message);
    // Who does not wait for it is not to go on either.
    __atomic_store_n(&orders->cancel, 1, __ATOMIC_RELAXED);
  }
}

bool ProcessRanks::areAllIn() const {
  for (uint32_t rank = 0; rank < members.size(); ++rank)
    if (!members[rank].end.code &&
        reported[rank].call.load(std::memory_order_acquire) != calls)
      return false;
  return true;
}

void ProcessRanks::order(const heddle_call_options &options) {
  engine.begin(world);
  orders->cancel = 0;
  orders->deadlineNs = options.deadline_ns;
  orders->flags = options.flags;
  wakeShared(orders->wanted);
  calls = orders->wanted.load(std::memory_order_relaxed);
}

void ProcessRanks::awaitReports(const heddle_call_options &options) {
  while (true) {
    uint32_t seen = orders->reports.load(std::memory_order_seq_cst);
    if (areAllIn())
      return;
    if (options.cancel && __atomic_load_n(options.cancel, __ATOMIC_RELAXED))
      __atomic_store_n(&orders->cancel, 1, __ATOMIC_RELAXED);
    findEnded();
    if (areAllIn())
      return;
    waitShared(orders->reports, seen, options.cancel ? 1000000 : lookNs);
  }
}

void ProcessRanks::fillInputs() {
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    auto bytes = static_cast<size_t>(tensors.spec(i).largestBytes);
    for (uint32_t rank = 0; rank < members.size(); ++rank) {
      char *target = members[rank].staged[i];
      if (!tensors.isWhole(i) && bytes)
        std::memcpy(target, tensors.data(i, rank), bytes);
      else if (tensors.isWhole(i) && !parts.isUncut(i))
        parts.cut(i, rank, tensors.data(i), target);
      else if (rank == 0 && bytes)
        std::memcpy(target, tensors.data(i), bytes);
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
  awaitReports(options);
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
  reported[rank].call.store(call, std::memory_order_release);
  wakeShared(orders->reports);
}

heddle_status ProcessRanks::callOnce(Context &context, uint32_t rank) {
  return runtime::guarded([&] {
    std::vector<heddle_tensor> own(tensors.count());
    std::vector<const heddle_tensor *> pointers;
    for (size_t i = 0; i < own.size(); ++i) {
      own[i] = parts.partTensor(i);
      own[i].data = members[rank].staged[i];
      pointers.push_back(&own[i]);
    }
    heddle_call_options options = {};
    options.size = sizeof(options);
    options.deadline_ns = orders->deadlineNs;
    options.flags = orders->flags;
    options.cancel = &orders->cancel;
    size_t inputs = entry.inputs.size();
    return toStatus(context.call(pointers.data(), inputs,
                                 pointers.data() + inputs, own.size() - inputs,
                                 options));
  });
}

/// What the process of a rank does until it is told to stop, or the process
/// that forked it is gone. It never returns to its caller's code.
void ProcessRanks::serve(uint32_t rank) {
  RankSeat seat = {&engine, world, rank, parts.ranks()};
  std::unique_ptr<Context> context;
  uint32_t done = calls;
  heddle_status made = runtime::guarded([&] {
    context = std::make_unique<Context>(program, entryIndex, seat);
    heddle_context_options options = {};
    options.size = sizeof(options);
    options.threads = threadCount;
    return toStatus(context->create(options, nullptr));
  });
  report(rank, done, made);
  while (true) {
    uint32_t wanted = orders->wanted.load(std::memory_order_seq_cst);
    if (orders->stops.load(std::memory_order_seq_cst) || getppid() != owner)
      _exit(0);
    if (wanted == done) {
      waitShared(orders->wanted, wanted, 10 * lookNs);
      continue;
    }
    done = wanted;
    report(rank, done, callOnce(*context, rank));
  }
}
