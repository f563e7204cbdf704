// Wrong rules of operations that keep, move or drop dimensions.

#include "test/unit/Dynamic/WrongRules.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sized {

/// The first extent that `wrong` gives another value for.
static bool changeOne(Results &results,
                      llvm::function_ref<Expression(Expression)> wrong) {
  for (TrueShape &shape : results)
    for (Expression &extent : shape)
      if (change(extent, wrong(extent)))
        return true;
  return false;
}

bool addOne(Operation *, Results &results) {
  return changeOne(results, [](Expression e) { return e + 1; });
}

bool swapDimensions(Operation *, Results &results) {
  TrueShape &shape = results[0];
  for (size_t i = 1; i < shape.size(); ++i)
    if (shape[0] != shape[i]) {
      std::swap(shape[0], shape[i]);
      return true;
    }
  return false;
}

Change ofOperand(unsigned number) {
  return [number](Operation *op, Results &results) {
    TrueShape shape = SizedProgram::shape(op->getOperand(number));
    if (shape.size() != results[0].size() || shape == results[0])
      return false;
    results[0] = shape;
    return true;
  };
}

bool atBound(Operation *op, Results &results) {
  // Of the first size that the operand's has, too.
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  for (auto [i, from] : llvm::enumerate(size::extentsOf(type)))
    for (Expression &extent : results[0])
      if (from == extent && !extent.isConstant())
        return change(
            extent, Expression::constant(op->getContext(), type.getDimSize(i)));
  return false;
}

bool sliceRoundsDown(Operation *op, Results &results) {
  auto slice = cast<SliceOp>(op);
  TrueShape starts =
      sizedAttribute(op, "start_indices", slice.getStartIndices());
  TrueShape limits =
      sizedAttribute(op, "limit_indices", slice.getLimitIndices());
  bool changed = false;
  for (auto [i, stride] : llvm::enumerate(slice.getStrides()))
    changed |= change(results[0][i], (limits[i] - starts[i]).floorDiv(stride));
  return changed;
}

bool sliceForgetsStart(Operation *op, Results &results) {
  auto slice = cast<SliceOp>(op);
  TrueShape limits =
      sizedAttribute(op, "limit_indices", slice.getLimitIndices());
  bool changed = false;
  for (auto [i, stride] : llvm::enumerate(slice.getStrides()))
    changed |= change(results[0][i], limits[i].ceilDiv(stride));
  return changed;
}

bool sliceForgetsStride(Operation *op, Results &results) {
  auto slice = cast<SliceOp>(op);
  TrueShape starts =
      sizedAttribute(op, "start_indices", slice.getStartIndices());
  TrueShape limits =
      sizedAttribute(op, "limit_indices", slice.getLimitIndices());
  bool changed = false;
  for (size_t i = 0; i < limits.size(); ++i)
    changed |= change(results[0][i], limits[i] - starts[i]);
  return changed;
}

bool sliceIgnoresSizes(Operation *op, Results &results) {
  auto slice = cast<SliceOp>(op);
  bool changed = false;
  for (size_t i = 0; i < results[0].size(); ++i)
    changed |= change(
        results[0][i],
        Expression::constant(op->getContext(), slice.getLimitIndices()[i] -
                                                   slice.getStartIndices()[i])
            .ceilDiv(slice.getStrides()[i]));
  return changed;
}

Change wrongPad(bool low, bool high, int64_t interior, bool clamp) {
  return [=](Operation *op, Results &results) {
    auto pad = cast<PadOp>(op);
    TrueShape shape = SizedProgram::shape(pad.getOperand());
    TrueShape lows =
        sizedAttribute(op, "edge_padding_low", pad.getEdgePaddingLow());
    TrueShape highs =
        sizedAttribute(op, "edge_padding_high", pad.getEdgePaddingHigh());
    bool changed = false;
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t between = pad.getInteriorPadding()[i];
      Expression extent = shape[i];
      if (between != 0 && interior != 0)
        extent = extent * (between + 1) - (interior == 2 ? 0 : between);
      if (between != 0 && clamp)
        extent = Expression::maximum(extent,
                                     Expression::constant(op->getContext(), 0));
      if (low)
        extent = lows[i] + extent;
      if (high)
        extent = extent + highs[i];
      changed |= change(results[0][i], extent);
    }
    return changed;
  };
}

