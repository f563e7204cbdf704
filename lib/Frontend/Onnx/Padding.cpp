// Padding, cropping, and putting windows back together.

#include "NodeImporter.h"

#include "heddle/Support/TensorLimits.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Where the element comes from that stands `at` places from the start of a
/// dimension padded by its own content.
static int64_t sourceOf(StringRef mode, int64_t at, int64_t extent) {
  if (mode == "edge")
    return std::clamp<int64_t>(at, 0, extent - 1);
  if (mode == "wrap")
    return ((at % extent) + extent) % extent;
  // reflect, without repeating the border
  if (extent == 1)
    return 0;
  int64_t period = 2 * (extent - 1);
  at = ((at % period) + period) % period;
  return at < extent ? at : period - at;
}

/// Pads a dimension that calls choose by its own content: what comes before,
/// the dimension, what comes behind. That it is longer than what is copied of
/// it is taken for granted.
static Value padByPieces(Emitter &emit, Value x, StringRef mode, int64_t axis,
                         int64_t before, int64_t behind) {
  Extent extent = emit.extentOf(x, axis);
  // Reflection leaves out the border itself.
  int64_t border = mode == "reflect" ? 1 : 0;
  if (before < 0 || behind < 0) {
    (void)emit.knownExtentOf(x, axis);
    return x;
  }
  int64_t needed = std::max<int64_t>(std::max(before, behind) + border, 1);
  if (!(extent - needed)
           .wantNotNegative(extent.text() + " >= " + Twine(needed))) {
    emit.fault(ErrorCode::OnnxNode,
               "pads of " + Twine(before) + " and " + Twine(behind) +
                   " for a dimension of extent " + extent.text());
    return x;
  }
  auto piece = [&](const Extent &from, int64_t count) {
    if (mode != "edge") {
      Value part = emit.sliceDim(x, axis, from, from + count);
      return mode == "reflect" ? emit.reverse(part, axis) : part;
    }
    Value one = emit.sliceDim(x, axis, from, from + 1);
    Shape shape = emit.shapeOf(one);
    shape[axis] = count;
    return emit.broadcastTo(one, shape);
  };
  SmallVector<Value> pieces;
  if (before > 0)
    pieces.push_back(piece(mode == "edge"   ? Extent(0)
                           : mode == "wrap" ? extent - before
                                            : Extent(1),
                           before));
  pieces.push_back(x);
  if (behind > 0)
    pieces.push_back(piece(mode == "edge"   ? extent - 1
                           : mode == "wrap" ? Extent(0)
                                            : extent - 1 - behind,
                           behind));
  return emit.concatenate(pieces, axis);
}

/// Pads may be negative: then they crop. The other modes index the dimension;
/// the pieces are slices, so that a border of a few elements costs no gather.
static LogicalResult importPad(NodeImporter &node) {
  Emitter &emit = node.emit;
  StringRef mode = node.stringAttribute("mode", "constant");
  std::optional<Shape> pads = node.sizes(1, "the pads", "pads", 11);
  if (!pads)
    return failure();
  int64_t rank = node.rank(0);
  OwnedExtents axes;
  for (int64_t i = 0; i < rank; ++i)
    axes.push_back(i);
  if (node.has(3)) {
    std::optional<OwnedExtents> given = node.integers(3, "the axes");
    std::optional<OwnedExtents> normal =
        given ? node.normalizeAxes(*given, rank) : std::nullopt;
    if (!normal)
      return failure();
    axes = *normal;
  }
  if (pads->size() != 2 * axes.size())
    return node.invalid("there are " + Twine(pads->size()) + " pads for " +
                        Twine(axes.size()) + " dimensions");
  Shape low(rank, 0), high(rank, 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    low[axis] = (*pads)[i];
    high[axis] = (*pads)[axes.size() + i];
    auto isLarge = [](const Extent &pad) {
      constexpr auto kMost = int64_t(maximumTensorBytes);
      return pad.least() < -kMost || pad.bound() > kMost;
    };
    if (isLarge(low[axis]) || isLarge(high[axis]) ||
        (node.shape(0)[axis] + low[axis] + high[axis]).bound() < 0)
      return node.invalid("the pads [" + spellShape(*pads) +
                          "] do not fit an input of the shape " +
                          spellShape(node.shape(0)));
  }
  Value x = node.operand(0);
  if (mode == "constant") {
    double value = node.version() < 11 ? node.floatAttribute("value", 0) : 0;
    Value fill =
        node.has(2)
            ? emit.reshape(node.operand(2), {})
            : emit.splat(RankedTensorType::get({}, node.element(0)), value);
    if (Emitter::elementOf(fill) != node.element(0))
      return node.invalid("the padding value has another type");
    return node.result(emit.pad(x, fill, low, high));
  }
  if (mode != "edge" && mode != "reflect" && mode != "wrap")
    return node.invalid("mode '" + mode + "' is unknown");
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (low[axis].is(0) && high[axis].is(0))
      continue;
    if (!low[axis].isKnown() || !high[axis].isKnown())
      return node.unsupported("padding of a dimension by its own content as "
                              "wide as sizes say that calls choose");
    int64_t before = low[axis].bound(), behind = high[axis].bound();
    if (!node.shape(0)[axis].isKnown()) {
      x = padByPieces(emit, x, mode, axis, before, behind);
      continue;
    }
    int64_t extent = node.shape(0)[axis].bound();
    int64_t total = extent + before + behind;
    if (extent == 0 || total > kMaxIntegers)
      return node.unsupported("padding of an empty or very long dimension by "
                              "its own content");
    OwnedExtents sources;
    for (int64_t i = 0; i < total; ++i)
      sources.push_back(sourceOf(mode, i - before, extent));
    x = emit.take(x, emit.integers(sources, node.builder().getI64Type()), axis);
  }
  return node.result(x);
}

