// ranks-troubled MODELS: calls of several ranks that go wrong: ranks that fail,
// do not come or come too late, calls that are cancelled, meet another or are
// made in a child process; and which signals the threads of ranks get.

#include "test/runtime/PartedModel.h"
#include "test/runtime/forks.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <thread>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

static std::string folder;

namespace {
/// What the function of one rank does.
struct Trouble {
  std::atomic<int32_t> rank{-1}; ///< Whose.
  std::atomic<int> sleepMs{0};   ///< Or it fails.
  std::atomic<bool> sleeps{false};
  std::atomic<bool> raises{false}; ///< Signals, and it neither fails nor waits.
};
} // namespace

static int32_t trouble(const heddle_custom_call_frame *frame) {
  auto &plan = *static_cast<Trouble *>(frame->user);
  int32_t rank = *static_cast<const int32_t *>(frame->operands[0]->data);
  *static_cast<int32_t *>(frame->results[0]->data) = rank;
  if (rank != plan.rank)
    return 0;
  if (plan.raises) {
    raise(SIGUSR1);
    raise(SIGFPE);
    return 0;
  }
  if (!plan.sleepMs)
    return 1;
  plan.sleeps = true;
  timespec span = {0, plan.sleepMs * 1000000L};
  nanosleep(&span, nullptr);
  return 0;
}

namespace {
/// Four ranks of which each calls "trouble", and then all sum their numbers.
class Troubled {
public:
  Troubled() {
    Parted parted = troubledModel();
    heddle_custom_call call = {};
    call.size = sizeof(call);
    call.name = "trouble";
    call.function = trouble;
    call.user = &plan;
    program = parted.load(folder, &call);
    ranks = makeRanks(program);
  }
  ~Troubled() {
    heddle_ranks_destroy(ranks);
    heddle_program_destroy(program);
  }
  Troubled(const Troubled &) = delete;
  Troubled &operator=(const Troubled &) = delete;

  heddle_status call(const heddle_call_options *options = nullptr) {
    Bytes in(16);
    return callRanks(ranks, HEDDLE_I32, in, out, options);
  }

  void expectGoodCall() {
    plan.rank = -1;
    OK(call());
    CHECK((fromBytes<int32_t>(out) == std::vector<int32_t>(4, 6)));
  }

  /// This rank is late.
  void delay(int32_t rank, int milliseconds) {
    plan.sleepMs = milliseconds;
    plan.sleeps = false;
    plan.rank = rank;
  }

  Trouble plan;
  heddle_program *program = nullptr;
  heddle_ranks *ranks = nullptr;

private:
  Bytes out = Bytes(16);
};
} // namespace

static heddle_call_options callOptions() {
  heddle_call_options options = {};
  options.size = sizeof(options);
  return options;
}

static void testFailingRank() {
  Troubled four;
  heddle_context *context = nullptr;
  EXPECT(heddle_context_create(four.program, 0, nullptr, &context),
         HEDDLE_RANKS_NEEDED, "run by 4 ranks together");
  four.expectGoodCall();
  for (int32_t rank : {0, 1, 3}) {
    four.plan.rank = rank;
    std::string who = "rank " + std::to_string(rank) + ": custom call";
    EXPECT(four.call(), HEDDLE_CUSTOM_CALL_FAILED, who.c_str());
    four.expectGoodCall();
  }
}

/// The others do not wait for ever for one that is late.
static void testLateRank() {
  Troubled four;
  four.delay(2, 300);
  heddle_call_options options = callOptions();
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  options.deadline_ns =
      uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec) + 50000000u;
  EXPECT(four.call(&options), HEDDLE_DEADLINE_EXCEEDED, "deadline");
  four.expectGoodCall();
}

