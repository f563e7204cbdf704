// Products in matrix registers: of bytes to the bits of all other machines, of
// bf16 to those of the processor's own order of sums, which is modelled here.

#include "KernelHarness.h"
#include "KernelText.h"
#include "StepCases.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace heddle::test;

namespace {

const char *const matrixMachine = "x86-64-v4-amx";

class MatrixProducts : public ::testing::Test {
protected:
  void SetUp() override {
    if (!canRun(matrixMachine))
      GTEST_SKIP() << "this processor has no matrix registers, or the system "
                      "keeps none for this process";
  }
};

const StepTypes bytes{4, "i8", "i32", ", lhs_type = ui8"};
const StepTypes pairs{2, "bf16", "f32", ""};

/// What one instruction adds to a sum: up to 32 terms, the even and the odd
/// ones apart, each by fused multiply-adds from zero. Source: Intel 64 and
/// IA-32 Architectures Software Developer's Manual, volume 2, TDPBF16PS.
float productOf(int64_t count, const uint16_t *left, const uint16_t *right) {
  float even = 0, odd = 0;
  for (int64_t k = 0; k < count; ++k) {
    float &sum = k % 2 ? odd : even;
    sum = std::fma(bfloatValue(left[k]), bfloatValue(right[k]), sum);
  }
  return even + odd;
}

/// The terms behind the last whole product come first.
float sumOf(int64_t k, const uint16_t *left, const uint16_t *right) {
  int64_t whole = k / 32 * 32;
  float sum = productOf(k - whole, left + whole, right + whole);
  for (int64_t begin = 0; begin < whole; begin += 32)
    sum += productOf(32, left + begin, right + begin);
  return sum;
}

void checkPairs(int64_t m, int64_t n, int64_t k) {
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " +
               std::to_string(k));
  std::vector<uint16_t> lhs = randomBfloats(m * k, 1),
                        rhs = randomBfloats(n * k, 2),
                        stored = inPanels(2, n, k, rhs);
  std::vector<float> wanted(m * n);
  for (int64_t i = 0; i < m * n; ++i)
    wanted[i] = sumOf(k, &lhs[i / n * k], &rhs[i % n * k]);
  runAndExpect(matmulText(pairs, m, n, k), matrixMachine, lhs, stored, wanted);
}

int32_t addFour(int32_t sum, const uint8_t *left, const uint8_t *right) {
  for (int i = 0; i < 4; ++i)
    sum += int32_t(left[i]) * static_cast<int8_t>(right[i]);
  return sum;
}

void checkBytes(int64_t m, int64_t n, int64_t k) {
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " +
               std::to_string(k));
  std::mt19937 random(3);
  std::vector<uint8_t> lhs(m * k), rhs(n * k);
  for (auto *values : {&lhs, &rhs})
    for (uint8_t &value : *values)
      value = static_cast<uint8_t>(random());
  std::vector<uint8_t> stored = inPanels(4, n, k, rhs);
  runAndExpect(matmulText(bytes, m, n, k), matrixMachine, lhs, stored,
               sumsOf<uint8_t, int32_t>(m, n, k, 4, lhs, rhs, addFour));
}

TEST_F(MatrixProducts, RowsThatDoNotFillRegisters) {
  for (int64_t m : {4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 65, 97, 200}) {
    checkBytes(m, 64, 128);
    checkPairs(m, 64, 64);
  }
}

TEST_F(MatrixProducts, ColumnsThatDoNotFillRegisters) {
  for (int64_t n : {1, 15, 16, 17, 31, 33, 48, 150}) {
    checkBytes(40, n, 128);
    checkPairs(40, n, 64);
  }
}

TEST_F(MatrixProducts, DepthsThatDoNotFillRegisters) {
  for (int64_t k : {4, 60, 64, 68, 124, 192, 260, 1028})
    checkBytes(19, 40, k);
  for (int64_t k : {2, 3, 31, 32, 33, 34, 63, 95, 96, 129, 1000})
    checkPairs(19, 40, k);
}

