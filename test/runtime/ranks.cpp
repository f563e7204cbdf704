// ranks MODELS [ENGINE]: programs that several ranks run together, made by
// hand: each collective with 2, 3, 4 and 8 ranks against what it should give,
// element by element; parts of tensors, and weights of ranks.

#include "test/runtime/PartedModel.h"
#include "test/runtime/forks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <new>
#include <numeric>
#include <random>

using namespace heddle;
using namespace heddle::format;
using namespace heddle::test;

static std::atomic<int64_t> allocations{0};

// The libraries of sanitizers define these, too: nothing is counted there.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HEDDLE_TEST_COUNTS_NOTHING
#endif
#endif
#if !defined(HEDDLE_TEST_COUNTS_NOTHING) && !defined(__SANITIZE_THREAD__) &&   \
    !defined(__SANITIZE_ADDRESS__)
void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  std::abort();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
#endif

static std::string folder;

//===----------------------------------------------------------------------===//
// Each collective
//===----------------------------------------------------------------------===//

/// Twice with equal bits, the second time without an allocation.
static Bytes runTwice(Parted &parted, heddle_dtype dtype, Bytes in,
                      size_t outBytes) {
  heddle_program *program = parted.load(folder);
  CHECK(heddle_program_ranks(program) == parted.ranks);
  heddle_ranks *ranks = makeRanks(program);
  Bytes first(outBytes, 0x55), second(outBytes, 0x2a);
  OK(callRanks(ranks, dtype, in, first));
  int64_t before = allocations;
  heddle_status status = callRanks(ranks, dtype, in, second);
  CHECK(allocations == before);
  OK(status);
  CHECK(first == second);
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
  return first;
}

/// The groups of a mesh of two axes, along the first (strided) or all ranks,
/// in an order that is not theirs.
static std::vector<std::vector<uint32_t>> groupsOf(uint32_t ranks,
                                                   uint32_t size) {
  std::vector<std::vector<uint32_t>> groups(ranks / size);
  for (uint32_t i = 0; i < ranks; ++i)
    groups[i % groups.size()].push_back((i + 1) % ranks);
  return groups;
}

static std::vector<uint32_t>
flat(const std::vector<std::vector<uint32_t>> &groups) {
  std::vector<uint32_t> list;
  for (const auto &group : groups)
    list.insert(list.end(), group.begin(), group.end());
  return list;
}

template <typename T> static std::vector<T> someValues(size_t count) {
  static std::mt19937_64 random(7);
  std::vector<T> values(count);
  for (T &value : values) {
    if constexpr (std::is_floating_point_v<T>)
      value =
          T(std::ldexp(double(random() >> 11), -53) - 0.5) * T(random() % 1000);
    else
      value = T(random());
  }
  return values;
}

template <typename T> static T joined(ReductionKind reduction, T a, T b) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  switch (reduction) {
  case ReductionKind::sum:
    return T(Wide(a) + Wide(b));
  case ReductionKind::product:
    return T(Wide(a) * Wide(b));
  case ReductionKind::minimum:
    return b < a ? b : a;
  case ReductionKind::maximum:
    return a < b ? b : a;
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>)
    return reduction == ReductionKind::conjunction ? T(a & b) : T(a | b);
  return a;
}

/// What the ranks of a group should have: `sources` are theirs in its order.
template <typename T>
static std::vector<T> expected(CollectiveKind kind, ReductionKind reduction,
                               const std::vector<std::vector<T>> &sources,
                               size_t place) {
  std::vector<T> result;
  size_t count = sources.size(), length = sources[0].size(),
         piece = length / count;
  std::vector<T> sum = sources[0];
  for (size_t i = 1; i < count; ++i)
    for (size_t j = 0; j < length; ++j)
      sum[j] = joined(reduction, sum[j], sources[i][j]);
  switch (kind) {
  case CollectiveKind::all_reduce:
    return sum;
  case CollectiveKind::all_gather:
    for (const auto &source : sources)
      result.insert(result.end(), source.begin(), source.end());
    return result;
  case CollectiveKind::reduce_scatter:
    return std::vector<T>(sum.begin() + long(place * piece),
                          sum.begin() + long((place + 1) * piece));
  case CollectiveKind::all_to_all:
    for (const auto &source : sources)
      result.insert(result.end(), source.begin() + long(place * piece),
                    source.begin() + long((place + 1) * piece));
    return result;
  default: // broadcast
    return sources[0];
  }
}

