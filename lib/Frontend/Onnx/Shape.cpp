// Operators that rearrange elements, and those that ask for shapes.

#include "ComputedShapes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// 0 copies the extent at its place (unless allowzero), one -1 takes what is
/// left.
static LogicalResult importReshape(NodeImporter &node) {
  bool allowZero = node.integerAttribute("allowzero", 0) != 0;
  if (isComputed(node, 1))
    return reshapeToComputed(node, allowZero);
  std::optional<Shape> shape = node.sizes(1, "the shape");
  if (!shape)
    return failure();
  int64_t open = -1, bound = 1;
  Extent known = 1;
  for (auto [i, extent] : llvm::enumerate(*shape)) {
    if (extent.is(0) && !allowZero) {
      if (int64_t(i) >= node.rank(0))
        return node.invalid("the shape copies dimension " + Twine(i) +
                            ", which the input does not have");
      extent = node.shape(0)[i];
    }
    if (extent.isKnown() &&
        (extent.bound() < -1 || (extent.bound() == -1 && open >= 0)))
      return node.invalid("[" + spellShape(*shape) + "] is no shape");
    if (extent.is(-1)) {
      open = i;
      continue;
    }
    if (llvm::MulOverflow(bound, extent.bound(), bound))
      return node.invalid("[" + spellShape(*shape) + "] is too large");
    known *= extent;
  }
  if (open >= 0) {
    Extent elements = node.shape(0).product();
    std::optional<Extent> rest = elements.dividedBy(known);
    if (!rest)
      return node.invalid("the shape [" + spellShape(*shape) +
                          "] does not divide the input's " + elements.text() +
                          " elements");
    (*shape)[open] = *rest;
  }
  return node.result(node.emit.reshape(node.operand(0), *shape));
}

static LogicalResult importFlatten(NodeImporter &node) {
  int64_t rank = node.rank(0), axis = node.integerAttribute("axis", 1);
  if (axis < -rank || axis > rank)
    return node.invalid("axis " + Twine(axis) + " is outside the input's " +
                        Twine(rank) + " dimensions");
  axis = axis < 0 ? axis + rank : axis;
  Extent rows = node.shape(0).leading(axis).product();
  Extent columns = node.shape(0).after(axis).product();
  return node.result(node.emit.reshape(node.operand(0), {rows, columns}));
}

static LogicalResult importSqueeze(NodeImporter &node) {
  OwnedExtents axes;
  Shape shape;
  bool hasAxes = node.isGiven(1, "axes", 13);
  if (hasAxes) {
    std::optional<OwnedExtents> given =
        node.integers(1, "the axes", "axes", 13);
    std::optional<OwnedExtents> normal =
        given ? node.normalizeAxes(*given, node.rank(0)) : std::nullopt;
    if (!normal)
      return failure();
    axes = *normal;
  }
  for (int64_t i = 0; i < node.rank(0); ++i) {
    Extent extent = node.shape(0)[i];
    bool drop = hasAxes ? llvm::is_contained(axes, i) : extent.is(1);
    if (drop && !Extent::meet(extent, 1))
      return node.invalid("dimension " + Twine(i) + " has extent " +
                          extent.text() + " and cannot be squeezed");
    if (!drop)
      shape.push_back(extent);
  }
  return node.result(node.emit.reshape(node.operand(0), shape));
}

static LogicalResult importUnsqueeze(NodeImporter &node) {
  std::optional<OwnedExtents> given = node.integers(1, "the axes", "axes", 13);
  if (!given)
    return failure();
  int64_t rank = node.rank(0) + int64_t(given->size());
  std::optional<OwnedExtents> axes = node.normalizeAxes(*given, rank);
  if (!axes)
    return failure();
  Shape shape, from = node.shape(0);
  size_t next = 0;
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(*axes, i) ? Extent(1) : from[next++]);
  return node.result(node.emit.reshape(node.operand(0), shape));
}

static LogicalResult importTranspose(NodeImporter &node) {
  OwnedExtents reversed;
  for (int64_t i = node.rank(0); i-- > 0;)
    reversed.push_back(i);
  OwnedExtents permutation = node.integersAttribute("perm").value_or(reversed);
  return node.result(node.emit.transpose(node.operand(0), permutation));
}

