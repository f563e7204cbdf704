// Resize along a dimension whose size calls choose.

#include "ComputedShapes.h"
#include "Resize.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;
using namespace heddle::onnx::resizing;

/// What lies `by` elements behind each along a dimension, within it.
static Value shifted(Emitter &emit, Value x, int64_t dimension, int64_t by) {
  if (by == 0)
    return x;
  Extent extent = emit.extentOf(x, dimension);
  int64_t count = std::abs(by);
  Value border = by < 0 ? emit.sliceDim(x, dimension, 0, 1)
                        : emit.sliceDim(x, dimension, extent - 1, extent);
  Shape shape = emit.shapeOf(border);
  shape[dimension] = count;
  border = emit.broadcastTo(border, shape);
  if (by < 0)
    return emit.concatenate(
        {border, emit.sliceDim(x, dimension, 0, extent - count)}, dimension);
  return emit.concatenate({emit.sliceDim(x, dimension, count, extent), border},
                          dimension);
}

/// How far from its own place an element takes others, at a whole scale.
static int64_t reachOf(const Method &method) {
  return method.mode == "cubic" ? 2 : 1;
}

bool resizing::canWriteOut(const Method &method, const Axis &axis,
                           const Extent &from) {
  constexpr int64_t kMaxTimes = 64;
  return method.coordinates != "tf_crop_and_resize" &&
         method.coordinates != "align_corners" && !method.excludeOutside &&
         axis.times <= kMaxTimes && from.least() >= reachOf(method);
}

/// Each element along a dimension that calls choose becomes `axis.times`: for
/// each of these the places that it is made of lie equally far from its own.
Value resizing::resizeChosen(Emitter &emit, const Method &method,
                             const Axis &axis, Value x) {
  // That of another length, in the middle of which no border is near.
  constexpr int64_t kMiddle = 4;
  Axis example{axis.dimension, 2 * kMiddle, 2 * kMiddle * axis.times,
               double(axis.times)};
  Taps taps = computeTaps(method, example);
  Shape whole = emit.shapeOf(x), column = whole;
  column.insert(column.begin() + axis.dimension + 1, 1);
  whole[axis.dimension] *= axis.times;
  SmallVector<Value> parts;
  for (int64_t part = 0; part < axis.times; ++part) {
    size_t first = (kMiddle * axis.times + part) * taps.count;
    Value sum;
    for (int64_t tap = 0; tap < taps.count; ++tap) {
      double weight = taps.weights[first + tap];
      // Of two, nearest takes one.
      if (weight == 0 && method.mode == "nearest")
        continue;
      Value piece =
          shifted(emit, x, axis.dimension, taps.places[first + tap] - kMiddle);
      if (emit.hasFault())
        return x;
      if (method.mode != "nearest")
        piece = emit.multiply(piece, emit.splatLike(piece, weight));
      sum = sum ? emit.add(sum, piece) : piece;
    }
    parts.push_back(emit.reshape(sum, column));
  }
  return emit.reshape(emit.concatenate(parts, axis.dimension + 1), whole);
}