template <typename T>
static void testGroups(CollectiveKind kind, DataType dtype, uint32_t ranks,
                       uint32_t size, int64_t pieces,
                       ReductionKind reduction = ReductionKind::sum) {
  auto [in, out] = CollectiveSizes(kind, size, pieces);
  auto groups = groupsOf(ranks, size);
  Parted parted(ranks, dtype, in, out);
  parted.model.command().action.Set(
      parted.collective(kind, dtype, flat(groups), size, reduction));
  auto values = someValues<T>(size_t(in) * ranks);
  auto got = fromBytes<T>(runTwice(parted, heddle_dtype(dtype), toBytes(values),
                                   size_t(out) * ranks * sizeof(T)));
  for (const auto &group : groups) {
    std::vector<std::vector<T>> sources;
    for (uint32_t rank : group)
      sources.emplace_back(values.begin() + rank * in,
                           values.begin() + (rank + 1) * in);
    for (size_t place = 0; place < group.size(); ++place) {
      std::vector<T> wanted = expected(kind, reduction, sources, place);
      CHECK(int64_t(wanted.size()) == out);
      CHECK(std::equal(wanted.begin(), wanted.end(),
                       got.begin() + group[place] * out));
    }
  }
}

static void testCollectives() {
  for (uint32_t ranks : {2u, 3u, 4u, 8u})
    for (uint32_t size : {ranks, ranks % 2 ? ranks : ranks / 2}) {
      for (CollectiveKind kind :
           {CollectiveKind::all_reduce, CollectiveKind::all_gather,
            CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
            CollectiveKind::broadcast})
        // Fewer elements than ranks, more than a block, none.
        for (int64_t pieces : {1, 5001, 0}) {
          testGroups<float>(kind, DataType::f32, ranks, size, pieces);
          testGroups<int8_t>(kind, DataType::i8, ranks, size, pieces);
        }
      for (auto reduction : {ReductionKind::product, ReductionKind::minimum,
                             ReductionKind::maximum})
        testGroups<double>(CollectiveKind::all_reduce, DataType::f64, ranks,
                           size, 37, reduction);
    }
}

static void testTypes() {
  auto all = [](auto zero, DataType dtype) {
    using T = decltype(zero);
    for (auto reduction :
         {ReductionKind::sum, ReductionKind::product, ReductionKind::minimum,
          ReductionKind::maximum, ReductionKind::conjunction,
          ReductionKind::disjunction})
      testGroups<T>(CollectiveKind::reduce_scatter, dtype, 3, 3, 70, reduction);
  };
  all(int8_t(), DataType::i8);
  all(int16_t(), DataType::i16);
  all(int32_t(), DataType::i32);
  all(int64_t(), DataType::i64);
  all(uint8_t(), DataType::ui8);
  all(uint16_t(), DataType::ui16);
  all(uint32_t(), DataType::ui32);
  all(uint64_t(), DataType::ui64);
}

/// An all_reduce of three ranks with these elements each.
template <typename T>
static std::vector<T> reduced(DataType dtype, ReductionKind reduction,
                              const std::vector<T> &values) {
  int64_t part = int64_t(values.size()) / 3;
  Parted parted(3, dtype, part, part);
  parted.model.command().action.Set(parted.collective(
      CollectiveKind::all_reduce, dtype, {0, 1, 2}, 3, reduction));
  return fromBytes<T>(runTwice(parted, heddle_dtype(dtype), toBytes(values),
                               values.size() * sizeof(T)));
}

