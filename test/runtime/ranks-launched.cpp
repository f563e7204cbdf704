// ranks-launched MODELS ENGINE WHAT [RANK]: ranks that are processes which a
// launcher has started, of which this is one. WHAT is a test below, RANK who
// makes trouble there; after that the first rank ends the job with exit code 7.

#include "test/runtime/PartedModel.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <random>
#include <thread>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

static std::string folder;
static std::string engine;
static heddle_group *group = nullptr;
static uint32_t own = 0, count = 0;

/// Small, so that tensors of tests go in several.
static constexpr uint64_t pieceBytes = 50000;

static heddle_ranks *ranksOfGroup(heddle_program *program,
                                  int32_t code = HEDDLE_OK,
                                  const char *part = nullptr,
                                  bool hasOwnCalls = false) {
  heddle_ranks_options options = {};
  options.size = sizeof(options);
  options.threads = 1;
  options.group = group;
  options.own_calls = hasOwnCalls;
  heddle_ranks *ranks = nullptr;
  EXPECT(heddle_ranks_create(program, 0, &options, &ranks), code, part);
  return ranks;
}

/// Ranks whose processes all call.
static heddle_ranks *ownRanksOfGroup(heddle_program *program) {
  return ranksOfGroup(program, HEDDLE_OK, nullptr, /*hasOwnCalls=*/true);
}

//===----------------------------------------------------------------------===//
// The same bits as threads
//===----------------------------------------------------------------------===//

/// Any bytes that are numbers of the type.
static Bytes someBytes(DataType dtype, size_t elements) {
  static std::mt19937_64 random(11);
  if (dtype != DataType::f32) {
    Bytes bytes(elements * size_t(heddle_dtype_bytes(heddle_dtype(dtype))));
    for (char &byte : bytes)
      byte = char(random() % 64); // of bf16: no infinity and no NaN
    return bytes;
  }
  std::vector<float> values(elements);
  for (float &value : values)
    value = float(std::ldexp(double(random() >> 11), -53) - 0.5) *
            float(random() % 1000);
  return toBytes(values);
}

/// What the first rank's calls give, held against ranks that are threads.
static void testSame(const Parted &parted, heddle_dtype dtype, const Bytes &in,
                     size_t outBytes) {
  heddle_program *program = parted.load(folder);
  heddle_ranks *ranks = ranksOfGroup(program);
  if (own) {
    OK(heddle_ranks_serve(ranks));
  } else {
    Bytes given = in, wanted(outBytes, 0x11);
    heddle_ranks *threads = makeRanks(program);
    OK(callRanks(threads, dtype, given, wanted));
    heddle_ranks_destroy(threads);
    for (int repeat = 0; repeat < 2; ++repeat) {
      Bytes got(outBytes, 0x22);
      OK(callRanks(ranks, dtype, given, got));
      CHECK(got == wanted);
    }
  }
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
}

/// All ranks, or two groups whose members are not neighbours.
static std::vector<uint32_t> groupsOf(uint32_t size) {
  std::vector<uint32_t> list;
  for (uint32_t first = 0; first < count / size; ++first)
    for (uint32_t i = 0; i < size; ++i)
      list.push_back((first + i * (count / size) + 1) % count);
  return list;
}

static void testKind(CollectiveKind kind, DataType dtype, uint32_t size,
                     int64_t pieces,
                     ReductionKind reduction = ReductionKind::sum) {
  auto [in, out] = CollectiveSizes(kind, size, pieces);
  Parted parted(count, dtype, in, out);
  parted.model.command().action.Set(
      parted.collective(kind, dtype, groupsOf(size), size, reduction));
  auto bytes = size_t(heddle_dtype_bytes(heddle_dtype(dtype)));
  testSame(parted, heddle_dtype(dtype), someBytes(dtype, size_t(in) * count),
           size_t(out) * count * bytes);
}

