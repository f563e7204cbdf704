// Calls that the first rank of a group makes and the others serve: the same
// bits as those of threads.

#include "test/runtime/LaunchedGroup.h"

#include <array>
#include <cmath>
#include <ctime>
#include <random>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

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

void heddle::test::testServedCalls() {
  testCollectives();
  testPermute();
  testParts();
  testUnequalLoops();
  testUncutBehindCut();
  testTensorsInParts();
}
