// Rules of reductions, windows and normalizations.

#include "dialects/Sharding/RuleRegistration.h"
#include "dialects/Sharding/Samples.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sharding {

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static FactorRule ofReduce(ReduceOp op) {
  RuleBuilder builder(op);
  size_t count = op.getInputs().size();
  int64_t at = 0;
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getInputs().front()))) {
    SmallVector<int64_t> operands(count, dim);
    operands.append(count, -1);
    bool isReduced = llvm::is_contained(op.getDimensions(), int64_t(dim));
    builder.add(operands, SmallVector<int64_t>(count, isReduced ? -1 : at++),
                size,
                isReduced ? FactorKind::Reduction : FactorKind::PassThrough);
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

static int64_t entryOf(std::optional<ArrayRef<int64_t>> values, size_t index) {
  return values && index < values->size() ? (*values)[index] : 1;
}

static bool isPadded(std::optional<DenseIntElementsAttr> padding, size_t dim) {
  if (!padding)
    return false;
  auto values = padding->getValues<int64_t>();
  return values[{dim, 0}] || values[{dim, 1}];
}

static FactorRule ofReduceWindow(ReduceWindowOp op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult(0)))) {
    bool isWindowed = op.getWindowDimensions()[dim] != 1 ||
                      entryOf(op.getWindowStrides(), dim) != 1 ||
                      entryOf(op.getBaseDilations(), dim) != 1 ||
                      entryOf(op.getWindowDilations(), dim) != 1 ||
                      isPadded(op.getPadding(), dim);
    builder.addAll(dim, size,
                   isWindowed ? FactorKind::Halo : FactorKind::PassThrough);
  }
  return builder.build();
}

static FactorRule ofSelectAndScatter(SelectAndScatterOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> source = shapeOf(op.getSource());
  for (auto [at, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
    int64_t dim = at;
    if (source[dim] == size) {
      builder.add({dim, dim, -1}, {dim}, size);
      continue;
    }
    builder.add({-1, dim, -1}, {-1}, source[dim], FactorKind::NeedReplication);
    builder.add({dim, -1, -1}, {dim}, size, FactorKind::Halo);
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// Features pass through; in training all else is needed for each of them.
template <typename Op>
static FactorRule normalizationRule(Op op, FactorKind others) {
  RuleBuilder builder(op);
  int64_t feature = op.getFeatureIndex();
  auto dimsOf = [&](auto values, int64_t dim) {
    return llvm::map_to_vector(values, [&](Value value) {
      if (shapeOf(value).size() > 1)
        return dim;
      return dim == feature ? int64_t(0) : int64_t(-1);
    });
  };
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0))))
    builder.add(dimsOf(op->getOperands(), dim), dimsOf(op->getResults(), dim),
                size,
                int64_t(dim) == feature ? FactorKind::PassThrough : others);
  return builder.build();
}

static FactorRule ofInference(BatchNormInferenceOp op) {
  return normalizationRule(op, FactorKind::PassThrough);
}
static FactorRule ofTraining(BatchNormTrainingOp op) {
  return normalizationRule(op, FactorKind::NeedReplication);
}
static FactorRule ofGrad(BatchNormGradOp op) {
  return normalizationRule(op, FactorKind::NeedReplication);
}

static std::string reduction(StringRef op, StringRef element, StringRef init) {
  std::string from = ("tensor<4x6x" + element + ">").str();
  std::string to = ("tensor<4x" + element + ">").str();
  return sample({from},
                ("%i = stablehlo.constant dense<" + init + "> : tensor<" +
                 element +
                 ">\n  %r = stablehlo.reduce(%a init: %i) applies stablehlo." +
                 op + " across dimensions = [1] : (" + from + ", tensor<" +
                 element + ">) -> " + to)
                    .str(),
                to);
}

void addReductionRules(RuleRegistration &rules) {
  rules.add<ReduceOp, ofReduce>(
      reduction("add", "f32", "0.0"), reduction("maximum", "f32", "0xFF800000"),
      reduction("minimum", "f32", "0x7F800000"), reduction("or", "i32", "0"));
  rules.add<ReduceWindowOp, ofReduceWindow>(
      sample({"tensor<4x8xf32>"},
             R"(%i = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%a, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}
      : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>)",
             "tensor<4x8xf32>"));
  rules.add<SelectAndScatterOp, ofSelectAndScatter>(
      sample({"tensor<4x8xf32>", "tensor<4x4xf32>"},
             R"(%i = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%a, %b, %i) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %z : tensor<i1>
  }, {
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}
      : (tensor<4x8xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x8xf32>)",
             "tensor<4x8xf32>"));
  rules.add<BatchNormInferenceOp, ofInference>(
      sample({"tensor<4x6xf32>", "tensor<6xf32>"},
             "%r = \"stablehlo.batch_norm_inference\"(%a, %b, %b, %b, %b) "
             "{epsilon = 1.0 : f32, feature_index = 1 : i64} : "
             "(tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, "
             "tensor<6xf32>) -> tensor<4x6xf32>",
             "tensor<4x6xf32>"));
  rules.add<BatchNormTrainingOp, ofTraining>(
      sample({"tensor<4x6xf32>", "tensor<6xf32>"},
             "%r, %m, %v = \"stablehlo.batch_norm_training\"(%a, %b, %b) "
             "{epsilon = 1.0 : f32, feature_index = 1 : i64} : "
             "(tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> "
             "(tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>)",
             "tensor<4x6xf32>"));
  rules.add<BatchNormGradOp, ofGrad>(
      sample({"tensor<4x6xf32>", "tensor<6xf32>"},
             "%r, %m, %v = \"stablehlo.batch_norm_grad\"(%a, %b, %b, %b, %a) "
             "{epsilon = 1.0 : f32, feature_index = 1 : i64} : "
             "(tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, "
             "tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>, "
             "tensor<6xf32>)",
             "tensor<4x6xf32>"));
}

} // namespace heddle::sharding
