// Emits coordinates of consecutive points, and the loops over their taps.

#include "passes/Kernel/Cpu/ImagePoints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Kernel/Cpu/Grid.h"

using namespace mlir;

namespace heddle {

/// The images, and the extents of each one's result.
static SmallVector<Extent> extentsOf(const ConvolutionShape &shape) {
  SmallVector<Extent> extents = {shape.images};
  llvm::append_range(extents, shape.outputs);
  return extents;
}

Extent pointsOf(const ConvolutionShape &shape) {
  return productOf(extentsOf(shape));
}

SmallVector<ImagePoint> pointsFrom(KernelFrame &frame, IndexBuilder &index,
                                   const ConvolutionShape &shape, Value first,
                                   int64_t count, Value existing) {
  OpBuilder &b = index.builder;
  SmallVector<Extent> extents = extentsOf(shape);
  SmallVector<ImagePoint> points = {indicesAt(frame, index, first, extents)};
  for (int64_t number = 1; number < count; ++number) {
    ImagePoint point = points.back();
    Value moves;
    for (unsigned dim = extents.size(); dim-- > 0;) {
      Value next = index.add(point[dim], 1);
      if (moves)
        next = arith::SelectOp::create(b, index.loc, moves, next, point[dim]);
      if (dim == 0) {
        point[dim] = next;
        break;
      }
      Value end = index.valueOf(frame.numberOf(extents[dim]));
      moves = arith::CmpIOp::create(b, index.loc, arith::CmpIPredicate::eq,
                                    next, end);
      point[dim] =
          arith::SelectOp::create(b, index.loc, moves, index.constant(0), next);
    }
    if (existing && number == count - 1) {
      Value exists = index.less(index.constant(number), existing);
      for (auto [at, before] : llvm::zip_equal(point, points.back()))
        at = arith::SelectOp::create(b, index.loc, exists, at, before);
    }
    points.push_back(point);
  }
  return points;
}

namespace {
/// The loops over the taps of one tile's points.
class PointTaps {
public:
  using Body =
      llvm::function_ref<SmallVector<Value>(const PointTap &, ValueRange)>;

  PointTaps(KernelFrame &frame, IndexBuilder &index,
            const ConvolutionShape &shape, ArrayRef<ImagePoint> points,
            unsigned numDims, Body body)
      : frame(frame), index(index), shape(shape), numDims(numDims), body(body) {
    for (auto [i, dim] : llvm::enumerate(shape.spatial)) {
      SmallVector<Value> &list = starts.emplace_back();
      for (const ImagePoint &point : points)
        list.push_back(
            index.add(index.mul(point[i + 1], dim.stride), -dim.padding));
    }
  }

  SmallVector<Value> emit(unsigned number, const PointTap &before,
                          ValueRange inits) {
    if (number == numDims)
      return body(before, inits);
    const SpatialDim &dim = shape.spatial[number];
    return index.loop(index.constant(0), index.constant(dim.kernel), 1, inits,
                      [&](Value tap, ValueRange carried) {
                        return emit(number + 1, next(number, tap, before),
                                    carried);
                      });
  }

private:
  /// What `before` reads at `tap` of dimension `number`, too.
  PointTap next(unsigned number, Value tap, const PointTap &before) {
    OpBuilder &b = index.builder;
    const SpatialDim &dim = shape.spatial[number];
    PointTap result;
    result.tap = index.add(index.mul(before.tap, dim.kernel), tap);
    Number stride = frame.numberOf(shape.inputStrides[number]);
    Value end;
    if (!dim.isNeverPadded)
      end = index.valueOf(frame.numberOf(shape.inputs[number]));
    for (auto [i, start] : llvm::enumerate(starts[number])) {
      Value at = index.at(start, tap, dim.dilation);
      Value inside = before.inside[i];
      auto require = [&](Value condition) {
        inside =
            inside
                ? Value(arith::AndIOp::create(b, index.loc, inside, condition))
                : condition;
      };
      if (dim.inputDilation != 1) {
        // Before the image this is a very large number, as is what remains.
        require(arith::CmpIOp::create(b, index.loc, arith::CmpIPredicate::eq,
                                      index.rem(at, dim.inputDilation),
                                      index.constant(0)));
        at = index.div(at, dim.inputDilation);
      }
      if (end)
        require(arith::CmpIOp::create(b, index.loc, arith::CmpIPredicate::ult,
                                      at, end));
      result.offsets.push_back(index.at(before.offsets[i], at, stride));
      result.inside.push_back(inside);
    }
    return result;
  }

  KernelFrame &frame;
  IndexBuilder &index;
  const ConvolutionShape &shape;
  unsigned numDims;
  Body body;
  /// Of each spatial dimension, where tap 0 of each point is.
  SmallVector<SmallVector<Value>> starts;
};
} // namespace

SmallVector<Value> emitPointTaps(
    KernelFrame &frame, IndexBuilder &index, const ConvolutionShape &shape,
    ArrayRef<ImagePoint> points, unsigned numDims, ValueRange inits,
    function_ref<SmallVector<Value>(const PointTap &, ValueRange)> body) {
  PointTap start;
  start.tap = index.constant(0);
  Extent image = shape.inputStrides.front() * shape.inputs.front();
  for (const ImagePoint &point : points) {
    start.offsets.push_back(index.mul(point.front(), frame.numberOf(image)));
    start.inside.emplace_back();
  }
  return PointTaps(frame, index, shape, points, numDims, body)
      .emit(0, start, inits);
}

} // namespace heddle
