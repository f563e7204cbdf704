// Reading elements by index.

#include "Functions.h"
#include "NodeImporter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static LogicalResult importGather(NodeImporter &node) {
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", 0), node.rank(0));
  if (!node.element(1).isInteger())
    return node.invalid("the indices are no integers");
  if (node.emit.hasFault())
    return failure();
  return node.result(node.emit.take(node.operand(0), node.operand(1), axis));
}

/// Result[i][j] = data[index[i][j]][j] for axis 0: the other dimensions are
/// batches, once both have the same extents there.
static LogicalResult importGatherElements(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t rank = node.rank(0);
  int64_t axis = node.normalizeAxis(node.integerAttribute("axis", 0), rank);
  if (emit.hasFault())
    return failure();
  if (node.rank(1) != rank || rank == 0)
    return node.invalid("data and indices differ in rank");
  Shape limits = node.shape(1);
  OwnedExtents batch, sizes(rank, 1);
  for (int64_t i = 0; i < rank; ++i) {
    if (i == axis)
      limits[i] = node.shape(0)[i];
    else
      batch.push_back(i);
  }
  Value data = emit.slice(node.operand(0), OwnedExtents(rank, 0), limits,
                          OwnedExtents(rank, 1));
  if (emit.hasFault())
    return failure();
  Shape vectors = node.shape(1);
  vectors.push_back(1);
  Value indices = emit.reshape(
      emit.wrapIndices(node.operand(1), node.shape(0)[axis]), vectors);
  return node.result(emit.gather(data, indices, node.shape(1), {}, {axis},
                                 batch, batch, {axis}, sizes));
}

/// Known index vectors are positions in the indexed dimensions, which are
/// known, taken as one.
static Value gatherKnown(NodeImporter &node, const Literal &vectors,
                         int64_t depth) {
  Emitter &emit = node.emit;
  OwnedExtents indexed(node.shape(0).leading(depth).bounds());
  Shape merged{ShapedType::getNumElements(indexed)};
  merged.append(node.shape(0).after(depth));
  Literal positions = Literal::zeros(RankedTensorType::get(
      node.shape(1).before(1).bounds(), node.builder().getI64Type()));
  for (int64_t i = 0, e = positions.size(); i < e; ++i) {
    OwnedExtents vector;
    for (int64_t d = 0; d < depth; ++d) {
      int64_t index = vectors.integers[i * depth + d];
      vector.push_back(index < 0 ? index + indexed[d] : index);
      if (vector.back() < 0 || vector.back() >= indexed[d])
        emit.fault(ErrorCode::OnnxNode,
                   "index " + Twine(index) +
                       " is outside a dimension of extent " +
                       Twine(indexed[d]));
    }
    positions.integers[i] = linearIndex(vector, indexed);
  }
  if (emit.hasFault())
    return node.operand(0);
  return emit.take(emit.reshape(node.operand(0), merged),
                   emit.constant(positions), 0);
}

/// The last dimension of the indices holds index vectors into data's dimensions
/// after the batch ones.
static LogicalResult importGatherNd(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t batchDims = node.integerAttribute("batch_dims", 0);
  int64_t rank = node.rank(0), indexRank = node.rank(1);
  if (rank == 0 || indexRank == 0)
    return node.invalid("data or indices are scalars");
  int64_t depth = emit.knownExtentOf(node.operand(1), indexRank - 1);
  if (batchDims < 0 || batchDims >= indexRank || batchDims + depth > rank)
    return node.invalid("batch_dims = " + Twine(batchDims) +
                        " and index vectors of " + Twine(depth) +
                        " numbers do not fit data of the shape " +
                        spellShape(node.shape(0)));
  bool isIndexedKnown =
      batchDims == 0 && node.shape(0).leading(depth).areKnown();
  if (isIndexedKnown && node.literal(1))
    return node.result(gatherKnown(node, *node.literal(1), depth));
  Shape shape = node.shape(1).before(1), sizes = node.shape(0), extents;
  OwnedExtents batch, collapsed, offsetDims;
  for (int64_t i = 0; i < batchDims; ++i) {
    if (!Extent::meet(node.shape(0)[i], node.shape(1)[i]))
      return node.invalid("the batch dimensions differ");
    batch.push_back(i);
    sizes[i] = 1;
  }
  for (int64_t i = batchDims; i < batchDims + depth; ++i) {
    collapsed.push_back(i);
    sizes[i] = 1;
    extents.push_back(node.shape(0)[i]);
  }
  for (int64_t i = batchDims + depth; i < rank; ++i) {
    offsetDims.push_back(shape.size());
    shape.push_back(node.shape(0)[i]);
  }
  Value indices = node.operand(1);
  Value bounds = emit.integers(extents, node.element(1));
  Value wrapped = emit.select(emit.compare(indices, emit.splatLike(indices, 0),
                                           stablehlo::ComparisonDirection::LT),
                              emit.add(indices, bounds), indices);
  if (emit.hasFault())
    return failure();
  return node.result(emit.gather(node.operand(0), wrapped, shape, offsetDims,
                                 collapsed, batch, batch, collapsed, sizes));
}

