// Resize: interpolation, one dimension after the other.

#include "Resize.h"

#include "NodeImporter.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;
using namespace heddle::onnx::resizing;

/// Where in the input a position of the result lies.
static double coordinate(const Method &method, const Axis &axis, double y) {
  double in = double(axis.from), out = axis.scale * in;
  StringRef mode = method.coordinates;
  if (mode == "align_corners")
    return out == 1 ? 0 : y * (in - 1) / (out - 1);
  if (mode == "asymmetric")
    return y / axis.scale;
  if (mode == "tf_crop_and_resize") {
    double extent = (axis.roiEnd - axis.roiStart) * (in - 1);
    double inside = out == 1 ? extent / 2 : y * extent / (out - 1);
    return inside + axis.roiStart * (in - 1);
  }
  if (mode == "pytorch_half_pixel" && axis.to == 1)
    return 0;
  double centred = (y + 0.5) / axis.scale - 0.5;
  if (mode == "half_pixel_symmetric")
    centred += in / 2 * (1 - double(axis.to) / out);
  return centred;
}

static double cubic(double a, double x) {
  x = std::fabs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2)
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

/// The weight of the neighbour on the left for mode nearest, `ratio` in (0, 1]
/// away from it.
static double leftWeight(StringRef mode, double ratio) {
  if (ratio == 1)
    return 0;
  if (mode == "round_prefer_floor")
    return ratio <= 0.5;
  if (mode == "round_prefer_ceil")
    return ratio < 0.5;
  return mode == "floor";
}

/// Antialiasing widens the kernel by the inverse of a scale below 1.
Taps resizing::computeTaps(const Method &method, const Axis &axis) {
  double scale = method.antialias ? std::min(axis.scale, 1.0) : 1.0;
  int64_t reach = method.mode == "cubic" ? 2 : 1;
  int64_t first = method.mode == "nearest"
                      ? 0
                      : int64_t(std::floor(-double(reach) / scale)) + 1;
  Taps taps;
  taps.count = 2 - 2 * first;
  for (int64_t y = 0; y < axis.to; ++y) {
    double x = coordinate(method, axis, double(y));
    taps.isOutside.push_back(method.coordinates == "tf_crop_and_resize" &&
                             (x < 0 || x > double(axis.from - 1)));
    // Of a whole coordinate, the element itself is the right neighbour.
    double left = std::ceil(x) - 1, ratio = x - left, total = 0;
    size_t begin = taps.weights.size();
    for (int64_t tap = 0; tap < taps.count; ++tap) {
      int64_t place = int64_t(left) + first + tap;
      double distance = scale * (double(first + tap) - ratio);
      double weight;
      if (method.mode == "nearest")
        weight = tap == 0 ? leftWeight(method.nearest, ratio)
                          : 1 - leftWeight(method.nearest, ratio);
      else if (method.mode == "cubic")
        weight = cubic(method.cubicA, distance);
      else
        weight = std::max(1 - std::fabs(distance), 0.0);
      if (method.excludeOutside && (place < 0 || place >= axis.from))
        weight = 0;
      total += weight;
      taps.places.push_back(std::clamp<int64_t>(place, 0, axis.from - 1));
      taps.weights.push_back(weight);
    }
    for (size_t i = begin; i < taps.weights.size(); ++i)
      taps.weights[i] /= total;
  }
  return taps;
}

/// One place per position: a gather, or a broadcast where every element is
/// repeated equally often.
static Value takePlaces(Emitter &emit, Value x, const Axis &axis,
                        OwnedExtents places) {
  Type i64 = emit.builder.getI64Type();
  int64_t repeats = axis.to / axis.from;
  bool isRepeat = repeats > 1 && repeats * axis.from == axis.to;
  for (int64_t y = 0; isRepeat && y < axis.to; ++y)
    isRepeat = places[y] == y / repeats;
  Value indices = emit.integers(places, i64);
  if (!isRepeat)
    return emit.take(x, indices, axis.dimension);
  Shape shape = emit.shapeOf(x);
  shape[axis.dimension] = axis.to;
  Value spread =
      emit.take(x, emit.reshape(indices, {axis.from, repeats}), axis.dimension);
  return emit.reshape(spread, shape);
}

static Value vectorAlong(Emitter &emit, ArrayRef<double> values, Value like,
                         int64_t dimension) {
  Literal vector = Literal::zeros(RankedTensorType::get(
      {int64_t(values.size())}, Emitter::elementOf(like)));
  vector.floats.assign(values.begin(), values.end());
  return emit.broadcastInDim(emit.constant(vector), emit.shapeOf(like),
                             dimension);
}

