// Convolutions and windows of images that each call chooses, against those made
// for just those sizes.

#include "SizedKernels.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace heddle::test;

namespace {

using Extents = std::vector<int64_t>;

/// Images of `batch` times `height` times `width`, of at most `most` points.
struct Case {
  Extents most;
  int64_t inChannels, outChannels;
  Extents kernel, strides, padding;
  int64_t groups = 1;
  Extents rhsDilation = {1, 1}, lhsDilation = {1, 1};
  bool packed = true;
};

std::string list(const Extents &values, const char *separator) {
  return llvm::join(
      llvm::map_range(values,
                      [](int64_t value) { return std::to_string(value); }),
      separator);
}

/// "tensor<2x3xf32, #size.extents<rows, 3>>".
std::string sized(const Extents &shape, const std::string &extents) {
  return "tensor<" + list(shape, "x") + "xf32, #size.extents<" + extents + ">>";
}

/// The result's extent where the input has `size` points, as number and text.
std::pair<int64_t, std::string> extentOf(const Case &c, unsigned dim,
                                         int64_t size, const char *symbol) {
  int64_t dilation = c.lhsDilation[dim];
  int64_t window = (c.kernel[dim] - 1) * c.rhsDilation[dim] + 1;
  int64_t more =
      1 - dilation + c.padding[2 * dim] + c.padding[2 * dim + 1] - window;
  return {(size * dilation + more) / c.strides[dim] + 1,
          llvm::formatv("floordiv({0} * {1} + {2}, {3}) + 1", symbol, dilation,
                        more, c.strides[dim])
              .str()};
}

/// The kernel of a convolution; `epilogue`, if any, makes `%r` of `%0`, whose
/// type it calls "OUT".
std::string textOf(const Case &c, std::string epilogue = "",
                   const std::string &arguments = "") {
  auto [height, heightText] = extentOf(c, 0, c.most[1], "height");
  auto [width, widthText] = extentOf(c, 1, c.most[2], "width");
  std::string in = sized({c.most[0], c.most[1], c.most[2], c.inChannels},
                         "batch, height, width, " +
                             std::to_string(c.inChannels)),
              out = sized({c.most[0], height, width, c.outChannels},
                          "batch, " + heightText + ", " + widthText + ", " +
                              std::to_string(c.outChannels));
  Extents weights = c.kernel;
  if (c.packed)
    weights.insert(weights.begin(),
                   {c.groups, (c.outChannels / c.groups + 31) / 32});
  weights.push_back(c.inChannels / c.groups);
  weights.push_back(c.packed ? 32 : c.outChannels);
  std::string packing = llvm::formatv(
      ", weights_packing = \"* i (g={0} o) -> g o/32 * i o%32\"", c.groups);
  for (size_t at; (at = epilogue.find("OUT")) != std::string::npos;)
    epilogue.replace(at, 3, out);
  std::string more = arguments;
  for (size_t at; (at = more.find("OUT")) != std::string::npos;)
    more.replace(at, 3, out);
  return llvm::formatv(
             "func.func @k(%x: {0}, %w: tensor<{1}xf32>{2}) -> {3} attributes "
             "{{kernel.entry} {{\n %0 = kernel.convolution %x, %w {{strides = "
             "array<i64: {4}>, padding = array<i64: {5}>, lhs_dilation = "
             "array<i64: {6}>, rhs_dilation = array<i64: {7}>, groups = {8} : "
             "i64{9}} : {0}, tensor<{1}xf32> -> {3}\n{10} return {11} : "
             "{3}\n}\n",
             in, list(weights, "x"), more, out, list(c.strides, ", "),
             list(c.padding, ", "), list(c.lhsDilation, ", "),
             list(c.rhsDilation, ", "), c.groups, c.packed ? packing : "",
             epilogue, epilogue.empty() ? "%0" : "%r")
      .str();
}

/// All of the images of these numbers, heights and widths.
std::vector<Sizes> images(llvm::ArrayRef<int64_t> batches,
                          llvm::ArrayRef<int64_t> heights,
                          llvm::ArrayRef<int64_t> widths) {
  std::vector<Sizes> all;
  for (int64_t batch : batches)
    for (int64_t height : heights)
      for (int64_t width : widths)
        all.push_back({{"batch", batch}, {"height", height}, {"width", width}});
  return all;
}

TEST(SizedConvolutions, Padded) {
  for (bool packed : {true, false}) {
    Case c = {{3, 12, 20}, 5, 40, {3, 3}, {1, 1}, {1, 1, 1, 1}};
    c.packed = packed;
    checkSized(textOf(c), images({0, 1, 3}, {1, 2, 12}, {1, 2, 3, 9, 20}),
               1e-5);
  }
  // Wide windows over narrow images, the padding at one end alone, channels of
  // one vector.
  checkSized(textOf({{2, 9, 9}, 3, 16, {7, 5}, {1, 1}, {6, 0, 0, 4}}),
             images({1, 2}, {1, 4, 9}, {1, 2, 9}), 1e-5);
}

TEST(SizedConvolutions, StridesAndDilations) {
  checkSized(textOf({{2, 23, 22}, 3, 33, {7, 7}, {2, 2}, {3, 3, 3, 3}}),
             images({1, 2}, {1, 8, 23}, {2, 7, 22}), 1e-5);
  checkSized(
      textOf({{1, 17, 18}, 6, 32, {3, 3}, {1, 2}, {2, 2, 4, 4}, 1, {2, 4}}),
      images({1}, {1, 5, 17}, {1, 4, 18}), 1e-5);
  // Single points, of which some are left out.
  checkSized(textOf({{2, 13, 12}, 19, 70, {1, 1}, {2, 2}, {0, 0, 0, 0}}),
             images({1, 2}, {1, 6, 13}, {1, 7, 12}), 1e-5);
}

TEST(SizedConvolutions, ManyChannels) {
  // Sums in several chains.
  checkSized(textOf({{2, 6, 7}, 200, 70, {3, 3}, {1, 1}, {1, 1, 1, 1}}),
             images({1, 2}, {2, 6}, {1, 4, 7}), 1e-4);
  checkSized(textOf({{2, 6, 7}, 48, 70, {3, 3}, {2, 1}, {1, 1, 1, 1}}),
             images({1, 2}, {2, 6}, {1, 4, 7}), 1e-4);
}

TEST(SizedConvolutions, Groups) {
  checkSized(textOf({{1, 6, 9}, 12, 80, {3, 3}, {1, 1}, {1, 1, 1, 1}, 2}),
             images({1}, {1, 6}, {1, 5, 9}), 1e-5);
  Case c = {{2, 6, 9}, 8, 12, {3, 3}, {2, 1}, {1, 1, 1, 1}, 4};
  c.packed = false;
  checkSized(textOf(c), images({2}, {1, 6}, {1, 5, 9}), 1e-5);
}

TEST(SizedConvolutions, Depthwise) {
  for (int64_t channels : {2, 33, 64, 130}) {
    Case c = {{2, 7, 19}, channels,     channels, {3, 3},
              {1, 1},     {1, 1, 1, 1}, channels};
    c.packed = false;
    checkSized(textOf(c), images({0, 2}, {1, 2, 7}, {1, 2, 3, 7, 8, 19}), 1e-5);
  }
  Case c = {{2, 11, 15}, 24, 24, {5, 5}, {2, 2}, {2, 2, 1, 2}, 24};
  c.packed = false;
  checkSized(textOf(c), images({1, 2}, {1, 4, 11}, {2, 3, 8, 15}), 1e-5);
  c = {{1, 9, 11}, 20, 20, {3, 3}, {1, 3}, {0, 0, 2, 2}, 20, {2, 2}};
  c.packed = false;
  checkSized(textOf(c), images({1}, {5, 9}, {1, 2, 6, 11}), 1e-5);
}

/// A transposed convolution: `spread` apart the input's points, `padding` as
/// the convolution of these has it.
Case transposed(Extents most, int64_t inChannels, int64_t outChannels,
                Extents kernel, Extents spread, Extents padding,
                int64_t groups = 1) {
  return {std::move(most),  inChannels,         outChannels, std::move(kernel),
          {1, 1},           std::move(padding), groups,      {1, 1},
          std::move(spread)};
}

TEST(SizedConvolutions, Transposed) {
  // As many points of each phase, and one point less of some.
  checkSized(textOf(transposed({1, 5, 6}, 4, 35, {4, 4}, {2, 2}, {2, 2, 2, 2})),
             images({1}, {1, 5}, {1, 2, 6}), 1e-5);
  checkSized(
      textOf(transposed({3, 5, 7}, 40, 35, {3, 3}, {2, 2}, {2, 2, 2, 2})),
      images({0, 1, 3}, {1, 2, 5}, {1, 2, 7}), 1e-5);
  // Single points of all, some and no phases; many taps and few points.
  for (int64_t taps : {4, 3, 1})
    checkSized(textOf(transposed({2, 4, 5}, 20, 33, {taps, 2}, {4, 2},
                                 {taps - 1, 3, 1, 1})),
               images({1, 2}, {1, 4}, {1, 4, 5}), 1e-5);
  checkSized(textOf(transposed({2, 3, 3}, 17, 9, {7, 6}, {2, 3}, {6, 6, 5, 9})),
             images({2}, {1, 3}, {1, 2}), 1e-5);
  // More phases than are told apart.
  checkSized(
      textOf(transposed({1, 3, 4}, 18, 20, {20, 3}, {20, 2}, {19, 19, 2, 1})),
      images({1}, {1, 3}, {1, 4}), 1e-5);
  checkSized(
      textOf(transposed({1, 4, 5}, 24, 40, {3, 3}, {2, 2}, {1, 2, 1, 2}, 2)),
      images({1}, {1, 4}, {1, 5}), 1e-5);
}

TEST(SizedConvolutions, TransposedAndStrided) {
  checkSized(
      textOf(
          {{2, 4, 5}, 4, 20, {3, 2}, {1, 1}, {3, 1, 2, 2}, 1, {2, 1}, {3, 2}}),
      images({2}, {1, 4}, {1, 5}), 1e-5);
  // Phases that meet a part of the taps, or all; columns of each that are
  // several points of the input apart.
  checkSized(
      textOf(
          {{2, 7, 6}, 17, 20, {4, 3}, {3, 2}, {3, 4, 2, 2}, 1, {3, 2}, {2, 4}}),
      images({1, 2}, {2, 7}, {1, 3, 6}), 1e-5);
  checkSized(
      textOf(
          {{1, 6, 7}, 16, 20, {3, 4}, {2, 6}, {2, 2, 4, 4}, 1, {1, 2}, {2, 4}}),
      images({1}, {1, 6}, {2, 7}), 1e-5);
}

TEST(SizedConvolutions, TransposedDepthwise) {
  auto check = [](Case c, llvm::ArrayRef<int64_t> heights,
                  llvm::ArrayRef<int64_t> widths) {
    c.packed = false;
    checkSized(textOf(c), images({1, 2}, heights, widths), 1e-5);
  };
  for (int64_t channels : {2, 33, 64})
    check(transposed({2, 5, 19}, channels, channels, {4, 4}, {2, 2},
                     {2, 2, 2, 2}, channels),
          {1, 5}, {1, 2, 9, 19});
  check(transposed({2, 4, 9}, 40, 40, {3, 3}, {3, 2}, {0, 3, 2, 2}, 40),
        {1, 2, 4}, {1, 4, 9});
  check(transposed({2, 4, 9}, 16, 16, {1, 5}, {2, 4}, {0, 0, 0, 7}, 16), {1, 4},
        {1, 2, 9});
  // More phases than are told apart, along rows and along columns.
  check(transposed({2, 3, 4}, 8, 8, {19, 3}, {18, 2}, {9, 9, 1, 1}, 8), {1, 3},
        {1, 4});
  check(transposed({2, 3, 4}, 8, 8, {3, 19}, {2, 18}, {1, 1, 9, 9}, 8), {1, 3},
        {1, 4});
  Case c = {{2, 6, 7},    24, 24,     {4, 3}, {3, 2},
            {3, 4, 2, 2}, 24, {3, 2}, {2, 4}};
  check(c, {2, 6}, {1, 3, 7});
}

TEST(SizedConvolutions, Epilogue) {
  // What is added lies as the result does; in registers, and by way of memory.
  for (const char *operation : {"arith.maximumf %a, %b", "math.powf %a, %b"}) {
    std::string epilogue = llvm::formatv(
        " %e = tensor.empty() : OUT\n %r = linalg.generic {{indexing_maps = "
        "[affine_map<(n, y, x, c) -> (n, y, x, c)>, affine_map<(n, y, x, c) -> "
        "(n, y, x, c)>, affine_map<(n, y, x, c) -> (c)>, affine_map<(n, y, x, "
        "c) -> (n, y, x, c)>], iterator_types = [\"parallel\", \"parallel\", "
        "\"parallel\", \"parallel\"]} ins(%0, %add, %bias : OUT, OUT, "
        "tensor<40xf32>) outs(%e : OUT) {{\n ^bb0(%s: f32, %t: f32, %b: f32, "
        "%o: f32):\n %u = arith.addf %s, %t : f32\n %a = math.absf %u : f32\n "
        "%v = {0} : f32\n linalg.yield %v : f32\n } -> OUT\n",
        operation);
    checkSized(textOf({{2, 6, 11}, 5, 40, {3, 3}, {1, 1}, {1, 1, 1, 1}},
                      epilogue, ", %add: OUT, %bias: tensor<40xf32>"),
               images({2}, {1, 6}, {1, 2, 11}), 1e-4);
  }
}

std::string windowText(const char *init, const char *combine,
                       int64_t channels) {
  Case c = {{3, 9, 14}, channels, channels, {3, 2}, {2, 1}, {1, 1, 0, 1}};
  auto [height, heightText] = extentOf(c, 0, c.most[1], "height");
  auto [width, widthText] = extentOf(c, 1, c.most[2], "width");
  std::string last = std::to_string(channels);
  std::string in = sized({3, 9, 14, channels}, "batch, height, width, " + last),
              out = sized({3, height, width, channels}, "batch, " + heightText +
                                                            ", " + widthText +
                                                            ", " + last);
  return llvm::formatv(
             "func.func @k(%x: {0}) -> {1} attributes {{kernel.entry} {{\n %i "
             "= arith.constant {2} : f32\n %0 = kernel.reduce_window "
             "inputs(%x) "
             "inits(%i) {{base_dilations = array<i64: 1, 1, 1, 1>, padding = "
             "array<i64: 0, 0, 1, 1, 0, 1, 0, 0>, strides = array<i64: 1, 2, "
             "1, 1>, window = array<i64: 1, 3, 2, 1>, window_dilations = "
             "array<i64: 1, 1, 1, 1>} : ({0}, f32) -> {1} {{\n ^bb0(%a: f32, "
             "%b: f32):\n %m = {3} %a, %b : f32\n kernel.yield %m : f32\n }\n "
             "return %0 : {1}\n}\n",
             in, out, init, combine)
      .str();
}

TEST(SizedConvolutions, Windows) {
  for (int64_t channels : {1, 3, 40}) {
    std::vector<Sizes> sizes = images({0, 1, 3}, {1, 4, 9}, {1, 2, 13, 14});
    checkSized(windowText("0xFF800000", "arith.maximumf", channels), sizes);
    checkSized(windowText("0.0", "arith.addf", channels), sizes, 1e-6);
  }
}

} // namespace