static LogicalResult importConcat(NodeImporter &node) {
  if (!node.hasAttribute("axis"))
    return node.invalid("attribute 'axis' is missing");
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", 0), node.rank(0));
  for (size_t i = 0; i < node.numOperands(); ++i)
    if (!node.has(i))
      return node.invalid("operand " + Twine(i) + " is missing");
  if (node.emit.hasFault())
    return failure();
  return node.result(node.emit.concatenate(node.allOperands(), axis));
}

/// Sizes are given, or as many equal parts as there are outputs; the last may
/// be smaller (opset 18).
static LogicalResult importSplit(NodeImporter &node) {
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", 0), node.rank(0));
  int64_t parts = node.integerAttribute("num_outputs", node.numResults());
  if (node.emit.hasFault())
    return failure();
  Extent extent = node.shape(0)[axis];
  Shape sizes;
  if (node.isGiven(1, "split", 13)) {
    std::optional<Shape> given = node.sizes(1, "the sizes", "split", 13);
    if (!given)
      return failure();
    sizes = *given;
  } else {
    if (parts < 1 || parts != int64_t(node.numResults()))
      return node.invalid("num_outputs = " + Twine(parts) +
                          " is not the number of outputs");
    std::optional<Extent> size =
        node.version() < 18 ? extent.dividedBy(parts) : extent.ceilDiv(parts);
    if (!size)
      return node.invalid(Twine(parts) + " outputs do not divide the extent " +
                          extent.text());
    Extent left = extent;
    for (int64_t i = 0; i < parts; ++i) {
      sizes.push_back(Extent::minimum(*size, left));
      left = left - sizes.back();
    }
  }
  Extent start = 0;
  if (sizes.size() < node.numResults())
    return node.invalid("there are more outputs than sizes");
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size.least() < 0 || Extent::isLess(extent - start, size) == true)
      return node.invalid("the sizes [" + spellShape(sizes) +
                          "] do not fit the extent " + extent.text());
    node.set(i, node.emit.sliceDim(node.operand(0), axis, start, start + size));
    start += size;
  }
  if (!Extent::meet(start, extent))
    return node.invalid("the sizes [" + spellShape(sizes) +
                        "] do not add up to the extent " + extent.text());
  return success();
}

/// A place of a slice, counted from the front where it counts from the end, at
/// least `least` and then at most `most`.
static Extent placeFromFront(const Extent &place, const Extent &extent,
                             const Extent &least, const Extent &most) {
  Extent front = place;
  // Numbers beyond all extents stand for these; arithmetic has not to hold
  // what is beyond.
  if (place.isKnown()) {
    int64_t number = place.bound();
    front = number < 0 ? std::max<int64_t>(number, -extent.bound() - 1) + extent
                       : Extent(std::min<int64_t>(number, extent.bound()));
  } else {
    front = place + place.isNegative() * extent;
  }
  return Extent::minimum(Extent::maximum(front, least), most);
}

namespace {
/// Along which dimensions a slice goes, and how.
struct SliceAlong {
  OwnedExtents axes, steps;
};
} // namespace

/// As many as there are starts; without steps these are 1, without axes the
/// first dimensions.
static std::optional<SliceAlong> readAxesAndSteps(NodeImporter &node) {
  SliceAlong along;
  std::optional<size_t> count;
  if (node.version() < 10) {
    if (auto starts = node.integersAttribute("starts"))
      count = starts->size();
  } else if (node.has(1) && node.rank(1) == 1 && node.shape(1).areKnown()) {
    count = node.shape(1)[0].bound();
  }
  if (!count) {
    (void)node.invalid("the starts are no list of known length");
    return std::nullopt;
  }
  for (size_t i = 0; i < *count; ++i)
    along.axes.push_back(i);
  along.steps.assign(*count, 1);
  if (node.isGiven(3, "axes", 10)) {
    std::optional<OwnedExtents> given =
        node.integers(3, "the axes", "axes", 10);
    if (!given)
      return std::nullopt;
    along.axes = *given;
  }
  if (node.has(4)) {
    std::optional<OwnedExtents> given = node.integers(4, "the steps");
    if (!given)
      return std::nullopt;
    along.steps = *given;
  }
  std::optional<OwnedExtents> normal =
      node.normalizeAxes(along.axes, node.rank(0));
  if (!normal)
    return std::nullopt;
  along.axes = *normal;
  return along;
}

