// Operations whose positions are held within a bounded dimension.

#include "passes/Dynamic/PaddingMasker.h"

#include "passes/Graph/Constants.h"

#include <limits>

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

LogicalResult PaddingMasker::visitDynamicSlice(DynamicSliceOp op) {
  if (failed(onlyVaries(op, {"slice_sizes"})))
    return failure();
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> extra(type.getRank(), 0);
  bool longer = false;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    size::Expression size = extent(op.getOperand(), i);
    size::Expression taken =
        integer(op, "slice_sizes", i, op.getSliceSizes()[i]);
    // A whole dimension begins at 0 with its padding, too.
    if (size == taken)
      continue;
    // In a loop that is not entered then, the dimension may be too short.
    if (!isNeverNegative(size - taken) && isa<func::FuncOp>(op->getParentOp()))
      return refuse(op, "takes elements that a bounded dimension may lack");
    if (size.isConstant() && taken.isConstant())
      continue;
    widenPositions(op, 1, op.getOperand());
    setOperand(op, 1 + i,
               atMost(builder, op.getStartIndices()[i], size - taken));
    ++changes;
    if (!taken.isConstant()) {
      extra[i] = op.getSliceSizes()[i];
      longer = true;
    }
  }
  if (!longer)
    return success();
  // The padding of the slice must not move its start. A start below 0 means 0.
  Value operand = lengthen(builder, op.getLoc(), op.getOperand(), extra);
  if (!operand)
    return refuse(op, "takes such elements by a bounded size");
  op->setOperand(0, operand);
  return success();
}

LogicalResult PaddingMasker::visitDynamicUpdateSlice(DynamicUpdateSliceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  auto update = cast<RankedTensorType>(op.getUpdate().getType());
  SmallVector<int64_t> extra(type.getRank(), 0), partial;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    size::Expression size = extent(op.getOperand(), i);
    size::Expression taken = extent(op.getUpdate(), i);
    if (size == taken)
      continue;
    if (!isNeverNegative(size - taken) && isa<func::FuncOp>(op->getParentOp()))
      return refuse(op, "writes elements that a bounded dimension may lack");
    if (size.isConstant() && taken.isConstant())
      continue;
    widenPositions(op, 2, op.getOperand());
    setOperand(op, 2 + i,
               atMost(builder, op.getStartIndices()[i], size - taken));
    ++changes;
    if (!taken.isConstant()) {
      extra[i] = update.getDimSize(i);
      partial.push_back(i);
    }
  }
  if (partial.empty())
    return success();
  // What the update's padding would write over stays.
  Value longer = lengthen(builder, loc, op.getOperand(), extra);
  if (!longer)
    return refuse(op, "writes such elements by a bounded size");
  auto longType = cast<RankedTensorType>(longer.getType());
  Value valid = inside(builder, loc, op.getUpdate(), partial);
  // Starts below 0 mean 0 for both.
  Value before =
      DynamicSliceOp::create(builder, loc, update, longer, op.getStartIndices(),
                             builder.getDenseI64ArrayAttr(update.getShape()));
  Value mixed =
      SelectOp::create(builder, loc, update, valid, op.getUpdate(), before);
  Value written = DynamicUpdateSliceOp::create(builder, loc, longType, longer,
                                               mixed, op.getStartIndices());
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  Value result = SliceOp::create(builder, loc, type, written, zeros,
                                 type.getShape(), ones);
  replace(op, result);
  return success();
}

