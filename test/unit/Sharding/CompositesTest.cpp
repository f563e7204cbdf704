// Rules that follow from what composites are made of.

#include "dialects/Sharding/RuleTable.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace heddle::sharding {
namespace {

/// The rule of the composite @body in `text`, as an attribute's text.
std::string ruleIn(StringRef text) {
  MLIRContext context;
  DialectRegistry registry;
  registerFactorRules(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<func::FuncDialect, sdy::SdyDialect,
                      stablehlo::StableHloDialect, chlo::ChloDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  std::string result;
  if (module)
    module->walk([&](stablehlo::CompositeOp op) {
      llvm::raw_string_ostream os(result);
      if (std::optional<FactorRule> rule = ruleOf(op))
        os << rule->toAttribute(&context);
      else
        os << "none";
    });
  return result;
}

TEST(Composites, ASoftmaxIsWholeInItsRows) {
  EXPECT_EQ(ruleIn(R"(
func.func @f(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %r = stablehlo.composite "any.softmax" %a {decomposition = @body} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
func.func private @body(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.exponential %a : tensor<4x6xf32>
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %3 = stablehlo.divide %0, %2 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
})"),
            "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=6} "
            "need_replication={j}>");
}

TEST(Composites, WhatIsSummedLastIsReduced) {
  EXPECT_EQ(ruleIn(R"(
func.func @f(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %r = stablehlo.composite "any.product" %a, %b {decomposition = @body} : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
func.func private @body(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.abs %a : tensor<4x6xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
})"),
            "#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=4, j=6, k=8} "
            "reduction={j}>");
}

TEST(Composites, WhatIsSummedBeforeSomethingElseIsWhole) {
  EXPECT_EQ(ruleIn(R"(
func.func @f(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %r = stablehlo.composite "any.product" %a, %b {decomposition = @body} : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
func.func private @body(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.tanh %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
})"),
            "#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=4, j=6, k=8} "
            "need_replication={j}>");
}

/// Batches, heads, queries and columns of values pass through; keys and what
/// scores are sums over are needed whole.
TEST(Composites, AttentionIsCutByBatchesHeadsAndQueries) {
  EXPECT_EQ(ruleIn(R"(
func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x32x16xf32>, %v: tensor<2x4x32x16xf32>) -> tensor<2x4x8x16xf32> {
  %0 = stablehlo.composite "heddle.attention" %q, %k, %v {decomposition = @attention_body} : (tensor<2x4x8x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>) -> tensor<2x4x8x16xf32>
  return %0 : tensor<2x4x8x16xf32>
}
func.func private @attention_body(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x32x16xf32>, %v: tensor<2x4x32x16xf32>) -> tensor<2x4x8x16xf32> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x4x8x16xf32>, tensor<2x4x32x16xf32>) -> tensor<2x4x8x32xf32>
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%s init: %i) applies stablehlo.maximum across dimensions = [3] : (tensor<2x4x8x32xf32>, tensor<f32>) -> tensor<2x4x8xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x4x8xf32>) -> tensor<2x4x8x32xf32>
  %d = stablehlo.subtract %s, %b : tensor<2x4x8x32xf32>
  %e = stablehlo.exponential %d : tensor<2x4x8x32xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [3] : (tensor<2x4x8x32xf32>, tensor<f32>) -> tensor<2x4x8xf32>
  %u = stablehlo.broadcast_in_dim %t, dims = [0, 1, 2] : (tensor<2x4x8xf32>) -> tensor<2x4x8x32xf32>
  %p = stablehlo.divide %e, %u : tensor<2x4x8x32xf32>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x4x8x32xf32>, tensor<2x4x32x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}
)"),
            "#sdy.op_sharding_rule<([i, j, k, l], [i, j, m, l], [i, j, m, n])"
            "->([i, j, k, n]) {i=2, j=4, k=8, l=16, m=32, n=16} "
            "need_replication={l, m}>");
}

TEST(Composites, AReshapeThatSplitsIsWhole) {
  EXPECT_EQ(ruleIn(R"(
func.func @f(%a: tensor<4x6xf32>) -> tensor<4x2x3xf32> {
  %r = stablehlo.composite "any.split" %a {decomposition = @body} : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}
func.func private @body(%a: tensor<4x6xf32>) -> tensor<4x2x3xf32> {
  %1 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
})"),
            "#sdy.op_sharding_rule<([i, j])->([i, k, l]) {i=4, j=6, k=2, l=3} "
            "need_replication={j}>");
}

} // namespace
} // namespace heddle::sharding
