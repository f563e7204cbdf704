// Contractions of many shapes against sums in double.

#include "KernelHarness.h"
#include "KernelText.h"
#include "gtest/gtest.h"
#include <cstring>
#include <limits>

using namespace mlir;
using namespace heddle::test;

namespace {

/// The upper half of a float, by truncation.
struct BFloat16 {
  uint16_t bits;
  BFloat16(float value) {
    uint32_t all;
    memcpy(&all, &value, sizeof(all));
    bits = all >> 16;
  }
  operator double() const {
    uint32_t all = uint32_t(bits) << 16;
    float value;
    memcpy(&value, &all, sizeof(value));
    return value;
  }
};

template <typename T> std::vector<T> converted(const std::vector<float> &from) {
  std::vector<T> values;
  for (float value : from)
    values.push_back(std::is_integral_v<T> ? T(value * 50) : T(value));
  return values;
}

/// Runs a case on every machine this host can run; `packedShape` if rhs is in
/// panels of `depth` x `columns`.
template <typename T, typename R>
void check(const ContractionCase &c, const char *element, const char *result,
           llvm::ArrayRef<int64_t> packedShape = {}, int64_t batch = 1,
           int64_t depth = 0, int64_t columns = 0) {
  auto lhs = converted<T>(randomValues(sizeOf(c.lhs), 1));
  auto rhs = converted<T>(randomValues(sizeOf(c.rhs), 2));
  auto plain = parse(textOf(c, element, result));
  ASSERT_TRUE(plain);
  heddle::kernel::ContractOp op;
  plain->walk([&](heddle::kernel::ContractOp found) { op = found; });
  std::vector<double> wanted =
      evaluate(op, std::vector<double>(lhs.begin(), lhs.end()),
               std::vector<double>(rhs.begin(), rhs.end()));
  bool packed = !packedShape.empty();
  std::string text =
      textOf(packed ? withPanels(c, packedShape) : c, element, result);
  std::vector<T> stored = rhs;
  if (packed) {
    stored.assign(sizeOf(packedShape), T(0));
    int64_t panels = (columns + 31) / 32;
    // rhs is [batch..., n..., k...] here.
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t n = 0; n < columns; ++n)
        for (int64_t k = 0; k < depth; ++k)
          stored[((b * panels + n / 32) * depth + k) * 32 + n % 32] =
              rhs[(b * columns + n) * depth + k];
  }
  for (const char *machine : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(machine))
      continue;
    SCOPED_TRACE(machine);
    auto kernel = Kernel::compile(text, machine);
    ASSERT_TRUE(kernel);
    std::vector<R> first;
    for (int64_t chunk : {0, 1, 3}) {
      // What the kernel must not touch stays what it was.
      std::vector<R> out(sizeOf(c.out) + 64, R(77));
      kernel->run({lhs.data(), stored.data(), out.data()}, chunk, chunk == 3);
      for (int64_t i = 0; i < 64; ++i)
        ASSERT_EQ(out[sizeOf(c.out) + i], R(77)) << "past the end, " << i;
      if (first.empty()) {
        first = out;
        double tolerance = std::is_integral_v<T>       ? 0
                           : std::is_same_v<R, double> ? 1e-13
                                                       : 1e-5;
        for (int64_t i = 0; i < sizeOf(c.out); ++i)
          ASSERT_NEAR(out[i], wanted[i],
                      tolerance * (1 + std::abs(wanted[i])) *
                          std::sqrt(double(1 + depth)))
              << "at " << i << " of\n"
              << text;
        continue;
      }
      ASSERT_EQ(out, first) << "depends on how the grid is split";
    }
  }
}

TEST(Contraction, PackedShapesThatDoNotDivideTiles) {
  for (int64_t m : {1, 2, 7, 17, 50})
    for (int64_t n : {1, 16, 31, 33, 150})
      check<float, float>(matmul(m, n, 19), "f32", "f32",
                          {(n + 31) / 32, 19, 32}, 1, 19, n);
  for (int64_t k : {1, 7, 8})
    check<float, float>(matmul(5, 40, k), "f32", "f32", {2, k, 32}, 1, k, 40);
}

TEST(Contraction, PackedDeepAndWide) {
  // Deep enough for several visits of the accumulators' memory.
  check<float, float>(matmul(21, 70, 9000), "f32", "f32", {3, 9000, 32}, 1,
                      9000, 70);
  check<float, float>(matmul(1, 1100, 300), "f32", "f32", {35, 300, 32}, 1, 300,
                      1100);
  check<float, float>(matmul(300, 300, 200), "f32", "f32", {10, 200, 32}, 1,
                      200, 300);
}

TEST(Contraction, EmptyExtents) {
  check<float, float>(matmul(0, 5, 3), "f32", "f32");
  check<float, float>(matmul(4, 0, 3), "f32", "f32");
  check<float, float>(matmul(4, 40, 0), "f32", "f32");
}

TEST(Contraction, UnpackedRhs) {
  for (int64_t m : {1, 60})
    for (int64_t n : {1, 17, 64}) {
      // Columns next to each other, and depth next to each other.
      check<float, float>({"m, n, k",
                           {m, n, 37},
                           "m, k",
                           "k, n",
                           "m, n",
                           {m, 37},
                           {37, n},
                           {m, n},
                           "ppr"},
                          "f32", "f32");
      check<float, float>(matmul(m, n, 37), "f32", "f32");
    }
}

TEST(Contraction, TransposedLhsAndResult) {
  check<float, float>({"m, n, k",
                       {40, 50, 23},
                       "k, m",
                       "k, n",
                       "n, m",
                       {23, 40},
                       {23, 50},
                       {50, 40},
                       "ppr"},
                      "f32", "f32");
}

