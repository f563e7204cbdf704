// Operators whose results are as large as the data says: what they keep comes
// first, and the program counts it.

#include "ComputedShapes.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {
/// What a vector of booleans keeps.
struct Selection {
  /// The positions of what is kept, in order, and behind them the others.
  Value positions;
  Value count; ///< A scalar of 32 bits.

  /// The positions of what is kept.
  Value kept(Emitter &emit) const {
    Extent extent =
        emit.computedExtent(emit.extentOf(positions, 0).bound(), count);
    return emit.firstOf(positions, 0, extent, count);
  }
};
} // namespace

static Selection select(Emitter &emit, Value keep) {
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

/// How many of a vector of booleans are true up to each element.
static Value countUpTo(Emitter &emit, Value truths) {
  int64_t bound = emit.extentOf(truths, 0).bound();
  Window window;
  window.size = {bound};
  window.strides = window.dilations = {1};
  window.padLow = {bound - 1};
  window.padHigh = {0};
  return emit.reduceWindow(emit.convert(truths, emit.builder.getI64Type()),
                           window, Combine::Add);
}

/// Where a sorted vector has another element than before; every NaN is equal to
/// the others.
static Value startsOfRuns(Emitter &emit, Value sorted, Value iota) {
  using Direction = stablehlo::ComparisonDirection;
  Extent extent = emit.extentOf(sorted, 0);
  Value before = emit.concatenate(
      {emit.sliceDim(sorted, 0, 0, 1), emit.sliceDim(sorted, 0, 0, extent - 1)},
      0);
  Value differs = emit.compare(sorted, before, Direction::NE);
  if (isa<FloatType>(Emitter::elementOf(sorted))) {
    Value isNumber = emit.binary<stablehlo::OrOp>(
        emit.compare(sorted, sorted, Direction::EQ),
        emit.compare(before, before, Direction::EQ));
    differs = emit.binary<stablehlo::AndOp>(differs, isNumber);
  }
  return emit.binary<stablehlo::OrOp>(
      differs, emit.compare(iota, emit.splatLike(iota, 0), Direction::EQ));
}

/// The distinct elements of the tensor in a row: runs of equal ones after a
/// stable sort, each of which begins with the first in the tensor.
static LogicalResult importUnique(NodeImporter &node) {
  if (node.hasAttribute("axis"))
    return node.unsupported("distinct slices along an axis are not supported");
  Emitter &emit = node.emit;
  bool isSorted = node.integerAttribute("sorted", 1) != 0;
  if (!emit.mayComputeSizes())
    return refuseWithin(node);
  Shape shape = {node.shape(0).product()};
  if (shape[0].least() < 1)
    return node.unsupported("of a tensor that may be empty");
  Type i64 = node.builder().getI64Type();
  Value iota = emit.iota(emit.type(shape, i64), 0);
  auto [sorted, places] = emit.sortPairs(emit.reshape(node.operand(0), shape),
                                         iota, 0, /*descending=*/false);
  Value starts = startsOfRuns(emit, sorted, iota);
  Selection runs = select(emit, starts);
  Value isRun =
      emit.compare(iota, emit.broadcastTo(emit.convert(runs.count, i64), shape),
                   stablehlo::ComparisonDirection::LT);
  Value end = emit.numberLike(iota, shape[0]);
  Value begins = emit.select(isRun, runs.positions, end);
  Value next = emit.concatenate(
      {emit.sliceDim(begins, 0, 1, shape[0]), emit.sliceDim(end, 0, 0, 1)}, 0);
  Value lengths = emit.subtract(next, begins);
  Value firsts = emit.take(places, runs.positions, 0);
  Value values = emit.take(sorted, runs.positions, 0);
  Value run = emit.subtract(countUpTo(emit, starts), emit.splatLike(iota, 1));
  if (!isSorted) {
    // Runs in the order in which the tensor has them.
    Value key = emit.select(isRun, firsts, end);
    Value order = emit.sortPairs(key, iota, 0, /*descending=*/false).second;
    Value ranks = emit.sortPairs(order, iota, 0, /*descending=*/false).second;
    for (Value *each : {&values, &firsts, &lengths})
      *each = emit.take(*each, order, 0);
    run = emit.take(ranks, run, 0);
  }
  Extent extent = emit.computedExtent(shape[0].bound(), runs.count);
  auto first = [&](Value value) {
    return emit.firstOf(value, 0, extent, runs.count);
  };
  node.set(0, first(values));
  node.set(1, first(firsts));
  node.set(2, emit.sortPairs(places, run, 0, /*descending=*/false).second);
  node.set(3, first(lengths));
  return success();
}

void heddle::onnx::addSelection(OperatorTable &table) {
  table.add("NonZero", {9, 13}, 1, 1, importNonZero);
  table.add("Compress", {9, 11, 28}, 2, 2, importCompress);
  table.add("Unique", {11, 28}, 1, 1, importUnique, 4);
}
