// Operators that rearrange elements, and those that ask for shapes.

#include "NodeImporter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// 0 copies the extent at its place (unless allowzero), one -1 takes what is
/// left.
static LogicalResult importReshape(NodeImporter &node) {
  bool allowZero = node.integerAttribute("allowzero", 0) != 0;
  std::optional<OwnedExtents> shape = node.integers(1, "the shape");
  if (!shape)
    return failure();
  int64_t open = -1, known = 1;
  for (auto [i, extent] : llvm::enumerate(*shape)) {
    if (extent == 0 && !allowZero) {
      if (int64_t(i) >= node.rank(0))
        return node.invalid("the shape copies dimension " + Twine(i) +
                            ", which the input does not have");
      extent = node.shape(0)[i];
    }
    if (extent < -1 || (extent == -1 && open >= 0))
      return node.invalid("[" + spellShape(*shape) + "] is no shape");
    if (extent == -1)
      open = i;
    else if (llvm::MulOverflow(known, extent, known))
      return node.invalid("[" + spellShape(*shape) + "] is too large");
  }
  if (open >= 0) {
    if (known == 0 || node.type(0).getNumElements() % known != 0)
      return node.invalid("the shape [" + spellShape(*shape) +
                          "] does not divide the input's " +
                          Twine(node.type(0).getNumElements()) + " elements");
    (*shape)[open] = node.type(0).getNumElements() / known;
  }
  return node.result(node.emit.reshape(node.operand(0), *shape));
}

static LogicalResult importFlatten(NodeImporter &node) {
  int64_t rank = node.rank(0), axis = node.integerAttribute("axis", 1);
  if (axis < -rank || axis > rank)
    return node.invalid("axis " + Twine(axis) + " is outside the input's " +
                        Twine(rank) + " dimensions");
  axis = axis < 0 ? axis + rank : axis;
  int64_t rows = 1, columns = 1;
  for (int64_t i = 0; i < rank; ++i)
    (i < axis ? rows : columns) *= node.shape(0)[i];
  return node.result(node.emit.reshape(node.operand(0), {rows, columns}));
}

static LogicalResult importSqueeze(NodeImporter &node) {
  OwnedExtents axes, shape;
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
    int64_t extent = node.shape(0)[i];
    bool drop = hasAxes ? llvm::is_contained(axes, i) : extent == 1;
    if (drop && extent != 1)
      return node.invalid("dimension " + Twine(i) + " has extent " +
                          Twine(extent) + " and cannot be squeezed");
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
  OwnedExtents shape;
  size_t next = 0;
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(*axes, i) ? 1 : node.shape(0)[next++]);
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
  int64_t extent = node.shape(0)[axis];
  OwnedExtents sizes;
  if (node.isGiven(1, "split", 13)) {
    std::optional<OwnedExtents> given =
        node.integers(1, "the sizes", "split", 13);
    if (!given)
      return failure();
    sizes = *given;
  } else {
    if (parts < 1 || parts != int64_t(node.numResults()))
      return node.invalid("num_outputs = " + Twine(parts) +
                          " is not the number of outputs");
    int64_t size = llvm::divideCeil(extent, parts);
    if (node.version() < 18 && size * parts != extent)
      return node.invalid(Twine(parts) + " outputs do not divide the extent " +
                          Twine(extent));
    for (int64_t i = 0, left = extent; i < parts; ++i, left -= sizes.back())
      sizes.push_back(std::min(size, left));
  }
  int64_t start = 0;
  if (sizes.size() < node.numResults())
    return node.invalid("there are more outputs than sizes");
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size < 0 || size > extent - start)
      return node.invalid("the sizes [" + spellShape(sizes) +
                          "] do not fit the extent " + Twine(extent));
    node.set(i, node.emit.sliceDim(node.operand(0), axis, start, start + size));
    start += size;
  }
  if (start != extent)
    return node.invalid("the sizes [" + spellShape(sizes) +
                        "] do not add up to the extent " + Twine(extent));
  return success();
}