/// The order of the sum, the rounding of each step, NaN and the sign of zero.
static void testNumbers() {
  // (1e8 + 1) rounds to 1e8 before -1e8 comes.
  CHECK(reduced<float>(DataType::f32, ReductionKind::sum,
                       {1e8f, 1, -1e8f})[0] == 0);
  // bf16: 256 + 1 is a tie, to even; then 256 + 3 = 259 is one, to 260.
  CHECK((reduced<uint16_t>(DataType::bf16, ReductionKind::sum,
                           {0x4380, 0x3f80, 0x4040})[1] == 0x4382));
  // f16: 2048 + 1 is a tie, 2048 + 3 = 2051 goes to 2052.
  CHECK((reduced<uint16_t>(DataType::f16, ReductionKind::sum,
                           {0x6800, 0x3c00, 0x4200})[0] == 0x6802));
  // f16: 65504 + 65504 is infinite; the smallest one twice, and nothing.
  auto halves = reduced<uint16_t>(DataType::f16, ReductionKind::sum,
                                  {0x7bff, 0x0001, 0x7bff, 0x0001, 0, 0x8000});
  CHECK(halves[0] == 0x7c00 && halves[1] == 0x0002);
  // f16: 2^-14 - 2^-24 is subnormal, and exact.
  CHECK((reduced<uint16_t>(DataType::f16, ReductionKind::sum,
                           {0x0400, 0x8001, 0})[0] == 0x03ff));
  auto largest = reduced<float>(DataType::f32, ReductionKind::maximum,
                                {-0.0f, 1, 2, 0.0f, NAN, 1, -0.0f, 3, 7});
  CHECK(largest[0] == 0 && !std::signbit(largest[0]));
  CHECK(std::isnan(largest[1]) && largest[2] == 7);
  auto least = reduced<float>(DataType::f32, ReductionKind::minimum,
                              {0.0f, NAN, -0.0f, 1, 0.0f, 2});
  CHECK(least[0] == 0 && std::signbit(least[0]) && std::isnan(least[1]));
  CHECK((reduced<uint8_t>(DataType::i1, ReductionKind::conjunction,
                          {1, 1, 1, 1, 1, 0}) ==
         std::vector<uint8_t>{1, 0, 1, 0, 1, 0}));
}

static void testPermute() {
  Parted parted(4, DataType::i32, 2, 2);
  parted.model.command().action.Set(parted.collective(
      CollectiveKind::permute, DataType::i32, {0, 2, 2, 0, 1, 3}, 2));
  std::vector<int32_t> in = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK((fromBytes<int32_t>(runTwice(parted, HEDDLE_I32, toBytes(in), 32)) ==
         std::vector<int32_t>{5, 6, 0, 0, 1, 2, 3, 4}));
}

/// What a rank gives may be overwritten right behind the collective: nobody
/// reads it any more.
static void testSourceIsFree() {
  constexpr int64_t part = 4096;
  Parted parted(4, DataType::i32, part, part);
  Model &model = parted.model;
  model.arena(part * 4);
  uint32_t source = model.buffer(BufferKind::arena, 0, part * 4);
  copyWhole(model, parted.input, source, 0);
  CollectiveT exchange = parted.collective(CollectiveKind::all_to_all,
                                           DataType::i32, {0, 1, 2, 3}, 4);
  exchange.source = parted.bound(source, Access::read);
  model.command().action.Set(std::move(exchange));
  fillWhole(model, source, 0, 4, 0);
  std::vector<int32_t> in(4 * part);
  std::iota(in.begin(), in.end(), 1);
  auto out = fromBytes<int32_t>(
      runTwice(parted, HEDDLE_I32, toBytes(in), 4 * part * 4));
  bool good = true;
  for (int64_t rank = 0; rank < 4; ++rank)
    for (int64_t i = 0; i < part; ++i)
      good &= out[size_t(rank * part + i)] ==
              in[size_t(i / (part / 4) * part + rank * (part / 4) +
                        i % (part / 4))];
  CHECK(good);
}

