// Samples an image between its elements, as GridSample and its like do.

#include "Sampling.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

/// `value` modulo `period`, within [0, period).
static Value wrap(Emitter &emit, Value value, double period) {
  Value turns = emit.unary<stablehlo::FloorOp>(
      emit.divide(value, emit.splatLike(value, period)));
  return emit.subtract(value,
                       emit.multiply(turns, emit.splatLike(value, period)));
}

Value heddle::onnx::nearImage(Emitter &emit, Value place, int64_t extent,
                              Border border) {
  if (border == Border::ReflectEdges)
    return wrap(emit, place, 2.0 * double(extent));
  if (border == Border::ReflectCentres)
    return extent == 1 ? emit.splatLike(place, 0)
                       : wrap(emit, place, 2.0 * double(extent - 1));
  return emit.minimum(emit.maximum(place, emit.splatLike(place, -4)),
                      emit.splatLike(place, double(extent) + 3));
}

/// Where in the image a whole position of any tap lies.
static Value insideImage(Emitter &emit, Value position, int64_t extent,
                         Border border) {
  Value last = emit.splatInteger(Emitter::typeOf(position), extent - 1);
  Value zero = emit.splatInteger(Emitter::typeOf(position), 0);
  if (border == Border::ReflectEdges || border == Border::ReflectCentres) {
    // Mirrored at the start, then at the end, as often as a tap beside a place
    // within one period can need it.
    bool atEdges = border == Border::ReflectEdges;
    Value one = emit.splatInteger(Emitter::typeOf(position), 1);
    for (int i = 0; i < 2; ++i) {
      Value low =
          emit.subtract(zero, atEdges ? emit.add(position, one) : position);
      position = emit.maximum(position, low);
      Value high = emit.subtract(emit.add(last, last), position);
      position = emit.minimum(position, atEdges ? emit.add(high, one) : high);
    }
  }
  return emit.minimum(emit.maximum(position, zero), last);
}

/// The image's values at the whole positions of `at`, one [batch, count] for
/// each spatial dimension: [batch, channels, count].
static Value readAt(Emitter &emit, const Image &image, ArrayRef<Value> at,
                    Border border) {
  OwnedExtents shape = emit.knownShapeOf(image.value),
               places = emit.knownShapeOf(at.front());
  Extents spatial = Extents(shape).drop_front(2);
  Value position, isInside;
  for (auto [place, extent] : llvm::zip_equal(at, spatial)) {
    Value within = insideImage(emit, place, extent, border);
    if (border == Border::Zeros) {
      Value same = emit.compare(within, place, Direction::EQ);
      isInside =
          isInside ? emit.binary<stablehlo::AndOp>(isInside, same) : same;
    }
    Value rows = emit.splatInteger(Emitter::typeOf(place), extent);
    position =
        position ? emit.add(emit.multiply(position, rows), within) : within;
  }
  int64_t channels = shape[1], batch = places[0], count = places[1];
  Value flat = emit.reshape(
      image.value, {shape[0], channels, ShapedType::getNumElements(spatial)});
  Value vectors = emit.reshape(position, {batch, count, 1});
  OwnedExtents result{batch, channels, count}, sizes{1, channels, 1};
  Value values;
  if (image.which) {
    Value which = emit.broadcastInDim(
        emit.convert(image.which, Emitter::elementOf(position)),
        {batch, count, 1}, {0});
    values = emit.gather(flat, emit.concatenate({which, vectors}, 2), result,
                         {1}, {0, 2}, {}, {}, {0, 2}, sizes);
  } else {
    values = emit.gather(flat, vectors, result, {1}, {2}, {0}, {0}, {2}, sizes);
  }
  if (!isInside || emit.hasFault())
    return values;
  Value mask = emit.broadcastInDim(isInside, result, {0, 2});
  return emit.select(mask, values, emit.splatLike(values, 0));
}

Value heddle::onnx::readTaps(Emitter &emit, const Image &image,
                             ArrayRef<Taps> taps, Border border, Combine how) {
  OwnedExtents counts;
  int64_t combinations = 1;
  for (const Taps &dimension : taps) {
    counts.push_back(dimension.places.size());
    combinations *= counts.back();
  }
  Value result;
  IndexWalk walk(counts);
  for (int64_t i = 0; i < combinations; ++i, walk.advance()) {
    SmallVector<Value> at;
    Value weight;
    for (auto [dimension, tap] : llvm::zip_equal(taps, walk.index())) {
      at.push_back(dimension.places[tap]);
      if (Value factor = dimension.weights[tap])
        weight = weight ? emit.multiply(weight, factor) : factor;
    }
    Value value = readAt(emit, image, at, border);
    if (emit.hasFault())
      return value;
    if (weight) {
      weight = emit.convert(weight, Emitter::elementOf(value));
      value = emit.multiply(
          value, emit.broadcastInDim(weight, emit.shapeOf(value), {0, 2}));
    }
    if (!result)
      result = value;
    else
      result = how == Combine::Add ? emit.add(result, value)
                                   : emit.maximum(result, value);
  }
  return result;
}

static Value toPosition(Emitter &emit, Value place) {
  return emit.convert(place, emit.builder.getI32Type());
}

Taps heddle::onnx::nearestTap(Emitter &emit, Value place) {
  return {{toPosition(emit, emit.unary<stablehlo::RoundNearestEvenOp>(place))},
          {Value()}};
}

Taps heddle::onnx::linearTaps(Emitter &emit, Value place) {
  Value below = emit.unary<stablehlo::FloorOp>(place);
  Value position = toPosition(emit, below);
  Value ratio = emit.subtract(place, below);
  Value next =
      emit.add(position, emit.splatInteger(Emitter::typeOf(position), 1));
  return {{position, next},
          {emit.subtract(emit.splatLike(ratio, 1), ratio), ratio}};
}

Taps heddle::onnx::cubicTaps(Emitter &emit, Value place) {
  constexpr double kA = -0.75;
  Value below = emit.unary<stablehlo::FloorOp>(place);
  Value position = toPosition(emit, below);
  Value ratio = emit.subtract(place, below);
  auto polynomial = [&](Value x, ArrayRef<double> coefficients) {
    Value result = emit.splatLike(x, coefficients.front());
    for (double c : coefficients.drop_front())
      result = emit.add(emit.multiply(result, x), emit.splatLike(x, c));
    return result;
  };
  Taps taps;
  for (int64_t tap = -1; tap <= 2; ++tap) {
    taps.places.push_back(
        emit.add(position, emit.splatInteger(Emitter::typeOf(position), tap)));
    Value offset = emit.subtract(ratio, emit.splatLike(ratio, double(tap)));
    Value distance = emit.unary<stablehlo::AbsOp>(offset);
    bool isNear = tap == 0 || tap == 1;
    taps.weights.push_back(
        isNear ? polynomial(distance, {kA + 2, -(kA + 3), 0, 1})
               : polynomial(distance, {kA, -5 * kA, 8 * kA, -4 * kA}));
  }
  return taps;
}