/// Interpolates along one dimension; the value is a float unless the mode is
/// nearest.
static Value resizeAxis(Emitter &emit, const Method &method, const Axis &axis,
                        const Taps &taps, Value x) {
  if (method.mode == "nearest") {
    OwnedExtents places;
    for (int64_t y = 0; y < axis.to; ++y)
      places.push_back(taps.places[2 * y + (taps.weights[2 * y] == 0)]);
    return takePlaces(emit, x, axis, places);
  }
  // Wide kernels (antialiasing) are a product with a band matrix.
  if (taps.count > 8) {
    Literal matrix = Literal::zeros(
        RankedTensorType::get({axis.from, axis.to}, Emitter::elementOf(x)));
    for (int64_t y = 0; y < axis.to; ++y)
      for (int64_t tap = 0; tap < taps.count; ++tap) {
        size_t i = y * taps.count + tap;
        matrix.floats[taps.places[i] * axis.to + y] += taps.weights[i];
      }
    Value product =
        emit.dotGeneral(x, emit.constant(matrix), {}, {}, axis.dimension, 0);
    // The new dimension came last.
    int64_t rank = Emitter::typeOf(x).getRank();
    OwnedExtents order;
    for (int64_t i = 0; i < rank; ++i)
      order.push_back(i < axis.dimension    ? i
                      : i == axis.dimension ? rank - 1
                                            : i - 1);
    return emit.transpose(product, order);
  }
  Value sum;
  for (int64_t tap = 0; tap < taps.count; ++tap) {
    OwnedExtents places;
    SmallVector<double> weights;
    for (int64_t y = 0; y < axis.to; ++y) {
      places.push_back(taps.places[y * taps.count + tap]);
      weights.push_back(taps.weights[y * taps.count + tap]);
    }
    Value piece = takePlaces(emit, x, axis, places);
    if (emit.hasFault())
      return x;
    piece =
        emit.multiply(piece, vectorAlong(emit, weights, piece, axis.dimension));
    sum = sum ? emit.add(sum, piece) : piece;
  }
  return sum;
}

/// How many elements each becomes, if that is a number at all sizes; else 0.
static int64_t wholeTimes(const Extent &size, const Extent &from) {
  int64_t times = from.bound() > 0 ? size.bound() / from.bound() : 0;
  return !from.isKnown() && size.isSame(from * times) ? times : 0;
}