static void testCollectives() {
  for (uint32_t size : {count, count % 2 ? count : count / 2})
    for (CollectiveKind kind :
         {CollectiveKind::all_reduce, CollectiveKind::all_gather,
          CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
          CollectiveKind::broadcast})
      // Fewer elements than ranks, more than a message, none.
      for (int64_t pieces : {1, 5001, 70001, 0}) {
        testKind(kind, DataType::f32, size, pieces);
        testKind(kind, DataType::i8, size, pieces);
      }
  for (auto reduction : {ReductionKind::product, ReductionKind::minimum,
                         ReductionKind::maximum}) {
    testKind(CollectiveKind::all_reduce, DataType::f32, count, 37, reduction);
    testKind(CollectiveKind::reduce_scatter, DataType::bf16, count, 37,
             reduction);
  }
  // More than is received at once.
  testKind(CollectiveKind::all_reduce, DataType::f32, count, 2100003);
  testKind(CollectiveKind::reduce_scatter, DataType::bf16, count,
           4200001 / count);
}

static void testPermute() {
  // Ranks in a ring; the first alone to the last; nobody to anybody.
  std::vector<uint32_t> ring;
  for (uint32_t i = 0; i < count; ++i) {
    ring.push_back(i);
    ring.push_back((i + 1) % count);
  }
  for (const std::vector<uint32_t> &pairs :
       {ring, std::vector<uint32_t>{0, count - 1}, std::vector<uint32_t>{}})
    for (int64_t part : {3, 70001}) {
      Parted parted(count, DataType::i32, part, part);
      parted.model.command().action.Set(
          parted.collective(CollectiveKind::permute, DataType::i32, pairs, 2));
      testSame(parted, HEDDLE_I32,
               someBytes(DataType::i32, size_t(part) * count),
               size_t(part) * count * 4);
    }
}

/// What is beyond a whole tensor, and an input and an output that all have.
static void testParts() {
  Parted uneven(count, DataType::f32, 2, 2);
  EntryT &entry = *uneven.model.manifest.entries[0];
  int64_t inside = int64_t(2 * count) - 1;
  entry.inputs[0]->whole = entry.outputs[0]->whole = {inside};
  std::vector<uint32_t> pairs; // the last keeps what is beyond
  for (uint32_t i = 0; i < count; ++i) {
    pairs.push_back(i);
    pairs.push_back(i + 1 < count ? count - 2 - i : i);
  }
  uneven.model.command().action.Set(
      uneven.collective(CollectiveKind::permute, DataType::f32, pairs, 2));
  testSame(uneven, HEDDLE_F32, someBytes(DataType::f32, size_t(inside)),
           size_t(inside) * 4);
  constexpr int64_t whole = 40000;
  Parted same(count, DataType::f32, whole, whole);
  EntryT &uncut = *same.model.manifest.entries[0];
  for (TensorT *each : {uncut.inputs[0].get(), uncut.outputs[0].get()}) {
    each->whole.clear();
    each->cuts.clear();
  }
  same.model.command().action.Set(same.collective(
      CollectiveKind::all_reduce, DataType::f32, groupsOf(count), count));
  testSame(same, HEDDLE_F32, someBytes(DataType::f32, whole), whole * 4);
}

