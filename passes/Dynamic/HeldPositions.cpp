// Holds computed positions within true extents.

#include "passes/Dynamic/HeldPositions.h"

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

/// Holds the positions of `op` within what they truly point into: lowering
/// holds them within the bound.
static void holdPositions(GatherOp op) {
  RankedTensorType operand = typeOf(op.getOperand()),
                   starts = typeOf(op.getStartIndices());
  auto numbers = op.getDimensionNumbers();
  SmallVector<size::Expression> last;
  bool isOpen = false;
  TrueShape taken = sizedAttribute(op, "slice_sizes", op.getSliceSizes());
  for (int64_t dim : numbers.getStartIndexMap()) {
    last.push_back(size::extentOf(operand, dim) - taken[dim]);
    isOpen |= !size::isKnown(operand, dim) || !taken[dim].isConstant();
  }
  if (!isOpen)
    return;
  OpBuilder b(op);
  bool isVector = numbers.getIndexVectorDim() < starts.getRank();
  SmallVector<int64_t> shape, place;
  if (isVector) {
    shape.push_back(last.size());
    place.push_back(numbers.getIndexVectorDim());
  }
  Value limits = size::TensorOp::create(
      b, op.getLoc(), RankedTensorType::get(shape, starts.getElementType()),
      size::extentsAttr(b.getContext(), last));
  Value spread = BroadcastInDimOp::create(b, op.getLoc(), starts, limits,
                                          b.getDenseI64ArrayAttr(place));
  op.getStartIndicesMutable().assign(
      MinOp::create(b, op.getLoc(), starts, op.getStartIndices(), spread));
}

static void holdPositions(DynamicSliceOp op) {
  RankedTensorType operand = typeOf(op.getOperand()), result = typeOf(op);
  OpBuilder b(op);
  for (auto [i, start] : llvm::enumerate(op.getStartIndicesMutable())) {
    if (size::isKnown(operand, i) && size::isKnown(result, i))
      continue;
    size::Expression last =
        size::extentOf(operand, i) - size::extentOf(result, i);
    RankedTensorType type = typeOf(start.get());
    Value limit = size::TensorOp::create(
        b, op.getLoc(), type, size::extentsAttr(b.getContext(), {last}));
    // All of a dimension begins at 0.
    start.set(last.isConstant(0)
                  ? limit
                  : MinOp::create(b, op.getLoc(), type, start.get(), limit)
                        .getResult());
  }
}

void holdWithinTrueExtents(func::FuncOp entry) {
  SmallVector<Operation *> readers;
  entry.walk([&](Operation *op) {
    if (isa<GatherOp, DynamicSliceOp>(op))
      readers.push_back(op);
  });
  for (Operation *op : readers)
    llvm::TypeSwitch<Operation *>(op).Case<GatherOp, DynamicSliceOp>(
        [](auto reader) { holdPositions(reader); });
}

} // namespace heddle
