// The distinct elements of a tensor, or its distinct slices along an axis: runs
// of equal ones after a stable sort, each of which begins with the first in the
// tensor.

#include "ComputedShapes.h"
#include "LoopEmitter.h"
#include "Selection.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;
using Direction = stablehlo::ComparisonDirection;

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

/// Where a sorted vector, or a list of sorted rows, has another element than
/// before; every NaN is equal to the others.
static Value startsOfRuns(Emitter &emit, Value sorted, Value iota) {
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
  if (Emitter::typeOf(sorted).getRank() == 2)
    differs = emit.reduce(differs, {1}, Combine::Or);
  return emit.binary<stablehlo::OrOp>(
      differs, emit.compare(iota, emit.splatLike(iota, 0), Direction::EQ));
}

/// The places of rows in the order of their elements: sorted by the last
/// column, then stably by each before.
static Value orderOfRows(Emitter &emit, Value rows) {
  Extent columns = emit.extentOf(rows, 1);
  Shape places{emit.extentOf(rows, 0)};
  Value order = emit.iota(emit.type(places, emit.builder.getI64Type()), 0);
  auto byColumn = [&](Value order, Value column) {
    Value keys = emit.reshape(sliceAt(emit, rows, 1, column), places);
    return emit
        .sortPairs(emit.take(keys, order, 0), order, 0, /*descending=*/false)
        .second;
  };
  constexpr int64_t kFew = 4;
  if (columns.isKnown() && columns.bound() <= kFew) {
    for (int64_t i = columns.bound(); i-- > 0;)
      order = byColumn(order, integerScalar(emit, i));
    return order;
  }
  Value steps = integerScalar(emit, columns);
  LoopEmitter loop(emit, {order});
  Value column = emit.subtract(integerScalar(emit, columns - 1), loop.number());
  Value next = byColumn(loop.carried().front(), column);
  return loop.finish({next}, steps)->front();
}

namespace {
/// Runs of equal elements of a sorted list.
struct Runs {
  /// Of each run, in the order in which the result has them: its element, where
  /// the first lies in the tensor, and how many there are.
  Value values, firsts, lengths;
  Value inverse; ///< Of each element of the tensor, the number of its run.
  Value count;   ///< How many there are, a scalar of 32 bits.
};
} // namespace

/// `sorted` are the elements or rows, which lie at `places` in the tensor.
static Runs runsOf(Emitter &emit, Value sorted, Value places, bool isSorted) {
  Type i64 = emit.builder.getI64Type();
  Shape shape{emit.extentOf(sorted, 0)};
  Value iota = emit.iota(emit.type(shape, i64), 0);
  Value starts = startsOfRuns(emit, sorted, iota);
  Selection selection = select(emit, starts);
  Value isRun = emit.compare(
      iota, emit.broadcastTo(emit.convert(selection.count, i64), shape),
      Direction::LT);
  Value end = emit.numberLike(iota, shape[0]);
  Value begins = emit.select(isRun, selection.positions, end);
  Value next = emit.concatenate(
      {emit.sliceDim(begins, 0, 1, shape[0]), emit.sliceDim(end, 0, 0, 1)}, 0);
  Runs runs;
  runs.count = selection.count;
  runs.lengths = emit.subtract(next, begins);
  runs.firsts = emit.take(places, selection.positions, 0);
  runs.values = emit.take(sorted, selection.positions, 0);
  Value run = emit.subtract(countUpTo(emit, starts), emit.splatLike(iota, 1));
  if (!isSorted) {
    // Runs in the order in which the tensor has them.
    Value key = emit.select(isRun, runs.firsts, end);
    Value order = emit.sortPairs(key, iota, 0, /*descending=*/false).second;
    Value ranks = emit.sortPairs(order, iota, 0, /*descending=*/false).second;
    for (Value *each : {&runs.values, &runs.firsts, &runs.lengths})
      *each = emit.take(*each, order, 0);
    run = emit.take(ranks, run, 0);
  }
  runs.inverse = emit.sortPairs(places, run, 0, /*descending=*/false).second;
  return runs;
}

static LogicalResult importUnique(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool isSorted = node.integerAttribute("sorted", 1) != 0;
  int64_t rank = node.rank(0), axis = 0;
  bool hasAxis = node.hasAttribute("axis");
  if (hasAxis)
    axis = node.normalizeAxis(node.integerAttribute("axis", 0), rank);
  if (emit.hasFault())
    return failure();
  if (!emit.mayComputeSizes())
    return refuseWithin(node);
  if (node.shape(0).product().least() < 1)
    return node.unsupported("of a tensor that may be empty");
  // The axis in front, slices as rows.
  OwnedExtents permutation{axis}, back(rank, 0);
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      permutation.push_back(i);
  for (int64_t i = 0; i < rank; ++i)
    back[permutation[i]] = i;
  Value data = node.operand(0), sorted, places;
  Shape slice;
  if (hasAxis) {
    data = emit.transpose(data, permutation);
    slice = emit.shapeOf(data).after(1);
    Value rows = emit.reshape(data, {node.shape(0)[axis], slice.product()});
    places = orderOfRows(emit, rows);
    sorted = emit.take(rows, places, 0);
  } else {
    Shape shape{node.shape(0).product()};
    Value iota = emit.iota(emit.type(shape, node.builder().getI64Type()), 0);
    std::tie(sorted, places) = emit.sortPairs(emit.reshape(data, shape), iota,
                                              0, /*descending=*/false);
  }
  Runs runs = runsOf(emit, sorted, places, isSorted);
  Extent extent =
      emit.computedExtent(emit.extentOf(sorted, 0).bound(), runs.count);
  auto first = [&](Value value) {
    return emit.firstOf(value, 0, extent, runs.count);
  };
  Value values = first(runs.values);
  if (hasAxis) {
    Shape shape{extent};
    shape.append(slice);
    values = emit.transpose(emit.reshape(values, shape), back);
  }
  node.set(0, values);
  node.set(1, first(runs.firsts));
  node.set(2, runs.inverse);
  node.set(3, first(runs.lengths));
  return success();
}

void heddle::onnx::addUnique(OperatorTable &table) {
  table.add("Unique", {11, 28}, 1, 1, importUnique, 4);
}
