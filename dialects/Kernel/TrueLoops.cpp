// Finds the true extents of loops in the types of what they walk.

#include "dialects/Kernel/TrueLoops.h"

using namespace mlir;
using namespace heddle;
using heddle::size::Expression;

std::optional<SmallVector<Expression>>
kernel::trueLoops(MLIRContext *context, ArrayRef<int64_t> bounds,
                  ArrayRef<WalkedTensor> walked) {
  SmallVector<Expression> loops =
      llvm::map_to_vector(bounds, [&](int64_t bound) {
        return Expression::constant(context, bound);
      });
  if (llvm::none_of(walked, [](const WalkedTensor &tensor) {
        return size::hasExtents(tensor.second);
      }))
    return loops;
  SmallVector<bool> told(bounds.size(), false);
  for (const auto &[map, type] : walked)
    for (auto [dim, result] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(result);
      if (!loop)
        continue;
      Expression extent = size::extentOf(type, dim);
      // Of what is larger than the loop, a part is walked.
      if (!extent.isConstant() &&
          type.getDimSize(dim) > bounds[loop.getPosition()])
        continue;
      Expression &known = loops[loop.getPosition()];
      bool isTold = std::exchange(told[loop.getPosition()], true);
      if (!isTold || (known.isConstant() && !extent.isConstant()))
        known = extent;
      else if (!extent.isConstant() && known != extent)
        return std::nullopt;
    }
  // A constant that is less than the bound is a fixed size in a larger place.
  for (const auto &[map, type] : walked)
    for (auto [dim, result] : llvm::enumerate(map.getResults()))
      for (auto [loop, bound] : llvm::enumerate(bounds))
        if (!told[loop] && bound != 1 && result.isFunctionOfDim(loop) &&
            !size::extentOf(type, dim).isConstant())
          return std::nullopt;
  return loops;
}

std::optional<SmallVector<Expression>> kernel::trueLoops(linalg::GenericOp op) {
  SmallVector<WalkedTensor> walked;
  for (auto [map, operand] :
       llvm::zip_equal(op.getIndexingMapsArray(), op->getOperands()))
    walked.push_back({map, cast<RankedTensorType>(operand.getType())});
  return trueLoops(op.getContext(), op.getStaticLoopRanges(), walked);
}

bool kernel::mayWalkPart(OpOperand &operand) {
  auto op = cast<linalg::GenericOp>(operand.getOwner());
  std::optional<SmallVector<Expression>> loops = trueLoops(op);
  auto type = cast<RankedTensorType>(operand.get().getType());
  if (!loops)
    return true;
  for (auto [dim, result] :
       llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(result);
        loop && size::extentOf(type, dim).isConstant() &&
        !(*loops)[loop.getPosition()].isConstant())
      return true;
  return false;
}

std::optional<kernel::WalkedTensor> kernel::walkedKeys(AttentionOp op) {
  if (!op.getKeysAttr())
    return std::nullopt;
  unsigned n = op.getNumBatchDims() + 1;
  ArrayRef<int64_t> extents = op.getExtents();
  auto type = RankedTensorType::get(
      {extents[n]}, Builder(op.getContext()).getI1Type(),
      size::extentsAttr(op.getContext(), {Expression(op.getKeysAttr())}));
  AffineExpr key = getAffineDimExpr(n, op.getContext());
  return WalkedTensor{AffineMap::get(extents.size(), 0, key), type};
}
