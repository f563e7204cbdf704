// Emits loops over the taps that lie inside the input.

#include "passes/Kernel/Cpu/TapLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Kernel/Cpu/TapPhases.h"

using namespace mlir;

namespace heddle {

/// ceil(max(value, 0) / divisor)
static Value ceilAtZero(IndexBuilder &index, Value value, int64_t divisor) {
  Value positive = index.max(value, index.constant(0));
  return index.div(index.add(positive, divisor - 1), divisor);
}

/// The taps [low, high) of the output at `at` that are inside the input.
static std::pair<Value, Value> tapRange(IndexBuilder &index,
                                        const TapDim &walked, Value at) {
  const SpatialDim &dim = walked.dim;
  if (walked.isInside)
    return {index.constant(0), index.constant(dim.kernel)};
  // position(at, tap) >= 0 and < input
  Value start = index.mul(at, -dim.stride);
  Value kernel = index.constant(dim.kernel);
  Value low = index.min(
      ceilAtZero(index, index.add(start, dim.padding), dim.dilation), kernel);
  Value end = walked.input.value
                  ? index.add(index.add(start, dim.padding), walked.input.value)
                  : index.add(start, dim.padding + walked.input.number);
  Value high = index.min(ceilAtZero(index, end, dim.dilation), kernel);
  return {low, high};
}

/// Taps of a dimension whose input has zeros between its points: those that
/// fall on a point.
static SmallVector<Value> emitSparseTaps(
    IndexBuilder &index, const SpatialDim &dim, const Number &input, Value at,
    ValueRange inits,
    function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
  OpBuilder &builder = index.builder;
  Location loc = index.loc;
  return index.loop(
      index.constant(0), index.constant(dim.kernel), 1, inits,
      [&](Value tap, ValueRange carried) -> SmallVector<Value> {
        Value position =
            index.add(index.at(index.mul(at, dim.stride), tap, dim.dilation),
                      -dim.padding);
        // As an unsigned number a negative position is past the end, as is
        // what it is divided to.
        Value point = index.div(position, dim.inputDilation);
        Value inside =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                  point, index.valueOf(input));
        Value remainder = index.rem(position, dim.inputDilation);
        Value onPoint =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  remainder, index.constant(0));
        Value taken = arith::AndIOp::create(builder, loc, inside, onPoint);
        auto branch = scf::IfOp::create(builder, loc, carried.getTypes(), taken,
                                        /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(builder, loc, carried);
        builder.setInsertionPointToStart(branch.thenBlock());
        SmallVector<Value> next = body(tap, point, carried);
        scf::YieldOp::create(builder, loc, next);
        return branch.getResults();
      });
}

/// The same for a few phases: each walks those taps only that fall on a point.
/// No division but that for the phase's number, which loops of LLVM's would
/// take long to look through.
static SmallVector<Value>
emitPhaseTaps(IndexBuilder &index, ArrayRef<ColumnPhase> phases,
              const Number &input, Value at, ValueRange inits,
              function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
  const ColumnPhase &any = phases.front();
  const SpatialDim &dim = any.dim;
  ChosenPhase phase = choosePhase(index, phases, index.rem(at, any.spacing));
  // Of tap 0.
  Value start = index.sub(index.mul(index.div(at, any.spacing), dim.stride),
                          phase.padding);
  Value before = index.mul(start, -1);
  Value low = ceilAtZero(index, before, dim.dilation);
  Value end = index.add(before, index.valueOf(input));
  Value high = index.min(ceilAtZero(index, end, dim.dilation), phase.taps);
  return index.loop(low, high, 1, inits, [&](Value tap, ValueRange carried) {
    return body(index.at(phase.firstTap, tap, any.tapSpacing),
                index.at(start, tap, dim.dilation), carried);
  });
}

SmallVector<Value>
emitTapLoops(IndexBuilder &index, ArrayRef<TapDim> dims, ArrayRef<Value> row,
             TapPosition position, ValueRange inits,
             function_ref<SmallVector<Value>(TapPosition, ValueRange)> body) {
  if (dims.empty())
    return body(position, inits);
  const SpatialDim &dim = dims.front().dim;
  auto inner = [&](Value tap, Value input, ValueRange carried) {
    TapPosition next;
    next.input = index.at(position.input, input, dims.front().inputStride);
    next.tap = index.add(index.mul(position.tap, dim.kernel), tap);
    return emitTapLoops(index, dims.drop_front(), row.drop_front(), next,
                        carried, body);
  };
  if (dim.inputDilation != 1) {
    const Number &input = dims.front().input;
    SmallVector<ColumnPhase> phases = fewPhases(dim);
    if (!phases.empty())
      return emitPhaseTaps(index, phases, input, row.front(), inits, inner);
    return emitSparseTaps(index, dim, input, row.front(), inits, inner);
  }
  auto [low, high] = tapRange(index, dims.front(), row.front());
  return index.loop(low, high, 1, inits, [&](Value tap, ValueRange carried) {
    Value input = index.add(
        index.at(index.mul(row.front(), dim.stride), tap, dim.dilation),
        -dim.padding);
    return inner(tap, input, carried);
  });
}

SmallVector<Value>
emitTapLoops(IndexBuilder &index, ArrayRef<SpatialDim> dims,
             ArrayRef<Value> row, TapPosition position, ValueRange inits,
             function_ref<SmallVector<Value>(TapPosition, ValueRange)> body) {
  SmallVector<TapDim> walked(dims.begin(), dims.end());
  return emitTapLoops(index, walked, row, position, inits, body);
}

} // namespace heddle
