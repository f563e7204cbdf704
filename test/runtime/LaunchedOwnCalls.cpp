// Calls that each process of a group makes with its own parts, and which nobody
// serves.

#include "test/runtime/LaunchedGroup.h"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

/// Each process gives its own part. Ranks that were
/// never called take nothing from those that are.
static void testOwnParts() {
  Parted parted(count, DataType::i32, 3, 3);
  parted.model.command().action.Set(parted.collective(
      CollectiveKind::all_reduce, DataType::i32, groupsOf(count), count));
  heddle_program *program = parted.load(folder);
  heddle_ranks *ranks = ownRanksOfGroup(program),
               *idle = ownRanksOfGroup(program);
  heddle_ranks_destroy(idle);
  auto n = int32_t(count);
  for (int32_t call = 0; call < 3; ++call) {
    std::array<int32_t, 3> in = {int32_t(own), call, 1}, out = {};
    int64_t shape = 3;
    heddle_tensor x = make_tensor(in.data(), HEDDLE_I32, 1, &shape),
                  y = make_tensor(out.data(), HEDDLE_I32, 1, &shape);
    const heddle_tensor *inputs[] = {&x}, *outputs[] = {&y};
    OK(heddle_ranks_call_own(ranks, inputs, 1, outputs, 1, nullptr));
    CHECK((out == std::array<int32_t, 3>{n * (n - 1) / 2, n * call, n}));
  }
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
}

/// Who calls is agreed on when ranks are made; other calls are refused, and the
/// group goes on.
static void testWhoCalls() {
  Parted parted(count, DataType::f32, 2, 2);
  parted.model.command().action.Set(parted.collective(
      CollectiveKind::all_reduce, DataType::f32, groupsOf(count), count));
  heddle_program *program = parted.load(folder);
  heddle_ranks *ranks = ranksOfGroup(program);
  Bytes in(8 * count), out(8 * count), small(8);
  EXPECT(heddle_ranks_call_own(ranks, nullptr, 0, nullptr, 0, nullptr),
         HEDDLE_ARGUMENT_INVALID, "were made for calls of rank 0");
  if (own) {
    EXPECT(callRanks(ranks, HEDDLE_F32, in, out), HEDDLE_ARGUMENT_INVALID,
           "calls are made by rank 0, and this process is rank");
    OK(heddle_ranks_serve(ranks));
  } else {
    EXPECT(heddle_ranks_serve(ranks), HEDDLE_ARGUMENT_INVALID,
           "rank 0 makes the calls");
    EXPECT(callRanks(ranks, HEDDLE_F32, small, out), HEDDLE_TENSOR_SHAPE,
           "input 'x' has shape");
    OK(callRanks(ranks, HEDDLE_F32, in, out));
  }
  heddle_ranks_destroy(ranks);
  ranks = ownRanksOfGroup(program);
  EXPECT(own ? heddle_ranks_serve(ranks)
             : callRanks(ranks, HEDDLE_F32, in, out),
         HEDDLE_ARGUMENT_INVALID, "calls of each process with its own parts");
  heddle_ranks_destroy(ranks);
  ranksOfGroup(program, HEDDLE_RANK_FAILED,
               "ranks 0 and 1 do not agree whether each process calls",
               /*hasOwnCalls=*/!own);
  heddle_program_destroy(program);
}

/// The first rank goes past what the others do together, and leaves.
static void testLeaving() {
  heddle_program *program = partingModel(nullptr).load(folder);
  heddle_ranks *ranks = ownRanksOfGroup(program);
  int32_t in = 1, out = 0;
  int64_t shape = 1;
  heddle_tensor x = make_tensor(&in, HEDDLE_I32, 1, &shape),
                y = make_tensor(&out, HEDDLE_I32, 1, &shape);
  const heddle_tensor *inputs[] = {&x}, *outputs[] = {&y};
  heddle_status status =
      heddle_ranks_call_own(ranks, inputs, 1, outputs, 1, nullptr);
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  if (!own) {
    OK(status);
    status = heddle_group_leave(group);
  }
  EXPECT(status, HEDDLE_RANK_FAILED, " waits in all_reduce (command ");
  EXPECT(status, HEDDLE_RANK_FAILED, ", but rank 0 has ended its call");
}

