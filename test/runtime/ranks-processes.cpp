// ranks-processes MODELS: ranks that are processes: large tensors, ranks that
// fail, are late, stop or end, calls that are cancelled, what is refused, and
// what ranks have of their host: locks, signals, descriptors, its end.

#include "test/runtime/PartedModel.h"
#include "test/runtime/forks.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <random>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <thread>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

static std::string folder;

namespace {
enum class Deed { Nothing, Fail, Sleep, Die, Leave };

/// What the function of one rank does; all processes see it.
struct Deeds {
  std::atomic<int32_t> rank;
  std::atomic<Deed> deed;
  std::atomic<int> sleepMs;
  std::atomic<bool> sleeps;
  std::atomic<int32_t> processes[4]; ///< Of the ranks.
};
} // namespace

/// Whether the system refuses to fork. The program is linked with
/// --wrap=fork.
static bool forkFails = false;

extern "C" pid_t __real_fork(void);
extern "C" pid_t __wrap_fork(void) {
  if (!forkFails)
    return __real_fork();
  errno = EAGAIN;
  return -1;
}

static int32_t trouble(const heddle_custom_call_frame *frame) {
  auto &plan = *static_cast<Deeds *>(frame->user);
  int32_t rank = *static_cast<const int32_t *>(frame->operands[0]->data);
  *static_cast<int32_t *>(frame->results[0]->data) = rank;
  plan.processes[rank] = getpid();
  if (rank != plan.rank || plan.deed == Deed::Nothing)
    return 0;
  if (plan.deed == Deed::Fail)
    return 1;
  if (plan.deed == Deed::Die)
    kill(getpid(), SIGKILL);
  if (plan.deed == Deed::Leave)
    _exit(3);
  plan.sleeps = true;
  timespec span = {plan.sleepMs / 1000, plan.sleepMs % 1000 * 1000000L};
  nanosleep(&span, nullptr);
  return 0;
}

static uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

