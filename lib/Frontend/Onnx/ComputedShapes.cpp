// Operators whose shapes, ranges or positions the program computes.
//
// Each element that is no known size becomes a count of the program. The result
// is written for the most that it can be, and cut where it truly ends.

#include "ComputedShapes.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;
using Direction = stablehlo::ComparisonDirection;

bool heddle::onnx::isComputed(NodeImporter &node, size_t i) {
  return node.has(i) && !node.literal(i) && !node.emit.sizesIn(node.operand(i));
}

LogicalResult heddle::onnx::refuseWithin(NodeImporter &node) {
  std::string remedy;
  for (size_t i = 0; i < node.numOperands() && remedy.empty(); ++i)
    if (node.has(i))
      remedy = Emitter::bindRemedy(node.operand(i));
  return node.unsupported("how large its result is depends on the data, which "
                          "is supported outside of branches and loops only" +
                          remedy);
}

std::optional<Shape> heddle::onnx::computedSizes(NodeImporter &node, size_t i,
                                                 StringRef what) {
  Emitter &emit = node.emit;
  if (!emit.mayComputeSizes()) {
    (void)refuseWithin(node);
    return std::nullopt;
  }
  Shape sizes;
  for (const Emitter::Number &number : emit.numbersIn(node.operand(i)))
    sizes.push_back(
        number.size ? *number.size
                    : emit.computedExtent(what, number.computed, std::nullopt));
  return emit.hasFault() ? std::nullopt : std::optional(sizes);
}

/// Integers as scalars of 64 bits.
static Value integer(Emitter &emit, int64_t value) {
  return emit.number(value, emit.builder.getI64Type());
}

LogicalResult heddle::onnx::expandToComputed(NodeImporter &node) {
  Emitter &emit = node.emit;
  if (!emit.mayComputeSizes())
    return refuseWithin(node);
  SmallVector<Emitter::Number> wanted = emit.numbersIn(node.operand(1));
  Shape from = node.shape(0), shape;
  size_t rank = std::max(from.size(), wanted.size());
  for (size_t i = 0; i < rank && !emit.hasFault(); ++i) {
    size_t lead = rank - from.size(), missing = rank - wanted.size();
    Extent extent = i < lead ? Extent(1) : from[i - lead];
    Emitter::Number size =
        i < missing ? Emitter::Number{Extent(1), {}} : wanted[i - missing];
    if (size.size) {
      shape.append(emit.broadcastShape({extent}, {*size.size}));
    } else if (extent.is(1)) {
      shape.push_back(emit.computedExtent("size", size.computed, std::nullopt));
    } else {
      // Nothing but 1 and what is there fits: anything else is the call's
      // fault.
      shape.push_back(extent);
      Value there = emit.number(extent, node.builder().getI64Type());
      Value isOne =
          emit.compare(size.computed, integer(emit, 1), Direction::EQ);
      Value isThere = emit.compare(size.computed, there, Direction::EQ);
      emit.wantAtCall(emit.binary<stablehlo::OrOp>(isOne, isThere));
    }
  }
  if (emit.hasFault())
    return failure();
  return node.result(emit.broadcastTo(node.operand(0), shape));
}

//===--- Range ------------------------------------------------------------===//