/// Ranks know their numbers, and lie where the manifest says.
static void testRankNumbers() {
  Parted parted(4, DataType::i32, 1, 1);
  parted.rank(parted.output);
  CHECK((fromBytes<int32_t>(runTwice(parted, HEDDLE_I32, Bytes(16), 16)) ==
         std::vector<int32_t>{0, 1, 2, 3}));
  parted.model.manifest.places = {2, 0, 3, 1};
  CHECK((fromBytes<int32_t>(runTwice(parted, HEDDLE_I32, Bytes(16), 16)) ==
         std::vector<int32_t>{1, 3, 0, 2}));
}

/// Seven elements in parts of two: the last part lies half beyond the tensor.
static void testUnevenParts() {
  Parted parted(4, DataType::f32, 2, 2);
  EntryT &entry = *parted.model.manifest.entries[0];
  entry.inputs[0]->whole = entry.outputs[0]->whole = {7};
  parted.model.command().action.Set(parted.collective(
      CollectiveKind::permute, DataType::f32, {0, 0, 1, 2, 2, 1, 3, 3}, 2));
  std::vector<float> in = {1, 2, 3, 4, 5, 6, 7};
  CHECK((fromBytes<float>(runTwice(parted, HEDDLE_F32, toBytes(in), 28)) ==
         std::vector<float>{1, 2, 5, 6, 3, 4, 7}));
}

/// A matrix of four rows and five columns on a mesh of two times two, which is
/// copied.
static Parted matrixOfRanks() {
  Parted parted(4, DataType::i32, 1, 1);
  EntryT &entry = *parted.model.manifest.entries[0];
  entry.inputs[0] = tensor(parted.model, "x", DataType::i32, {2, 3});
  entry.outputs[0] = tensor(parted.model, "y", DataType::i32, {2, 3});
  for (TensorT *each : {entry.inputs[0].get(), entry.outputs[0].get()}) {
    each->whole = {4, 5};
    each->cuts = {Cut(0, 2, 2), Cut(1, 2, 1)};
  }
  for (const char *name : {"data", "model"}) {
    auto axis = std::make_unique<MeshAxisT>();
    axis->name = name;
    axis->size = 2;
    parted.model.manifest.mesh.push_back(std::move(axis));
  }
  for (auto &buffer : parted.model.program().buffers)
    buffer->size = parted.model.constant(24);
  copyWhole(parted.model, parted.input, parted.output, 0);
  return parted;
}

/// A matrix cut along both dimensions comes back whole.
static void testCutsOfTwoDimensions() {
  Parted parted = matrixOfRanks();
  heddle_program *program = parted.load(folder);
  heddle_tensor_info info = {};
  info.size = sizeof(info);
  OK(heddle_program_input_info(program, 0, 0, &info));
  CHECK(info.shape[0] == 2 && info.shape[1] == 3 && info.whole[0] == 4 &&
        info.whole[1] == 5);
  heddle_ranks *ranks = makeRanks(program);
  std::vector<int32_t> in(20), out(20);
  std::iota(in.begin(), in.end(), 1);
  int64_t shape[] = {4, 5}, wrong[] = {2, 3};
  heddle_tensor x = make_tensor(in.data(), HEDDLE_I32, 2, shape),
                y = make_tensor(out.data(), HEDDLE_I32, 2, shape);
  const heddle_tensor *inputs[] = {&x}, *outputs[] = {&y};
  OK(heddle_ranks_call(ranks, inputs, 1, outputs, 1, nullptr));
  CHECK(in == out);
  // Whole tensors are checked.
  y.data = in.data();
  EXPECT(heddle_ranks_call(ranks, inputs, 1, outputs, 1, nullptr),
         HEDDLE_TENSOR_OVERLAP, "output 'y' shares memory with input 'x'");
  x.shape = wrong;
  EXPECT(heddle_ranks_call(ranks, inputs, 1, outputs, 1, nullptr),
         HEDDLE_TENSOR_SHAPE, "input 'x' has shape");
  EXPECT(heddle_ranks_call(ranks, inputs, 0, outputs, 1, nullptr),
         HEDDLE_INPUT_MISSING, "input 'x' is missing");
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
}