/// on where the index meets the position along the new axis, off elsewhere.
static LogicalResult importOneHot(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<double> depth = node.number(1, "the depth");
  if (!depth)
    return failure();
  if (*depth < 0 || *depth > 0x1p40 || node.type(2).getNumElements() != 2 ||
      node.rank(2) != 1)
    return node.invalid("depth or values are not what OneHot takes");
  int64_t rank = node.rank(0) + 1, extent = int64_t(*depth);
  int64_t axis = node.normalizeAxis(node.integerAttribute("axis", -1), rank);
  if (emit.hasFault())
    return failure();
  Shape shape = node.shape(0);
  OwnedExtents kept;
  shape.insert(shape.begin() + axis, extent);
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      kept.push_back(i);
  // Indices may be of any number type; fractions do not occur.
  Value indices = node.operand(0);
  if (isa<FloatType>(node.element(0)))
    indices = emit.convert(indices, node.builder().getI64Type());
  Value wrapped =
      emit.broadcastInDim(emit.wrapIndices(indices, extent), shape, kept);
  Value position =
      emit.iota(emit.type(shape, Emitter::elementOf(indices)), axis);
  Value off = emit.reshape(emit.sliceDim(node.operand(2), 0, 0, 1), {});
  Value on = emit.reshape(emit.sliceDim(node.operand(2), 0, 1, 2), {});
  if (emit.hasFault())
    return failure();
  Value hit =
      emit.compare(wrapped, position, stablehlo::ComparisonDirection::EQ);
  return node.result(emit.select(hit, emit.broadcastTo(on, shape),
                                 emit.broadcastTo(off, shape)));
}

/// Along the time axis, the first `length` elements of each batch in reverse,
/// the rest as they are.
static LogicalResult importReverseSequence(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t rank = node.rank(0);
  int64_t time =
      node.normalizeAxis(node.integerAttribute("time_axis", 0), rank);
  int64_t batch =
      node.normalizeAxis(node.integerAttribute("batch_axis", 1), rank);
  if (emit.hasFault())
    return failure();
  if (time == batch || rank < 2)
    return node.invalid("time_axis and batch_axis are the same");
  OwnedExtents front{batch, time};
  for (int64_t i = 0; i < rank; ++i)
    if (i != time && i != batch)
      front.push_back(i);
  Value data = emit.transpose(node.operand(0), front);
  Shape shape = emit.shapeOf(data);
  auto matrix = emit.type(shape.leading(2), node.element(1));
  Value lengths = alongDimension(emit, node.operand(1), shape.leading(2), 0);
  Value position = emit.iota(matrix, 1);
  if (emit.hasFault())
    return failure();
  Value mirrored = emit.subtract(
      emit.subtract(lengths, emit.splatLike(lengths, 1)), position);
  Value source = emit.select(
      emit.compare(position, lengths, stablehlo::ComparisonDirection::LT),
      mirrored, position);
  Shape vectors = shape.leading(2), sizes = shape;
  OwnedExtents offsetDims, inverse(rank);
  vectors.push_back(1);
  sizes[0] = sizes[1] = 1;
  for (int64_t i = 2; i < rank; ++i)
    offsetDims.push_back(i);
  Value result = emit.gather(data, emit.reshape(source, vectors), shape,
                             offsetDims, {1}, {0}, {0}, {1}, sizes);
  for (int64_t i = 0; i < rank; ++i)
    inverse[front[i]] = i;
  return node.result(emit.transpose(result, inverse));
}

void heddle::onnx::addIndexing(OperatorTable &table) {
  table.add("Gather", {1, 11, 13}, 2, 2, importGather);
  table.add("GatherElements", {11, 13}, 2, 2, importGatherElements);
  table.add("GatherND", {11, 12, 13}, 2, 2, importGatherNd);
  table.add("OneHot", {9, 11, 28}, 3, 3, importOneHot);
  table.add("ReverseSequence", {10, 28}, 2, 2, importReverseSequence);
}