namespace {
/// Four ranks of which each calls "trouble", and then all sum their numbers.
class Troubled {
public:
  Troubled()
      : plan(*new (mmap(nullptr, sizeof(Deeds), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Deeds()) {
    heddle_custom_call call = {};
    call.size = sizeof(call);
    call.name = "trouble";
    call.function = trouble;
    call.user = &plan;
    program = troubledModel().load(folder, &call);
    ranks = makeRanks(program);
  }
  ~Troubled() {
    heddle_ranks_destroy(ranks);
    heddle_program_destroy(program);
    // All have ended with their ranks.
    for (std::atomic<int32_t> &process : plan.processes)
      CHECK(!process || kill(process, 0) != 0);
    munmap(&plan, sizeof(Deeds));
  }
  Troubled(const Troubled &) = delete;
  Troubled &operator=(const Troubled &) = delete;

  heddle_status call(const heddle_call_options *options = nullptr) {
    Bytes in(16);
    return callRanks(ranks, HEDDLE_I32, in, out, options);
  }
  void set(int32_t rank, Deed deed, int milliseconds = 0) {
    plan.rank = rank;
    plan.sleepMs = milliseconds;
    plan.sleeps = false;
    plan.deed = deed;
  }
  void expectGoodCall() {
    set(-1, Deed::Nothing);
    OK(call());
    CHECK((fromBytes<int32_t>(out) == std::vector<int32_t>(4, 6)));
    for (int rank = 1; rank < 4; ++rank)
      CHECK(plan.processes[rank] != getpid() &&
            plan.processes[rank] != plan.processes[rank - 1]);
  }

  Deeds &plan;
  heddle_program *program = nullptr;
  heddle_ranks *ranks = nullptr;
  Bytes out = Bytes(16);
};
} // namespace

static heddle_call_options callOptions() {
  heddle_call_options options = {};
  options.size = sizeof(options);
  return options;
}

/// Tensors that go through the windows in many pieces, whose last is smaller:
/// the same bits as those of threads.
static void testLargeTensors() {
  constexpr int64_t part = 3 * 65536 + 12;
  for (CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::all_gather,
        CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
        CollectiveKind::broadcast}) {
    int64_t out = kind == CollectiveKind::all_gather       ? 3 * part
                  : kind == CollectiveKind::reduce_scatter ? part / 3
                                                           : part;
    Parted parted(3, DataType::f32, part, out);
    parted.model.command().action.Set(
        parted.collective(kind, DataType::f32, {2, 0, 1}, 3));
    heddle_program *program = parted.load(folder);
    std::vector<float> in(3 * part);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = float(double((i * 2654435761u) % 1000003) / 1000003 - 0.5);
    Bytes bytes = toBytes(in), results[2];
    for (int engine = 0; engine < 2; ++engine) {
      rankEngine = engine ? "processes" : "threads";
      heddle_ranks *ranks = makeRanks(program);
      for (int repeat = 0; repeat < 2; ++repeat) {
        results[engine].assign(size_t(3 * out) * 4, 0);
        OK(callRanks(ranks, HEDDLE_F32, bytes, results[engine]));
      }
      heddle_ranks_destroy(ranks);
    }
    CHECK(results[0] == results[1]);
    heddle_program_destroy(program);
  }
}

static void testFailingRank() {
  Troubled four;
  four.expectGoodCall();
  for (int32_t rank : {0, 1, 3}) {
    four.set(rank, Deed::Fail);
    std::string who = "rank " + std::to_string(rank) + ": custom call";
    EXPECT(four.call(), HEDDLE_CUSTOM_CALL_FAILED, who.c_str());
    four.expectGoodCall();
  }
}

/// Where a process ends, in a call or between calls, the call ends within two
/// seconds and says of which rank; so do all others.
static void testEndedRank() {
  for (int32_t rank : {0, 2, 3}) {
    Troubled four;
    four.expectGoodCall();
    four.set(rank, Deed::Die);
    uint64_t begin = now();
    std::string who = "rank " + std::to_string(rank) +
                      " failed: its process was ended by signal 9";
    EXPECT(four.call(), HEDDLE_RANK_FAILED, who.c_str());
    CHECK(now() - begin < 2000000000u);
    EXPECT(four.call(), HEDDLE_RANK_FAILED, who.c_str());
  }
  Troubled leaving;
  leaving.set(1, Deed::Leave);
  EXPECT(leaving.call(), HEDDLE_RANK_FAILED,
         "rank 1 failed: its process has ended with exit code 3");
  Troubled between;
  between.expectGoodCall();
  kill(between.plan.processes[3], SIGKILL);
  // Until it is gone it may yet be given a call.
  EXPECT(between.call(), HEDDLE_RANK_FAILED,
         "rank 3 failed: its process was ended by signal 9");
}

/// A rank ends while the others wait for it, and one of them is busy.
static void testEndedWhileOthersWait() {
  Troubled four;
  four.expectGoodCall();
  four.set(1, Deed::Sleep, 30000);
  std::thread killer([&] {
    while (!four.plan.sleeps)
      std::this_thread::yield();
    kill(four.plan.processes[1], SIGKILL);
  });
  uint64_t begin = now();
  EXPECT(four.call(), HEDDLE_RANK_FAILED,
         "rank 1 failed: its process was ended by signal 9");
  CHECK(now() - begin < 2000000000u);
  killer.join();
}

/// A rank that is busy does not hold up the end of another.
static void testEndedWhileOneIsBusy() {
  Troubled four;
  four.expectGoodCall();
  four.set(1, Deed::Sleep, 30000);
  std::thread killer([&] {
    while (!four.plan.sleeps)
      std::this_thread::yield();
    kill(four.plan.processes[2], SIGKILL);
  });
  uint64_t begin = now();
  EXPECT(four.call(), HEDDLE_RANK_FAILED,
         "rank 2 failed: its process was ended by signal 9");
  CHECK(now() - begin < 2000000000u);
  killer.join();
}

/// A rank that does not run any more holds up neither deadlines nor cancelled
/// calls for ever.
static void testStoppedRank() {
  for (bool isCancelled : {false, true}) {
    Troubled four;
    four.expectGoodCall();
    kill(four.plan.processes[2], SIGSTOP);
    int32_t cancel = isCancelled;
    heddle_call_options options = callOptions();
    options.cancel = &cancel;
    uint64_t begin = now();
    if (!isCancelled)
      options.deadline_ns = begin + 200000000u;
    EXPECT(four.call(&options),
           isCancelled ? HEDDLE_CANCELLED : HEDDLE_DEADLINE_EXCEEDED,
           "rank 2 failed: its process went on for 5 seconds after a call's "
           "end, and was ended");
    CHECK(now() - begin < 8000000000u);
    EXPECT(four.call(), HEDDLE_RANK_FAILED, "rank 2 failed: its process went");
  }
}

/// A rank is killed at any time of many calls, also while it meets others: the
/// call that notices names it, and none does before.
static void testEndedAtAnyTime() {
  std::mt19937 random(5);
  for (int seed = 0; seed < 40; ++seed) {
    Troubled four;
    four.expectGoodCall();
    int32_t rank = int32_t(random() % 4);
    timespec span = {0, long(random() % 3000000)};
    std::atomic<uint64_t> killed{0};
    std::thread killer([&] {
      nanosleep(&span, nullptr);
      killed = now();
      kill(four.plan.processes[rank], SIGKILL);
    });
    heddle_status status;
    do
      status = four.call();
    while (status.code == HEDDLE_OK);
    CHECK(killed && now() - killed < 2000000000u);
    std::string who = "rank " + std::to_string(rank) +
                      " failed: its process was ended by signal 9";
    EXPECT(status, HEDDLE_RANK_FAILED, who.c_str());
    killer.join();
  }
}

static void testLateRank() {
  Troubled four;
  four.set(2, Deed::Sleep, 300);
  heddle_call_options options = callOptions();
  options.deadline_ns = now() + 50000000u;
  EXPECT(four.call(&options), HEDDLE_DEADLINE_EXCEEDED, "deadline");
  four.expectGoodCall();
}

static void testCancel() {
  Troubled four;
  four.set(1, Deed::Sleep, 300);
  int32_t cancel = 0;
  heddle_call_options options = callOptions();
  options.cancel = &cancel;
  std::thread other([&] {
    while (!four.plan.sleeps)
      std::this_thread::yield();
    __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  });
  EXPECT(four.call(&options), HEDDLE_CANCELLED, "cancelled");
  other.join();
  four.expectGoodCall();
}

/// How often a process's first thread has gone to sleep.
static long sleepsOf(int32_t process) {
  std::string path = "/proc/" + std::to_string(process) + "/status";
  FILE *file = std::fopen(path.c_str(), "re");
  CHECK(file != nullptr);
  long count = -1;
  char line[256];
  while (file && std::fgets(line, sizeof(line), file))
    std::sscanf(line, "voluntary_ctxt_switches: %ld", &count);
  if (file)
    std::fclose(file);
  return count;
}

/// Who waits for a rank, the host among them, is not woken until it comes.
static void testSleepingWhileWaiting() {
  Troubled four;
  four.expectGoodCall();
  four.set(1, Deed::Sleep, 600);
  long before[2] = {}, after[2] = {};
  std::thread other([&] {
    while (!four.plan.sleeps)
      std::this_thread::yield();
    for (long *counts : {before, after}) {
      timespec span = {0, 200000000};
      nanosleep(&span, nullptr);
      counts[0] = sleepsOf(four.plan.processes[2]);
      counts[1] = sleepsOf(getpid());
    }
  });
  OK(four.call());
  other.join();
  for (int i = 0; i < 2; ++i)
    CHECK(before[i] >= 0 && after[i] - before[i] <= 2);
}

/// In a child process the ranks are another's.
static void testForked() {
  Troubled four;
  four.expectGoodCall();
  pid_t child = fork();
  if (!child) {
    alarm(60);
    EXPECT(four.call(), HEDDLE_RANK_FAILED,
           "the ranks are processes of the process that made them");
    heddle_ranks_destroy(four.ranks);
    _exit(finish());
  }
  await_child(child);
  four.expectGoodCall();
}

/// Ranks are made while other threads of the host allocate and free.
static void testBusyHost() {
  heddle_program *other = load(folder.c_str(), "addition", nullptr);
  std::atomic<bool> isDone{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      heddle_context_options options = {};
      options.size = sizeof(options);
      options.threads = 1;
      while (!isDone) {
        heddle_context *context = nullptr;
        OK(heddle_context_create(other, 0, &options, &context));
        heddle_context_destroy(context);
      }
    });
  for (int i = 0; i < 100; ++i)
    Troubled().expectGoodCall();
  isDone = true;
  for (std::thread &thread : threads)
    thread.join();
  heddle_program_destroy(other);
}