TEST_F(MatrixProducts, DepthsThatAreCutInBlocks) {
  // Blocks of one length and of two, with a rest, and of a single tile of rows.
  for (int64_t k : {1088, 2048, 2116, 3140})
    checkBytes(70, 100, k);
  for (int64_t k : {544, 1024, 1601})
    checkPairs(70, 100, k);
  checkBytes(20, 500, 2052);
  checkPairs(9, 45, 1100);
}

TEST_F(MatrixProducts, RowsThatAreCopiedForManyColumns) {
  checkBytes(130, 500, 192);
  checkBytes(130, 1100, 1216);
  checkPairs(150, 500, 98);
  checkPairs(101, 500, 608);
}

TEST_F(MatrixProducts, ManyTilesOfTheGrid) {
  checkBytes(300, 500, 516);
  checkPairs(300, 500, 258);
  checkBytes(9, 3000, 64);
}

TEST_F(MatrixProducts, InfinitiesAndNansStayInTheirSums) {
  int64_t m = 20, n = 40, k = 35;
  std::vector<uint16_t> lhs(m * k, 0x3f80), rhs(n * k, 0x3f80);
  // The term behind the last of a row belongs to the next row.
  lhs[1 * k] = 0x7f80;
  rhs[3 * k + k - 1] = 0x7fc0;
  std::vector<uint16_t> stored = inPanels(2, n, k, rhs);
  auto kernel = Kernel::compile(matmulText(pairs, m, n, k), matrixMachine);
  ASSERT_TRUE(kernel);
  std::vector<float> out(m * n);
  kernel->run({lhs.data(), stored.data(), out.data()});
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      float sum = out[row * n + column];
      if (column == 3)
        EXPECT_TRUE(std::isnan(sum)) << row;
      else
        EXPECT_EQ(sum, row == 1 ? INFINITY : k) << row << ", " << column;
    }
}

/// The sum of a run of taps in equal products of `terms` terms at most.
float sumOfRun(float sum, const std::vector<uint16_t> &points,
               const std::vector<uint16_t> &weights, int64_t terms) {
  int64_t count = points.size(), each = std::min<int64_t>(count, terms);
  while (count % each != 0)
    each -= 2;
  for (int64_t begin = 0; begin < count; begin += each)
    sum += productOf(each, &points[begin], &weights[begin]);
  return sum;
}

/// A run is the channels of a tap, or, where taps of a row are neighbours, of
/// all of them; padding is zeros in it.
void checkPairs(const StepConvolution &c) {
  std::vector<uint16_t> input = randomBfloats(c.height * c.width * c.inputs, 1),
                        filter =
                            randomBfloats(c.outputs * c.taps() * c.depth(), 2);
  bool areNeighbours = c.stride == 1 && c.dilation == 1;
  int64_t runTaps = areNeighbours ? c.kernel : 1, run = runTaps * c.depth();
  std::vector<float> wanted(c.results());
  // What each tap of a result reads; none where that is padding.
  std::vector<int64_t> reads(c.results() * c.taps(), -1);
  c.forEachTap([&](int64_t result, int64_t at, int64_t, int64_t tap) {
    reads[result * c.taps() + tap] = at;
  });
  for (int64_t result = 0; result < c.results(); ++result)
    for (int64_t tap = 0; tap < c.taps(); tap += runTaps) {
      auto first =
          filter.begin() + (result % c.outputs * c.taps() + tap) * c.depth();
      std::vector<uint16_t> points(run), weights(first, first + run);
      for (int64_t t = 0; t < runTaps; ++t)
        if (int64_t at = reads[result * c.taps() + tap + t]; at >= 0)
          std::copy_n(input.begin() + at, c.depth(),
                      points.begin() + t * c.depth());
      wanted[result] = sumOfRun(wanted[result], points, weights, 32);
    }
  std::vector<uint16_t> stored = inPanels(2, c, filter);
  runAndExpect(textOf(pairs, c), matrixMachine, input, stored, wanted);
}