/// How many steps lead from the start to the limit, as an integer; -1 for a
/// step of nothing.
static Value countSteps(Emitter &emit, Value start, Value limit, Value step) {
  Type i64 = emit.builder.getI64Type();
  Value zero = emit.splatLike(step, 0);
  Value count;
  // No bound of a size is as large: what has more steps has too many.
  constexpr double many = 0x1p40;
  if (isa<FloatType>(Emitter::elementOf(step))) {
    Type f64 = emit.builder.getF64Type();
    Value span = emit.convert(emit.subtract(limit, start), f64);
    Value steps = emit.unary<stablehlo::CeilOp>(
        emit.divide(span, emit.convert(step, f64)));
    Value isNumber = emit.compare(steps, steps, Direction::EQ);
    steps = emit.minimum(emit.maximum(steps, emit.splatLike(steps, 0)),
                         emit.splatLike(steps, many));
    count = emit.convert(
        emit.select(isNumber, steps, emit.splatLike(steps, -1)), i64);
  } else {
    // Two integers of 64 bits are up to 2^64 - 1 apart, which an unsigned one
    // holds: conversions and differences wrap to it.
    Type u64 = emit.builder.getIntegerType(64, /*isSigned=*/false);
    Value by = emit.convert(step, i64), from = emit.convert(start, i64),
          to = emit.convert(limit, i64), none = integer(emit, 0);
    auto distance = [&](Value low, Value high) {
      Value apart =
          emit.subtract(emit.convert(high, u64), emit.convert(low, u64));
      return emit.select(emit.compare(low, high, Direction::LT), apart,
                         emit.splatLike(apart, 0));
    };
    Value up = emit.compare(by, none, Direction::GT);
    Value length = emit.select(up, distance(from, to), distance(to, from));
    Value one = emit.splatLike(length, 1);
    Value width = emit.maximum(
        emit.convert(emit.select(up, by, emit.unary<stablehlo::NegOp>(by)),
                     u64),
        one);
    // Rounded up, without leaving 64 bits.
    Value rest = emit.binary<stablehlo::RemOp>(length, width);
    Value more = emit.convert(
        emit.compare(rest, emit.splatLike(rest, 0), Direction::GT), u64);
    Value steps = emit.add(emit.divide(length, width), more);
    count = emit.convert(emit.minimum(steps, emit.splatLike(steps, many)), i64);
  }
  return emit.select(emit.compare(step, zero, Direction::EQ), integer(emit, -1),
                     count);
}

LogicalResult heddle::onnx::rangeOfComputed(NodeImporter &node) {
  Emitter &emit = node.emit;
  if (!emit.mayComputeSizes())
    return refuseWithin(node);
  for (size_t i = 0; i < 3; ++i)
    if (Emitter::typeOf(node.operand(i)).getNumElements() != 1)
      return node.invalid("start, limit and step give no range");
  Value start = emit.reshape(node.operand(0), {}),
        limit = emit.reshape(node.operand(1), {}),
        step = emit.reshape(node.operand(2), {});
  Extent count = emit.computedExtent(
      "size", countSteps(emit, start, limit, step), std::nullopt);
  if (emit.hasFault())
    return failure();
  Shape shape{count};
  Value scaled = emit.multiply(emit.iota(emit.type(shape, node.element(0)), 0),
                               emit.broadcastTo(step, shape));
  return node.result(emit.add(scaled, emit.broadcastTo(start, shape)));
}

//===--- Slice ------------------------------------------------------------===//

Value heddle::onnx::neverEmpty(Emitter &emit, Value value, int64_t axis) {
  Shape shape = emit.shapeOf(value), none(shape.size(), 0), behind = none;
  if (shape[axis].least() > 0)
    return value;
  behind[axis] = 1;
  // Where the value is made, so that a loop which reads it pads it once.
  OpBuilder::InsertionGuard guard(emit.builder);
  if (isa_and_nonnull<func::FuncOp>(value.getParentBlock()->getParentOp()))
    emit.builder.setInsertionPointAfterValue(value);
  return emit.pad(value, emit.scalar(Emitter::elementOf(value), 0), none,
                  behind);
}

/// As many of what `positions` say, which are held within the dimension.
static Value takeFirst(Emitter &emit, Value value, Value positions,
                       int64_t axis, StringRef what, Value count) {
  Extent there = emit.extentOf(value, axis);
  Value last = emit.subtract(emit.numberLike(positions, there),
                             emit.splatLike(positions, 1));
  positions =
      emit.maximum(emit.minimum(positions, last), emit.splatLike(positions, 0));
  Extent bound = emit.extentOf(positions, 0);
  Extent extent = emit.computedExtent(what, count, bound.bound());
  if (emit.hasFault())
    return value;
  Value most = emit.take(neverEmpty(emit, value, axis), positions, axis);
  Value held = emit.convert(count, emit.builder.getI32Type());
  return emit.firstOf(most, axis, extent, held);
}