/// Python's slices: bounds from the end if negative, clamped; steps may be
/// negative.
static LogicalResult importSlice(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<OwnedExtents> starts =
      node.integers(1, "the starts", "starts", 10);
  std::optional<OwnedExtents> ends = node.integers(2, "the ends", "ends", 10);
  if (!starts || !ends)
    return failure();
  OwnedExtents axes, steps(starts->size(), 1);
  for (size_t i = 0; i < starts->size(); ++i)
    axes.push_back(i);
  if (node.isGiven(3, "axes", 10)) {
    std::optional<OwnedExtents> given =
        node.integers(3, "the axes", "axes", 10);
    if (!given)
      return failure();
    axes = *given;
  }
  if (node.has(4)) {
    std::optional<OwnedExtents> given = node.integers(4, "the steps");
    if (!given)
      return failure();
    steps = *given;
  }
  if (ends->size() != starts->size() || axes.size() != starts->size() ||
      steps.size() != starts->size())
    return node.invalid("starts, ends, axes and steps differ in number");
  std::optional<OwnedExtents> normal = node.normalizeAxes(axes, node.rank(0));
  if (!normal)
    return failure();

  OwnedExtents from(node.rank(0), 0), to(node.shape(0)),
      strides(node.rank(0), 1), reversed;
  for (size_t i = 0; i < normal->size(); ++i) {
    int64_t axis = (*normal)[i], extent = node.shape(0)[axis];
    int64_t start = (*starts)[i], end = (*ends)[i], step = steps[i];
    if (step == 0 || step == INT64_MIN)
      return node.invalid("a step is " + Twine(step));
    auto fromFront = [extent](int64_t bound) {
      return bound < 0 ? std::max<int64_t>(bound, -extent - 1) + extent : bound;
    };
    if (step > 0) {
      from[axis] = std::clamp<int64_t>(fromFront(start), 0, extent);
      to[axis] =
          std::max(from[axis], std::clamp<int64_t>(fromFront(end), 0, extent));
      strides[axis] = step;
      continue;
    }
    // Backwards: reverse first, then count from the other end.
    start = std::clamp<int64_t>(fromFront(start), -1, extent - 1);
    end = std::clamp<int64_t>(fromFront(end), -1, extent - 1);
    if (extent == 0)
      start = end = -1;
    from[axis] = extent - 1 - start;
    to[axis] = std::max(from[axis], extent - 1 - end);
    strides[axis] = -step;
    reversed.push_back(axis);
  }
  Value value = emit.reverse(node.operand(0), reversed);
  return node.result(emit.slice(value, from, to, strides));
}

/// Both ways: an extent of 1 in the shape keeps the input's.
static LogicalResult importExpand(NodeImporter &node) {
  std::optional<OwnedExtents> shape = node.integers(1, "the shape");
  if (!shape)
    return failure();
  OwnedExtents result = node.emit.broadcastShape(node.shape(0), *shape);
  if (node.emit.hasFault())
    return failure();
  return node.result(node.emit.broadcastTo(node.operand(0), result));
}

/// [a, b] repeated (m, n) times is [a, b] -> [1, a, 1, b] -> [m, a, n, b] -> [m
/// a, n b].
static LogicalResult importTile(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<OwnedExtents> repeats = node.integers(1, "the repeats");
  if (!repeats)
    return failure();
  if (int64_t(repeats->size()) != node.rank(0))
    return node.invalid("there are " + Twine(repeats->size()) +
                        " repeats for " + Twine(node.rank(0)) + " dimensions");
  OwnedExtents spread, dims, result;
  for (auto [count, extent] : llvm::zip_equal(*repeats, node.shape(0))) {
    if (count < 0)
      return node.invalid("a repeat is negative");
    spread.push_back(count);
    dims.push_back(spread.size());
    spread.push_back(extent);
    result.push_back(0);
    if (llvm::MulOverflow(count, extent, result.back()))
      return node.invalid("the result is too large");
  }
  if (llvm::all_of(*repeats, [](int64_t count) { return count == 1; }))
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
      node.shape(0).slice(start, std::max<int64_t>(end - start, 0)),
      node.builder().getI64Type()));
}

static LogicalResult importSize(NodeImporter &node) {
  auto type = RankedTensorType::get({}, node.builder().getI64Type());
  return node.result(
      node.emit.splatInteger(type, node.type(0).getNumElements()));
}

/// [N, C b b, H, W] <-> [N, C, H b, W b]
static LogicalResult importDepthToSpace(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t block = node.integerAttribute("blocksize", 0);
  StringRef mode = node.stringAttribute("mode", "DCR");
  if (node.rank(0) != 4 || block < 1 || block > (1 << 15) ||
      node.shape(0)[1] % (block * block) != 0 ||
      (mode != "DCR" && mode != "CRD"))
    return node.invalid("blocksize = " + Twine(block) + ", mode = " + mode +
                        " do not fit an input of the shape " +
                        spellShape(node.shape(0)));
  int64_t n = node.shape(0)[0], c = node.shape(0)[1] / (block * block),
          h = node.shape(0)[2], w = node.shape(0)[3];
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
  if (node.rank(0) != 4 || block < 1 || node.shape(0)[2] % block != 0 ||
      node.shape(0)[3] % block != 0 || (mode != "DCR" && mode != "CRD"))
    return node.invalid("blocksize = " + Twine(block) + ", mode = " + mode +
                        " do not fit an input of the shape " +
                        spellShape(node.shape(0)));
  int64_t n = node.shape(0)[0], c = node.shape(0)[1],
          h = node.shape(0)[2] / block, w = node.shape(0)[3] / block;
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
