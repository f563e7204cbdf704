// The extents that rules give are those that the same program has at each
// choice of sizes, where the dialect infers them from numbers.

#include "dialects/StableHlo/InferExtents.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace heddle;

namespace {

/// Arguments with extents of a (1 to 9), b (0 to 12), w (16 to 64, a multiple
/// of 8) and the body of a function.
struct Case {
  const char *arguments;
  const char *results;
  const char *body;
};

const Case kCases[] = {
    {"%x: tensor<9x4xf32, #size.extents<a, 4>>, %y: tensor<9x4xf32, "
     "#size.extents<a, 4>>",
     "tensor<9x4xf32>",
     "%0 = \"stablehlo.add\"(%x, %y) : (tensor<9x4xf32, #size.extents<a, 4>>, "
     "tensor<9x4xf32, #size.extents<a, 4>>) -> tensor<9x4xf32>"},
    {"%x: tensor<9x12xf32, #size.extents<a, b>>", "tensor<12x9xf32>",
     "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<9x12xf32, "
     "#size.extents<a, b>>) -> tensor<12x9xf32>"},
    {"%x: tensor<9x12xf32, #size.extents<a, b>>",
     "tensor<108xf32, #size.extents<a * b>>",
     "%0 = stablehlo.reshape %x : (tensor<9x12xf32, #size.extents<a, b>>) -> "
     "tensor<108xf32, #size.extents<a * b>>"},
    {"%x: tensor<9x12xf32, #size.extents<a, b>>, %y: tensor<9x3xf32, "
     "#size.extents<a, 3>>",
     "tensor<9x15xf32>",
     "%0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<9x12xf32, "
     "#size.extents<a, b>>, tensor<9x3xf32, #size.extents<a, 3>>) -> "
     "tensor<9x15xf32>"},
    {"%x: tensor<64xf32, #size.extents<w>>", "tensor<21xf32>",
     "%0 = stablehlo.slice %x [1:64:3] {size.limit_indices = #size.extents<w>} "
     ": (tensor<64xf32, #size.extents<w>>) -> tensor<21xf32>"},
    {"%x: tensor<64xf32, #size.extents<w>>", "tensor<63xf32>",
     "%0 = stablehlo.slice %x [0:63] {size.start_indices = #size.extents<b>, "
     "size.limit_indices = #size.extents<w - 1>} : (tensor<64xf32, "
     "#size.extents<w>>) -> tensor<63xf32>"},
    {"%x: tensor<12xf32, #size.extents<b>>, %v: tensor<f32>", "tensor<35xf32>",
     "%0 = stablehlo.pad %x, %v, low = [-1], high = [2], interior = [2] : "
     "(tensor<12xf32, #size.extents<b>>, tensor<f32>) -> tensor<35xf32>"},
    {"%x: tensor<12xf32, #size.extents<b>>, %v: tensor<f32>", "tensor<21xf32>",
     "%0 = stablehlo.pad %x, %v, low = [0], high = [9], interior = [0] "
     "{size.edge_padding_high = #size.extents<a>} : (tensor<12xf32, "
     "#size.extents<b>>, tensor<f32>) -> tensor<21xf32>"},
    {"%x: tensor<9x12x5xf32, #size.extents<a, b, 5>>, %y: tensor<9x5x64xf32, "
     "#size.extents<a, 5, w>>",
     "tensor<9x12x64xf32>",
     "%0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], "
     "contracting_dims = [2] x [1] : (tensor<9x12x5xf32, #size.extents<a, b, "
     "5>>, tensor<9x5x64xf32, #size.extents<a, 5, w>>) -> tensor<9x12x64xf32>"},
    {"%x: tensor<9x64x65x3xf32, #size.extents<a, w, w + 1, 3>>, %k: "
     "tensor<7x3x3x8xf32>",
     "tensor<9x32x33x8xf32>",
     "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
     "o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[3, 3], [1, 1]]} "
     "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
     "(tensor<9x64x65x3xf32, #size.extents<a, w, w + 1, 3>>, "
     "tensor<7x3x3x8xf32>) -> tensor<9x32x33x8xf32>"},
    {"%x: tensor<1x12x3xf32, #size.extents<1, b, 3>>, %k: tensor<3x3x8xf32>",
     "tensor<1x25x8xf32>",
     "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, "
     "o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} "
     "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
     "(tensor<1x12x3xf32, #size.extents<1, b, 3>>, tensor<3x3x8xf32>) -> "
     "tensor<1x25x8xf32>"},
    {"%x: tensor<9x12xf32, #size.extents<a, b>>, %v: tensor<f32>",
     "tensor<9xf32>",
     "%0 = stablehlo.reduce(%x init: %v) applies stablehlo.add across "
     "dimensions = [1] : (tensor<9x12xf32, #size.extents<a, b>>, tensor<f32>) "
     "-> tensor<9xf32>"},
    {"%x: tensor<9x64xf32, #size.extents<a, w>>, %v: tensor<f32>",
     "tensor<9x31xf32>",
     "%0 = \"stablehlo.reduce_window\"(%x, %v) <{window_dimensions = "
     "array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({\n^bb0(%p: "
     "tensor<f32>, %q: tensor<f32>):\n %m = stablehlo.maximum %p, %q : "
     "tensor<f32>\n stablehlo.return %m : tensor<f32>\n}) : (tensor<9x64xf32, "
     "#size.extents<a, w>>, tensor<f32>) -> tensor<9x31xf32>"},
    {"%x: tensor<9x64xf32, #size.extents<a, w>>, %v: tensor<f32>",
     "tensor<9x1xf32>",
     "%0 = \"stablehlo.reduce_window\"(%x, %v) <{window_dimensions = "
     "array<i64: 1, 64>}> ({\n^bb0(%p: tensor<f32>, %q: tensor<f32>):\n %m = "
     "stablehlo.maximum %p, %q : tensor<f32>\n stablehlo.return %m : "
     "tensor<f32>\n}) {size.window_dimensions = #size.extents<1, w>} : "
     "(tensor<9x64xf32, #size.extents<a, w>>, tensor<f32>) -> tensor<9x1xf32>"},
    {"%x: tensor<64x5xf32, #size.extents<w, 5>>, %i: tensor<9x12x1xi32, "
     "#size.extents<a, b, 1>>",
     "tensor<9x12x5xf32>",
     "%0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = "
     "#stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], "
     "start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: "
     "1, 5>}> : (tensor<64x5xf32, #size.extents<w, 5>>, tensor<9x12x1xi32, "
     "#size.extents<a, b, 1>>) -> tensor<9x12x5xf32>"},
    {"%x: tensor<64x5xf32, #size.extents<w, 5>>, %i: tensor<i32>",
     "tensor<9x5xf32>",
     "%0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [9, 5] "
     "{size.slice_sizes = #size.extents<a, 5>} : (tensor<64x5xf32, "
     "#size.extents<w, 5>>, tensor<i32>, tensor<i32>) -> tensor<9x5xf32>"},
    {"%x: tensor<9x12xf32, #size.extents<a, b>>, %c: tensor<i1>",
     "tensor<9x12xf32>",
     "%0 = \"stablehlo.select\"(%c, %x, %x) : (tensor<i1>, tensor<9x12xf32, "
     "#size.extents<a, b>>, tensor<9x12xf32, #size.extents<a, b>>) -> "
     "tensor<9x12xf32>"},
    {"%x: tensor<9x12xf32, #size.extents<a, b>>",
     "tensor<64x9x12xf32, #size.extents<w, a, b>>",
     "%0 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<9x12xf32, "
     "#size.extents<a, b>>) -> tensor<64x9x12xf32, #size.extents<w, a, b>>"},
    {"%x: tensor<9x64xf32, #size.extents<a, w>>", "tensor<9x33xcomplex<f32>>",
     "%0 = stablehlo.fft %x, type = RFFT, length = [64] {size.fft_length = "
     "#size.extents<w>} : (tensor<9x64xf32, #size.extents<a, w>>) -> "
     "tensor<9x33xcomplex<f32>>"},
    {"%x: tensor<9xi32, #size.extents<a>>", "tensor<9xi32>",
     "%n = stablehlo.constant dense<0> : tensor<i32>\n"
     "%r:2 = stablehlo.while(%i = %n, %c = %x) : tensor<i32>, tensor<9xi32, "
     "#size.extents<a>> cond {\n"
     " %t = stablehlo.constant dense<3> : tensor<i32>\n"
     " %l = stablehlo.compare LT, %i, %t : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     " stablehlo.return %l : tensor<i1>\n} do {\n"
     " %o = stablehlo.constant dense<1> : tensor<i32>\n"
     " %j = stablehlo.add %i, %o : tensor<i32>\n"
     " %d = \"stablehlo.add\"(%c, %c) : (tensor<9xi32, #size.extents<a>>, "
     "tensor<9xi32, #size.extents<a>>) -> tensor<9xi32, #size.extents<a>>\n"
     " stablehlo.return %j, %d : tensor<i32>, tensor<9xi32, "
     "#size.extents<a>>\n}\n"
     "%0 = \"stablehlo.negate\"(%r#1) : (tensor<9xi32, #size.extents<a>>) -> "
     "tensor<9xi32>"},
};

class InferExtentsTest : public testing::Test {
protected:
  InferExtentsTest() {
    context.loadDialect<func::FuncDialect, quant::QuantDialect,
                        size::SizeDialect, stablehlo::StableHloDialect>();
    ranges.declare("a", {1, 9});
    ranges.declare("b", {0, 12});
    ranges.declare("w", {16, 64, 8});
  }