TEST_F(MatrixProducts, ConvolutionsOfPairs) {
  checkPairs({14, 13, 32, 40, 3, 1, 1});
  checkPairs({7, 7, 48, 33, 3, 1, 0});
  checkPairs({15, 18, 32, 20, 3, 2, 1});
  checkPairs({11, 9, 64, 16, 3, 1, 2, /*groups=*/1, /*dilation=*/2});
  checkPairs({10, 12, 64, 64, 3, 1, 1, /*groups=*/2});
  // Points of several rows in a register.
  checkPairs({7, 7, 96, 40, 1, 1, 0});
}

/// What is used is seen on any machine.
TEST(MatrixCode, ProductsAreUsedWhereRowsAreWorthThem) {
  auto uses = [](const std::string &text, const char *machine,
                 const char *instruction) {
    auto kernel = Kernel::compile(text, machine);
    return kernel && kernel->assembly.find(instruction) != std::string::npos;
  };
  for (int64_t m : {1, 3, 4, 64}) {
    std::string inBytes = matmulText(bytes, m, 64, 128),
                inPairs = matmulText(pairs, m, 64, 128);
    EXPECT_EQ(uses(inBytes, matrixMachine, "tdpbusd"), m >= 4);
    EXPECT_EQ(uses(inPairs, matrixMachine, "tdpbf16ps"), m >= 4);
    EXPECT_EQ(uses(inBytes, matrixMachine, "vpdpbusd"), m < 4);
    // Machines with matrix registers are slow at it.
    EXPECT_FALSE(uses(inPairs, matrixMachine, "vdpbf16ps"));
    EXPECT_TRUE(uses(inPairs, "x86-64-v4-bf16", "vdpbf16ps"));
    EXPECT_FALSE(uses(inBytes, "x86-64-v4-bf16", "tdpbusd"));
    EXPECT_FALSE(uses(inPairs, "x86-64-v4-bf16", "tdpbf16ps"));
  }
}

TEST(MatrixCode, ConvolutionsUseThemWhereTapsFillThem) {
  auto uses = [](const StepTypes &types, const StepConvolution &c,
                 const char *instruction) {
    auto kernel = Kernel::compile(textOf(types, c), matrixMachine);
    return kernel && kernel->assembly.find(instruction) != std::string::npos;
  };
  for (int64_t channels : {4, 12, 16, 64}) {
    // A tap of 16 bytes is a quarter of a product.
    StepConvolution c{9, 9, channels, 40, 3, 2, 1};
    EXPECT_EQ(uses(bytes, c, "tdpbusd"), channels >= 16) << channels;
    EXPECT_EQ(uses(bytes, c, "vpdpbusd"), channels < 16) << channels;
  }
  for (int64_t outputs : {3, 4})
    EXPECT_EQ(uses(bytes, {9, 9, 64, outputs, 3, 1, 1}, "tdpbusd"),
              outputs == 4);
  EXPECT_TRUE(uses(bytes, {7, 7, 64, 64, 1, 1, 0}, "tdpbusd"));
  EXPECT_TRUE(uses(bytes, {9, 9, 64, 64, 1, 1, 0}, "tdpbusd"));
  EXPECT_TRUE(uses(pairs, {7, 7, 64, 64, 3, 1, 1}, "tdpbf16ps"));
}

TEST(MatrixCode, RegistersAreConfiguredOutsideOfTheDepth) {
  auto kernel = Kernel::compile(matmulText(bytes, 64, 64, 1024), matrixMachine);
  ASSERT_TRUE(kernel);
  llvm::StringRef code = kernel->assembly;
  EXPECT_EQ(code.count("tdpbusd"), 4u);
  EXPECT_EQ(code.count("tileloadd"), 4u);
  EXPECT_EQ(code.count("tilestored"), 4u);
  EXPECT_EQ(code.count("ldtilecfg"), 1u);
  EXPECT_EQ(code.count("tilerelease"), 1u);
}

} // namespace
