// Rules of products and convolutions.

#include "dialects/Sharding/RuleRegistration.h"
#include "dialects/Sharding/Samples.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sharding {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Batches, what only one side has, and last what is summed.
static FactorRule productRule(Operation *op, ArrayRef<int64_t> lhsBatch,
                              ArrayRef<int64_t> rhsBatch,
                              ArrayRef<int64_t> lhsSum,
                              ArrayRef<int64_t> rhsSum) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> lhs = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> rhs = shapeOf(op->getOperand(1));
  int64_t at = 0;
  for (auto [l, r] : llvm::zip_equal(lhsBatch, rhsBatch))
    builder.add({l, r}, {at++}, lhs[l]);
  for (int64_t dim = 0; dim < int64_t(lhs.size()); ++dim)
    if (!llvm::is_contained(lhsBatch, dim) && !llvm::is_contained(lhsSum, dim))
      builder.add({dim, -1}, {at++}, lhs[dim]);
  for (int64_t dim = 0; dim < int64_t(rhs.size()); ++dim)
    if (!llvm::is_contained(rhsBatch, dim) && !llvm::is_contained(rhsSum, dim))
      builder.add({-1, dim}, {at++}, rhs[dim]);
  for (auto [l, r] : llvm::zip_equal(lhsSum, rhsSum))
    builder.add({l, r}, {-1}, lhs[l], FactorKind::Reduction);
  return builder.build();
}

static FactorRule ofDotGeneral(DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  return productRule(op, numbers.getLhsBatchingDimensions(),
                     numbers.getRhsBatchingDimensions(),
                     numbers.getLhsContractingDimensions(),
                     numbers.getRhsContractingDimensions());
}

/// The last dimension of the left side with the first of the right.
static FactorRule ofDot(DotOp op) {
  int64_t last = int64_t(shapeOf(op.getLhs()).size()) - 1;
  return productRule(op, {}, {}, {last}, {0});
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// A dimension over which windows go. Neighbours lend what a window needs
/// beyond a piece; within a window, taps are summed.
static void addWindowed(RuleBuilder &builder, int64_t lhsDim, int64_t rhsDim,
                        int64_t resultDim, int64_t lhs, int64_t taps,
                        int64_t windows) {
  int64_t major = std::max(windows, taps);
  int64_t minor = llvm::divideCeil(lhs, major);
  auto addWindows = [&](int64_t at, int64_t size) {
    builder.add({at, -1}, {resultDim}, size, FactorKind::Halo);
  };
  auto addTaps = [&](int64_t at, int64_t size) {
    builder.add({at, rhsDim}, {-1}, size, FactorKind::Reduction);
  };
  // Beside others, a factor of size one is not of the dimension.
  int64_t minorDim = minor > 1 ? lhsDim : -1;
  if (windows >= taps) {
    addWindows(lhsDim, major);
    addTaps(minorDim, minor);
  } else {
    addTaps(lhsDim, major);
    addWindows(minorDim, minor);
  }
}

static FactorRule ofConvolution(ConvolutionOp op) {
  RuleBuilder builder(op);
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs()),
                    result = shapeOf(op.getResult());
  int64_t lhsBatch = numbers.getInputBatchDimension();
  int64_t lhsFeature = numbers.getInputFeatureDimension();
  int64_t rhsIn = numbers.getKernelInputFeatureDimension();
  int64_t rhsOut = numbers.getKernelOutputFeatureDimension();
  int64_t batch = numbers.getOutputBatchDimension();
  int64_t feature = numbers.getOutputFeatureDimension();
  int64_t batchGroups = op.getBatchGroupCount();
  int64_t featureGroups = op.getFeatureGroupCount();

  if (batchGroups > 1) {
    builder.add({lhsBatch, rhsOut}, {feature}, batchGroups);
    int64_t each = lhs[lhsBatch] / batchGroups;
    builder.add({each > 1 ? lhsBatch : -1, -1}, {batch}, each);
  } else {
    builder.add({lhsBatch, -1}, {batch}, lhs[lhsBatch]);
  }
  for (auto [l, r, to] : llvm::zip_equal(numbers.getInputSpatialDimensions(),
                                         numbers.getKernelSpatialDimensions(),
                                         numbers.getOutputSpatialDimensions()))
    addWindowed(builder, l, r, to, lhs[l], rhs[r], result[to]);
  int64_t outEach = rhs[rhsOut] / (batchGroups * featureGroups);
  if (featureGroups > 1) {
    builder.add({lhsFeature, rhsOut}, {feature}, featureGroups);
    builder.add({rhs[rhsIn] > 1 ? lhsFeature : -1, rhsIn}, {-1}, rhs[rhsIn],
                FactorKind::Reduction);
  } else {
    builder.add({lhsFeature, rhsIn}, {-1}, lhs[lhsFeature],
                FactorKind::Reduction);
  }
  bool hasGroups = batchGroups > 1 || featureGroups > 1;
  if (!hasGroups || outEach > 1)
    builder.add({-1, rhsOut}, {feature}, outEach);
  return builder.build();
}

static std::string convolution(StringRef lhs, StringRef rhs, StringRef result,
                               StringRef window, int batchGroups,
                               int featureGroups) {
  return sample(
      {lhs, rhs},
      ("%r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, "
       "o]->[b, 0, f], window = {" +
       window + "} {batch_group_count = " + Twine(batchGroups) +
       " : i64, feature_group_count = " + Twine(featureGroups) + " : i64} : (" +
       lhs + ", " + rhs + ") -> " + result)
          .str(),
      result);
}

void addContractionRules(RuleRegistration &rules) {
  rules.add<DotGeneralOp, ofDotGeneral>(
      sample({"tensor<2x4x6xf32>", "tensor<6x2x8xf32>"},
             "%r = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], "
             "contracting_dims = [2] x [0] : (tensor<2x4x6xf32>, "
             "tensor<6x2x8xf32>) -> tensor<2x4x8xf32>",
             "tensor<2x4x8xf32>"),
      sample({"tensor<4x6x2xf32>", "tensor<2x6xf32>"},
             "%r = stablehlo.dot_general %a, %b, contracting_dims = [1, 2] x "
             "[1, 0] : (tensor<4x6x2xf32>, tensor<2x6xf32>) -> tensor<4xf32>",
             "tensor<4xf32>"));
  rules.add<DotOp, ofDot>(
      sample({"tensor<4x6xf32>", "tensor<6x8xf32>"},
             "%r = \"stablehlo.dot\"(%a, %b) : (tensor<4x6xf32>, "
             "tensor<6x8xf32>) -> tensor<4x8xf32>",
             "tensor<4x8xf32>"),
      sample({"tensor<6xf32>", "tensor<6xf32>"},
             "%r = \"stablehlo.dot\"(%a, %b) : (tensor<6xf32>, "
             "tensor<6xf32>) -> tensor<f32>",
             "tensor<f32>"));
  rules.add<ConvolutionOp, ofConvolution>(
      convolution("tensor<4x8x6xf32>", "tensor<3x6x4xf32>", "tensor<4x8x4xf32>",
                  "pad = [[1, 1]]", 1, 1),
      convolution("tensor<4x8x4xf32>", "tensor<2x2x8xf32>", "tensor<4x4x8xf32>",
                  "stride = [2]", 1, 2),
      convolution("tensor<8x6x4xf32>", "tensor<3x4x6xf32>", "tensor<4x4x6xf32>",
                  "", 2, 1));
}

} // namespace heddle::sharding
