// Contractions and attention that run only as far as the launch says, against
// the same that run to the end.

#include "KernelHarness.h"
#include "KernelText.h"
#include "gtest/gtest.h"
#include <limits>

using namespace mlir;
using namespace heddle::test;

namespace {

/// The offset of each iteration point in an operand that `map` reads; -1
/// where the operand is packed.
std::vector<int64_t> strides(AffineMap map, Value tensor) {
  auto access = *heddle::kernel::linearAccess(
      map, cast<RankedTensorType>(tensor.getType()));
  EXPECT_EQ(access.offset, 0);
  return {access.strides.begin(), access.strides.end()};
}

/// Calls `body` for each point of the box.
void forEach(llvm::ArrayRef<int64_t> extents,
             llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body) {
  std::vector<int64_t> at(extents.size());
  if (llvm::is_contained(extents, 0))
    return;
  while (true) {
    body(at);
    size_t dim = at.size();
    while (dim > 0 && ++at[dim - 1] == extents[dim - 1])
      at[--dim] = 0;
    if (dim == 0)
      return;
  }
}

int64_t offset(llvm::ArrayRef<int64_t> at, llvm::ArrayRef<int64_t> steps) {
  int64_t sum = 0;
  for (auto [position, step] : llvm::zip_equal(at, steps))
    sum += position * step;
  return sum;
}

/// Runs the case with a limit of each value in `values` on each of `limited`,
/// all combinations, on every machine this host runs. Operands are NaN beyond
/// the limits of sums.
void check(const ContractionCase &c, llvm::ArrayRef<int64_t> limited,
           llvm::ArrayRef<std::vector<int64_t>> values) {
  auto parsed = parse(textOf(c));
  ASSERT_TRUE(parsed) << textOf(c);
  heddle::kernel::ContractOp op;
  parsed->walk([&](heddle::kernel::ContractOp found) { op = found; });
  std::vector<int64_t> lhsSteps = strides(op.getLhsMap(), op.getLhs()),
                       outSteps = strides(op.getOutMap(), op.getResult());
  std::vector<float> lhs = randomValues(sizeOf(c.lhs), 1),
                     rhs = randomValues(sizeOf(c.rhs), 2);
  constexpr float guard = 77, nan = std::numeric_limits<float>::quiet_NaN();
  for (const char *machine : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(machine))
      continue;
    SCOPED_TRACE(machine);
    auto whole = Kernel::compile(textOf(c), machine);
    auto kernel = Kernel::compile(textOf(c, "f32", "f32", limited), machine);
    ASSERT_TRUE(whole && kernel);
    std::vector<int64_t> counts;
    for (const std::vector<int64_t> &list : values)
      counts.push_back(list.size());
    forEach(counts, [&](llvm::ArrayRef<int64_t> chosen) {
      std::vector<int64_t> given, ends = c.extents;
      for (size_t i = 0; i < limited.size(); ++i) {
        given.push_back(values[i][chosen[i]]);
        int64_t &end = ends[limited[i]];
        end = std::max<int64_t>(0, std::min(end, given.back()));
      }
      std::string trace;
      for (int64_t value : given)
        trace += std::to_string(value) + " ";
      SCOPED_TRACE(trace + "of\n" + textOf(c, "f32", "f32", limited));
      // What must not count is zero for the kernel without limits, and no
      // number for the one with.
      std::vector<float> zeroed = lhs, spoiled = lhs;
      forEach(c.extents, [&](llvm::ArrayRef<int64_t> at) {
        for (size_t dim = 0; dim < at.size(); ++dim)
          if (c.reductions[dim] == 'r' && at[dim] >= ends[dim]) {
            zeroed[offset(at, lhsSteps)] = 0;
            spoiled[offset(at, lhsSteps)] = nan;
          }
      });
      std::vector<float> wanted(sizeOf(c.out) + 64, guard);
      whole->run({zeroed.data(), rhs.data(), wanted.data()});
      std::vector<float> first;
      for (int64_t chunk : {0, 1, 3}) {
        std::vector<float> out(sizeOf(c.out) + 64, guard);
        kernel->run({spoiled.data(), rhs.data(), out.data()}, chunk, chunk == 3,
                    given);
        for (int64_t i = 0; i < 64; ++i)
          ASSERT_EQ(out[sizeOf(c.out) + i], guard) << "past the end, " << i;
        std::vector<int64_t> points = ends;
        for (size_t dim = 0; dim < points.size(); ++dim)
          if (c.reductions[dim] == 'r')
            points[dim] = 1;
        forEach(points, [&](llvm::ArrayRef<int64_t> at) {
          int64_t place = offset(at, outSteps);
          ASSERT_EQ(out[place], wanted[place]) << "at " << place;
        });
      }
    });
  }
}