/// Bounds from the end if negative, clamped; steps may be negative. A start
/// before the front is the first place even then, other than in Python.
static LogicalResult importSlice(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<SliceAlong> along = readAxesAndSteps(node);
  if (!along)
    return failure();
  const OwnedExtents &normal = along->axes, &steps = along->steps;
  if (node.version() >= 10 && (isComputed(node, 1) || isComputed(node, 2)))
    return sliceAtComputed(node, normal, steps);
  std::optional<Shape> starts = node.sizes(1, "the starts", "starts", 10);
  std::optional<Shape> ends = node.sizes(2, "the ends", "ends", 10);
  if (!starts || !ends)
    return failure();
  if (ends->size() != starts->size() || normal.size() != starts->size() ||
      steps.size() != starts->size())
    return node.invalid("starts, ends, axes and steps differ in number");

  Shape from(node.rank(0), 0), to = node.shape(0);
  OwnedExtents strides(node.rank(0), 1), reversed;
  for (size_t i = 0; i < normal.size(); ++i) {
    int64_t axis = normal[i], step = steps[i];
    Extent extent = node.shape(0)[axis];
    if (step == 0 || step == INT64_MIN)
      return node.invalid("a step is " + Twine(step));
    // Backwards: reverse first, then count from the other end.
    Extent most = step > 0 ? extent : extent - 1;
    Extent start = placeFromFront((*starts)[i], extent, 0, most);
    Extent end = placeFromFront((*ends)[i], extent, step > 0 ? 0 : -1, most);
    if (step < 0) {
      start = extent - 1 - start;
      end = extent - 1 - end;
      reversed.push_back(axis);
    }
    from[axis] = start;
    to[axis] = Extent::maximum(start, end);
    strides[axis] = std::abs(step);
  }
  Value value = emit.reverse(node.operand(0), reversed);
  return node.result(emit.slice(value, from, to, strides, /*isClamped=*/true));
}

/// Both ways: an extent of 1 in the shape keeps the input's.
static LogicalResult importExpand(NodeImporter &node) {
  if (isComputed(node, 1))
    return expandToComputed(node);
  std::optional<Shape> shape = node.sizes(1, "the shape");
  if (!shape)
    return failure();
  Shape result = node.emit.broadcastShape(node.shape(0), *shape);
  if (node.emit.hasFault())
    return failure();
  return node.result(node.emit.broadcastTo(node.operand(0), result));
}

/// [a, b] repeated (m, n) times is [a, b] -> [1, a, 1, b] -> [m, a, n, b] -> [m
/// a, n b].
static LogicalResult importTile(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<Shape> repeats = isComputed(node, 1)
                                     ? computedSizes(node, 1, "repeats")
                                     : node.sizes(1, "the repeats");
  if (!repeats)
    return failure();
  if (int64_t(repeats->size()) != node.rank(0))
    return node.invalid("there are " + Twine(repeats->size()) +
                        " repeats for " + Twine(node.rank(0)) + " dimensions");
  Shape spread, result;
  OwnedExtents dims;
  for (auto [count, extent] : llvm::zip_equal(*repeats, node.shape(0))) {
    if (count.least() < 0)
      return node.invalid("a repeat is negative");
    spread.push_back(count);
    dims.push_back(spread.size());
    spread.push_back(extent);
    int64_t bound;
    if (llvm::MulOverflow(count.bound(), extent.bound(), bound))
      return node.invalid("the result is too large");
    result.push_back(count * extent);
  }
  if (llvm::all_of(*repeats, [](const Extent &count) { return count.is(1); }))
    return node.result(node.operand(0));
  Value wide = emit.broadcastInDim(node.operand(0), spread, dims);
  if (emit.hasFault())
    return failure();
  return node.result(emit.reshape(wide, result));
}

