// Products of bytes in quads, exact on every machine: no instruction that is
// used for them saturates.

#include "KernelHarness.h"
#include "KernelText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace heddle::test;

namespace {

/// Every host runs the lowest level.
const char *const machines[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4",
                                "x86-64-v4-vnni"};

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

/// Where byte k of column n is stored of a matrix of `depth` rows.
int64_t placeInQuads(int64_t depth, int64_t k, int64_t n) {
  return ((n / 32 * (depth / 4) + k / 4) * 32 + n % 32) * 4 + k % 4;
}

std::string matmulText(int64_t m, int64_t n, int64_t k) {
  return llvm::formatv(
             "func.func @k(%a: tensor<{0}x{2}xi8>, %b: "
             "tensor<{3}x{4}x32x4xi8>) -> tensor<{0}x{1}xi32> attributes "
             "{{kernel.entry} {{\n %0 = kernel.contract %a, %b {{extents = "
             "array<i64: {0}, {1}, {2}>, indexing_maps = [affine_map<(m, n, k) "
             "-> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, "
             "k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", "
             "\"reduction\"], lhs_type = ui8, rhs_packing = \"* k n -> * n/32 "
             "k/4 n%32 k%4\"} : tensor<{0}x{2}xi8>, tensor<{3}x{4}x32x4xi8> "
             "-> tensor<{0}x{1}xi32>\n return %0 : tensor<{0}x{1}xi32>\n}\n",
             m, n, k, (n + 31) / 32, k / 4)
      .str();
}

/// Runs the kernel on every machine that this host can be, by chunks of
/// several sizes, and wants `wanted` of each.
void runAll(const std::string &text, std::vector<uint8_t> &lhs,
            std::vector<uint8_t> &rhs, const std::vector<int32_t> &wanted) {
  for (const char *machine : machines) {
    if (!isUsable(machine))
      continue;
    SCOPED_TRACE(machine);
    auto kernel = Kernel::compile(text, machine);
    ASSERT_TRUE(kernel);
    for (int64_t chunk : {0, 1, 3}) {
      std::vector<int32_t> out(wanted.size() + 64, 77);
      kernel->run({lhs.data(), rhs.data(), out.data()}, chunk, chunk == 3);
      for (size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], i < wanted.size() ? wanted[i] : 77)
            << "at " << i << " of\n"
            << text;
    }
  }
}

void checkMatmul(int64_t m, int64_t n, int64_t k, std::optional<int> left = {},
                 std::optional<int> right = {}) {
  std::vector<uint8_t> lhs = bytes(m * k, 1, left),
                       rhs = bytes(n * k, 2, right),
                       stored((n + 31) / 32 * 32 * k);
  std::vector<int32_t> wanted(m * n);
  for (int64_t column = 0; column < n; ++column)
    for (int64_t i = 0; i < k; ++i) {
      uint8_t byte = rhs[column * k + i];
      stored[placeInQuads(k, i, column)] = byte;
      for (int64_t row = 0; row < m; ++row)
        wanted[row * n + column] +=
            int32_t(lhs[row * k + i]) * static_cast<int8_t>(byte);
    }
  runAll(matmulText(m, n, k), lhs, stored, wanted);
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

struct ConvolutionCase {
  int64_t height, width, inputs, outputs, kernel, stride, padding, groups = 1;
  int64_t extent(int64_t size) const {
    return (size + 2 * padding - kernel) / stride + 1;
  }
};

std::string textOf(const ConvolutionCase &c) {
  int64_t panels = (c.outputs / c.groups + 31) / 32;
  return llvm::formatv(
             "func.func @k(%x: tensor<1x{0}x{1}x{2}xi8>, %w: {3}) -> {4} "
             "attributes {{kernel.entry} {{\n %0 = kernel.convolution %x, %w "
             "{{strides = array<i64: {5}, {5}>, padding = array<i64: {6}, {6}, "
             "{6}, {6}>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = "
             "array<i64: 1, 1>, groups = {7} : i64, lhs_type = ui8, "
             "weights_packing = \"* i (g={7} o) -> g o/32 * i/4 o%32 i%4\"} : "
             "tensor<1x{0}x{1}x{2}xi8>, {3} -> {4}\n return %0 : {4}\n}\n",
             c.height, c.width, c.inputs,
             tensorText({c.groups, panels, c.kernel, c.kernel,
                         c.inputs / c.groups / 4, 32, 4},
                        "i8"),
             tensorText({1, c.extent(c.height), c.extent(c.width), c.outputs},
                        "i32"),
             c.stride, c.padding, c.groups)
      .str();
}

void check(const ConvolutionCase &c) {
  int64_t depth = c.inputs / c.groups, columns = c.outputs / c.groups,
          taps = c.kernel * c.kernel, panels = (columns + 31) / 32;
  int64_t height = c.extent(c.height), width = c.extent(c.width);
  std::vector<uint8_t> input = bytes(c.height * c.width * c.inputs, 1, {}),
                       filter = bytes(taps * depth * c.outputs, 2, {}),
                       stored(c.groups * panels * 32 * taps * depth);
  std::vector<int32_t> wanted(height * width * c.outputs);
  for (int64_t o = 0; o < c.outputs; ++o)
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t i = 0; i < depth; ++i) {
        int64_t group = o / columns, k = tap * depth + i;
        uint8_t byte = filter[k * c.outputs + o];
        stored[group * panels * 32 * taps * depth +
               placeInQuads(taps * depth, k, o % columns)] = byte;
        for (int64_t y = 0; y < height; ++y)
          for (int64_t x = 0; x < width; ++x) {
            int64_t row = y * c.stride + tap / c.kernel - c.padding,
                    column = x * c.stride + tap % c.kernel - c.padding;
            if (row < 0 || row >= c.height || column < 0 || column >= c.width)
              continue;
            uint8_t left =
                input[(row * c.width + column) * c.inputs + group * depth + i];
            wanted[(y * width + x) * c.outputs + o] +=
                int32_t(left) * static_cast<int8_t>(byte);
          }
      }
  runAll(textOf(c), input, stored, wanted);
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

TEST(IntegerQuads, EachMachineUsesWhatItHas) {
  for (const char *machine : machines) {
    SCOPED_TRACE(machine);
    for (const std::string &text :
         {matmulText(40, 64, 64), textOf({9, 17, 8, 40, 3, 1, 1})}) {
      auto kernel = Kernel::compile(text, machine);
      ASSERT_TRUE(kernel);
      bool isQuads = machine == llvm::StringRef("x86-64-v4-vnni");
      auto uses = [&](const char *instruction) {
        return kernel->assembly.find(instruction) != std::string::npos;
      };
      EXPECT_EQ(uses("vpdpbusd"), isQuads);
      EXPECT_EQ(uses("pmaddwd"), !isQuads);
      EXPECT_FALSE(uses("pmaddubsw"));
      EXPECT_FALSE(uses("pmulld"));
    }
  }
}

} // namespace