TEST(Limits, Rows) {
  std::vector<int64_t> rows = {0, 1, 2, 3, 5, 6, 7, 13, 14, 15, 28, 49, 50};
  check(packedMatmul(50, 70, 19), {0}, {rows});
  check(matmul(50, 70, 19), {0}, {rows});
  check(matmul(1, 70, 19), {0}, {{0, 1}});
}

TEST(Limits, BeyondTheExtentIsTheExtent) {
  check(packedMatmul(9, 40, 19), {0, 1, 2},
        {{-1, 9, 10}, {-7, 1000}, {-1, 1 << 20}});
  check(packedMatmul(9, 40, 19), {0},
        {{std::numeric_limits<int64_t>::max(),
          std::numeric_limits<int64_t>::min()}});
}

TEST(Limits, Columns) {
  check(packedMatmul(9, 150, 19), {1}, {{0, 1, 31, 32, 33, 128, 149, 150}});
  check(matmul(9, 150, 19), {1}, {{0, 1, 31, 32, 33, 150}});
  check(matmul(60, 150, 19), {1}, {{0, 1, 33, 150}});
}

TEST(Limits, Sums) {
  // In one chain, in several, and in several visits of the sums' memory.
  check(packedMatmul(9, 40, 20), {2}, {{0, 1, 3, 4, 19, 20}});
  check(packedMatmul(9, 40, 140), {2}, {{0, 1, 96, 97, 140}});
  check(packedMatmul(9, 40, 300), {2}, {{0, 1, 95, 96, 97, 192, 300}});
  check(packedMatmul(21, 70, 9000), {2}, {{0, 1, 700, 8999, 9000}});
  check(matmul(60, 33, 300), {2}, {{0, 1, 96, 300}});
  check(matmul(3, 33, 1), {2}, {{0, 1}});
}

TEST(Limits, All) {
  check(packedMatmul(20, 70, 150), {0, 1, 2},
        {{0, 1, 8, 20}, {0, 33, 70}, {0, 97}});
  check(packedMatmul(300, 70, 9000), {0, 2}, {{0, 3, 16, 299}, {5, 4000}});
}

TEST(Limits, SeveralDimensionsOfARole) {
  ContractionCase c = {"a, m, n, j, k", {3, 17, 18, 4, 5}, "a, j, m, k",
                       "n, j, k",       "a, m, n",         {3, 4, 17, 5},
                       {18, 4, 5},      {3, 17, 18},       "ppprr"};
  check(c, {0, 1}, {{0, 1, 2, 3}, {0, 1, 9, 17}});
  check(c, {3}, {{0, 1, 3, 4}});
  check(c, {3, 4}, {{0, 2, 4}, {0, 1, 5}});
  c.rhs = {1, 20, 32};
  c.packed = true;
  check(c, {0, 1}, {{0, 1, 2, 3}, {0, 1, 9, 17}});
  check(c, {3}, {{0, 1, 3, 4}});
  check(c, {3, 4}, {{0, 2, 4}, {0, 1, 5}});
}