/// Two groups of ranks that loop a different number of times, each summing over
/// its own, before all sum.
static void testUnequalLoops() {
  if (count % 2)
    return;
  Parted parted(count, DataType::i32, 1, 1);
  Model &model = parted.model;
  model.arena(192);
  uint32_t left = model.buffer(BufferKind::arena, 0, 4, 0),
           flag = model.buffer(BufferKind::arena, 0, 1, 64),
           partial = model.buffer(BufferKind::arena, 0, 4, 128),
           positive = model.kernel("positive", 2, 0),
           countdown = model.kernel("countdown", 3, 0);
  model.kernels[countdown].inPlace = {InPlace(1, 0)};
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < count; ++i)
    all.push_back(i);
  copyWhole(model, parted.input, left, 0);
  copyWhole(model, parted.input, partial, 0);
  LoopT loop;
  loop.condition = 1;
  loop.body = 2;
  loop.flag = parted.bound(flag, Access::read);
  model.command().action.Set(std::move(loop));
  CollectiveT sum =
      parted.collective(CollectiveKind::all_reduce, DataType::i32, all, count);
  sum.source = parted.bound(partial, Access::read);
  model.command().action.Set(std::move(sum));
  model.block();
  model.launch(
      positive,
      {model.bind(left, Access::read), model.bind(flag, Access::write)}, {}, 1);
  model.block();
  sum = parted.collective(CollectiveKind::all_reduce, DataType::i32, all,
                          count / 2);
  sum.target = parted.bound(partial, Access::write);
  model.command().action.Set(std::move(sum));
  model.launch(countdown,
               {model.bind(left, Access::read), model.bind(left, Access::write),
                model.bind(flag, Access::write)},
               {}, 1);
  std::vector<int32_t> trips(count, 3);
  std::fill(trips.begin() + count / 2, trips.end(), 500);
  testSame(parted, HEDDLE_I32, toBytes(trips), size_t(count) * 4);
}

/// An input that goes along from rank to rank comes behind one that is cut. A
/// rank that waits for it waits for none that is late: here the last is, and
/// the first cannot send it its part yet.
static void testUncutBehindCut() {
  if (engine != "tcp" || count != 3)
    return;
  constexpr int64_t part = 12 << 20; // more bytes than a connection holds back
  Parted parted(count, DataType::i32, part, 3);
  Model &model = parted.model;
  model.manifest.entries[0]->inputs.push_back(
      tensor(model, "same", DataType::i32, {3}));
  uint32_t same = model.buffer(BufferKind::input, 1, 12);
  copyWhole(model, same, parted.output, 0);
  heddle_program *program = parted.load(folder);
  heddle_ranks *ranks = ranksOfGroup(program);
  if (own) {
    timespec span = {1, 0};
    if (own + 1 == count)
      nanosleep(&span, nullptr);
    OK(heddle_ranks_serve(ranks));
  } else {
    std::vector<int32_t> cut(size_t(part) * count), out(3 * size_t(count));
    std::array<int32_t, 3> uncut = {1, 2, 3};
    int64_t cutShape = part * count, shape = 3, outShape = 3 * count;
    heddle_tensor x = make_tensor(cut.data(), HEDDLE_I32, 1, &cutShape),
                  z = make_tensor(uncut.data(), HEDDLE_I32, 1, &shape),
                  y = make_tensor(out.data(), HEDDLE_I32, 1, &outShape);
    const heddle_tensor *inputs[] = {&x, &z}, *outputs[] = {&y};
    OK(heddle_ranks_call(ranks, inputs, 2, outputs, 1, nullptr));
    for (size_t i = 0; i < out.size(); ++i)
      CHECK(out[i] == uncut[i % 3]);
  }
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
}

/// The first rank gives and takes parts.
static void testTensorsInParts() {
  Parted parted(count, DataType::i32, 3, 3);
  parted.model.command().action.Set(parted.collective(
      CollectiveKind::all_reduce, DataType::i32, groupsOf(count), count));
  heddle_program *program = parted.load(folder);
  heddle_ranks *ranks = ranksOfGroup(program);
  if (own) {
    OK(heddle_ranks_serve(ranks));
  } else {
    std::vector<std::array<int32_t, 3>> in(count), out(count);
    std::vector<heddle_tensor> tensors;
    int64_t shape = 3;
    for (auto *each : {&in, &out})
      for (uint32_t i = 0; i < count; ++i) {
        (*each)[i] = {int32_t(i), 1, int32_t(10 * i)};
        tensors.push_back(
            make_tensor((*each)[i].data(), HEDDLE_I32, 1, &shape));
      }
    std::vector<const heddle_tensor *> pointers;
    for (heddle_tensor &tensor : tensors)
      pointers.push_back(&tensor);
    heddle_parted_tensor x = {sizeof(x), nullptr, pointers.data()},
                         y = {sizeof(y), nullptr, pointers.data() + count};
    const heddle_parted_tensor *inputs[] = {&x}, *outputs[] = {&y};
    OK(heddle_ranks_call_parts(ranks, inputs, 1, outputs, 1, nullptr));
    auto n = int32_t(count);
    int32_t sum = n * (n - 1) / 2;
    for (const auto &part : out)
      CHECK((part == std::array<int32_t, 3>{sum, n, 10 * sum}));
  }
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
}