  OwningOpRef<ModuleOp> parse(const Case &each) {
    std::string text = std::string("func.func @main(") + each.arguments +
                       ") -> " + each.results + " {\n" + each.body +
                       "\nreturn %0 : " + each.results + "\n}";
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
  size::Ranges ranges;
};

TEST_F(InferExtentsTest, AreThoseOfEachSize) {
  std::mt19937 random(3);
  auto number = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (const Case &each : kCases) {
    SCOPED_TRACE(each.body);
    OwningOpRef<ModuleOp> module = parse(each);
    ASSERT_TRUE(module);
    SizeAssumptions assumptions(ranges);
    auto main = module->lookupSymbol<func::FuncOp>("main");
    ASSERT_TRUE(succeeded(inferExtents(main, assumptions)));
    EXPECT_TRUE(assumptions.assumptions().empty());
    ASSERT_TRUE(succeeded(verify(*module)));
    for (unsigned k = 0; k < 30; ++k) {
      int64_t a = number(1, 9), b = number(0, 12), w = 8 * number(2, 8);
      OwningOpRef<ModuleOp> fixed(module->clone());
      ASSERT_TRUE(
          succeeded(fixSizes(*fixed,
                             [&](StringRef name) -> std::optional<int64_t> {
                               return name == "a" ? a : name == "b" ? b : w;
                             })))
          << a << ' ' << b << ' ' << w;
      // Result types are inferred again, from numbers.
      EXPECT_TRUE(succeeded(verify(*fixed))) << a << ' ' << b << ' ' << w;
    }
  }
}

TEST_F(InferExtentsTest, WhatCannotBeKnownIsAssumed) {
  Case each = {
      "%x: tensor<9xf32, #size.extents<a>>, %y: tensor<12xf32, "
      "#size.extents<b>>",
      "tensor<9xf32>",
      "%s = stablehlo.slice %y [0:9] {size.limit_indices = #size.extents<b - "
      "3>} : (tensor<12xf32, #size.extents<b>>) -> tensor<9xf32>\n"
      "%0 = \"stablehlo.add\"(%x, %s) : (tensor<9xf32, #size.extents<a>>, "
      "tensor<9xf32>) -> tensor<9xf32>"};
  OwningOpRef<ModuleOp> module = parse(each);
  ASSERT_TRUE(module);
  SizeAssumptions assumptions(ranges);
  auto main = module->lookupSymbol<func::FuncOp>("main");
  ASSERT_TRUE(succeeded(inferExtents(main, assumptions)));
  ASSERT_EQ(assumptions.assumptions().size(), 1u);
  EXPECT_EQ(assumptions.assumptions()[0].text, "a = b - 3");
}

TEST_F(InferExtentsTest, WhatIsNeverEqualIsRefused) {
  Case each = {
      "%x: tensor<9xf32, #size.extents<a>>, %y: tensor<64xf32, "
      "#size.extents<w>>",
      "tensor<9xf32>",
      "%s = stablehlo.slice %y [0:9] {size.limit_indices = #size.extents<w>} : "
      "(tensor<64xf32, #size.extents<w>>) -> tensor<9xf32>\n"
      "%0 = \"stablehlo.add\"(%x, %s) : (tensor<9xf32, #size.extents<a>>, "
      "tensor<9xf32>) -> tensor<9xf32>"};
  OwningOpRef<ModuleOp> module = parse(each);
  ASSERT_TRUE(module);
  SizeAssumptions assumptions(ranges);
  std::string message;
  ScopedDiagnosticHandler listen(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(
      inferExtents(module->lookupSymbol<func::FuncOp>("main"), assumptions)));
  EXPECT_NE(message.find("wants two sizes equal that never are: a and w"),
            std::string::npos)
      << message;
}

} // namespace
