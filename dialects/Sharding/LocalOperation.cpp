// Operations on the pieces of tensors that one device has.

#include "dialects/Sharding/LocalOperation.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::sharding {

bool hasFactor(const TensorFactors &tensor, int64_t factor) {
  return llvm::any_of(tensor, [&](ArrayRef<int64_t> dim) {
    return llvm::is_contained(dim, factor);
  });
}

std::string needsMoreThanPieces(Operation *op, const FactorRule &rule,
                                int64_t factor) {
  switch (rule.factors[factor].kind) {
  case FactorKind::PassThrough:
  case FactorKind::Reduction:
    break;
  case FactorKind::Prefix:
    return "what is carried goes from piece to piece";
  default:
    return "whole tensors or neighbours are needed";
  }
  // A dimension whose windows move with the pieces.
  for (auto *tensors : {&rule.operands, &rule.results})
    for (const TensorFactors &tensor : *tensors)
      for (ArrayRef<int64_t> dim : tensor)
        if (dim.size() > 1 && llvm::is_contained(dim, factor) &&
            llvm::any_of(dim, [&](int64_t other) {
              return rule.factors[other].kind == FactorKind::Halo;
            }))
          return "pieces of windows need neighbours";
  bool isOfData =
      !rule.operands.empty() && hasFactor(rule.operands.front(), factor);
  if (isa<stablehlo::GatherOp>(op) && isOfData &&
      rule.factors[factor].kind == FactorKind::Reduction)
    return "places must be moved to where a piece begins";
  if (isa<stablehlo::ScatterOp>(op) && isOfData &&
      !hasFactor(rule.operands.back(), factor))
    return "places must be moved to where a piece begins";
  if (isa<stablehlo::DynamicUpdateSliceOp>(op) &&
      hasFactor(rule.operands[0], factor) !=
          hasFactor(rule.operands[1], factor))
    return "a piece may have none of the update";
  if (isa<stablehlo::ReshapeOp>(op) &&
      isOfData != hasFactor(rule.results.front(), factor))
    return "the other side has no part of this size";
  if (isa<stablehlo::RngBitGeneratorOp, stablehlo::RngOp>(op))
    return "random numbers go by the place in the whole";
  return "";
}

void followLocalShapes(Operation *op) {
  Builder builder(op->getContext());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](stablehlo::SliceOp slice) {
        SmallVector<int64_t> limits(slice.getLimitIndices());
        for (auto [dim, size] : llvm::enumerate(shapeOf(slice.getOperand())))
          if (slice.getStartIndices()[dim] == 0 && slice.getStrides()[dim] == 1)
            limits[dim] = std::min(limits[dim], size);
        slice.setLimitIndices(limits);
      })
      .Case([&](stablehlo::DynamicSliceOp slice) {
        slice.setSliceSizes(shapeOf(slice.getResult()));
      })
      .Case([&](stablehlo::GatherOp gather) {
        SmallVector<int64_t> sizes(gather.getSliceSizes());
        for (auto [dim, size] : llvm::enumerate(shapeOf(gather.getOperand())))
          sizes[dim] = std::min(sizes[dim], size);
        gather.setSliceSizes(sizes);
      })
      .Case([&](stablehlo::BroadcastOp broadcast) {
        size_t added = broadcast.getBroadcastSizes().size();
        broadcast.setBroadcastSizes(
            shapeOf(broadcast.getResult()).take_front(added));
      })
      .Case([&](stablehlo::ConstantOp constant) {
        // What is no splat is whole on each device.
        auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (value && value.isSplat())
          constant.setValueAttr(
              value.resizeSplat(cast<ShapedType>(constant.getType())));
      })
      .Case([&](stablehlo::ConvolutionOp op) {
        auto numbers = op.getDimensionNumbers();
        int64_t in = shapeOf(op.getLhs())[numbers.getInputFeatureDimension()];
        int64_t each =
            shapeOf(op.getRhs())[numbers.getKernelInputFeatureDimension()];
        int64_t batch = shapeOf(op.getLhs())[numbers.getInputBatchDimension()];
        int64_t to = shapeOf(op.getResult())[numbers.getOutputBatchDimension()];
        op.setFeatureGroupCount(in / each);
        op.setBatchGroupCount(batch / to);
      });
}

} // namespace heddle::sharding