bool concatenateTakesFirst(Operation *op, Results &results) {
  int64_t along = cast<ConcatenateOp>(op).getDimension();
  return change(results[0][along],
                SizedProgram::shape(op->getOperand(0))[along]);
}

bool concatenateForgetsLast(Operation *op, Results &results) {
  int64_t along = cast<ConcatenateOp>(op).getDimension();
  Value last = op->getOperands().back();
  return change(results[0][along],
                results[0][along] - SizedProgram::shape(last)[along]);
}

bool transposeInverts(Operation *op, Results &results) {
  auto transpose = cast<TransposeOp>(op);
  TrueShape from = SizedProgram::shape(op->getOperand(0)), shape(from.size());
  for (auto [i, dimension] : llvm::enumerate(transpose.getPermutation()))
    shape[dimension] = from[i];
  bool changed = shape != results[0];
  results[0] = shape;
  return changed;
}

bool reduceKeepsFirst(Operation *op, Results &results) {
  auto reduce = cast<ReduceOp>(op);
  TrueShape from = SizedProgram::shape(op->getOperand(0));
  if (results[0].empty() || reduce.getDimensions().empty())
    return false;
  bool changed = false;
  for (TrueShape &shape : results)
    for (size_t i = 0; i < shape.size(); ++i)
      changed |= change(shape[i], from[i]);
  return changed;
}

bool dotSwapsSides(Operation *op, Results &results) {
  auto dot = cast<DotGeneralOp>(op);
  size_t batch = dot.getDotDimensionNumbers().getLhsBatchingDimensions().size();
  TrueShape &shape = results[0];
  if (shape.size() < batch + 2 || shape[batch] == shape.back())
    return false;
  std::swap(shape[batch], shape.back());
  return true;
}

bool gatherMixesOffsets(Operation *op, Results &results) {
  // All of the batch first, then the slices: right for the usual positions.
  GatherDimensionNumbersAttr numbers = cast<GatherOp>(op).getDimensionNumbers();
  TrueShape batch, offsets;
  for (auto [i, extent] : llvm::enumerate(results[0]))
    (llvm::is_contained(numbers.getOffsetDims(), i) ? offsets : batch)
        .push_back(extent);
  llvm::append_range(batch, offsets);
  bool changed = batch != results[0];
  results[0] = batch;
  return changed;
}

bool gatherTakesAll(Operation *op, Results &results) {
  auto gather = cast<GatherOp>(op);
  GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
  TrueShape from = SizedProgram::shape(gather.getOperand());
  auto offset = numbers.getOffsetDims().begin();
  bool changed = false;
  for (size_t i = 0; i < from.size(); ++i)
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), i) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), i))
      changed |= change(results[0][*offset++], from[i]);
  return changed;
}

bool transformForgetsOne(Operation *op, Results &results) {
  if (cast<FftOp>(op).getFftType() != FftType::RFFT)
    return false;
  results[0].back() = results[0].back() - 1;
  return true;
}

bool inverseGivesHalf(Operation *op, Results &results) {
  if (cast<FftOp>(op).getFftType() != FftType::IRFFT)
    return false;
  return change(results[0].back(),
                SizedProgram::shape(op->getOperand(0)).back());
}

bool exchangeOnlySplits(Operation *op, Results &results) {
  auto exchange = cast<AllToAllOp>(op);
  Expression &extent = results[0][exchange.getConcatDimension()];
  extent = extent.floorDiv(exchange.getSplitCount());
  return exchange.getConcatDimension() != exchange.getSplitDimension();
}

} // namespace heddle::sized
