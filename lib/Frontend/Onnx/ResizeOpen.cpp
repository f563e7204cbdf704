// Resize along a dimension whose size calls choose.

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
  if (extent.least() < count) {
    (void)emit.knownExtentOf(x, dimension);
    return x;
  }
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
/// to the same one. Null for a mode that is not known here.
static Value coordinates(Emitter &emit, const Method &method,
                         const OpenSizes &sizes) {
  Type f32 = emit.builder.getF32Type();
  auto number = [&](const Extent &value) { return emit.number(value, f32); };
  Value y = emit.iota(emit.type({sizes.to}, f32), 0);
  Value scale = sizes.scale ? emit.scalar(f32, *sizes.scale)
                            : emit.divide(number(sizes.to), number(sizes.from));
  StringRef mode = method.coordinates;
  if (mode == "asymmetric")
    return emit.divide(y, scale);
  if (mode == "align_corners") // Of one element, y is 0.
    return emit.divide(emit.multiply(y, number(sizes.from - 1)),
                       number(Extent::maximum(sizes.to - 1, 1)));
  if (mode != "half_pixel" && mode != "pytorch_half_pixel")
    return {};
  Value half = emit.scalar(f32, 0.5);
  Value centred = emit.subtract(emit.divide(emit.add(y, half), scale), half);
  if (mode == "half_pixel")
    return centred;
  // One element is the first.
  return emit.multiply(centred, number(Extent::minimum(sizes.to - 1, 1)));
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

Value resizing::resizeOpen(Emitter &emit, const Method &method,
                           const Axis &axis, Value x) {
  const OpenSizes &sizes = *axis.open;
  bool isKnownMode = method.mode != "cubic" && !method.antialias &&
                     !method.excludeOutside && sizes.from.least() > 0;
  Value at = isKnownMode ? coordinates(emit, method, sizes) : Value();
  if (!at) {
    emit.fault(ErrorCode::OnnxNotConstant,
               "the size " + sizes.to.text() + " of " + sizes.from.text() +
                   " must be a whole multiple, or both known when compiling, "
                   "or the mode nearest or linear of a size that is not 0");
    return x;
  }
  Value last = emit.numberLike(at, sizes.from - 1);
  auto inside = [&](Value place) {
    return emit.minimum(emit.maximum(place, emit.splatLike(place, 0)), last);
  };
  auto taken = [&](Value place) {
    return emit.take(x, emit.convert(place, emit.builder.getI64Type()),
                     axis.dimension);
  };
  if (method.mode == "nearest")
    return taken(inside(nearestOf(emit, method.nearest, at)));
  at = inside(at);
  Value left = emit.unary<stablehlo::FloorOp>(at);
  Value right = inside(emit.add(left, emit.splatLike(left, 1)));
  Value onLeft = taken(left), onRight = taken(right);
  if (emit.hasFault())
    return x;
  Value ratio = emit.broadcastInDim(
      emit.convert(emit.subtract(at, left), Emitter::elementOf(x)),
      emit.shapeOf(onLeft), axis.dimension);
  return emit.add(
      emit.multiply(onLeft, emit.subtract(emit.splatLike(ratio, 1), ratio)),
      emit.multiply(onRight, ratio));
}