LogicalResult PaddingMasker::visitGather(GatherOp op) {
  if (failed(onlyVaries(op, {"slice_sizes"})))
    return failure();
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> map = numbers.getStartIndexMap();
  SmallVector<size::Expression> limits(map.size());
  SmallVector<int64_t> extra(type.getRank(), 0);
  bool clamps = false;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    size::Expression size = extent(op.getOperand(), i);
    size::Expression taken =
        integer(op, "slice_sizes", i, op.getSliceSizes()[i]);
    const auto *place = llvm::find(map, i);
    if (place != map.end())
      limits[place - map.begin()] = size - taken;
    if (size == taken || (size.isConstant() && taken.isConstant()))
      continue;
    bool isBatch = llvm::is_contained(numbers.getOperandBatchingDims(), i);
    if (isBatch)
      continue;
    if (!taken.isConstant()) {
      if (!isNeverNegative(size - taken))
        return refuse(op, "takes elements that a bounded dimension may lack");
      // The padding of the slice must not move its start.
      if (place != map.end()) {
        extra[i] = op.getSliceSizes()[i];
        clamps = true;
      }
      continue;
    }
    // An empty dimension has nothing to take; then nothing of the result is.
    if (place != map.end())
      clamps = true;
    else if (!isNeverNegative(size - taken))
      return refuse(op, "takes elements that a bounded dimension may lack");
  }
  if (!clamps)
    return success();
  ++changes;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  widenPositions(op, 1, op.getOperand());
  auto indexType = cast<RankedTensorType>(op.getStartIndices().getType());
  Type element = indexType.getElementType();
  auto one = RankedTensorType::get({1}, element);
  SmallVector<Value> parts;
  for (size::Expression limit : limits) {
    Value scalar = values.scalar(limit, element);
    parts.push_back(ReshapeOp::create(builder, loc, one, scalar));
  }
  Value highest = parts.front();
  if (parts.size() > 1)
    highest = ConcatenateOp::create(
        builder, loc, RankedTensorType::get({int64_t(parts.size())}, element),
        parts, 0);
  bool implicit = numbers.getIndexVectorDim() == indexType.getRank();
  if (implicit)
    highest =
        spread(builder, loc,
               ReshapeOp::create(builder, loc,
                                 RankedTensorType::get({}, element), highest),
               indexType);
  else
    highest = BroadcastInDimOp::create(
        builder, loc, indexType, highest,
        builder.getDenseI64ArrayAttr({numbers.getIndexVectorDim()}));
  Value held =
      MinOp::create(builder, loc, indexType, op.getStartIndices(), highest);
  table.setExtents(
      held, Extents(SizeTable::Extents(table.extents(op.getStartIndices()))));
  op->setOperand(1, held);
  if (llvm::all_of(extra, [](int64_t more) { return more == 0; }))
    return success();
  Value longer = lengthen(builder, loc, op.getOperand(), extra);
  if (!longer)
    return refuse(op, "takes such elements by a bounded size");
  op->setOperand(0, longer);
  return success();
}

LogicalResult PaddingMasker::visitScatter(ScatterOp op) {
  if (failed(onlyVaries(op, {})))
    return failure();
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  Value input = op.getInputs().front(), updates = op.getUpdates().front();
  auto type = cast<RankedTensorType>(input.getType());
  // Windows: what they write beyond the end is padding; but their own padding
  // must not hit anything else.
  SmallVector<int64_t> windowDims;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), i) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), i))
      windowDims.push_back(i);
  for (auto [dim, updateDim] :
       llvm::zip(windowDims, numbers.getUpdateWindowDims())) {
    if (!isBounded(updates, updateDim))
      continue;
    if (extent(updates, updateDim) != extent(input, dim) ||
        llvm::is_contained(numbers.getScatterDimsToOperandDims(), dim))
      return refuse(op, "writes windows of bounded size");
  }
  // Updates that are not there go nowhere, nor does a window of theirs reach
  // in: their position is the least number.
  Value indices = op.getScatterIndices();
  auto indexType = cast<RankedTensorType>(indices.getType());
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < indexType.getRank(); ++i)
    if (i != numbers.getIndexVectorDim() && isBounded(indices, i))
      dims.push_back(i);
  if (dims.empty())
    return success();
  if (numbers.getScatterDimsToOperandDims().empty())
    return refuse(op, "has a bounded number of updates without positions");
  OpBuilder builder(op);
  // That of a short type may be within a window's length of the first one, and
  // unsigned ones have none; of 64 unsigned bits it is beyond every tensor.
  unsigned position = op.getInputs().size();
  unsigned width = indexType.getElementTypeBitWidth();
  if (width < 32 ||
      (width < 64 && indexType.getElementType().isUnsignedInteger())) {
    indices = converted(builder, indices, builder.getI64Type());
    width = 64;
  }
  Type element = getElementTypeOrSelf(indices);
  Value nowhere = createSplat(
      builder, op.getLoc(), RankedTensorType::get({}, element),
      builder.getIntegerAttr(element, APInt::getSignedMinValue(width)));
  setOperand(op, position, mask(builder, op.getLoc(), indices, dims, nowhere));
  op.setIndicesAreSorted(false);
  op.setUniqueIndices(false);
  return success();
}

} // namespace heddle
