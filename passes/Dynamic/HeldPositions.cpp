// Holds computed positions within true extents.

#include "passes/Dynamic/HeldPositions.h"

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

Type positionType(Type element, int64_t bound) {
  unsigned width = element.getIntOrFloatBitWidth();
  unsigned bits = width - !element.isUnsignedInteger();
  if (width >= 32 && llvm::isUIntN(bits, bound))
    return element;
  bool isShort = width < 32 && llvm::isInt<32>(bound);
  return IntegerType::get(element.getContext(), isShort ? 32 : 64);
}

Type positionType(Type element, RankedTensorType pointee) {
  return positionType(element, *llvm::max_element(pointee.getShape()));
}

/// `positions` in a type that holds where anything of `operand` ends.
static Value widened(OpBuilder &b, Location loc, Value positions,
                     RankedTensorType operand) {
  RankedTensorType type = typeOf(positions);
  Type element = positionType(type.getElementType(), operand);
  return element == type.getElementType()
             ? positions
             : ConvertOp::create(b, loc, type.clone(element), positions);
}

/// Holds the positions of `op` within what they truly point into: lowering
/// holds them within the bound.
static void holdPositions(GatherOp op) {
  RankedTensorType operand = typeOf(op.getOperand());
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
  Value positions = widened(b, op.getLoc(), op.getStartIndices(), operand);
  RankedTensorType starts = typeOf(positions);
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
      MinOp::create(b, op.getLoc(), starts, positions, spread));
}

static void holdPositions(DynamicSliceOp op) {
  RankedTensorType operand = typeOf(op.getOperand()), result = typeOf(op);
  auto isOpen = [&](int64_t i) {
    return !size::isKnown(operand, i) || !size::isKnown(result, i);
  };
  if (llvm::none_of(llvm::seq(operand.getRank()), isOpen))
    return;
  OpBuilder b(op);
  for (auto [i, start] : llvm::enumerate(op.getStartIndicesMutable())) {
    // All positions of a slice have one type.
    start.set(widened(b, op.getLoc(), start.get(), operand));
    if (!isOpen(i))
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