static void testWherePartsLie() {
  heddle_program *program = matrixOfRanks().load(folder);
  heddle_tensor_info info = {};
  info.size = sizeof(info);
  OK(heddle_program_output_info(program, 0, 0, &info));
  CHECK(info.sharding && !strcmp(info.sharding, "[{\"data\"}, {\"model\"}]"));
  CHECK(heddle_program_mesh_axis_count(program) == 2);
  const char *name = nullptr;
  uint32_t count = 0;
  OK(heddle_program_mesh_axis(program, 1, &name, &count));
  CHECK(name && !strcmp(name, "model") && count == 2);
  EXPECT(heddle_program_mesh_axis(program, 2, &name, &count),
         HEDDLE_ARGUMENT_INVALID, "the mesh has no axis of that number");
  int64_t begin[2], inside[2];
  OK(heddle_program_input_part(program, 0, 0, 3, begin, inside));
  CHECK(begin[0] == 2 && begin[1] == 3 && inside[0] == 2 && inside[1] == 2);
  OK(heddle_program_output_part(program, 0, 0, 0, begin, inside));
  CHECK(begin[0] == 0 && begin[1] == 0 && inside[0] == 2 && inside[1] == 3);
  EXPECT(heddle_program_input_part(program, 0, 0, 4, begin, inside),
         HEDDLE_ARGUMENT_INVALID, "the program has no rank of that number");
  EXPECT(heddle_program_input_part(program, 0, 1, 0, begin, inside),
         HEDDLE_ARGUMENT_INVALID, "the entry has no input of that number");
  EXPECT(heddle_program_output_part(program, 0, 1, 0, begin, inside),
         HEDDLE_ARGUMENT_INVALID, "the entry has no output of that number");
  EXPECT(heddle_program_output_part(program, 1, 0, 0, begin, inside),
         HEDDLE_ENTRY_UNKNOWN, "there is no entry number 1");
  heddle_program_destroy(program);
}

namespace {
/// A matrix of the program above in parts, with what is beyond it.
struct MatrixParts {
  std::vector<std::array<int32_t, 6>> values =
      std::vector<std::array<int32_t, 6>>(4);
  std::vector<heddle_tensor> tensors;
  std::vector<const heddle_tensor *> pointers;
  heddle_parted_tensor parted = {sizeof(heddle_parted_tensor), nullptr,
                                 nullptr};

  MatrixParts() {
    static const int64_t shape[] = {2, 3};
    for (auto &part : values)
      tensors.push_back(make_tensor(part.data(), HEDDLE_I32, 2, shape));
    for (heddle_tensor &tensor : tensors)
      pointers.push_back(&tensor);
    parted.parts = pointers.data();
  }
};
} // namespace