/// Centred: what is cut or added on both sides differs by at most one, the odd
/// one at the end.
static LogicalResult importCenterCropPad(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<OwnedExtents> shape = node.integers(1, "the shape");
  if (!shape)
    return failure();
  int64_t rank = node.rank(0);
  OwnedExtents all;
  for (int64_t i = 0; i < rank; ++i)
    all.push_back(i);
  std::optional<OwnedExtents> axes =
      node.normalizeAxes(node.integersAttribute("axes").value_or(all), rank);
  if (!axes)
    return failure();
  if (axes->size() != shape->size())
    return node.invalid("there are " + Twine(shape->size()) + " extents for " +
                        Twine(axes->size()) + " axes");
  OwnedExtents low(rank, 0), high(rank, 0);
  for (auto [axis, wanted] : llvm::zip_equal(*axes, *shape)) {
    if (wanted < 0)
      return node.invalid("an extent is negative");
    int64_t difference = wanted - emit.knownExtentOf(node.operand(0), axis);
    // Rounded towards zero for both signs.
    low[axis] = difference / 2;
    high[axis] = difference - low[axis];
  }
  Value zero = emit.splat(RankedTensorType::get({}, node.element(0)), 0);
  return node.result(emit.pad(node.operand(0), zero, low, high));
}

/// Adds overlapping blocks, [N, C taps, L], back into an image: one dilated,
/// padded slice per tap.
static LogicalResult importCol2Im(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<OwnedExtents> image = node.integers(1, "the image's shape");
  std::optional<OwnedExtents> block = node.integers(2, "the block's shape");
  if (!image || !block)
    return failure();
  size_t spatial = image->size();
  OwnedExtents input = node.knownShape(0);
  OwnedExtents ones(spatial, 1);
  OwnedExtents strides = node.integersAttribute("strides").value_or(ones);
  OwnedExtents dilations = node.integersAttribute("dilations").value_or(ones);
  OwnedExtents pads =
      node.integersAttribute("pads").value_or(OwnedExtents(2 * spatial, 0));
  auto small = [](Extents values, int64_t least) {
    return llvm::all_of(values, [least](int64_t value) {
      return value >= least && value <= (1 << 24);
    });
  };
  int64_t taps = 1;
  for (int64_t extent : *block)
    taps = std::min<int64_t>(taps, 1 << 20) * std::max<int64_t>(extent, 0);
  if (node.rank(0) != 3 || block->size() != spatial ||
      strides.size() != spatial || dilations.size() != spatial ||
      pads.size() != 2 * spatial || !small(*image, 1) || !small(*block, 1) ||
      !small(strides, 1) || !small(dilations, 1) || !small(pads, 0) ||
      input[1] % taps != 0)
    return node.invalid("image, block and attributes do not fit an input of "
                        "the shape " +
                        spellShape(node.shape(0)));
  if (taps > 1024)
    return node.unsupported("blocks of more than 1024 elements");
  OwnedExtents split{input[0], input[1] / taps, taps}, whole;
  int64_t positions = 1;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t room = (*image)[i] + pads[i] + pads[spatial + i] -
                   (dilations[i] * ((*block)[i] - 1) + 1);
    split.push_back(room < 0 ? 0 : room / strides[i] + 1);
    positions *= split.back();
  }
  if (positions != input[2])
    return node.invalid("the input has " + Twine(input[2]) +
                        " blocks, its attributes ask for " + Twine(positions));
  Value blocks = emit.reshape(node.operand(0), split);
  Value zero = emit.splat(RankedTensorType::get({}, node.element(0)), 0);
  Value sum;
  IndexWalk walk(*block);
  for (int64_t tap = 0; tap < taps; ++tap, walk.advance()) {
    Value piece = emit.sliceDim(blocks, 2, tap, tap + 1);
    OwnedExtents shape(split);
    shape.erase(shape.begin() + 2);
    piece = emit.reshape(piece, shape);
    OwnedExtents low{0, 0}, high{0, 0}, interior{0, 0};
    for (size_t i = 0; i < spatial; ++i) {
      int64_t span = (split[3 + i] - 1) * strides[i] + 1;
      low.push_back(walk.index()[i] * dilations[i] - pads[i]);
      high.push_back((*image)[i] - span - low.back());
      interior.push_back(strides[i] - 1);
    }
    piece = emit.pad(piece, zero, low, high, interior);
    sum = sum ? emit.add(sum, piece) : piece;
  }
  return node.result(sum);
}

void heddle::onnx::addPadding(OperatorTable &table) {
  table.add("Pad", {2, 11, 13, 18, 19, 21, 23, 24, 25}, 1, 4, importPad);
  table.add("CenterCropPad", {18}, 2, 2, importCenterCropPad);
  table.add("Col2Im", {18}, 3, 3, importCol2Im);
}
