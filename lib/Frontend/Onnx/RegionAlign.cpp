// Pieces of images that boxes cut out, and convolutions whose taps are moved.

#include "Functions.h"
#include "NodeImporter.h"
#include "Sampling.h"
#include "Windows.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

/// A column of `matrix`, [rows, columns], as [rows, 1].
static Value column(Emitter &emit, Value matrix, int64_t at) {
  return emit.sliceDim(matrix, 1, at, at + 1);
}

namespace {
/// The places that a box reads along one dimension, [boxes, bins * samples].
struct BoxSamples {
  Value places, isInside;
};
} // namespace

/// `samples` evenly spaced places in each of `bins` equal parts of every box.
static BoxSamples sampleBoxes(Emitter &emit, Value start, Value end,
                              int64_t bins, int64_t samples, int64_t extent,
                              bool isHalfPixel) {
  Value length = emit.subtract(end, start);
  if (!isHalfPixel)
    length = emit.maximum(length, emit.splatLike(length, 1));
  Shape shape{emit.extentOf(start, 0), bins * samples};
  Value index = emit.iota(emit.type(shape, Emitter::elementOf(start)), 1);
  // In parts of a box: sample i lies in the middle of its share.
  Value share =
      emit.multiply(emit.add(index, emit.splatLike(index, 0.5)),
                    emit.splatLike(index, 1.0 / double(bins * samples)));
  Value place = emit.add(emit.broadcastTo(start, shape),
                         emit.multiply(emit.broadcastTo(length, shape), share));
  Value isInside = emit.binary<stablehlo::AndOp>(
      emit.compare(place, emit.splatLike(place, -1), Direction::GE),
      emit.compare(place, emit.splatLike(place, double(extent)),
                   Direction::LE));
  // Up to one element beyond the border, the border counts.
  Value clamped = emit.minimum(emit.maximum(place, emit.splatLike(place, 0)),
                               emit.splatLike(place, double(extent - 1)));
  return {clamped, isInside};
}

/// Boxes of images, each resized to one shape: a grid of bins, each the mean or
/// the maximum of a few places between elements.
static LogicalResult importRoiAlign(NodeImporter &node) {
  Emitter &emit = node.emit;
  StringRef mode = node.stringAttribute("mode", "avg");
  StringRef coordinates =
      node.version() < 16 ? "output_half_pixel"
                          : node.stringAttribute(
                                "coordinate_transformation_mode", "half_pixel");
  int64_t height = node.integerAttribute("output_height", 1);
  int64_t width = node.integerAttribute("output_width", 1);
  int64_t samples = node.integerAttribute("sampling_ratio", 0);
  double scale = node.floatAttribute("spatial_scale", 1);
  if (mode != "avg" && mode != "max")
    return node.invalid("mode '" + mode + "' is unknown");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return node.invalid("coordinate_transformation_mode '" + coordinates +
                        "' is unknown");
  OwnedExtents from = node.knownShape(0), given = node.knownShape(1);
  if (node.rank(0) != 4 || node.rank(1) != 2 || given[1] != 4 ||
      node.rank(2) != 1 || node.knownShape(2)[0] != given[0] ||
      !isa<FloatType>(node.element(1)) || !node.element(2).isInteger())
    return node.invalid(
        "boxes of the shape " + spellShape(node.shape(1)) +
        " and their images' numbers, " + spellShape(node.shape(2)) +
        ", do not fit an input of the shape " + spellShape(node.shape(0)));
  constexpr int64_t kMost = 1 << 12;
  if (samples < 0 || height < 1 || width < 1)
    return node.invalid("sampling_ratio, output_height or output_width is out "
                        "of range");
  if (samples == 0)
    return node.unsupported("sampling_ratio = 0: the number of samples depends "
                            "on the boxes; export with a positive one");
  if (samples > kMost || height > kMost || width > kMost)
    return node.unsupported("more than 4096 bins or samples");
  if (llvm::is_contained(Extents(from).drop_front(2), 0))
    return node.unsupported("images that are empty");

  Type element = node.element(0);
  Type wide = element.getIntOrFloatBitWidth() < 32
                  ? Type(node.builder().getF32Type())
                  : element;
  Value boxes = emit.convert(node.operand(1), wide);
  boxes = emit.multiply(boxes, emit.splatLike(boxes, scale));
  bool isHalfPixel = coordinates == "half_pixel";
  if (isHalfPixel)
    boxes = emit.subtract(boxes, emit.splatLike(boxes, 0.5));
  BoxSamples rows =
      sampleBoxes(emit, column(emit, boxes, 1), column(emit, boxes, 3), height,
                  samples, from[2], isHalfPixel);
  BoxSamples columns =
      sampleBoxes(emit, column(emit, boxes, 0), column(emit, boxes, 2), width,
                  samples, from[3], isHalfPixel);
  // Every row's sample with every column's.
  int64_t count = given[0], channels = from[1];
  int64_t across = height * samples, along = width * samples;
  auto cross = [&](Value value, int64_t dimension) {
    return emit.reshape(
        emit.broadcastInDim(value, {count, across, along}, {0, dimension}),
        {count, across * along});
  };
  Taps vertical = linearTaps(emit, cross(rows.places, 1));
  Taps horizontal = linearTaps(emit, cross(columns.places, 2));
  bool takesMaximum = mode == "max";
  Value values =
      readTaps(emit, {emit.convert(node.operand(0), wide), node.operand(2)},
               {vertical, horizontal}, Border::Edge,
               takesMaximum ? Combine::Maximum : Combine::Add);
  if (emit.hasFault())
    return failure();
  Value isInside = emit.binary<stablehlo::AndOp>(cross(rows.isInside, 1),
                                                 cross(columns.isInside, 2));
  values =
      emit.select(emit.broadcastInDim(isInside, emit.shapeOf(values), {0, 2}),
                  values, emit.splatLike(values, 0));
  values =
      emit.reshape(values, {count, channels, height, samples, width, samples});
  Value result = emit.reduce(values, {3, 5},
                             takesMaximum ? Combine::Maximum : Combine::Add);
  if (!takesMaximum)
    result = emit.multiply(
        result, emit.splatLike(result, 1.0 / double(samples * samples)));
  return node.result(emit.convert(result, element));
}

