// Products of bytes in quads, exact on every machine: no instruction that is
// used for them saturates.

#include "KernelHarness.h"
#include "StepCases.h"
#include "gtest/gtest.h"
#include <optional>
#include <random>

using namespace heddle::test;

namespace {

/// Every host runs the lowest level.
const char *const machines[] = {"x86-64-v2", "x86-64-v3",      "x86-64-v3-vnni",
                                "x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-amx"};

bool isUsable(llvm::StringRef machine) {
  return machine == "x86-64-v2" || canRun(machine);
}

/// Bytes from all of their range, or all the same.
std::vector<uint8_t> bytes(int64_t count, unsigned seed,
                           std::optional<int> all) {
  std::mt19937 random(seed);
  std::vector<uint8_t> values(count);
  for (uint8_t &value : values)
    value = static_cast<uint8_t>(all ? *all : int(random()));
  return values;
}

const StepTypes types{4, "i8", "i32", ", lhs_type = ui8"};

int32_t addFour(int32_t sum, const uint8_t *left, const uint8_t *right) {
  for (int i = 0; i < 4; ++i)
    sum += int32_t(left[i]) * static_cast<int8_t>(right[i]);
  return sum;
}

/// Runs the kernel on every machine that this host can be.
void runAll(const std::string &text, std::vector<uint8_t> &lhs,
            std::vector<uint8_t> rhs, const std::vector<int32_t> &wanted) {
  for (const char *machine : machines)
    if (isUsable(machine))
      runAndExpect(text, machine, lhs, rhs, wanted);
}

void checkMatmul(int64_t m, int64_t n, int64_t k, std::optional<int> left = {},
                 std::optional<int> right = {}) {
  std::vector<uint8_t> lhs = bytes(m * k, 1, left),
                       rhs = bytes(n * k, 2, right);
  runAll(matmulText(types, m, n, k), lhs, inPanels(4, n, k, rhs),
         sumsOf<uint8_t, int32_t>(m, n, k, 4, lhs, rhs, addFour));
}

TEST(IntegerQuads, ShapesThatDoNotDivideTiles) {
  for (int64_t m : {1, 7, 33})
    for (int64_t n : {1, 16, 31, 33, 150})
      checkMatmul(m, n, 20);
  for (int64_t k : {4, 8, 36})
    checkMatmul(5, 40, k);
}

TEST(IntegerQuads, DeepSumsRestInMemory) {
  checkMatmul(33, 70, 24000);
  checkMatmul(1, 300, 3000);
}

TEST(IntegerQuads, ExtremesDoNotSaturate) {
  // Of two products 255 * -128 the sum is below any number of 16 bits.
  checkMatmul(3, 33, 64, 255, -128);
  checkMatmul(3, 33, 64, 255, 127);
  checkMatmul(3, 33, 33024, 255, -128);
}

void check(const StepConvolution &c) {
  std::vector<uint8_t> input = bytes(c.height * c.width * c.inputs, 1, {}),
                       filter = bytes(c.outputs * c.taps() * c.depth(), 2, {});
  runAll(textOf(types, c), input, inPanels(4, c, filter),
         sumsOf<uint8_t, int32_t>(c, 4, input, filter, addFour));
}

TEST(IntegerQuads, Convolutions) {
  check({9, 17, 8, 40, 3, 1, 1});
  check({10, 15, 12, 64, 3, 2, 1});
  check({5, 6, 4, 33, 5, 1, 2});
  // Over pixels, with and without steps.
  check({7, 7, 64, 70, 1, 1, 0});
  check({8, 8, 36, 16, 1, 2, 0});
  check({6, 7, 16, 48, 3, 1, 1, /*groups=*/2});
}

TEST(IntegerQuads, ConvolutionsOfManyChannels) {
  // Runs of channels that fill a product of matrices, and such that leave some
  // of it empty; rows that divide nothing, and borders of each kind.
  check({14, 14, 64, 64, 3, 1, 1});
  check({7, 7, 128, 48, 3, 1, 1});
  check({33, 17, 32, 40, 3, 1, 2});
  check({13, 21, 96, 20, 3, 1, 0});
  check({6, 5, 16, 33, 3, 1, 1});
  check({15, 11, 68, 16, 3, 1, 1});
  // Steps of windows, of which each is a plane of the input.
  check({16, 18, 64, 40, 3, 2, 1});
  check({17, 19, 32, 33, 5, 3, 2});
  check({9, 9, 64, 64, 1, 2, 0});
  check({20, 14, 64, 32, 2, 4, 0});
  // Windows with gaps between their points.
  check({14, 13, 64, 32, 3, 1, 2, /*groups=*/1, /*dilation=*/2});
  check({19, 23, 32, 40, 3, 2, 3, /*groups=*/1, /*dilation=*/3});
  // Groups of channels.
  check({10, 12, 128, 96, 3, 1, 1, /*groups=*/2});
  check({8, 9, 64, 120, 3, 2, 1, /*groups=*/4});
  // As many rows as take turns in the second cache.
  check({120, 400, 64, 8, 3, 1, 1});
}

TEST(IntegerQuads, EachMachineUsesWhatItHas) {
  for (const char *machine : machines) {
    SCOPED_TRACE(machine);
    for (const std::string &text : {matmulText(types, 40, 64, 64),
                                    textOf(types, {9, 17, 8, 40, 3, 1, 1})}) {
      auto kernel = Kernel::compile(text, machine);
      ASSERT_TRUE(kernel);
      llvm::StringRef name = machine;
      bool isQuads = name.ends_with("-vnni") || name.ends_with("-amx");
      auto uses = [&](const char *instruction) {
        return kernel->assembly.find(instruction) != std::string::npos;
      };
      EXPECT_EQ(uses("vpdpbusd") || uses("tdpbusd"), isQuads);
      // LLVM's assembler takes the encoding without 512 bits by this prefix.
      EXPECT_EQ(uses("{vex}"), name == "x86-64-v3-vnni");
      EXPECT_EQ(uses("pmaddwd"), !isQuads);
      EXPECT_FALSE(uses("pmaddubsw"));
      EXPECT_FALSE(uses("pmulld"));
    }
  }
}

} // namespace