/// Ranks that wait for a late one look at the flag.
static void testCancel() {
  Troubled four;
  four.delay(1, 300);
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

/// A call that comes in another is told so, and does not disturb it.
static void testTwoCalls() {
  Troubled four;
  four.delay(3, 300);
  std::thread other([&] { OK(four.call()); });
  while (!four.plan.sleeps)
    std::this_thread::yield();
  Bytes in(16), out(16);
  EXPECT(callRanks(four.ranks, HEDDLE_I32, in, out), HEDDLE_CONTEXT_BUSY,
         "the ranks are in another call");
  other.join();
  four.expectGoodCall();
}

static std::atomic<int> notices{0}, faults{0};

/// Signals to the process are for its own threads; what a rank's thread does
/// itself comes to the program's handler there.
static void testSignals() {
  Troubled four;
  struct sigaction noticed = {}, faulted = {}, oldNotice, oldFault;
  noticed.sa_handler = [](int) { ++notices; };
  faulted.sa_handler = [](int) { ++faults; };
  sigaction(SIGUSR1, &noticed, &oldNotice);
  sigaction(SIGFPE, &faulted, &oldFault);
  four.plan.raises = true;
  four.plan.rank = 2;
  OK(four.call());
  CHECK(notices == 0 && faults == 1);
  sigaction(SIGUSR1, &oldNotice, nullptr);
  sigaction(SIGFPE, &oldFault, nullptr);
}

/// Makes `work` in a child process, which must end soon: a thread that is not
/// there would be waited for for ever.
template <typename Work> static void inChild(Work work) {
  pid_t child = fork();
  if (!child) {
    alarm(60);
    work();
    _exit(finish());
  }
  await_child(child);
}

/// In a child process the ranks have threads of its own; in one that was forked
/// in the middle of a call they stay busy.
static void testForked() {
  auto four = std::make_unique<Troubled>();
  four->expectGoodCall();
  inChild([&] {
    for (int i = 0; i < 3; ++i)
      four->expectGoodCall();
    four->plan.sleepMs = 0;
    four->plan.rank = 1;
    EXPECT(four->call(), HEDDLE_CUSTOM_CALL_FAILED, "rank 1: custom call");
    four.reset();
  });
  inChild([&] { four.reset(); });
  four->expectGoodCall();
  four->delay(0, 200);
  std::thread other([&] { OK(four->call()); });
  while (!four->plan.sleeps)
    std::this_thread::yield();
  inChild([&] {
    EXPECT(four->call(), HEDDLE_CONTEXT_BUSY, "in another call");
    four.reset();
  });
  other.join();
  four->expectGoodCall();
}

/// Rank 0 branches past what the others do together, or to something else.
static void testRankThatDoesNotCome(bool elsewhere) {
  CollectiveKind other = CollectiveKind::broadcast;
  Parted parted = partingModel(elsewhere ? &other : nullptr);
  heddle_program *program = parted.load(folder);
  heddle_ranks *ranks = makeRanks(program);
  Bytes in(12), out(12);
  for (int i = 0; i < 3; ++i)
    EXPECT(callRanks(ranks, HEDDLE_I32, in, out), HEDDLE_RANK_FAILED,
           elsewhere ? "but others of its group wait elsewhere"
                     : "but rank 0 has ended its call");
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
}

static void testArguments() {
  heddle_ranks *ranks = nullptr;
  EXPECT(heddle_ranks_create(nullptr, 0, nullptr, &ranks),
         HEDDLE_ARGUMENT_INVALID, "null pointer");
  heddle_program *program = load(folder.c_str(), "addition", nullptr);
  CHECK(heddle_program_ranks(program) == 1);
  EXPECT(heddle_ranks_create(program, 9, nullptr, &ranks), HEDDLE_ENTRY_UNKNOWN,
         "no entry number 9");
  heddle_program_destroy(program);
  // A program that was not partitioned has one rank.
  program = load(folder.c_str(), "churn", nullptr);
  ranks = makeRanks(program);
  std::vector<int32_t> numbers(4096);
  int64_t shape = 4096;
  heddle_tensor y = make_tensor(numbers.data(), HEDDLE_I32, 1, &shape);
  const heddle_tensor *outputs[] = {&y};
  OK(heddle_ranks_call(ranks, nullptr, 0, outputs, 1, nullptr));
  CHECK(numbers[0] != 0);
  EXPECT(heddle_ranks_call_own(ranks, nullptr, 0, outputs, 1, nullptr),
         HEDDLE_ARGUMENT_INVALID,
         "only the processes of a group have parts of their own");
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  program = load(folder.c_str(), "state", nullptr);
  EXPECT(heddle_ranks_create(program, 0, nullptr, &ranks),
         HEDDLE_ARGUMENT_INVALID, "which ranks do not have yet");
  heddle_program_destroy(program);
  program = load(folder.c_str(), "open", nullptr);
  EXPECT(heddle_ranks_create(program, 0, nullptr, &ranks),
         HEDDLE_ARGUMENT_INVALID, "calls choose sizes of the program");
  heddle_program_destroy(program);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  folder = argv[1];
  testFailingRank();
  testLateRank();
  testRankThatDoesNotCome(false);
  testRankThatDoesNotCome(true);
  testCancel();
  testTwoCalls();
  testSignals();
  if (may_fork())
    testForked();
  testArguments();
  return finish();
}