/// A place of a slice, from the front, at least `least` and then at most
/// `most`.
static Value placeFromFront(Emitter &emit, Value place, Value extent,
                            Value least, Value most) {
  Value zero = integer(emit, 0);
  Value front = emit.select(emit.compare(place, zero, Direction::LT),
                            emit.add(place, extent), place);
  return emit.minimum(emit.maximum(front, least), most);
}

LogicalResult heddle::onnx::sliceAtComputed(NodeImporter &node, Extents axes,
                                            Extents steps) {
  Emitter &emit = node.emit;
  if (!emit.mayComputeSizes())
    return refuseWithin(node);
  Type i64 = node.builder().getI64Type();
  SmallVector<Emitter::Number> starts = emit.numbersIn(node.operand(1)),
                               ends = emit.numbersIn(node.operand(2));
  if (emit.hasFault())
    return failure();
  if (starts.size() != axes.size() || ends.size() != axes.size() ||
      steps.size() != axes.size())
    return node.invalid("starts, ends, axes and steps differ in number");
  Value value = node.operand(0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Extent extent = emit.extentOf(value, axis);
    if (extent.is(0))
      continue;
    int64_t step = steps[i];
    if (step == 0 || step == INT64_MIN)
      return node.invalid("a step is " + Twine(step));
    Value there = emit.number(extent, i64), one = integer(emit, 1);
    Value zero = integer(emit, 0);
    Value most = step > 0 ? there : emit.subtract(there, one);
    Value start =
        placeFromFront(emit, emit.scalarOf(starts[i]), there, zero, most);
    Value end = placeFromFront(emit, emit.scalarOf(ends[i]), there,
                               step > 0 ? zero : integer(emit, -1), most);
    Value span =
        step > 0 ? emit.subtract(end, start) : emit.subtract(start, end);
    int64_t width = std::abs(step);
    Value count = emit.divide(emit.add(emit.maximum(span, integer(emit, 0)),
                                       integer(emit, width - 1)),
                              integer(emit, width));
    Shape places{extent.ceilDiv(width)};
    Value iota = emit.iota(emit.type(places, i64), 0);
    Value positions =
        emit.add(emit.broadcastTo(start, places),
                 emit.multiply(iota, emit.splatLike(iota, double(step))));
    value = takeFirst(emit, value, positions, axis, "size", count);
  }
  return emit.hasFault() ? failure() : node.result(value);
}

//===--- Reshape ----------------------------------------------------------===//

namespace {
/// A shape that is computed, as scalars of 64 bits.
class ComputedShape {
public:
  ComputedShape(NodeImporter &node, bool allowZero)
      : node(node), emit(node.emit), allowZero(allowZero) {}

  /// Resolves what stands for another size: 0 and -1.
  void resolve(ArrayRef<Emitter::Number> numbers);
  SmallVector<Value> sizes;
  /// Their product, where -1 is what is left.
  Value elements;

private:
  Value copied(Value size, size_t place);

  NodeImporter &node;
  Emitter &emit;
  bool allowZero;
};
} // namespace

Value ComputedShape::copied(Value size, size_t place) {
  if (allowZero || int64_t(place) >= node.rank(0))
    return size;
  Value there = emit.number(node.shape(0)[place], node.builder().getI64Type());
  return emit.select(emit.compare(size, integer(emit, 0), Direction::EQ), there,
                     size);
}

