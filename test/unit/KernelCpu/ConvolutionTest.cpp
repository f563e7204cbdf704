// Convolutions of many shapes against sums in double.

#include "KernelHarness.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle::test;

namespace {

using Extents = std::vector<int64_t>;

struct Case {
  int64_t images;
  Extents input;
  int64_t inChannels, outChannels;
  Extents kernel;
  Extents strides, padding, lhsDilation, rhsDilation;
  int64_t groups = 1;

  /// With strides and dilations of one, and no padding, where none are given.
  Case(int64_t images, Extents input, int64_t inChannels, int64_t outChannels,
       Extents kernel, Extents strides = {}, Extents padding = {},
       int64_t groups = 1, Extents rhsDilation = {}, Extents lhsDilation = {})
      : images(images), input(input), inChannels(inChannels),
        outChannels(outChannels), kernel(kernel), strides(strides),
        padding(padding), lhsDilation(lhsDilation), rhsDilation(rhsDilation),
        groups(groups) {
    this->strides.resize(input.size(), 1);
    this->padding.resize(2 * input.size(), 0);
    this->lhsDilation.resize(input.size(), 1);
    this->rhsDilation.resize(input.size(), 1);
  }

  Extents outShape() const {
    Extents shape{images};
    for (size_t i = 0; i < input.size(); ++i) {
      int64_t padded = (input[i] - 1) * lhsDilation[i] + 1 + padding[2 * i] +
                       padding[2 * i + 1];
      int64_t window = (kernel[i] - 1) * rhsDilation[i] + 1;
      shape.push_back(padded < window ? 0 : (padded - window) / strides[i] + 1);
    }
    shape.push_back(outChannels);
    return shape;
  }
};

std::string list(const Extents &values, const char *separator) {
  return llvm::join(
      llvm::map_range(values,
                      [](int64_t value) { return std::to_string(value); }),
      separator);
}

std::string textOf(const Case &c, bool packed) {
  Extents input{c.images}, weights;
  input.insert(input.end(), c.input.begin(), c.input.end());
  input.push_back(c.inChannels);
  if (packed)
    weights = {c.groups, (c.outChannels / c.groups + 31) / 32};
  weights.insert(weights.end(), c.kernel.begin(), c.kernel.end());
  weights.push_back(c.inChannels / c.groups);
  weights.push_back(packed ? 32 : c.outChannels);
  std::string packing =
      "* i (g=" + std::to_string(c.groups) + " o) -> g o/32 * i o%32";
  return llvm::formatv(
             "func.func @k(%x: tensor<{0}xf32>, %w: tensor<{1}xf32>) -> "
             "tensor<{2}xf32> attributes {{kernel.entry} {{\n %0 = "
             "kernel.convolution %x, %w {{strides = array<i64: {3}>, padding = "
             "array<i64: {4}>, lhs_dilation = array<i64: {5}>, rhs_dilation = "
             "array<i64: {6}>, groups = {7} : i64{8}} : tensor<{0}xf32>, "
             "tensor<{1}xf32> -> tensor<{2}xf32>\n return %0 : "
             "tensor<{2}xf32>\n}\n",
             list(input, "x"), list(weights, "x"), list(c.outShape(), "x"),
             list(c.strides, ", "), list(c.padding, ", "),
             list(c.lhsDilation, ", "), list(c.rhsDilation, ", "), c.groups,
             packed ? ", weights_packing = \"" + packing + "\"" : "")
      .str();
}

void check(const Case &c) {
  auto plain = parse(textOf(c, false));
  ASSERT_TRUE(plain);
  heddle::kernel::ConvolutionOp op;
  plain->walk([&](heddle::kernel::ConvolutionOp found) { op = found; });
  auto sizeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  auto input = randomValues(sizeOf(op.getInput()), 1);
  auto weights = randomValues(sizeOf(op.getWeights()), 2);
  std::vector<double> wanted =
      evaluate(op, std::vector<double>(input.begin(), input.end()),
               std::vector<double>(weights.begin(), weights.end()));
  // [taps, Ci, G, Co] to [G, panel, taps, Ci, 32]
  int64_t depth = int64_t(weights.size()) / std::max<int64_t>(c.outChannels, 1);
  int64_t groupOut = c.outChannels / c.groups, panels = (groupOut + 31) / 32;
  std::vector<float> packed(c.groups * panels * depth * 32);
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t o = 0; o < c.outChannels; ++o) {
      int64_t group = o / groupOut, within = o % groupOut;
      packed[((group * panels + within / 32) * depth + k) * 32 + within % 32] =
          weights[k * c.outChannels + o];
    }
  for (bool isPacked : {true, false})
    for (const char *machine : {"x86-64-v3", "x86-64-v4"}) {
      if (!canRun(machine))
        continue;
      SCOPED_TRACE(machine);
      auto kernel = Kernel::compile(textOf(c, isPacked), machine);
      ASSERT_TRUE(kernel);
      std::vector<float> first;
      for (int64_t chunk : {0, 1, 3}) {
        std::vector<float> out(wanted.size() + 64, 77);
        kernel->run(
            {input.data(), (isPacked ? packed : weights).data(), out.data()},
            chunk, chunk == 3);
        for (int64_t i = 0; i < 64; ++i)
          ASSERT_EQ(out[wanted.size() + i], 77) << "past the end, " << i;
        if (!first.empty()) {
          ASSERT_EQ(out, first) << "depends on how the grid is split";
          continue;
        }
        first = out;
        for (size_t i = 0; i < wanted.size(); ++i)
          ASSERT_NEAR(out[i], wanted[i], 1e-4) << "at " << i << " of\n"
                                               << textOf(c, isPacked);
      }
    }
}