/// Each process gives its own part; nobody serves the first. Ranks that were
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

static heddle_traffic trafficOf(int ofThisMachine) {
  heddle_traffic traffic = {};
  traffic.size = sizeof(traffic);
  OK(heddle_group_traffic(group, ofThisMachine, &traffic));
  return traffic;
}

/// Each message is counted where it is sent and where it is received. All ranks
/// of tests are of this machine.
static void testTraffic() {
  heddle_traffic before = trafficOf(1);
  OK(heddle_group_agree(group, nullptr));
  heddle_traffic after = trafficOf(1);
  uint64_t messages = own ? 1 : count - 1;
  CHECK(after.sent - before.sent == messages &&
        after.received - before.received == messages);
  // A status goes back, and more comes.
  uint64_t least = messages * sizeof(heddle_status);
  CHECK(after.sent_bytes - before.sent_bytes >= least &&
        after.received_bytes - before.received_bytes >= least);
  CHECK(after.waited_ns > before.waited_ns);
  CHECK(!trafficOf(0).sent && !trafficOf(0).waited_ns);
  EXPECT(heddle_group_traffic(nullptr, 1, &after), HEDDLE_ARGUMENT_INVALID,
         "null pointer");
  after.size = 0;
  EXPECT(heddle_group_traffic(group, 1, &after), HEDDLE_ARGUMENT_INVALID,
         "size");
}

/// What cannot be is said, and the group goes on.
static void testRefusals() {
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

  Parted other(count + 1, DataType::i32, 1, 1);
  other.rank(other.output);
  program = other.load(folder);
  std::string wanted =
      "rank 0: the program is for " + std::to_string(count + 1) +
      " devices, and the group has " + std::to_string(count) + " processes";
  ranksOfGroup(program, HEDDLE_ARGUMENT_INVALID, wanted.c_str());
  heddle_program_destroy(program);
  heddle_group_options options = {};
  options.size = sizeof(options);
  heddle_group *none = nullptr;
  options.engine = "pigeons";
  EXPECT(heddle_group_join(&options, &none), HEDDLE_ARGUMENT_INVALID,
         "there are no groups of engine 'pigeons'; there are: mpi, tcp");
  options.engine = "tcp";
  options.piece_bytes = pieceBytes;
  EXPECT(heddle_group_join(&options, &none), HEDDLE_ARGUMENT_INVALID,
         "a library and pieces are of the engine mpi, not of tcp");
  options.engine = "mpi";
  options.library = "libmpi-of-nobody.so.1";
  EXPECT(heddle_group_join(&options, &none), HEDDLE_LIBRARY_MISSING,
         "libmpi-of-nobody.so.1");
  options.library = "libm.so.6";
  EXPECT(heddle_group_join(&options, &none), HEDDLE_LIBRARY_MISSING,
         "libm.so.6 has no MPI_Initialized");
}

//===----------------------------------------------------------------------===//
// Troubles
//===----------------------------------------------------------------------===//

