// Calls that the first rank of a group makes and the others serve, and which go
// wrong: ranks that fail, are killed, are late or slow, or lead apart.

#include "test/runtime/LaunchedGroup.h"

#include <csignal>
#include <ctime>
#include <thread>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

namespace {
enum class Deed { Fail, Die, Sleep, Stop, Dawdle };
/// What the function of a rank does when it is called the second time.
struct Trouble {
  int32_t rank;
  Deed deed;
  int calls;
};
} // namespace

static int32_t trouble(const heddle_custom_call_frame *frame) {
  auto &plan = *static_cast<Trouble *>(frame->user);
  int32_t rank = *static_cast<const int32_t *>(frame->operands[0]->data);
  *static_cast<int32_t *>(frame->results[0]->data) = rank;
  if (rank != plan.rank || ++plan.calls < 2)
    return 0;
  if (plan.deed == Deed::Fail)
    return 1;
  if (plan.deed == Deed::Die)
    kill(getpid(), SIGKILL);
  timespec span = {1, 0};
  nanosleep(&span, nullptr);
  return 0;
}

/// Four ranks of which one does what it should not in the second call: all
/// learn of it, also who calls again, and the first ends the job.
static void testTrouble(Trouble plan, const heddle_call_options *options,
                        int32_t code, const std::string &message) {
  // Launchers end all when one is killed: they would be faster than a test.
  signal(SIGTERM, SIG_IGN);
  heddle_custom_call call = {};
  call.size = sizeof(call);
  call.name = "trouble";
  call.function = trouble;
  call.user = &plan;
  heddle_program *program = troubledModel().load(folder, &call);
  heddle_ranks *ranks = ranksOfGroup(program);
  Bytes in(16), out(16);
  if (own) {
    EXPECT(heddle_ranks_serve(ranks), code, message.c_str());
    EXPECT(heddle_ranks_serve(ranks), code, message.c_str());
  } else {
    OK(callRanks(ranks, HEDDLE_I32, in, out));
    CHECK((fromBytes<int32_t>(out) == std::vector<int32_t>(4, 6)));
    EXPECT(callRanks(ranks, HEDDLE_I32, in, out, options), code,
           message.c_str());
    EXPECT(callRanks(ranks, HEDDLE_I32, in, out), code, message.c_str());
  }
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  endWithTrouble();
}

/// The first rank goes past what the others do together, or to something else:
/// all learn of it, without a deadline.
static void testParting(bool isElsewhere) {
  CollectiveKind elsewhere = CollectiveKind::all_reduce;
  heddle_program *program =
      partingModel(isElsewhere ? &elsewhere : nullptr).load(folder);
  heddle_ranks *ranks = ranksOfGroup(program);
  Bytes in(12), out(12);
  heddle_status status =
      own ? heddle_ranks_serve(ranks) : callRanks(ranks, HEDDLE_I32, in, out);
  EXPECT(status, HEDDLE_RANK_FAILED, " waits in all_reduce (command ");
  EXPECT(status, HEDDLE_RANK_FAILED,
         isElsewhere ? " is in all_reduce (command "
                     : ", but rank 0 has ended its call");
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  endWithTrouble();
}

static void testFailing(int32_t rank) {
  testTrouble({rank, Deed::Fail, 0}, nullptr, HEDDLE_CUSTOM_CALL_FAILED,
              "rank " + std::to_string(rank) + ": custom call");
}

static void testKilled(int32_t rank) {
  testTrouble({rank, Deed::Die, 0}, nullptr, HEDDLE_RANK_FAILED,
              "rank " + std::to_string(rank) + " failed: its process ");
}

static void testLate(int32_t rank) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  heddle_call_options options = {};
  options.size = sizeof(options);
  options.deadline_ns =
      uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec) + 500000000u;
  testTrouble({rank, Deed::Sleep, 0}, &options, HEDDLE_DEADLINE_EXCEEDED,
              "the call's deadline has passed");
}

static void testCancelled(int32_t rank) {
  static int32_t cancel = 0;
  heddle_call_options options = {};
  options.size = sizeof(options);
  options.cancel = &cancel;
  std::thread([] {
    timespec span = {0, 300000000};
    nanosleep(&span, nullptr);
    __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  }).detach();
  testTrouble({rank, Deed::Sleep, 0}, &options, HEDDLE_CANCELLED,
              "the call was cancelled");
}