/// While a thread is in a call of some ranks of the group, the others and the
/// group itself say so.
static void testBusy() {
  static std::atomic<bool> isIn{false};
  static std::atomic<bool> mayGo{false};
  heddle_custom_call call = {};
  call.size = sizeof(call);
  call.name = "trouble";
  call.function = [](const heddle_custom_call_frame *frame) -> int32_t {
    *static_cast<int32_t *>(frame->results[0]->data) = 1;
    isIn = true;
    while (!mayGo)
      std::this_thread::yield();
    return 0;
  };
  heddle_program *program = troubledModel().load(folder, &call);
  heddle_ranks *ranks = ownRanksOfGroup(program),
               *others = ownRanksOfGroup(program);
  int32_t in = 0, out[2] = {};
  int64_t shape = 1;
  heddle_tensor x = make_tensor(&in, HEDDLE_I32, 1, &shape),
                y = make_tensor(out, HEDDLE_I32, 1, &shape),
                z = make_tensor(out + 1, HEDDLE_I32, 1, &shape);
  const heddle_tensor *inputs[] = {&x}, *outputs[] = {&y}, *more[] = {&z};
  std::thread thread([&] {
    OK(heddle_ranks_call_own(ranks, inputs, 1, outputs, 1, nullptr));
  });
  while (!isIn)
    std::this_thread::yield();
  const char *busy = "another thread is in a function of the group";
  EXPECT(heddle_ranks_call_own(others, inputs, 1, more, 1, nullptr),
         HEDDLE_CONTEXT_BUSY, busy);
  EXPECT(heddle_group_agree(group, nullptr), HEDDLE_CONTEXT_BUSY, busy);
  EXPECT(heddle_group_leave(group), HEDDLE_CONTEXT_BUSY, busy);
  mayGo = true;
  thread.join();
  OK(heddle_ranks_call_own(others, inputs, 1, more, 1, nullptr));
  CHECK(out[0] == int32_t(count) && out[1] == int32_t(count));
  heddle_ranks_destroy(others);
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
}

/// One process gives another shape than that of its part.
static void testOwnPartThatIsWrong(uint32_t rank) {
  Parted parted(count, DataType::i32, 1, 1);
  parted.model.command().action.Set(parted.collective(
      CollectiveKind::all_reduce, DataType::i32, groupsOf(count), count));
  heddle_program *program = parted.load(folder);
  heddle_ranks *ranks = ownRanksOfGroup(program);
  // A rank that is still making its ranks would hear of it there.
  if (own == rank)
    std::this_thread::sleep_for(std::chrono::seconds(2));
  int32_t in[2] = {}, out[2] = {};
  int64_t shape = own == rank ? 2 : 1;
  heddle_tensor x = make_tensor(in, HEDDLE_I32, 1, &shape),
                y = make_tensor(out, HEDDLE_I32, 1, &shape);
  const heddle_tensor *inputs[] = {&x}, *outputs[] = {&y};
  std::string who = "rank " + std::to_string(rank) + ": input 'x' has shape";
  EXPECT(heddle_ranks_call_own(ranks, inputs, 1, outputs, 1, nullptr),
         HEDDLE_TENSOR_SHAPE, who.c_str());
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  endWithTrouble();
}

void heddle::test::testOwnCalls() {
  testOwnParts();
  testWhoCalls();
}

bool heddle::test::testOwnTrouble(const std::string &what, uint32_t rank) {
  if (what == "busy")
    testBusy();
  else if (what == "leaving")
    testLeaving();
  else if (what == "own")
    testOwnPartThatIsWrong(rank);
  else
    return false;
  return true;
}