TEST(Contraction, BatchesAndHeads) {
  // Scores of attention with heads inside positions.
  check<float, float>({"b, h, m, n, d",
                       {2, 3, 20, 35, 16},
                       "b, m, h, d",
                       "b, n, h, d",
                       "b, h, m, n",
                       {2, 20, 3, 16},
                       {2, 35, 3, 16},
                       {2, 3, 20, 35},
                       "ppppr"},
                      "f32", "f32");
  // A projection into heads: two dimensions of columns.
  for (int64_t d : {64, 16, 10})
    check<float, float>({"m, h, d, k",
                         {9, 3, d, 21},
                         "m, k",
                         "h, d, k",
                         "h, m, d",
                         {9, 21},
                         {3, d, 21},
                         {3, 9, d},
                         "pppr"},
                        "f32", "f32", {(3 * d + 31) / 32, 21, 32}, 1, 21,
                        3 * d);
  // And the same with a batch of packed matrices.
  check<float, float>({"b, m, n, k",
                       {3, 5, 40, 11},
                       "b, m, k",
                       "b, n, k",
                       "b, m, n",
                       {3, 5, 11},
                       {3, 40, 11},
                       {3, 5, 40},
                       "pppr"},
                      "f32", "f32", {3, 2, 11, 32}, 3, 11, 40);
}

TEST(Contraction, SeveralRowAndDepthDims) {
  check<float, float>({"a, m, n, j, k",
                       {3, 7, 18, 4, 5},
                       "a, j, m, k",
                       "n, j, k",
                       "a, m, n",
                       {3, 4, 7, 5},
                       {18, 4, 5},
                       {3, 7, 18},
                       "ppprr"},
                      "f32", "f32", {1, 20, 32}, 1, 20, 18);
  check<float, float>({"a, m, n, j, k",
                       {3, 7, 18, 4, 5},
                       "a, j, m, k",
                       "k, n, j",
                       "m, a, n",
                       {3, 4, 7, 5},
                       {5, 18, 4},
                       {7, 3, 18},
                       "ppprr"},
                      "f32", "f32");
}

TEST(Contraction, SlicedOperands) {
  check<float, float>({"m, n, k",
                       {10, 33, 12},
                       "m * 2 + 1, k + 4",
                       "k * 2, n + 3",
                       "m, n",
                       {22, 16},
                       {24, 40},
                       {10, 33},
                       "ppr"},
                      "f32", "f32");
}

TEST(Contraction, ScalarAndVectorResults) {
  check<float, float>({"k", {70}, "k", "k", "", {70}, {70}, {}, "r"}, "f32",
                      "f32");
  check<float, float>(
      {"m, k", {70, 9}, "m, k", "k", "m", {70, 9}, {9}, {70}, "pr"}, "f32",
      "f32");
  check<float, float>(
      {"n, k", {70, 9}, "k", "n, k", "n", {9}, {70, 9}, {70}, "pr"}, "f32",
      "f32");
}

TEST(Contraction, OtherElementTypes) {
  check<double, double>(matmul(13, 45, 29), "f64", "f64", {2, 29, 32}, 1, 29,
                        45);
  check<double, double>(matmul(50, 45, 29), "f64", "f64");
  check<int32_t, int32_t>(matmul(13, 45, 29), "i32", "i32", {2, 29, 32}, 1, 29,
                          45);
  check<int8_t, int32_t>(matmul(13, 45, 29), "i8", "i32", {2, 29, 32}, 1, 29,
                         45);
  check<int8_t, int32_t>(matmul(60, 45, 29), "i8", "i32");
  check<int64_t, int64_t>(matmul(13, 45, 29), "i64", "i64");
  check<_Float16, float>(matmul(13, 45, 29), "f16", "f32", {2, 29, 32}, 1, 29,
                         45);
  check<_Float16, float>(matmul(60, 45, 29), "f16", "f32");
}

TEST(Contraction, BFloat16) {
  check<BFloat16, float>(matmul(13, 45, 29), "bf16", "f32", {2, 29, 32}, 1, 29,
                         45);
  check<BFloat16, float>(matmul(60, 45, 29), "bf16", "f32");
}

TEST(Contraction, WithoutFusedMultiplyAdd) {
  // Every host runs the lowest level.
  auto kernel = Kernel::compile(textOf(packedMatmul(9, 33, 5)), "x86-64-v2");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->assembly.find("vfmadd"), std::string::npos);
  std::vector<float> lhs(9 * 5, 2), rhs(2 * 5 * 32, 3), out(9 * 33);
  kernel->run({lhs.data(), rhs.data(), out.data()});
  for (float value : out)
    ASSERT_EQ(value, 30);
}

TEST(Contraction, InfinityAndNaN) {
  auto kernel = Kernel::compile(textOf(packedMatmul(9, 33, 5)), "x86-64-v3");
  ASSERT_TRUE(kernel);
  std::vector<float> lhs(9 * 5, 1), rhs(2 * 5 * 32, 1), out(9 * 33);
  lhs[3 * 5 + 2] = std::numeric_limits<float>::infinity();
  lhs[5 * 5 + 1] = std::numeric_limits<float>::quiet_NaN();
  rhs[(0 * 5 + 2) * 32 + 4] = 0; // inf * 0
  kernel->run({lhs.data(), rhs.data(), out.data()});
  for (int64_t m = 0; m < 9; ++m)
    for (int64_t n = 0; n < 33; ++n) {
      float value = out[m * 33 + n];
      if (m == 5 || (m == 3 && n == 4))
        EXPECT_TRUE(std::isnan(value)) << m << " " << n;
      else if (m == 3)
        EXPECT_TRUE(std::isinf(value)) << m << " " << n;
      else
        EXPECT_EQ(value, n == 4 ? 4 : 5) << m << " " << n;
    }
}

} // namespace