/// Where in the input each position of the result lies, as f32: the type in
/// which onnxruntime computes it, so that what lies between two elements goes
/// to the same one. The formulas are those of `coordinate` in Resize.cpp.
static Value coordinates(Emitter &emit, const Method &method,
                         const Axis &axis) {
  const OpenSizes &sizes = *axis.open;
  Type f32 = emit.builder.getF32Type();
  auto scalar = [&](double value) { return emit.scalar(f32, value); };
  Value y = emit.iota(emit.type({sizes.to}, f32), 0);
  // Of no element nothing is taken, but a quotient of two numbers is.
  Value in = emit.number(Extent::maximum(sizes.from, 1), f32),
        to = emit.number(sizes.to, f32);
  Value scale = sizes.scale ? scalar(*sizes.scale) : emit.divide(to, in);
  Value out = sizes.scale ? emit.multiply(in, scale) : to;
  Value isOne =
      emit.compare(out, scalar(1), stablehlo::ComparisonDirection::EQ);
  // From the first element to the last, where there is more than one.
  auto spread = [&](Value length, Value ofOne) {
    Value steps = emit.select(isOne, out, emit.subtract(out, scalar(1)));
    Value at = emit.divide(emit.multiply(y, length), steps);
    return emit.select(emit.broadcastTo(isOne, emit.shapeOf(at)),
                       emit.broadcastTo(ofOne, emit.shapeOf(at)), at);
  };
  Value last = emit.subtract(in, scalar(1));
  StringRef mode = method.coordinates;
  if (mode == "asymmetric")
    return emit.divide(y, scale);
  if (mode == "align_corners")
    return spread(last, scalar(0));
  if (mode == "tf_crop_and_resize") {
    Value part = emit.multiply(last, scalar(axis.roiEnd - axis.roiStart));
    return emit.add(spread(part, emit.multiply(part, scalar(0.5))),
                    emit.multiply(last, scalar(axis.roiStart)));
  }
  Value half = scalar(0.5);
  Value centred = emit.subtract(emit.divide(emit.add(y, half), scale), half);
  if (mode == "pytorch_half_pixel") // One element is the first.
    return emit.multiply(
        centred,
        emit.numberLike(centred,
                        Extent::minimum(Extent::maximum(sizes.to - 1, 0), 1)));
  if (mode != "half_pixel_symmetric")
    return centred;
  // What rounding the size down cut off, on both sides.
  Value cut = emit.subtract(scalar(1), emit.divide(to, out));
  return emit.add(centred, emit.multiply(emit.multiply(in, half), cut));
}

/// The element that mode nearest takes at each coordinate, not yet held within
/// the dimension.
static Value nearestOf(Emitter &emit, StringRef mode, Value at) {
  if (mode == "ceil")
    return emit.unary<stablehlo::CeilOp>(at);
  Value left = emit.unary<stablehlo::FloorOp>(at);
  if (mode == "floor")
    return left;
  // The part of it is exact, which a sum with a half is not.
  Value ratio = emit.subtract(at, left);
  Value isRight = emit.compare(ratio, emit.splatLike(ratio, 0.5),
                               mode == "round_prefer_ceil"
                                   ? stablehlo::ComparisonDirection::GE
                                   : stablehlo::ComparisonDirection::GT);
  return emit.select(isRight, emit.add(left, emit.splatLike(left, 1)), left);
}

/// The weight of a cubic kernel's tap at each distance, [0, 2]: as `cubic` in
/// Resize.cpp.
static Value cubicWeight(Emitter &emit, double a, Value distance) {
  auto plus = [&](Value value, double number) {
    return emit.add(value, emit.splatLike(value, number));
  };
  auto times = [&](Value value, double number) {
    return emit.multiply(value, emit.splatLike(value, number));
  };
  Value x = distance, square = emit.multiply(x, x);
  Value near = plus(emit.multiply(plus(times(x, a + 2), -(a + 3)), square), 1);
  Value far = emit.multiply(plus(times(x, a), -5 * a), x);
  far = plus(emit.multiply(plus(far, 8 * a), x), -4 * a);
  Value isNear =
      emit.compare(x, emit.splatLike(x, 1), stablehlo::ComparisonDirection::LE);
  return emit.select(isNear, near, far);
}

namespace {
/// The places along a dimension that a result is made of.
class OpenTaps {
public:
  OpenTaps(Emitter &emit, Value x, const Axis &axis, Value at)
      : emit(emit), x(neverEmpty(emit, x, axis.dimension)),
        dimension(axis.dimension), at(at),
        last(emit.numberLike(at, Extent::maximum(axis.open->from - 1, 0))) {}

