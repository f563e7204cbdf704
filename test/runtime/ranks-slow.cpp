// ranks-slow MODELS: ranks that are stopped, or take far longer than others:
// they are named, the call goes on, and is right in the end. Ranks that are
// threads or processes of this one, and those of a group over sockets
// (ranks-launched).

#include "test/runtime/PartedModel.h"
#include "test/runtime/RankProcesses.h"
#include "test/runtime/forks.h"

#include <atomic>
#include <ctime>
#include <sys/mman.h>

using namespace heddle::test;

//===----------------------------------------------------------------------===//
// Threads and processes of this one
//===----------------------------------------------------------------------===//

namespace {
/// What one rank does; all processes see it.
struct Dawdler {
  std::atomic<int32_t> rank{-1};    ///< Which is slow.
  std::atomic<bool> stops{false};   ///< Its process; or it is busy until it has
                                    ///< been named.
  std::atomic<uint32_t> named{0};   ///< A bit for each rank.
  std::atomic<uint64_t> untilNs{0}; ///< Or until then; 0: never.
  std::atomic<int32_t> processes[4] = {};
};
} // namespace

static uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

static int32_t dawdle(const heddle_custom_call_frame *frame) {
  auto &plan = *static_cast<Dawdler *>(frame->user);
  int32_t rank = *static_cast<const int32_t *>(frame->operands[0]->data);
  *static_cast<int32_t *>(frame->results[0]->data) = rank;
  plan.processes[rank] = getpid();
  if (rank != plan.rank)
    return 0;
  if (plan.stops)
    return raise(SIGSTOP);
  while (plan.untilNs ? now() < plan.untilNs : !plan.named)
    usleep(1000);
  return 0;
}

