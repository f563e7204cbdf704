// Operators whose results are as large as the data says: what they keep comes
// first, and the program counts it.

#include "Selection.h"

#include "ComputedShapes.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

Value Selection::first(Emitter &emit, int64_t most) const {
  Extent extent = emit.computedExtent(most, count);
  return emit.firstOf(positions, 0, extent, count);
}

Value Selection::kept(Emitter &emit) const {
  Extent all = emit.extentOf(positions, 0);
  Extent extent = emit.computedExtent(all.bound(), count);
  // Ranges do not say that no more is kept than a call gives.
  if (SizeScope *scope = extent.owner())
    scope->ranges.assumeNotNegative(
        all.expression(emit.builder.getContext()) -
        extent.expression(emit.builder.getContext()));
  return emit.firstOf(positions, 0, extent, count);
}

Selection heddle::onnx::select(Emitter &emit, Value keep) {
  Type i32 = emit.builder.getI32Type(), i64 = emit.builder.getI64Type();
  Shape shape = emit.shapeOf(keep);
  Value dropped = emit.convert(emit.unary<stablehlo::NotOp>(keep), i32);
  Value positions = emit.iota(emit.type(shape, i64), 0);
  Selection selection;
  selection.positions =
      emit.sortPairs(dropped, positions, 0, /*descending=*/false).second;
  selection.count = emit.reduce(emit.convert(keep, i32), {0}, Combine::Add);
  return selection;
}

/// The positions of what is known.
static Value knownPositions(NodeImporter &node, const Literal &known) {
  SmallVector<OwnedExtents> found;
  IndexWalk walk(known.type.getShape());
  for (int64_t i = 0, e = known.size(); i < e; ++i, walk.advance())
    if (known.isFloat() ? known.floats[i] != 0 : known.integers[i] != 0)
      found.push_back(OwnedExtents(walk.index()));
  Literal result = Literal::zeros(RankedTensorType::get(
      {node.rank(0), int64_t(found.size())}, node.builder().getI64Type()));
  for (size_t column = 0; column < found.size(); ++column)
    for (int64_t row = 0; row < node.rank(0); ++row)
      result.integers[row * found.size() + column] = found[column][row];
  return node.emit.constant(result);
}

/// The positions of what is not zero, a row for each dimension.
static LogicalResult importNonZero(NodeImporter &node) {
  if (std::optional<Literal> known = node.literal(0))
    return node.result(knownPositions(node, *known));
  Emitter &emit = node.emit;
  if (!emit.mayComputeSizes())
    return refuseWithin(node);
  if (node.rank(0) == 0)
    return node.unsupported("of a scalar there is no position");
  Value data = node.operand(0);
  Value keep = emit.compare(data, emit.splatLike(data, 0),
                            stablehlo::ComparisonDirection::NE);
  Shape shape = node.shape(0);
  Selection selection = select(emit, emit.reshape(keep, {shape.product()}));
  Value places = selection.kept(emit);
  Shape row = {Extent(1), emit.extentOf(places, 0)};
  SmallVector<Value> rows;
  for (size_t i = 0; i < shape.size(); ++i) {
    Value within = emit.divide(
        places, emit.numberLike(places, shape.after(i + 1).product()));
    if (i > 0)
      within = emit.binary<stablehlo::RemOp>(within,
                                             emit.numberLike(within, shape[i]));
    rows.push_back(emit.reshape(within, row));
  }
  return node.result(emit.concatenate(rows, 0));
}

/// The elements or slices that a condition keeps.
static LogicalResult importCompress(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value data = node.operand(0);
  int64_t axis = 0;
  if (node.hasAttribute("axis"))
    axis = node.normalizeAxis(node.integerAttribute("axis", 0), node.rank(0));
  else
    data = emit.reshape(data, {node.shape(0).product()});
  if (emit.hasFault() || Emitter::typeOf(data).getRank() == 0)
    return node.invalid("there is no dimension to compress");
  Extent extent = emit.shapeOf(data)[axis];
  if (std::optional<Literal> condition = node.literal(1)) {
    OwnedExtents kept;
    for (auto [i, keep] : llvm::enumerate(condition->integers))
      if (keep)
        kept.push_back(i);
    if (!kept.empty() && Extent::isLess(kept.back(), extent) == false)
      return node.invalid("the condition is longer than the dimension");
    return node.result(emit.take(
        data, emit.integers(kept, node.builder().getI64Type()), axis));
  }
  if (!emit.mayComputeSizes())
    return refuseWithin(node);
  if (node.rank(1) != 1 ||
      !(extent - node.shape(1)[0])
           .wantNotNegative(node.shape(1)[0].text() + " <= " + extent.text()))
    return node.invalid("the condition is longer than the dimension");
  Selection selection = select(emit, node.operand(1));
  return node.result(emit.take(data, selection.kept(emit), axis));
}

void heddle::onnx::addSelection(OperatorTable &table) {
  table.add("NonZero", {9, 13}, 1, 1, importNonZero);
  table.add("Compress", {9, 11, 28}, 2, 2, importCompress);
}