/// Where a rank has another file, or none, all learn of it, and can leave.
static void testDiffering(uint32_t rank, bool isAbsent) {
  Parted parted(count, DataType::f32, 2, 2);
  parted.model.command().action.Set(parted.collective(
      CollectiveKind::all_reduce, DataType::f32, groupsOf(count), count,
      own == rank ? ReductionKind::maximum : ReductionKind::sum));
  heddle_program *program = parted.load(folder);
  std::string name = "rank " + std::to_string(rank);
  if (isAbsent && own == rank) {
    heddle_status missing = {HEDDLE_FILE_UNREADABLE, "it is not there"};
    EXPECT(heddle_group_agree(group, &missing), HEDDLE_FILE_UNREADABLE,
           (name + ": it is not there").c_str());
  } else if (isAbsent) {
    ranksOfGroup(program, HEDDLE_FILE_UNREADABLE,
                 (name + ": it is not there").c_str());
  } else {
    ranksOfGroup(program, HEDDLE_RANK_FAILED,
                 ("the artifact of " + name + " (hash ").c_str());
  }
  heddle_program_destroy(program);
}

namespace {
enum class Deed { Fail, Die, Sleep };
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

static void endWithTrouble() {
  std::printf("rank %u: %s\n", own, failures ? "checks failed" : "has learned");
  std::fflush(stdout);
  sleep(2); // by when all have said so
  heddle_group_await_abort(group, 60000000000);
  heddle_group_abort(group, 7);
}

/// The first rank goes past what the others do together, and leaves.
static int testLeaving() {
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
  return finish();
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

/// A process ends while the others leave.
static int testEnding(uint32_t rank) {
  if (own == rank)
    kill(getpid(), SIGKILL);
  EXPECT(heddle_group_leave(group), HEDDLE_RANK_FAILED,
         ("rank " + std::to_string(rank) + " failed: its process ").c_str());
  return finish();
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

/// Joins the group, or says why not.
static bool joins() {
  heddle_group_options options = {};
  options.size = sizeof(options);
  options.engine = engine.c_str();
  options.piece_bytes = engine == "mpi" ? pieceBytes : 0;
  heddle_status status = heddle_group_join(&options, &group);
  if (!status.code)
    return true;
  std::printf("%s: %s\n", heddle_code_name(status.code), status.message);
  return false;
}

/// After the group has been left: a group of TCP can be joined again, MPI not.
static void testAgain() {
  heddle_group_options options = {};
  options.size = sizeof(options);
  options.engine = engine.c_str();
  heddle_group *again = nullptr;
  if (engine == "mpi") {
    EXPECT(heddle_group_join(&options, &again), HEDDLE_ARGUMENT_INVALID,
           "MPI has been ended in this process");
    return;
  }
  OK(heddle_group_join(&options, &again));
  CHECK(heddle_group_rank(again) == own && heddle_group_count(again) == count);
  OK(heddle_group_agree(again, nullptr));
  OK(heddle_group_leave(again));
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  folder = argv[1];
  engine = argv[2];
  std::string what = argv[3];
  uint32_t rank = argc > 4 ? uint32_t(std::atoi(argv[4])) : 0;
  if (!joins())
    return 1;
  own = heddle_group_rank(group);
  count = heddle_group_count(group);
  if (what == "same") {
    testCollectives();
    testPermute();
    testParts();
    testUnequalLoops();
    testUncutBehindCut();
    testTensorsInParts();
    testOwnParts();
    testTraffic();
    testRefusals();
  } else if (what == "differing" || what == "absent") {
    testDiffering(rank, what == "absent");
  } else if (what == "failing") {
    testFailing(int32_t(rank));
  } else if (what == "killed") {
    testKilled(int32_t(rank));
  } else if (what == "late") {
    testLate(int32_t(rank));
  } else if (what == "cancelled") {
    testCancelled(int32_t(rank));
  } else if (what == "busy") {
    testBusy();
  } else if (what == "ending") {
    return testEnding(rank);
  } else if (what == "leaving") {
    return testLeaving();
  } else if (what == "own") {
    testOwnPartThatIsWrong(rank);
  } else if (what == "parting") {
    testParting(rank);
  }
  OK(heddle_group_leave(group));
  testAgain();
  return finish();
}