/// Sizes and scales of all resized dimensions; nothing after a fault.
/// `scalesAt` is the operand that holds the scales; there is no such operand
/// before opset 9, and sizes and regions only follow since 11.
static std::optional<SmallVector<Axis>> readAxes(NodeImporter &node,
                                                 size_t scalesAt) {
  auto fail = [&](const Twine &why) -> std::optional<SmallVector<Axis>> {
    (void)node.invalid(why);
    return std::nullopt;
  };
  int64_t rank = node.rank(0);
  OwnedExtents all;
  for (int64_t i = 0; i < rank; ++i)
    all.push_back(i);
  std::optional<OwnedExtents> dims =
      node.normalizeAxes(node.integersAttribute("axes").value_or(all), rank);
  StringRef policy =
      node.stringAttribute("keep_aspect_ratio_policy", "stretch");
  if (!dims)
    return std::nullopt;
  SmallVector<Axis> axes;
  for (int64_t dim : *dims) {
    axes.push_back({dim, node.shape(0)[dim].bound(), 0, 1});
    if (axes.back().from == 0 && policy != "stretch")
      return fail("the input is empty");
  }

  // An operand of no elements counts as left out.
  bool hasSizes =
      scalesAt == 2 && node.has(3) && node.type(3).getNumElements() > 0;
  if (hasSizes) {
    std::optional<Shape> sizes = node.sizes(3, "the sizes");
    if (!sizes)
      return std::nullopt;
    if (sizes->size() != axes.size())
      return fail("there are " + Twine(sizes->size()) + " sizes for " +
                  Twine(axes.size()) + " axes");
    double common = 0;
    for (auto [axis, size] : llvm::zip_equal(axes, *sizes)) {
      Extent from = node.shape(0)[axis.dimension];
      if (!(from.isKnown() && size.isKnown())) {
        if (policy != "stretch") {
          node.emit.fault(ErrorCode::OnnxNotConstant,
                          "the size " + size.text() + " of " + from.text() +
                              " must be known when compiling where "
                              "keep_aspect_ratio_policy is '" +
                              policy + "'");
          return std::nullopt;
        }
        axis.times = wholeTimes(size, from);
        if (axis.times == 0)
          axis.open = OpenSizes{from, size, std::nullopt};
      }
      axis.to = size.bound();
      if (axis.to < 0 || (axis.from == 0 && axis.to > 0))
        return fail("dimension " + Twine(axis.dimension) + " of " +
                    from.text() + " elements cannot become one of " +
                    size.text());
      axis.scale = axis.from == 0   ? 1
                   : axis.times > 0 ? double(axis.times)
                                    : double(axis.to) / double(axis.from);
      if (policy == "not_larger")
        common = common == 0 ? axis.scale : std::min(common, axis.scale);
      else
        common = std::max(common, axis.scale);
    }
    if (policy != "stretch" && policy != "not_larger" &&
        policy != "not_smaller")
      return fail("keep_aspect_ratio_policy '" + policy + "' is unknown");
    for (Axis &axis : axes) {
      if (policy == "stretch")
        break;
      axis.scale = common;
      axis.to = int64_t(std::floor(common * double(axis.from) + 0.5));
    }
  } else {
    SmallVector<double> scales;
    if (auto given = node.version() < 9 ? node.floatsAttribute("scales")
                                        : std::nullopt) {
      scales.assign(given->begin(), given->end());
    } else {
      if (!node.has(scalesAt))
        return fail("neither scales nor sizes are given");
      std::optional<Literal> known = node.literal(scalesAt);
      if (!known) {
        node.mustBeKnown(scalesAt, "the scales");
        return std::nullopt;
      }
      if (!known->isFloat())
        return fail("the scales must be floats");
      scales.assign(known->floats.begin(), known->floats.end());
    }
    if (scales.size() != axes.size())
      return fail("there are " + Twine(scales.size()) + " scales for " +
                  Twine(axes.size()) + " axes");
    // Scales below that are no sensible ones, and would need more parts.
    constexpr int64_t kMostParts = int64_t(1) << 40;
    for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
      if (!(scale * double(kMostParts) >= 0x1p24) ||
          scale * double(axis.from) > 0x1p40)
        return fail("a scale is not positive, too small or too large");
      axis.scale = scale;
      axis.to = int64_t(std::floor(scale * double(axis.from)));
      if (node.shape(0)[axis.dimension].isKnown())
        continue;
      // A whole number of places for each element is the same at any size.
      if (int64_t whole = int64_t(scale); double(whole) == scale) {
        axis.times = whole;
        continue;
      }
      // A float is a whole number of parts, so that the size is exact.
      int64_t parts = 1;
      while (scale * double(parts) != std::floor(scale * double(parts)) &&
             parts < kMostParts)
        parts *= 2;
      Extent from = node.shape(0)[axis.dimension];
      axis.open = OpenSizes{
          from, (from * int64_t(scale * double(parts))).floorDiv(parts), scale};
    }
  }
  return axes;
}

/// The result's shape, if it has no element at any size.
static std::optional<Shape> emptyResult(const Shape &from,
                                        ArrayRef<Axis> axes) {
  Shape shape = from;
  for (const Axis &axis : axes)
    shape[axis.dimension] = axis.open        ? axis.open->to
                            : axis.times > 0 ? from[axis.dimension] * axis.times
                                             : Extent(axis.to);
  return shape.product().is(0) ? std::optional(shape) : std::nullopt;
}

static LogicalResult resize(NodeImporter &node, Method method, size_t scalesAt);

static LogicalResult importResize(NodeImporter &node) {
  Method method;
  method.mode = node.stringAttribute("mode", "nearest");
  method.coordinates =
      node.stringAttribute("coordinate_transformation_mode", "half_pixel");
  method.nearest = node.stringAttribute("nearest_mode", "round_prefer_floor");
  method.cubicA = node.floatAttribute("cubic_coeff_a", -0.75);
  method.antialias = node.integerAttribute("antialias", 0) != 0;
  method.excludeOutside = node.integerAttribute("exclude_outside", 0) != 0;
  // The first form knows two modes and no choice of coordinates.
  if (node.version() < 11) {
    method.coordinates = "asymmetric";
    method.nearest = "floor";
  }
  return resize(node, method, /*scalesAt=*/node.version() < 11 ? 1 : 2);
}

/// What Resize was before opset 10.
static LogicalResult importUpsample(NodeImporter &node) {
  if (node.version() >= 10)
    return node.unsupported("the operator was removed in opset 10; Resize "
                            "takes its place");
  Method method;
  method.mode = node.stringAttribute("mode", "nearest");
  method.coordinates = "asymmetric";
  method.nearest = "floor";
  return resize(node, method, /*scalesAt=*/1);
}