static std::atomic<int> *handled = nullptr;

/// Signals to the host's group are the host's, whose handlers run in no rank.
static void testSignals() {
  void *shared = mmap(nullptr, sizeof(*handled), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  handled = new (shared) std::atomic<int>(0);
  pid_t child = fork();
  if (!child) {
    alarm(60);
    setpgid(0, 0);
    struct sigaction action = {};
    action.sa_handler = [](int) { ++*handled; };
    sigaction(SIGTERM, &action, nullptr);
    {
      Troubled four;
      four.expectGoodCall();
      killpg(0, SIGTERM);
      four.expectGoodCall();
      CHECK(*handled == 1);
      // Faults have no handler of the host's, either.
      sigaction(SIGSEGV, &action, nullptr);
      kill(four.plan.processes[1], SIGSEGV);
      EXPECT(four.call(), HEDDLE_RANK_FAILED, "ended by signal 11");
      CHECK(*handled == 1);
    }
    _exit(finish());
  }
  await_child(child);
  munmap(handled, sizeof(*handled));
}

/// What the host closes is closed.
static void testDescriptors() {
  int ends[2];
  CHECK(pipe2(ends, O_NONBLOCK) == 0);
  Troubled four;
  four.expectGoodCall();
  close(ends[1]);
  char byte;
  CHECK(read(ends[0], &byte, 1) == 0);
  close(ends[0]);
}

/// Where the host waits for ranks itself, or ignores its children, it is not
/// known how they end, and no other process is taken for one.
static void testHostThatWaits() {
  Troubled four;
  four.expectGoodCall();
  kill(four.plan.processes[1], SIGKILL);
  int status;
  CHECK(waitpid(four.plan.processes[1], &status, 0) == four.plan.processes[1]);
  EXPECT(four.call(), HEDDLE_RANK_FAILED,
         "rank 1 failed: its process has ended");
  auto old = signal(SIGCHLD, SIG_IGN);
  {
    Troubled others;
    others.expectGoodCall();
    others.set(3, Deed::Die);
    EXPECT(others.call(), HEDDLE_RANK_FAILED,
           "rank 3 failed: its process has ended");
  }
  signal(SIGCHLD, old);
}

/// The ranks of a host that has ended end.
static void testEndedHost() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  void *shared =
      mmap(nullptr, 4 * sizeof(std::atomic<int32_t>), PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto *processes = static_cast<std::atomic<int32_t> *>(shared);
  pid_t host = fork();
  if (!host) {
    Troubled four;
    four.expectGoodCall();
    four.set(2, Deed::Sleep, 500);
    std::thread killer([&] {
      while (!four.plan.sleeps)
        std::this_thread::yield();
      for (int rank = 0; rank < 4; ++rank)
        processes[rank] = int32_t(four.plan.processes[rank]);
      kill(getpid(), SIGKILL);
    });
    four.call();
    _exit(1);
  }
  int status = 0;
  CHECK(waitpid(host, &status, 0) == host && WIFSIGNALED(status));
  uint64_t begin = now();
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(processes[rank] > 0);
    CHECK(waitpid(processes[rank], &status, 0) == processes[rank] &&
          WIFEXITED(status) && !WEXITSTATUS(status));
  }
  CHECK(now() - begin < 5000000000u);
  munmap(shared, 4 * sizeof(std::atomic<int32_t>));
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void testNoProcess() {
  Troubled four;
  heddle_ranks_options made = {};
  made.size = sizeof(made);
  made.engine = "processes";
  made.threads = 3;
  heddle_ranks *ranks = nullptr;
  forkFails = true;
  EXPECT(heddle_ranks_create(four.program, 0, &made, &ranks),
         HEDDLE_THREADS_UNAVAILABLE, "no process could be made for rank 0");
  forkFails = false;
  OK(heddle_ranks_create(four.program, 0, &made, &ranks));
  CHECK(heddle_ranks_threads(ranks) == 3);
  heddle_ranks_destroy(ranks);
}

static void testArguments() {
  Troubled four;
  heddle_call_options options = callOptions();
  options.on_step = [](void *, const heddle_step *) {};
  EXPECT(four.call(&options), HEDDLE_ARGUMENT_INVALID,
         "ranks that are processes do not tell their steps");
  heddle_ranks_options made = {};
  made.size = sizeof(made);
  made.engine = "sockets";
  heddle_ranks *ranks = nullptr;
  EXPECT(heddle_ranks_create(four.program, 0, &made, &ranks),
         HEDDLE_ARGUMENT_INVALID,
         "there is no engine 'sockets'; there are: threads, processes");
  heddle_program *placed = load(folder.c_str(), "placed", nullptr);
  made.engine = "processes";
  EXPECT(heddle_ranks_create(placed, 0, &made, &ranks), HEDDLE_ARGUMENT_INVALID,
         "run on the cpu alone");
  heddle_program_destroy(placed);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  folder = argv[1];
  if (!may_fork())
    return finish();
  testLargeTensors();
  rankEngine = "processes";
  testFailingRank();
  testEndedRank();
  testEndedWhileOthersWait();
  testEndedWhileOneIsBusy();
  testStoppedRank();
  testEndedAtAnyTime();
  testLateRank();
  testCancel();
  testSleepingWhileWaiting();
  testForked();
  testBusyHost();
  testSignals();
  testDescriptors();
  testHostThatWaits();
  testEndedHost();
  testNoProcess();
  testArguments();
  return finish();
}