TEST(Limits, Batches) {
  ContractionCase c = {"b, h, m, n, d", {2, 3, 20, 35, 16}, "b, m, h, d",
                       "b, n, h, d",    "b, h, m, n",       {2, 20, 3, 16},
                       {2, 35, 3, 16},  {2, 3, 20, 35},     "ppppr"};
  check(c, {0, 2}, {{0, 1, 2}, {0, 1, 11, 20}});
  check(c, {2, 3, 4}, {{0, 7, 20}, {0, 1, 35}, {0, 9, 16}});
}

TEST(Limits, OneColumn) {
  // The other way round, where rows fill vectors.
  check({"m, k", {70, 9}, "m, k", "k", "m", {70, 9}, {9}, {70}, "pr"}, {0, 1},
        {{0, 1, 33, 70}, {0, 4, 9}});
}

/// An attention of [3, m, 16], 37 keys and values of 24.
std::string attentionText(int64_t m, bool isLimited) {
  std::string rows = std::to_string(m);
  std::string query = "tensor<3x" + rows + "x16xf32>",
              out = "tensor<3x" + rows + "x24xf32>";
  return "func.func @k(%q: " + query +
         ", %k: tensor<3x37x16xf32>, %v: tensor<3x37x24xf32>" +
         (isLimited ? ", %b: index, %m: index" : "") + ") -> " + out +
         " attributes {kernel.entry} {\n %0 = kernel.attention %q, %k, %v" +
         (isLimited ? " limits(%b, %m)" : "") + " {extents = array<i64: 3, " +
         rows + ", 37, 16, 24>, scale = 3.0e-01 : f32" +
         (isLimited ? ", limited = array<i64: 0, 1>" : "") +
         ", indexing_maps = [affine_map<(b, m, n, d, e) -> (b, m, d)>, "
         "affine_map<(b, m, n, d, e) -> (b, n, d)>, "
         "affine_map<(b, m, n, d, e) -> (b, n, e)>, "
         "affine_map<(b, m, n, d, e) -> (b, m, e)>]} : " +
         query + ", tensor<3x37x16xf32>, tensor<3x37x24xf32> -> " + out +
         "\n return %0 : " + out + "\n}\n";
}

/// Rows before the limits are what they are without; of batch elements beyond
/// nothing is written, nor behind the end.
TEST(Limits, AttentionRowsAndBatch) {
  constexpr float guard = 77;
  for (const char *machine : {"x86-64-v3", "x86-64-v4"})
    for (int64_t m : {1, 7, 50, 200}) {
      if (!canRun(machine))
        continue;
      SCOPED_TRACE(std::string(machine) + " " + std::to_string(m));
      auto whole = Kernel::compile(attentionText(m, false), machine);
      auto kernel = Kernel::compile(attentionText(m, true), machine);
      ASSERT_TRUE(whole && kernel);
      auto q = randomValues(3 * m * 16, 1), k = randomValues(3 * 37 * 16, 2),
           v = randomValues(3 * 37 * 24, 3);
      std::vector<float> wanted(3 * m * 24);
      whole->run({q.data(), k.data(), v.data(), wanted.data()});
      for (int64_t batch : {0, 1, 2, 3, 9})
        for (int64_t rows : {int64_t(0), int64_t(1), m / 3, m - 1, m, m + 5}) {
          SCOPED_TRACE(std::to_string(batch) + " x " + std::to_string(rows));
          std::vector<float> out(3 * m * 24 + 64, guard);
          kernel->run({q.data(), k.data(), v.data(), out.data()}, 1, true,
                      {batch, rows});
          for (int64_t b = 0; b < 3; ++b)
            for (int64_t i = 0; i < m * 24; ++i) {
              int64_t place = b * m * 24 + i;
              if (b >= batch || rows == 0) {
                ASSERT_EQ(out[place], guard) << "beyond, at " << place;
              } else if (i < rows * 24) {
                ASSERT_EQ(out[place], wanted[place]) << "at " << place;
              }
            }
          for (int64_t i = 0; i < 64; ++i)
            ASSERT_EQ(out[3 * m * 24 + i], guard) << "past the end, " << i;
        }
    }
}

} // namespace