static LogicalResult resize(NodeImporter &node, Method method,
                            size_t scalesAt) {
  Emitter &emit = node.emit;
  double extrapolation = node.floatAttribute("extrapolation_value", 0);
  static constexpr StringLiteral kCoordinates[] = {
      "half_pixel",    "half_pixel_symmetric", "pytorch_half_pixel",
      "align_corners", "asymmetric",           "tf_crop_and_resize"};
  static constexpr StringLiteral kNearest[] = {
      "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  if (method.mode != "nearest" && method.mode != "linear" &&
      method.mode != "cubic")
    return node.invalid("mode '" + method.mode + "' is unknown");
  if (!llvm::is_contained(kCoordinates, method.coordinates) ||
      !llvm::is_contained(kNearest, method.nearest))
    return node.invalid("coordinate_transformation_mode or nearest_mode is "
                        "unknown");
  std::optional<SmallVector<Axis>> axes = readAxes(node, scalesAt);
  if (!axes)
    return failure();
  bool crops = method.coordinates == "tf_crop_and_resize";
  if (crops) {
    std::optional<Literal> roi = node.has(1) ? node.literal(1) : std::nullopt;
    if (node.has(1) && !roi) {
      node.mustBeKnown(1, "the region of interest");
      return failure();
    }
    if (!roi || !roi->isFloat() || roi->floats.size() != 2 * axes->size())
      return node.invalid("roi must have two numbers per axis");
    for (auto [i, axis] : llvm::enumerate(*axes)) {
      axis.roiStart = roi->floats[i];
      axis.roiEnd = roi->floats[axes->size() + i];
    }
  }

  bool interpolates = method.mode != "nearest";
  Value x = node.operand(0);
  if (std::optional<Shape> empty = emptyResult(node.shape(0), *axes))
    return node.result(emit.splat(emit.type(*empty, node.element(0)), 0));
  if (interpolates && (!isa<FloatType>(node.element(0)) ||
                       node.element(0).getIntOrFloatBitWidth() < 32))
    x = emit.convert(x, node.builder().getF32Type());
  Value outside;
  auto markOutside = [&](Value here) {
    outside = outside ? emit.binary<stablehlo::OrOp>(outside, here) : here;
  };
  for (Axis &axis : *axes) {
    Extent from = node.shape(0)[axis.dimension];
    if (axis.times > 0 && !canWriteOut(method, axis, from))
      axis.open = OpenSizes{from, from * axis.times, double(axis.times)};
    if (axis.open) {
      auto [value, isOutside] = resizeOpen(emit, method, axis, x);
      if (emit.hasFault())
        return failure();
      x = value;
      if (isOutside)
        markOutside(isOutside);
      continue;
    }
    if (axis.to == axis.from && axis.scale == 1 && !crops)
      continue;
    if (axis.times > 0) {
      x = resizeChosen(emit, method, axis, x);
      if (emit.hasFault())
        return failure();
      continue;
    }
    // What a kernel's taps would take, before they are made.
    Shape shape = emit.shapeOf(x);
    shape[axis.dimension] = axis.to;
    double span = 4 / std::min(axis.scale, 1.0);
    emit.type(shape, Emitter::elementOf(x));
    if (emit.hasFault())
      return failure();
    if (axis.to > kMaxIntegers || double(axis.to) * span > 0x1p24)
      return node.unsupported("resizing to more than " + Twine(kMaxIntegers) +
                              " elements per dimension");
    Taps taps = computeTaps(method, axis);
    x = resizeAxis(emit, method, axis, taps, x);
    if (!llvm::is_contained(taps.isOutside, true))
      continue;
    // Along this dimension; the others are broadcast below.
    Literal mask = Literal::zeros(
        RankedTensorType::get(axis.to, node.builder().getI1Type()));
    for (int64_t y = 0; y < axis.to; ++y)
      mask.integers[y] = taps.isOutside[y];
    OwnedExtents column(node.rank(0), 1);
    column[axis.dimension] = axis.to;
    markOutside(emit.reshape(emit.constant(mask), column));
  }
  if (outside && !emit.hasFault())
    x = emit.select(emit.broadcastTo(outside, emit.shapeOf(x)),
                    emit.splatLike(x, extrapolation), x);
  if (isa<FloatType>(node.element(0)) || !interpolates)
    return node.result(emit.convert(x, node.element(0)));
  return node.result(emit.convert(emit.unary<stablehlo::RoundNearestEvenOp>(x),
                                  node.element(0)));
}

void heddle::onnx::addResize(OperatorTable &table) {
  table.add("Resize", {10, 11, 13, 18, 19}, 1, 4, importResize);
  table.add("Upsample", {7, 9, 10}, 1, 2, importUpsample);
}