static Dawdler &makeShared() {
  void *shared = mmap(nullptr, sizeof(Dawdler), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *new (shared) Dawdler();
}

/// Four ranks of which each sums with `groupSize` when it has called `dawdle`.
static heddle_program *loadDawdling(Dawdler &plan, uint32_t groupSize) {
  heddle_custom_call call = {};
  call.size = sizeof(call);
  call.name = "trouble";
  call.function = dawdle;
  call.user = &plan;
  return troubledModel(groupSize).load(models, &call);
}

static void testCalls(heddle_ranks *ranks, Dawdler &plan, int32_t rank) {
  Bytes in(16), wanted(16), got(16);
  OK(callRanks(ranks, HEDDLE_I32, in, wanted));
  plan.rank = rank;
  OK(callRanks(ranks, HEDDLE_I32, in, got));
  CHECK(got == wanted && plan.named == 1u << rank);
  plan.named = 0;
  plan.rank = -1;
  OK(callRanks(ranks, HEDDLE_I32, in, got));
  CHECK(got == wanted && !plan.named);
}

/// The slow rank is named, goes on then, and the call is as any other. It sums
/// with `groupSize` ranks. A child of this process calls, too, if it `forks`.
static void testNamed(const char *engine, int32_t rank, bool stops,
                      uint32_t groupSize, bool forks = false) {
  Dawdler &plan = makeShared();
  heddle_program *program = loadDawdling(plan, groupSize);
  heddle_ranks_options options = {};
  options.size = sizeof(options);
  options.engine = engine;
  options.threads = 1;
  options.slow_seconds = 1;
  options.user = &plan;
  options.on_slow = [](void *user, uint32_t slow, uint64_t waitedNs) {
    auto &told = *static_cast<Dawdler *>(user);
    CHECK(waitedNs >= 1000000000 && slow < 4);
    told.named |= 1u << slow;
    kill(told.processes[told.rank], SIGCONT);
  };
  heddle_ranks *ranks = nullptr;
  OK(heddle_ranks_create(program, 0, &options, &ranks));
  plan.stops = stops;
  testCalls(ranks, plan, rank);
  if (forks) {
    pid_t child = fork();
    if (!child) {
      alarm(60);
      testCalls(ranks, plan, rank);
      _exit(failures != 0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && !status);
  }
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  munmap(&plan, sizeof(Dawdler));
}

/// Where a deadline passes, the message says for whom the others waited.
static void testDeadlineOf(const char *engine) {
  Dawdler &plan = makeShared();
  heddle_program *program = loadDawdling(plan, 4);
  rankEngine = engine;
  heddle_ranks *ranks = makeRanks(program);
  Bytes in(16), out(16);
  heddle_call_options options = {};
  options.size = sizeof(options);
  options.deadline_ns = now() + 2000000000;
  plan.untilNs = options.deadline_ns + 500000000;
  plan.rank = 3; // which finds out as well; an earlier rank is the one told of
  EXPECT(callRanks(ranks, HEDDLE_I32, in, out, &options),
         HEDDLE_DEADLINE_EXCEEDED,
         ": the call's deadline has passed while it waited for rank 3");
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  munmap(&plan, sizeof(Dawdler));
}

//===----------------------------------------------------------------------===//
// A group over sockets
//===----------------------------------------------------------------------===//

/// What a process prints until then.
static std::string readUntil(const Process &process, const std::string &part) {
  std::string text;
  char byte;
  while (text.find(part) == std::string::npos &&
         read(process.output, &byte, 1) == 1)
    text += byte;
  return text;
}

static std::vector<Process> startFour(const std::string &what, uint32_t rank) {
  uint16_t port = freePort();
  std::vector<Process> processes;
  for (uint32_t i = 0; i < 4; ++i)
    processes.push_back(
        start(rankOf(i, 4, port), {what, std::to_string(rank)}));
  return processes;
}

/// The first rank names the slow one, and no other.
static void expectNamed(const Process &first, uint32_t rank) {
  std::string named = readUntil(first, "\n");
  if (named == "slow: rank " + std::to_string(rank) + "\n")
    return;
  std::fprintf(stderr, "wanted rank %u, got '%s'\n", rank, named.c_str());
  ++failures;
}

static void testGroup(const std::string &what, uint32_t rank, int wakes) {
  std::vector<Process> processes = startFour(what, rank);
  expectNamed(processes[0], rank);
  kill(processes[rank].number, wakes);
  for (const Process &process : processes) {
    Ended ended = await(process);
    END(ended, 0, "all checks passed");
    CHECK(ended.output.find("slow") == std::string::npos);
  }
}

/// Where the call has a deadline, the message says for whom others waited. What
/// was stopped learns it when it goes on.
static void testDeadline() {
  std::vector<Process> processes = startFour("stopped-too-long", 2);
  expectNamed(processes[0], 2);
  readUntil(processes[0], "rank 0: has learned");
  kill(processes[2].number, SIGCONT);
  for (const Process &process : processes) {
    Ended ended = await(process);
    END(ended, 7, "");
    CHECK(ended.output.find("failed") == std::string::npos);
  }
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  findLaunched(argv);
  alarm(240); // a rank that nobody names is a failure
  testDeadlineOf("threads");
  testNamed("threads", 2, /*stops=*/false, 4, may_fork());
  // The caller's own.
  testNamed("threads", 0, /*stops=*/false, 4);
  testNamed("threads", 3, /*stops=*/false, 2);
  testNamed("threads", 0, /*stops=*/false, 1);
  if (may_fork()) {
    testDeadlineOf("processes");
    testNamed("processes", 2, /*stops=*/true, 4);
    testNamed("processes", 1, /*stops=*/false, 4);
    // The other pair has done its call; one that waits is not slow itself.
    testNamed("processes", 3, /*stops=*/true, 2);
    // Nobody waits for it in a collective.
    testNamed("processes", 0, /*stops=*/true, 1);
  }
  testGroup("stopped", 2, SIGCONT);
  testGroup("busy-long", 1, SIGUSR1);
  // The first rank waits for rank 2, which waits for rank 3.
  testGroup("stopped-in-pair", 3, SIGCONT);
  testDeadline();
  return finish();
}