static void testTensorsInParts() {
  heddle_program *program = matrixOfRanks().load(folder);
  heddle_ranks *ranks = makeRanks(program);
  CHECK(heddle_ranks_threads(ranks) >= 1 && heddle_ranks_threads(nullptr) == 0);
  std::vector<int32_t> whole(20), back(20);
  std::iota(whole.begin(), whole.end(), 1);
  int64_t shape[] = {4, 5};
  heddle_tensor x = make_tensor(whole.data(), HEDDLE_I32, 2, shape),
                y = make_tensor(back.data(), HEDDLE_I32, 2, shape);
  heddle_parted_tensor all = {sizeof(all), &x, nullptr},
                       target = {sizeof(target), &y, nullptr};
  MatrixParts parts;
  auto call = [&](const heddle_parted_tensor &in,
                  const heddle_parted_tensor &out) {
    const heddle_parted_tensor *inputs[] = {&in}, *outputs[] = {&out};
    return heddle_ranks_call_parts(ranks, inputs, 1, outputs, 1, nullptr);
  };
  // The whole becomes parts, and these the whole.
  OK(call(all, parts.parted));
  CHECK(parts.values[0] == (std::array<int32_t, 6>{1, 2, 3, 6, 7, 8}));
  CHECK(parts.values[3][0] == 14 && parts.values[3][1] == 15 &&
        parts.values[3][3] == 19 && parts.values[3][4] == 20);
  int64_t before = allocations;
  heddle_status status = call(parts.parted, target);
  CHECK(allocations == before);
  OK(status);
  CHECK(whole == back);
  MatrixParts others;
  OK(call(parts.parted, others.parted));
  CHECK(parts.values[1] == others.values[1]);
  // Two ranks may be given one memory to read, and not to write.
  parts.tensors[1].data = parts.tensors[0].data;
  OK(call(parts.parted, others.parted));
  CHECK(others.values[0] == others.values[1]);
  EXPECT(call(all, parts.parted), HEDDLE_TENSOR_OVERLAP,
         "output 'y' of rank 1 shares memory with output 'y' of rank 0");
  EXPECT(call(parts.parted, parts.parted), HEDDLE_TENSOR_OVERLAP,
         "shares memory with");
  others.tensors[2].dtype = HEDDLE_F32;
  EXPECT(call(others.parted, target), HEDDLE_TENSOR_DTYPE,
         "rank 2: input 'x' has type f32 instead of i32");
  others.pointers[1] = nullptr;
  EXPECT(call(others.parted, target), HEDDLE_ARGUMENT_INVALID,
         "rank 1: input 'x' is a null pointer");
  all.parts = parts.pointers.data();
  EXPECT(call(all, target), HEDDLE_ARGUMENT_INVALID,
         "input number 0: either whole or parts is wanted");
  target.size = 1;
  EXPECT(call(parts.parted, target), HEDDLE_ARGUMENT_INVALID,
         "output number 0: a struct's size is not set");
  heddle_ranks_destroy(ranks);
  heddle_program_destroy(program);
}

/// Each rank reads the weight that is its own; ranks may share one.
static void testRankWeights() {
  for (bool areShared : {false, true}) {
    Parted parted(4, DataType::f32, 1, 2);
    Model &model = parted.model;
    for (float number : {1.f, 3.f, 5.f, 7.f})
      model.addWeight("own", {number, number + 1});
    std::vector<uint32_t> numbers = areShared
                                        ? std::vector<uint32_t>{0, 1, 0, 1}
                                        : std::vector<uint32_t>{0, 1, 2, 3};
    uint32_t own = model.buffer(BufferKind::weight, 0, 8);
    model.program().buffers.back()->weights = numbers;
    copyWhole(model, own, parted.output, 0);
    heddle_program *program = parted.load(folder);
    heddle_ranks *ranks = makeRanks(program);
    Bytes in(16), out(32);
    OK(callRanks(ranks, HEDDLE_F32, in, out));
    std::vector<float> values = fromBytes<float>(out);
    for (size_t rank = 0; rank < 4; ++rank)
      CHECK(values[2 * rank] == float(2 * numbers[rank] + 1) &&
            values[2 * rank + 1] == float(2 * numbers[rank] + 2));
    heddle_ranks_destroy(ranks);
    heddle_program_destroy(program);
  }
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3)
    return 2;
  folder = argv[1];
  rankEngine = argv[2];
  if (rankEngine && !may_fork())
    return finish();
  testCollectives();
  testTypes();
  testNumbers();
  testPermute();
  testSourceIsFree();
  testRankNumbers();
  testUnevenParts();
  testCutsOfTwoDimensions();
  testWherePartsLie();
  testTensorsInParts();
  testRankWeights();
  return finish();
}