/// Every tap of the window is read between elements, moved by an offset of its
/// own and weighed by a mask: the taps side by side as channels, then a
/// convolution of windows of one element.
static LogicalResult importDeformConv(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t groups = node.integerAttribute("group", 1);
  int64_t offsetGroups = node.integerAttribute("offset_group", 1);
  if (node.rank(0) != 4 || node.rank(1) != 4 || node.rank(2) != 4)
    return node.unsupported("other than two spatial dimensions");
  OwnedExtents from = node.knownShape(0), kernel = node.knownShape(1);
  std::optional<Window> window =
      readWindow(node, Extents(kernel).drop_front(2));
  if (!window)
    return failure();
  int64_t batch = from[0], channels = from[1];
  int64_t taps = window->size[0] * window->size[1];
  OwnedExtents positions;
  for (int64_t i = 0; i < 2; ++i) {
    int64_t span = (window->size[i] - 1) * window->dilations[i] + 1;
    int64_t room = from[2 + i] + window->padLow[i].bound() +
                   window->padHigh[i].bound() - span;
    positions.push_back(room < 0 ? 0 : room / window->strides[i] + 1);
  }
  int64_t height = positions[0], width = positions[1], area = height * width;
  OwnedExtents moved{batch, offsetGroups * taps * 2, height, width};
  OwnedExtents weighed{batch, offsetGroups * taps, height, width};
  if (offsetGroups < 1 || channels % offsetGroups != 0 ||
      node.knownShape(2) != moved ||
      (node.has(4) && node.knownShape(4) != weighed))
    return node.invalid("offsets or mask do not fit: for " +
                        Twine(offsetGroups) + " offset groups of " +
                        Twine(taps) + " taps they have the shapes " +
                        spellShape(moved) + " and " + spellShape(weighed));
  if (area == 0 || channels == 0 || batch == 0 || llvm::is_contained(from, 0))
    return node.unsupported("an empty input or result");
  Type element = node.element(0);
  Type wide = element.getIntOrFloatBitWidth() < 32
                  ? Type(node.builder().getF32Type())
                  : element;

  // Each offset group is an image of its own: [batch * groups, channels, ...].
  int64_t images = batch * offsetGroups, share = channels / offsetGroups;
  Value image = emit.reshape(emit.convert(node.operand(0), wide),
                             {images, share, from[2], from[3]});
  Value offsets = emit.reshape(emit.convert(node.operand(2), wide),
                               {images, taps, 2, height, width});
  SmallVector<Taps> places;
  OwnedExtents walkShape{images, window->size[0], window->size[1], height,
                         width};
  RankedTensorType walk = emit.type(walkShape, wide);
  if (emit.hasFault())
    return failure();
  for (int64_t i = 0; i < 2; ++i) {
    Value tap = emit.iota(walk, 1 + i), position = emit.iota(walk, 3 + i);
    Value plain = emit.add(
        emit.multiply(tap, emit.splatLike(tap, double(window->dilations[i]))),
        emit.multiply(position,
                      emit.splatLike(tap, double(window->strides[i]))));
    plain = emit.subtract(
        plain, emit.splatLike(plain, double(window->padLow[i].bound())));
    Value offset = emit.reshape(emit.sliceDim(offsets, 2, i, i + 1), walkShape);
    Value place = emit.reshape(emit.add(plain, offset), {images, taps * area});
    places.push_back(
        linearTaps(emit, nearImage(emit, place, from[2 + i], Border::Zeros)));
  }
  Value values = readTaps(emit, {image}, places, Border::Zeros);
  if (emit.hasFault())
    return failure();
  if (node.has(4)) {
    Value mask = emit.reshape(emit.convert(node.operand(4), wide),
                              {images, taps * area});
    values = emit.multiply(
        values, emit.broadcastInDim(mask, emit.shapeOf(values), {0, 2}));
  }
  values = emit.convert(
      emit.reshape(values, {batch, channels * taps, height, width}), element);
  Value weights =
      emit.reshape(node.operand(1), {kernel[0], kernel[1] * taps, 1, 1});
  Window single{{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  Value result = emit.convolution(values, weights, single, {1, 1}, groups);
  if (node.has(3))
    result = emit.add(
        result, alongDimension(emit, node.operand(3), emit.shapeOf(result), 1));
  return node.result(result);
}

void heddle::onnx::addRegionAlign(OperatorTable &table) {
  table.add("RoiAlign", {10, 16, 22}, 3, 3, importRoiAlign);
  table.add("DeformConv", {19, 22}, 3, 5, importDeformConv);
}