  Value inside(Value place) {
    return emit.minimum(emit.maximum(place, emit.splatLike(place, 0)), last);
  }
  /// The elements at whole places, which are held within the dimension.
  Value taken(Value place) {
    return emit.take(x, emit.convert(inside(place), emit.builder.getI64Type()),
                     dimension);
  }
  Value linear();
  Value cubic(const Method &method);
  /// Whether each position lies beyond the first or last element, shaped to be
  /// broadcast to the result.
  Value isOutside();

private:
  /// Elements by weights along the dimension.
  Value weighted(Value elements, Value weights) {
    return emit.multiply(
        elements,
        emit.broadcastInDim(emit.convert(weights, Emitter::elementOf(x)),
                            emit.shapeOf(elements), dimension));
  }
  Value isBeyond(Value place) {
    using Direction = stablehlo::ComparisonDirection;
    return emit.binary<stablehlo::OrOp>(
        emit.compare(place, emit.splatLike(place, 0), Direction::LT),
        emit.compare(place, last, Direction::GT));
  }

  Emitter &emit;
  Value x;
  int64_t dimension;
  Value at, last;
};
} // namespace

Value OpenTaps::linear() {
  Value within = inside(at), left = emit.unary<stablehlo::FloorOp>(within);
  Value onLeft = taken(left),
        onRight = taken(emit.add(left, emit.splatLike(left, 1)));
  if (emit.hasFault())
    return x;
  Value ratio = emit.subtract(within, left);
  return emit.add(
      weighted(onLeft, emit.subtract(emit.splatLike(ratio, 1), ratio)),
      weighted(onRight, ratio));
}

Value OpenTaps::cubic(const Method &method) {
  Value left = emit.unary<stablehlo::FloorOp>(at), sum, total;
  for (int64_t tap = -1; tap <= 2; ++tap) {
    Value place = emit.add(left, emit.splatLike(left, double(tap)));
    Value weight =
        cubicWeight(emit, method.cubicA,
                    emit.unary<stablehlo::AbsOp>(emit.subtract(at, place)));
    if (method.excludeOutside)
      weight = emit.select(isBeyond(place), emit.splatLike(weight, 0), weight);
    Value piece = taken(place);
    if (emit.hasFault())
      return x;
    piece = weighted(piece, weight);
    sum = sum ? emit.add(sum, piece) : piece;
    total = total ? emit.add(total, weight) : weight;
  }
  // All taps together weigh 1, unless some are left out.
  return method.excludeOutside
             ? weighted(sum, emit.divide(emit.splatLike(total, 1), total))
             : sum;
}

Value OpenTaps::isOutside() {
  Shape column(Emitter::typeOf(x).getRank(), 1);
  column[dimension] = emit.extentOf(at, 0);
  return emit.reshape(isBeyond(at), column);
}

OpenResult resizing::resizeOpen(Emitter &emit, const Method &method,
                                const Axis &axis, Value x) {
  const OpenSizes &sizes = *axis.open;
  if (method.antialias) {
    emit.fault(ErrorCode::OnnxNotConstant,
               "the size " + sizes.to.text() + " of " + sizes.from.text() +
                   " must be known when compiling where antialias is 1; give "
                   "it by --dim NAME=SIZE");
    return {x, {}};
  }
  // Of nothing, nothing can be made but nothing.
  Extent there = Extent::minimum(sizes.from, 1),
         wanted = Extent::minimum(sizes.to, 1);
  if (!(there - wanted)
           .wantNotNegative(sizes.from.text() + " >= 1 where " +
                            sizes.to.text() + " >= 1")) {
    emit.fault(ErrorCode::OnnxNode,
               "no elements are resized to " + sizes.to.text());
    return {x, {}};
  }
  Value at = coordinates(emit, method, axis);
  if (emit.hasFault())
    return {x, {}};
  OpenTaps taps(emit, x, axis, at);
  OpenResult result;
  if (method.coordinates == "tf_crop_and_resize")
    result.isOutside = taps.isOutside();
  result.value = method.mode == "nearest"
                     ? taps.taken(nearestOf(emit, method.nearest, at))
                 : method.mode == "cubic" ? taps.cubic(method)
                                          : taps.linear();
  return result;
}
