// Writing elements by index.

#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// The combination that `reduction` names; no value for plain replacement.
/// Fault if it is unknown.
static std::optional<Combine> readCombination(NodeImporter &node) {
  StringRef name = node.stringAttribute("reduction", "none");
  if (name == "none")
    return std::nullopt;
  if (name == "add")
    return Combine::Add;
  if (name == "mul")
    return Combine::Multiply;
  if (name == "max")
    return Combine::Maximum;
  if (name == "min")
    return Combine::Minimum;
  (void)node.invalid("reduction '" + name + "' is unknown");
  return std::nullopt;
}

/// data[index[i][j]][j] = updates[i][j] for axis 0. Every element has its own
/// index vector, so that indices may be smaller than data in the other
/// dimensions too.
static LogicalResult importScatterElements(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t rank = node.rank(0);
  int64_t axis = node.normalizeAxis(node.integerAttribute("axis", 0), rank);
  std::optional<Combine> how = readCombination(node);
  if (emit.hasFault())
    return failure();
  if (rank == 0 || node.rank(1) != rank ||
      !node.shape(1).meets(node.shape(2)) || !node.element(1).isInteger())
    return node.invalid("indices of the shape " + spellShape(node.shape(1)) +
                        " do not fit updates of the shape " +
                        spellShape(node.shape(2)));
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis && Extent::isLess(node.shape(0)[i], node.shape(1)[i]) == true)
      return node.invalid("the indices are larger than data in dimension " +
                          Twine(i));
  Shape column = node.shape(1);
  OwnedExtents dims;
  column.push_back(1);
  RankedTensorType positions = emit.type(node.shape(1), node.element(1));
  SmallVector<Value> columns;
  for (int64_t i = 0; i < rank; ++i) {
    Value index = i == axis
                      ? emit.wrapIndices(node.operand(1), node.shape(0)[i])
                      : emit.iota(positions, i);
    columns.push_back(emit.reshape(index, column));
    dims.push_back(i);
  }
  Value vectors = emit.concatenate(columns, rank);
  return node.result(emit.scatter(node.operand(0), vectors, node.operand(2), {},
                                  dims, {}, {}, dims, how));
}

/// What ScatterElements was before opset 11.
static LogicalResult importScatter(NodeImporter &node) {
  if (node.version() >= 11)
    return node.unsupported("the operator was removed in opset 11; "
                            "ScatterElements takes its place");
  return importScatterElements(node);
}

/// The last dimension of the indices holds index vectors; updates are the
/// slices that they point to.
static LogicalResult importScatterNd(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<Combine> how = readCombination(node);
  if (emit.hasFault())
    return failure();
  int64_t rank = node.rank(0), indexRank = node.rank(1);
  if (rank == 0 || indexRank == 0)
    return node.invalid("data or indices are scalars");
  int64_t depth = emit.knownExtentOf(node.operand(1), indexRank - 1);
  Shape updates = node.shape(1).before(1), extents;
  OwnedExtents window, inserted;
  if (depth > rank)
    return node.invalid("index vectors of " + Twine(depth) +
                        " numbers do not fit data of the shape " +
                        spellShape(node.shape(0)));
  for (int64_t i = 0; i < depth; ++i) {
    inserted.push_back(i);
    extents.push_back(node.shape(0)[i]);
  }
  for (int64_t i = depth; i < rank; ++i) {
    window.push_back(updates.size());
    updates.push_back(node.shape(0)[i]);
  }
  if (!updates.meets(node.shape(2)))
    return node.invalid("the updates have the shape " +
                        spellShape(node.shape(2)) + ", not " +
                        spellShape(updates));
  Value indices = node.operand(1);
  Value wrapped = emit.select(
      emit.compare(indices, emit.splatLike(indices, 0),
                   stablehlo::ComparisonDirection::LT),
      emit.add(indices, emit.integers(extents, node.element(1))), indices);
  return node.result(emit.scatter(node.operand(0), wrapped, node.operand(2),
                                  window, inserted, {}, {}, inserted, how));
}

/// Writes updates into a cache at a position per batch, along an axis that is
/// the second to last by default; circular caches wrap.
static LogicalResult importTensorScatter(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t rank = node.rank(0);
  int64_t axis = node.normalizeAxis(node.integerAttribute("axis", -2), rank);
  StringRef mode = node.stringAttribute("mode", "linear");
  if (emit.hasFault())
    return failure();
  if (axis == 0 || node.rank(1) != rank ||
      (mode != "linear" && mode != "circular"))
    return node.invalid("axis or mode do not fit");
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis && !Extent::meet(node.shape(0)[i], node.shape(1)[i]))
      return node.invalid("cache and update differ in dimension " + Twine(i));
  Type i64 = node.builder().getI64Type();
  RankedTensorType positions = emit.type(node.shape(1), i64);
  Shape column = node.shape(1);
  OwnedExtents dims;
  column.push_back(1);
  SmallVector<Value> columns;
  for (int64_t i = 0; i < rank; ++i) {
    Value index = emit.iota(positions, i);
    if (i == axis && node.has(2)) {
      if (node.rank(2) != 1)
        return node.invalid("the write indices are no vector");
      index = emit.add(index,
                       emit.broadcastInDim(emit.convert(node.operand(2), i64),
                                           node.shape(1), 0));
      if (mode == "circular")
        index = emit.binary<stablehlo::RemOp>(
            index, emit.numberLike(index, node.shape(0)[axis]));
    }
    columns.push_back(emit.reshape(index, column));
    dims.push_back(i);
  }
  return node.result(
      emit.scatter(node.operand(0), emit.concatenate(columns, rank),
                   node.operand(1), {}, dims, {}, {}, dims, std::nullopt));
}

void heddle::onnx::addScatter(OperatorTable &table) {
  table.add("ScatterElements", {11, 13, 16, 18}, 3, 3, importScatterElements);
  table.add("Scatter", {9, 11}, 3, 3, importScatter);
  table.add("ScatterND", {11, 13, 16, 18}, 3, 3, importScatterNd);
  table.add("TensorScatter", {24}, 2, 3, importTensorScatter);
}
