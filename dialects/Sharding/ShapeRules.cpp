// Rules of operations that change shapes and nothing else.

#include "dialects/Sharding/ReshapeFactors.h"
#include "dialects/Sharding/RuleRegistration.h"
#include "dialects/Sharding/Samples.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sharding {

static FactorRule ofBroadcastInDim(BroadcastInDimOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> from = shapeOf(op.getOperand());
  ArrayRef<int64_t> dims = op.getBroadcastDimensions();
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult()))) {
    const int64_t *place = llvm::find(dims, int64_t(dim));
    int64_t at = place == dims.end() ? -1 : place - dims.begin();
    if (at >= 0 && from[at] != size) {
      builder.add({at}, {-1}, from[at]);
      at = -1;
    }
    builder.add({at}, {int64_t(dim)}, size);
  }
  return builder.build();
}

static FactorRule ofBroadcast(BroadcastOp op) {
  RuleBuilder builder(op);
  int64_t added = op.getBroadcastSizes().size();
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult())))
    builder.add({std::max<int64_t>(int64_t(dim) - added, -1)}, {int64_t(dim)},
                size);
  return builder.build();
}

static FactorRule ofTranspose(TransposeOp op) {
  RuleBuilder builder(op);
  for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
    builder.add({from}, {int64_t(dim)}, shapeOf(op.getResult())[dim]);
  return builder.build();
}

/// The last dimension of the one that has more splits elements into bits.
static FactorRule ofBitcastConvert(BitcastConvertOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> from = shapeOf(op.getOperand()),
                    to = shapeOf(op.getResult());
  size_t common = std::min(from.size(), to.size());
  for (size_t dim = 0; dim < common; ++dim)
    builder.addAll(dim, from[dim]);
  return builder.build(FactorKind::NeedReplication);
}

static FactorRule ofReverse(ReverseOp op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getOperand())))
    builder.addAll(dim, size,
                   llvm::is_contained(op.getDimensions(), int64_t(dim))
                       ? FactorKind::Permutation
                       : FactorKind::PassThrough);
  return builder.build();
}

static FactorRule ofIota(IotaOp op) {
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult())))
    builder.addAll(dim, size,
                   int64_t(dim) == int64_t(op.getIotaDimension())
                       ? FactorKind::NeedReplication
                       : FactorKind::PassThrough);
  return builder.build();
}

/// Where all elements are equal, any piece is.
static FactorRule ofConstant(ConstantOp op) {
  RuleBuilder builder(op);
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  return builder.build(value && value.isSplat() ? FactorKind::PassThrough
                                                : FactorKind::NeedReplication);
}

static FactorRule ofReshape(ReshapeOp op) { return reshapeRule(op); }

void addShapeRules(RuleRegistration &rules) {
  rules.add<BroadcastInDimOp, ofBroadcastInDim>(
      sample({"tensor<6x1x4xf32>"},
             "%r = stablehlo.broadcast_in_dim %a, dims = [2, 1, 0] : "
             "(tensor<6x1x4xf32>) -> tensor<4x5x6x2xf32>",
             "tensor<4x5x6x2xf32>"));
  rules.add<BroadcastOp, ofBroadcast>(
      sample({"tensor<6xf32>"},
             "%r = \"stablehlo.broadcast\"(%a) {broadcast_sizes = array<i64: "
             "4>} : (tensor<6xf32>) -> tensor<4x6xf32>",
             "tensor<4x6xf32>"));
  rules.add<TransposeOp, ofTranspose>(
      sample({"tensor<4x6x2xf32>"},
             "%r = stablehlo.transpose %a, dims = [2, 0, 1] : "
             "(tensor<4x6x2xf32>) -> tensor<2x4x6xf32>",
             "tensor<2x4x6xf32>"));
  rules.add<BitcastConvertOp, ofBitcastConvert>(
      sample({"tensor<4x6xf32>"},
             "%r = stablehlo.bitcast_convert %a : (tensor<4x6xf32>) -> "
             "tensor<4x6x2xi16>",
             "tensor<4x6x2xi16>"),
      sample({"tensor<4x2xi16>"},
             "%r = stablehlo.bitcast_convert %a : (tensor<4x2xi16>) -> "
             "tensor<4xi32>",
             "tensor<4xi32>"));
  rules.add<ReverseOp, ofReverse>(
      sample({"tensor<4x6xf32>"},
             "%r = stablehlo.reverse %a, dims = [1] : tensor<4x6xf32>",
             "tensor<4x6xf32>"));
  rules.add<IotaOp, ofIota>(sample(
      {}, "%r = stablehlo.iota dim = 1 : tensor<4x6xi32>", "tensor<4x6xi32>"));
  rules.add<ConstantOp, ofConstant>(
      sample({}, "%r = stablehlo.constant dense<2.5> : tensor<4x6xf32>",
             "tensor<4x6xf32>"),
      sample({}, "%r = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>",
             "tensor<4xi32>"));
  auto reshape = [](StringRef from, StringRef to) {
    return sample({from},
                  ("%r = stablehlo.reshape %a : (" + from + ") -> " + to).str(),
                  to);
  };
  rules.add<ReshapeOp, ofReshape>(
      reshape("tensor<4x6xf32>", "tensor<24xf32>"),
      reshape("tensor<24x5xf32>", "tensor<2x3x4x5xf32>"),
      reshape("tensor<8x4x5xf32>", "tensor<2x16x5xf32>"),
      reshape("tensor<6x4xf32>", "tensor<4x6xf32>"),
      reshape("tensor<1x8x4xf32>", "tensor<8x1x4x1xf32>"),
      reshape("tensor<2x3x8xf32>", "tensor<3x4x4xf32>"));
}

} // namespace heddle::sharding