/// A rank that stops, is busy until SIGUSR1 comes, or sleeps.
static int32_t dawdle(const heddle_custom_call_frame *frame) {
  auto &plan = *static_cast<Trouble *>(frame->user);
  int32_t rank = *static_cast<const int32_t *>(frame->operands[0]->data);
  *static_cast<int32_t *>(frame->results[0]->data) = rank;
  if (rank != plan.rank || ++plan.calls != 2)
    return 0;
  if (plan.deed == Deed::Stop)
    return raise(SIGSTOP);
  if (plan.deed == Deed::Sleep) {
    timespec span = {3, 0};
    return nanosleep(&span, nullptr);
  }
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGUSR1);
  int got = 0;
  return sigwait(&awaited, &got);
}

/// Four ranks of which one is slow in the second call, long enough to be named
/// or until whoever has started it has read so: the first rank prints which. It
/// sums with `groupSize` ranks. With a deadline, who wakes it waits for its
/// passing.
static void testSlow(Trouble plan, uint32_t groupSize, bool hasDeadline) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  heddle_custom_call call = {};
  call.size = sizeof(call);
  call.name = "trouble";
  call.function = dawdle;
  call.user = &plan;
  heddle_program *program = troubledModel(groupSize).load(folder, &call);
  heddle_ranks_options options = {};
  options.size = sizeof(options);
  options.threads = 1;
  options.group = group;
  options.slow_seconds = 1;
  options.on_slow = [](void *user, uint32_t rank, uint64_t waitedNs) {
    CHECK(user == &group && waitedNs >= 1000000000);
    std::printf("slow: rank %u\n", rank);
    std::fflush(stdout);
  };
  options.user = &group;
  if (own)
    options.on_slow = nullptr;
  heddle_ranks *ranks = nullptr;
  OK(heddle_ranks_create(program, 0, &options, &ranks));
  // The slow one may find out by itself that it is late.
  std::string over = "the call's deadline has passed";
  if (own != uint32_t(plan.rank))
    over += " while it waited for rank " + std::to_string(plan.rank);
  heddle_call_options late = {};
  late.size = sizeof(late);
  Bytes in(16), out(16);
  if (own) {
    EXPECT(heddle_ranks_serve(ranks),
           hasDeadline ? HEDDLE_DEADLINE_EXCEEDED : HEDDLE_OK,
           hasDeadline ? over.c_str() : nullptr);
  } else {
    OK(callRanks(ranks, HEDDLE_I32, in, out));
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (hasDeadline)
      late.deadline_ns = uint64_t(now.tv_sec + 3) * 1000000000u;
    Bytes again(16);
    EXPECT(callRanks(ranks, HEDDLE_I32, in, again, &late),
           hasDeadline ? HEDDLE_DEADLINE_EXCEEDED : HEDDLE_OK,
           hasDeadline ? over.c_str() : nullptr);
    if (!hasDeadline) {
      CHECK(again == out);
      OK(callRanks(ranks, HEDDLE_I32, in, out));
    }
  }
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  if (hasDeadline)
    endWithTrouble();
}

bool heddle::test::testServedTrouble(const std::string &what, uint32_t rank) {
  if (what == "failing")
    testFailing(int32_t(rank));
  else if (what == "killed")
    testKilled(int32_t(rank));
  else if (what == "late")
    testLate(int32_t(rank));
  else if (what == "cancelled")
    testCancelled(int32_t(rank));
  else if (what == "parting")
    testParting(rank);
  else if (what == "stopped")
    testSlow({int32_t(rank), Deed::Stop, 0}, 4, /*hasDeadline=*/false);
  else if (what == "busy-long")
    testSlow({int32_t(rank), Deed::Dawdle, 0}, 4, /*hasDeadline=*/false);
  else if (what == "asleep")
    testSlow({int32_t(rank), Deed::Sleep, 0}, 4, /*hasDeadline=*/false);
  else if (what == "asleep-in-pair")
    testSlow({int32_t(rank), Deed::Sleep, 0}, 2, /*hasDeadline=*/false);
  else if (what == "stopped-in-pair")
    testSlow({int32_t(rank), Deed::Stop, 0}, 2, /*hasDeadline=*/false);
  else if (what == "stopped-too-long")
    testSlow({int32_t(rank), Deed::Stop, 0}, 4, /*hasDeadline=*/true);
  else
    return false;
  return true;
}