void ComputedShape::resolve(ArrayRef<Emitter::Number> numbers) {
  Value one = integer(emit, 1), open = integer(emit, -1);
  // Two of these multiply within 64 bits, and no tensor has as many elements.
  Value most = integer(emit, INT32_MAX);
  auto multiplied = [&](Value lhs, Value rhs) {
    return emit.minimum(emit.multiply(lhs, rhs), most);
  };
  Value known = one;
  SmallVector<Value> isOpen;
  for (auto [i, number] : llvm::enumerate(numbers)) {
    Value size = copied(emit.scalarOf(number), i);
    sizes.push_back(emit.minimum(emit.maximum(size, integer(emit, -2)), most));
    isOpen.push_back(emit.compare(sizes.back(), open, Direction::EQ));
    known = multiplied(known, emit.select(isOpen.back(), one, sizes.back()));
  }
  Value there =
      emit.number(node.shape(0).product(), node.builder().getI64Type());
  Value rest = emit.divide(there, emit.maximum(known, one));
  elements = one;
  for (auto [size, takesRest] : llvm::zip_equal(sizes, isOpen)) {
    size = emit.select(takesRest, rest, size);
    elements = multiplied(elements, size);
  }
}

/// One size that is not known is what the others leave; more than one have
/// ranges of their own, and the elements are moved there one by one.
LogicalResult heddle::onnx::reshapeToComputed(NodeImporter &node,
                                              bool allowZero) {
  Emitter &emit = node.emit;
  if (!emit.mayComputeSizes())
    return refuseWithin(node);
  Type i64 = node.builder().getI64Type();
  SmallVector<Emitter::Number> numbers = emit.numbersIn(node.operand(1));
  ComputedShape computed(node, allowZero);
  if (!emit.hasFault())
    computed.resolve(numbers);
  if (emit.hasFault())
    return failure();
  Shape shape, from = node.shape(0);
  SmallVector<size_t> open;
  Extent known = 1;
  for (auto [i, number] : llvm::enumerate(numbers)) {
    Extent size = number.size.value_or(-1);
    if (size.is(0) && !allowZero) {
      if (i >= from.size())
        return node.invalid("the shape copies dimension " + Twine(i) +
                            ", which the input does not have");
      size = from[i];
    }
    if (size.isKnown() && size.bound() < -1)
      return node.invalid("a size of the shape is " + size.text());
    shape.push_back(size);
    if (size.is(-1))
      open.push_back(i);
    else
      known *= size;
  }
  Extent there = from.product();
  auto wantElements = [&] {
    emit.wantAtCall(emit.compare(computed.elements, emit.number(there, i64),
                                 Direction::EQ));
  };
  std::optional<Extent> rest =
      open.size() == 1 ? there.dividedBy(known) : std::nullopt;
  if (open.size() == 1 && !rest)
    return node.invalid("the shape does not divide the input's " +
                        there.text() + " elements");
  if (rest) {
    shape[open.front()] = *rest;
    wantElements();
    return node.result(emit.reshape(node.operand(0), shape));
  }
  for (size_t i : open)
    shape[i] = emit.computedExtent("size", computed.sizes[i], std::nullopt);
  if (emit.hasFault())
    return failure();
  wantElements();
  // Where an element of the result lies among those of the input.
  RankedTensorType places = emit.type(shape, i64);
  if (emit.hasFault())
    return failure();
  Value place = emit.splatInteger(places, 0), stride = integer(emit, 1);
  for (size_t i = shape.size(); i-- > 0;) {
    place = emit.add(place, emit.multiply(emit.iota(places, i),
                                          emit.broadcastTo(stride, shape)));
    stride = emit.multiply(stride, computed.sizes[i]);
  }
  Value last =
      emit.subtract(emit.numberLike(place, there), emit.splatLike(place, 1));
  place = emit.maximum(emit.minimum(place, last), emit.splatLike(place, 0));
  if (there.is(0))
    return node.result(emit.splat(emit.type(shape, node.element(0)), 0));
  Value row = emit.reshape(node.operand(0), {there});
  return node.result(emit.take(neverEmpty(emit, row, 0), place, 0));
}