TEST(Convolution, BordersOfEveryWidth) {
  for (int64_t width : {1, 3, 14, 20})
    for (int64_t padding : {0, 2})
      check({1,
             {5, width + 2},
             4,
             40,
             {3, 3},
             {1, 1},
             {padding, padding, padding, 1}});
}

TEST(Convolution, StridesAndDilations) {
  check({2, {19, 23}, 3, 33, {7, 7}, {2, 2}, {3, 3, 3, 3}});
  check({1, {13, 12}, 5, 20, {3, 2}, {2, 3}, {1, 0, 0, 2}});
  check({1, {17, 18}, 6, 32, {3, 3}, {1, 2}, {2, 2, 4, 4}, 1, {2, 4}});
  // A window wider than the input, all in padding at some outputs.
  check({1, {3, 3}, 2, 16, {3, 3}, {1, 1}, {5, 5, 5, 5}, 1, {3, 3}});
}

TEST(Convolution, Pointwise) {
  for (int64_t width : {1, 7})
    check({2, {width, width}, 19, 70, {1, 1}});
  check({1, {9, 11}, 8, 40, {1, 1}, {2, 2}});
  check({1, {6, 6}, 1, 40, {1, 1}});
}

TEST(Convolution, Groups) {
  check({1, {6, 9}, 12, 80, {3, 3}, {1, 1}, {1, 1, 1, 1}, 2});
  check({2, {6, 9}, 8, 12, {3, 3}, {2, 1}, {1, 1, 1, 1}, 4});
  check({1, {5, 5}, 6, 6, {1, 1}, {1, 1}, {}, 3});
}

TEST(Convolution, Depthwise) {
  for (int64_t channels : {2, 33, 64})
    check({1,
           {7, 9},
           channels,
           channels,
           {3, 3},
           {1, 1},
           {1, 1, 1, 1},
           channels});
  check({2, {11, 15}, 24, 24, {5, 5}, {2, 2}, {2, 2, 1, 2}, 24});
  check({1, {30}, 40, 40, {11}, {1}, {5, 5}, 40});
  // Two outputs per channel.
  check({1, {5, 6}, 8, 16, {3, 3}, {1, 1}, {1, 1, 1, 1}, 8});
}

TEST(Convolution, OneAndThreeSpatialDims) {
  check({2, {25}, 7, 45, {5}, {2}, {2, 2}});
  check({1, {4, 5, 9}, 3, 34, {3, 2, 3}, {1, 2, 1}, {1, 1, 0, 1, 1, 1}});
  check({1, {4, 5, 6}, 16, 16, {3, 3, 3}, {1, 1, 1}, {1, 1, 1, 1, 1, 1}, 16});
}

TEST(Convolution, Transposed) {
  check({1, {5, 6}, 4, 35, {4, 4}, {1, 1}, {2, 2, 2, 2}, 1, {}, {2, 2}});
  check({2, {3, 4}, 4, 8, {3, 3}, {1, 1}, {2, 3, 2, 3}, 2, {}, {3, 2}});
  check({1, {7}, 3, 3, {5}, {1}, {4, 4}, 3, {}, {4}});
  check({1, {4, 6}, 4, 8, {3, 3}, {1, 1}, {1, 1, 2, 2}, 1, {}, {1, 2}});
  // With strides, and distances between taps that some columns fall between.
  check({1, {11}, 4, 20, {2}, {2}, {3, 2}, 1, {}, {3}});
  check({1, {9}, 4, 20, {3}, {1}, {4, 4}, 1, {2}, {4}});
  check({1, {5}, 4, 20, {5}, {3}, {6, 6}, 1, {3}, {2}});
  check({1, {4, 5}, 4, 20, {3, 2}, {1, 1}, {3, 1, 2, 2}, 1, {2, 1}, {3, 2}});
  check({1, {6, 5}, 4, 20, {2, 2}, {2, 1}, {1, 4, 2, 2}, 1, {}, {3, 2}});
  check({1, {3, 5}, 4, 20, {3, 2}, {1, 1}, {4, 1, 2, 2}, 1, {2, 1}, {4, 2}});
  // Many phases.
  check({1, {3, 4}, 4, 20, {5, 19}, {1, 1}, {1, 2, 3, 3}, 1, {}, {17, 18}});
  // Enough work for steps that are written out.
  check({1, {14, 15}, 16, 40, {4, 4}, {1, 1}, {2, 2, 2, 2}, 1, {}, {2, 2}});
}

TEST(Convolution, Empty) {
  check({0, {5, 6}, 4, 35, {3, 3}});
  check({1, {2, 2}, 4, 35, {3, 3}});
  check({1, {5, 6}, 0, 35, {3, 3}});
}

} // namespace
