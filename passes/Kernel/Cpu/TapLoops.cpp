#include "passes/Kernel/Cpu/TapLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace heddle {

/// ceil(max(value, 0) / divisor)
static Value ceilAtZero(IndexBuilder &index, Value value, int64_t divisor) {
  Value positive = index.max(value, index.constant(0));
  return index.div(index.add(positive, divisor - 1), divisor);
}

/// The taps [low, high) of the output at `at` that are inside the input.
static std::pair<Value, Value> tapRange(IndexBuilder &index,
                                        const SpatialDim &dim, Value at) {
  if (dim.isInside())
    return {index.constant(0), index.constant(dim.kernel)};
  // position(at, tap) >= 0 and < input
  Value start = index.mul(at, -dim.stride);
  Value kernel = index.constant(dim.kernel);
  Value low = index.min(
      ceilAtZero(index, index.add(start, dim.padding), dim.dilation), kernel);
  Value high =
      index.min(ceilAtZero(index, index.add(start, dim.padding + dim.input),
                           dim.dilation),
                kernel);
  return {low, high};
}

/// Taps of a dimension whose input has zeros between its points: those that
/// fall on a point.
static SmallVector<Value> emitSparseTaps(
    IndexBuilder &index, const SpatialDim &dim, Value at, ValueRange inits,
    function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
  OpBuilder &builder = index.builder;
  Location loc = index.loc;
  return index.loop(
      index.constant(0), index.constant(dim.kernel), 1, inits,
      [&](Value tap, ValueRange carried) -> SmallVector<Value> {
        Value position =
            index.add(index.at(index.mul(at, dim.stride), tap, dim.dilation),
                      -dim.padding);
        // As an unsigned number a negative position is past the end.
        int64_t extent =
            dim.input == 0 ? 0 : (dim.input - 1) * dim.inputDilation + 1;
        Value inside =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                  position, index.constant(extent));
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
        SmallVector<Value> next =
            body(tap, index.div(position, dim.inputDilation), carried);
        scf::YieldOp::create(builder, loc, next);
        return branch.getResults();
      });
}

/// The same where taps are next to each other: those that fall on a point are
/// as far apart as the points, so none needs to be asked.
static SmallVector<Value> emitSpacedTaps(
    IndexBuilder &index, const SpatialDim &dim, Value at, ValueRange inits,
    function_ref<SmallVector<Value>(Value, Value, ValueRange)> body) {
  int64_t points = dim.inputDilation;
  // The first tap on a point, and that point: both are computed a multiple of
  // the distance further on, where no number is negative.
  int64_t rounds =
      llvm::divideCeil(dim.output * dim.stride + dim.padding, points);
  Value start = index.mul(at, dim.stride);
  Value first = index.rem(
      index.sub(index.constant(dim.padding + rounds * points), start), points);
  Value place =
      index.add(index.add(start, first), rounds * points - dim.padding);
  Value point = index.add(index.div(place, points), -rounds);
  Value taps = index.div(
      index.sub(index.constant(dim.kernel + points - 1), first), points);
  Value low = index.max(index.mul(point, -1), index.constant(0));
  Value high = index.min(index.sub(index.constant(dim.input), point), taps);
  return index.loop(low, high, 1, inits, [&](Value number, ValueRange carried) {
    return body(index.at(first, number, points), index.add(point, number),
                carried);
  });
}

SmallVector<Value>
emitTapLoops(IndexBuilder &index, ArrayRef<SpatialDim> dims,
             ArrayRef<Value> row, TapPosition position, ValueRange inits,
             function_ref<SmallVector<Value>(TapPosition, ValueRange)> body) {
  if (dims.empty())
    return body(position, inits);
  const SpatialDim &dim = dims.front();
  auto inner = [&](Value tap, Value input, ValueRange carried) {
    TapPosition next;
    next.input = index.at(position.input, input, dim.inputStride);
    next.tap = index.add(index.mul(position.tap, dim.kernel), tap);
    return emitTapLoops(index, dims.drop_front(), row.drop_front(), next,
                        carried, body);
  };
  if (dim.inputDilation != 1 && dim.dilation == 1)
    return emitSpacedTaps(index, dim, row.front(), inits, inner);
  if (dim.inputDilation != 1)
    return emitSparseTaps(index, dim, row.front(), inits, inner);
  auto [low, high] = tapRange(index, dim, row.front());
  return index.loop(low, high, 1, inits, [&](Value tap, ValueRange carried) {
    Value input = index.add(
        index.at(index.mul(row.front(), dim.stride), tap, dim.dilation),
        -dim.padding);
    return inner(tap, input, carried);
  });
}

} // namespace heddle