static LogicalResult importShape(NodeImporter &node) {
  int64_t rank = node.rank(0);
  auto bound = [rank](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = bound(node.integerAttribute("start", 0));
  int64_t end = bound(node.integerAttribute("end", rank));
  return node.result(node.emit.integers(
      node.shape(0).leading(std::max(start, end)).after(start),
      node.builder().getI64Type()));
}

static LogicalResult importSize(NodeImporter &node) {
  return node.result(
      node.emit.number(node.shape(0).product(), node.builder().getI64Type()));
}

/// [N, C b b, H, W] <-> [N, C, H b, W b]
static LogicalResult importDepthToSpace(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t block = node.integerAttribute("blocksize", 0);
  StringRef mode = node.stringAttribute("mode", "DCR");
  bool fits = node.rank(0) == 4 && block >= 1 && block <= (1 << 15) &&
              (mode == "DCR" || mode == "CRD");
  std::optional<Extent> channels =
      fits ? node.shape(0)[1].dividedBy(block * block) : std::nullopt;
  if (!channels)
    return node.invalid("blocksize = " + Twine(block) + ", mode = " + mode +
                        " do not fit an input of the shape " +
                        spellShape(node.shape(0)));
  Extent n = node.shape(0)[0], c = *channels, h = node.shape(0)[2],
         w = node.shape(0)[3];
  Value split, moved;
  if (mode == "DCR") {
    split = emit.reshape(node.operand(0), {n, block, block, c, h, w});
    moved = emit.transpose(split, {0, 3, 4, 1, 5, 2});
  } else {
    split = emit.reshape(node.operand(0), {n, c, block, block, h, w});
    moved = emit.transpose(split, {0, 1, 4, 2, 5, 3});
  }
  return node.result(emit.reshape(moved, {n, c, h * block, w * block}));
}

/// Since opset 28 with the same two orders of channels as DepthToSpace.
static LogicalResult importSpaceToDepth(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t block = node.integerAttribute("blocksize", 0);
  StringRef mode = node.stringAttribute("mode", "DCR");
  bool fits = node.rank(0) == 4 && block >= 1 && block <= (1 << 15) &&
              (mode == "DCR" || mode == "CRD");
  std::optional<Extent> rows =
      fits ? node.shape(0)[2].dividedBy(block) : std::nullopt;
  std::optional<Extent> columns =
      fits ? node.shape(0)[3].dividedBy(block) : std::nullopt;
  if (!rows || !columns)
    return node.invalid("blocksize = " + Twine(block) + ", mode = " + mode +
                        " do not fit an input of the shape " +
                        spellShape(node.shape(0)));
  Extent n = node.shape(0)[0], c = node.shape(0)[1], h = *rows, w = *columns;
  Value split = emit.reshape(node.operand(0), {n, c, h, block, w, block});
  Value moved = mode == "DCR" ? emit.transpose(split, {0, 3, 5, 1, 2, 4})
                              : emit.transpose(split, {0, 1, 3, 5, 2, 4});
  return node.result(emit.reshape(moved, {n, c * block * block, h, w}));
}

void heddle::onnx::addShape(OperatorTable &table) {
  table.add("Reshape", {5, 13, 14, 19, 21, 23, 24, 25}, 2, 2, importReshape);
  table.add("Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, 1, 1, importFlatten);
  table.add("Squeeze", {1, 11, 13, 21, 23, 24, 25}, 1, 2, importSqueeze);
  table.add("Unsqueeze", {1, 11, 13, 21, 23, 24, 25}, 1, 2, importUnsqueeze);
  table.add("Transpose", {1, 13, 21, 23, 24, 25}, 1, 1, importTranspose);
  table.add("Concat", {4, 11, 13}, 1, kAnyNumber, importConcat);
  table.add("Split", {2, 11, 13, 18}, 1, 2, importSplit, kAnyNumber);
  table.add("Slice", {1, 10, 11, 13}, 1, 5, importSlice);
  table.add("Expand", {8, 13}, 2, 2, importExpand);
  table.add("Tile", {6, 13}, 2, 2, importTile);
  table.add("Shape", {1, 13, 15, 19, 21, 23, 24, 25}, 1, 1, importShape);
  table.add("Size", {1, 13, 19, 21, 23, 24, 25}, 1, 1, importSize);
  table.add("DepthToSpace", {1, 11, 13, 28}, 1, 1, importDepthToSpace);
  table.add("SpaceToDepth", {1, 13, 28}, 1, 1, importSpaceToDepth);
}
