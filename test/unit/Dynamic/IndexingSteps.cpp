// Steps that read or write at positions that are computed.

#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;

namespace heddle::sized {

/// A position, at times one that follows from a size.
static Value start(SizedProgram &p) {
  if (p.chance(75))
    return p.argument({}, p.i32());
  TrueShape number = {p.extent() - p.number(0, 2)};
  Attribute elements = size::extentsAttr(p.builder.getContext(), number);
  return p
      .tell("size.tensor", {}, p.named("elements", elements),
            p.type({}, p.i32()))
      ->getResult(0);
}

/// What is taken of a dimension: never more than it has, at times by a size.
static Expression taken(SizedProgram &p, Expression extent) {
  if (p.chance(35))
    return extent;
  int64_t least = p.low(extent);
  if (p.chance(50) && least > 0)
    return p.constant(p.number(1, std::min<int64_t>(least, 3)));
  Expression other = p.chance(50)
                         ? p.knownRanges().simplified(extent.floorDiv(2))
                         : p.extent();
  return p.isNeverNegative(extent - other) ? other : extent;
}

static bool dynamicSlice(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  SmallVector<Value> operands = {x};
  TrueShape sizes;
  for (Expression extent : p.shape(x)) {
    sizes.push_back(taken(p, extent));
    operands.push_back(start(p));
  }
  SmallVector<NamedAttribute> attributes = {
      p.list("slice_sizes", p.highs(sizes))};
  p.addSized(attributes, {{"slice_sizes", sizes}});
  Operation *op = p.emit("stablehlo.dynamic_slice", operands, attributes, type);
  if (op)
    p.setLargest(op->getResult(0), p.largest(x));
  return op;
}

static bool dynamicUpdateSlice(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  TrueShape sizes;
  for (Expression extent : p.shape(x))
    sizes.push_back(taken(p, extent));
  Value update = p.like(sizes, type);
  SmallVector<Value> operands = {x, update};
  for (unsigned i = 0; i < sizes.size(); ++i)
    operands.push_back(start(p));
  Operation *op = p.emit("stablehlo.dynamic_update_slice", operands, {}, type);
  if (op)
    p.setLargest(op->getResult(0), std::max(p.largest(x), p.largest(update)));
  return op;
}

/// Positions of the given extents: one number each, along a last dimension of
/// one or without it.
static Value positions(SizedProgram &p, TrueShape extents, int64_t &vectorDim) {
  vectorDim = extents.size();
  if (p.chance(50))
    extents.push_back(p.constant(1));
  // Unsigned and short ones, too.
  OpBuilder &b = p.builder;
  Type type = p.chance(70) ? p.i32()
                           : p.oneOf<Type>({b.getI64Type(), b.getI8Type(),
                                            b.getIntegerType(8, false),
                                            b.getIntegerType(64, false)});
  return p.fits(extents) ? p.like(extents, type) : Value();
}

static bool gather(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  TrueShape from = p.shape(x);
  bool isBatched = from.size() > 1 && p.chance(25);
  int64_t along = isBatched ? 1 : p.number(0, from.size() - 1);
  // A row, or a window of some; all or a part of the other dimensions.
  bool isRow = p.chance(60);
  TrueShape sizes;
  SmallVector<int64_t> collapsed;
  int64_t windowDims = 0;
  for (auto [i, extent] : llvm::enumerate(from)) {
    bool isDropped = int64_t(i) == along && isRow;
    if (isDropped)
      collapsed.push_back(i);
    if (isDropped || (isBatched && i == 0)) {
      sizes.push_back(p.constant(1));
      continue;
    }
    sizes.push_back(taken(p, extent));
    ++windowDims;
  }
  if (isRow && p.low(from[along]) < 1)
    return false;
  // A batch of no elements has nothing to take either.
  if (isBatched && p.low(from[0]) < 1)
    return false;
  TrueShape batch = p.extents(p.number(isBatched ? 0 : 1, 2));
  if (isBatched)
    batch.insert(batch.begin(), from[0]);
  int64_t vectorDim = 0;
  Value where = positions(p, batch, vectorDim);
  if (!where)
    return false;
  SmallVector<int64_t> order = p.permutation(windowDims + batch.size());
  SmallVector<int64_t> offsets(order.begin(), order.begin() + windowDims);
  llvm::sort(offsets);
  SmallVector<int64_t> batching;
  if (isBatched)
    batching.push_back(0);
  Attribute numbers = stablehlo::GatherDimensionNumbersAttr::get(
      p.builder.getContext(), offsets, collapsed, batching, batching, {along},
      vectorDim);
  SmallVector<NamedAttribute> attributes = {
      p.named("dimension_numbers", numbers),
      p.list("slice_sizes", p.highs(sizes))};
  p.addSized(attributes, {{"slice_sizes", sizes}});
  Operation *op = p.emit("stablehlo.gather", {x, where}, attributes, type);
  if (op)
    p.setLargest(op->getResult(0), p.largest(x));
  return op;
}

static bool scatter(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  TrueShape into = p.shape(x);
  int64_t along = p.number(0, into.size() - 1);
  bool isRow = p.chance(75);
  TrueShape batch = p.extents(1), window;
  SmallVector<int64_t> inserted;
  for (auto [i, extent] : llvm::enumerate(into)) {
    if (int64_t(i) == along && isRow)
      inserted.push_back(i);
    else
      window.push_back(taken(p, extent));
  }
  int64_t vectorDim = 0;
  Value where = positions(p, batch, vectorDim);
  if (!where)
    return false;
  // The dimensions of updates: one of batch, the others of the window.
  int64_t place = p.number(0, window.size());
  TrueShape shape = window;
  shape.insert(shape.begin() + place, batch[0]);
  SmallVector<int64_t> windowDims;
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    if (i != place)
      windowDims.push_back(i);
  if (!p.fits(shape))
    return false;
  Value updates = p.like(shape, type);
  double count = double(p.high(batch[0])) + 1;
  if (p.scale() != Scale::Huge &&
      (!p.isExact(updates, count) || !p.isExact(x, 2)))
    return false;
  Attribute numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      p.builder.getContext(), windowDims, inserted, {}, {}, {along}, vectorDim);
  Operation *op = p.emit(
      "stablehlo.scatter", {x, where, updates},
      p.named("scatter_dimension_numbers", numbers), type,
      [&](OpBuilder &, OperationState &state) {
        p.addCombiner(
            state, p.oneOf<StringRef>({"stablehlo.add", "stablehlo.maximum"}),
            type);
      });
  if (op)
    p.setLargest(op->getResult(0), p.largest(x) + p.largest(updates) * count);
  return op;
}

ArrayRef<Step> indexingSteps() {
  static const Step steps[] = {
      {"stablehlo.dynamic_slice", dynamicSlice},
      {"stablehlo.dynamic_update_slice", dynamicUpdateSlice},
      {"stablehlo.gather", gather},
      {"stablehlo.gather", gather},
      {"stablehlo.scatter", scatter},
  };
  return steps;
}

} // namespace heddle::sized
