// Emits coordinates of consecutive points, and the loops over their taps.

#include "passes/Kernel/Cpu/ImagePoints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace heddle {

PointPhases::PointPhases(KernelFrame &frame, const ConvolutionShape &shape)
    : frame(frame), shape(shape) {
  for (const SpatialDim &dim : shape.spatial) {
    SmallVector<ColumnPhase> &phases = dims.emplace_back(fewPhases(dim));
    if (phases.empty())
      phases.emplace_back().dim = dim;
  }
}

SmallVector<Extent> PointPhases::counts() const {
  return llvm::map_to_vector(
      dims, [](const auto &phases) { return Extent(phases.size()); });
}

int64_t PointPhases::count() const { return productOf(counts()).bound(); }

Extent PointPhases::mostPoints() const {
  Extent points = shape.images;
  for (auto [output, phases] : llvm::zip_equal(shape.outputs, dims))
    points = points * output.ceilDiv(phases.front().spacing);
  return points;
}

int64_t PointPhases::leastPoints() const {
  int64_t points = frame.least(shape.images);
  for (auto [output, phases] : llvm::zip_equal(shape.outputs, dims))
    points *= frame.least(output) / phases.front().spacing;
  return points;
}

int64_t PointPhases::divisor() const {
  bool areAlike =
      llvm::all_of(llvm::zip_equal(shape.outputs, dims), [&](const auto &pair) {
        auto &[output, phases] = pair;
        return frame.divisor(output) % phases.front().spacing == 0;
      });
  return areAlike ? frame.divisor(mostPoints()) : 1;
}

PhasePoints PointPhases::at(IndexBuilder &index,
                            ArrayRef<Value> numbers) const {
  PhasePoints points;
  // How far the outermost index goes is not asked for.
  points.extents.push_back(
      shape.images.isSized() ? Number(0) : Number(shape.images.bound()));
  for (auto [output, phases, number] :
       llvm::zip_equal(shape.outputs, dims, numbers)) {
    points.dims.push_back(
        {choosePhase(index, phases, number), phases.front(), number});
    Number extent = frame.numberOf(output);
    if (phases.size() > 1) {
      int64_t spacing = phases.front().spacing;
      Value behind = index.sub(index.valueOf(extent), number);
      extent = index.div(index.add(behind, spacing - 1), spacing);
    }
    points.extents.push_back(extent);
  }
  return points;
}

Value PointPhases::countOf(IndexBuilder &index,
                           const PhasePoints &phase) const {
  if (count() == 1)
    return {};
  Number points = frame.numberOf(shape.images);
  for (const Number &extent : ArrayRef(phase.extents).drop_front())
    points = index.times(points, extent);
  return index.valueOf(points);
}

ImagePoint PhasePoints::placeOf(IndexBuilder &index,
                                ArrayRef<Value> point) const {
  ImagePoint place = {point.front()};
  for (auto [dim, at] : llvm::zip_equal(dims, point.drop_front()))
    place.push_back(index.at(dim.first, at, dim.all.spacing));
  return place;
}

SmallVector<ImagePoint> PhasePoints::from(IndexBuilder &index, Value first,
                                          int64_t count, Value existing) const {
  OpBuilder &b = index.builder;
  SmallVector<ImagePoint> points = {index.indicesAt(first, extents)};
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
      Value end = index.valueOf(extents[dim]);
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
            const ConvolutionShape &shape, const PhasePoints &phase,
            ArrayRef<ImagePoint> points, unsigned numDims, Body body)
      : frame(frame), index(index), shape(shape), phase(phase),
        numDims(numDims), body(body) {
    for (auto [i, dim] : llvm::enumerate(phase.dims)) {
      SmallVector<Value> &list = starts.emplace_back();
      for (const ImagePoint &point : points)
        list.push_back(index.sub(index.mul(point[i + 1], dim.all.dim.stride),
                                 dim.padding));
    }
  }

  SmallVector<Value> emit(unsigned number, const PointTap &before,
                          ValueRange inits) {
    if (number == numDims)
      return body(before, inits);
    return index.loop(index.constant(0), phase.dims[number].taps, 1, inits,
                      [&](Value tap, ValueRange carried) {
                        return emit(number + 1, next(number, tap, before),
                                    carried);
                      });
  }

private:
  /// What `before` reads at the phase's `tap` of dimension `number`, too.
  PointTap next(unsigned number, Value tap, const PointTap &before) {
    OpBuilder &b = index.builder;
    const PhaseDim &walked = phase.dims[number];
    const SpatialDim &dim = walked.all.dim;
    PointTap result;
    result.tap =
        index.add(index.mul(before.tap, shape.spatial[number].kernel),
                  index.at(walked.firstTap, tap, walked.all.tapSpacing));
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
  const PhasePoints &phase;
  unsigned numDims;
  Body body;
  /// Of each spatial dimension, where tap 0 of each point is.
  SmallVector<SmallVector<Value>> starts;
};
} // namespace

SmallVector<Value> emitPointTaps(
    KernelFrame &frame, IndexBuilder &index, const ConvolutionShape &shape,
    const PhasePoints &phase, ArrayRef<ImagePoint> points, unsigned numDims,
    ValueRange inits,
    function_ref<SmallVector<Value>(const PointTap &, ValueRange)> body) {
  PointTap start;
  start.tap = index.constant(0);
  Extent image = shape.inputStrides.front() * shape.inputs.front();
  for (const ImagePoint &point : points) {
    start.offsets.push_back(index.mul(point.front(), frame.numberOf(image)));
    start.inside.emplace_back();
  }
  return PointTaps(frame, index, shape, phase, points, numDims, body)
      .emit(0, start, inits);
}

} // namespace heddle
