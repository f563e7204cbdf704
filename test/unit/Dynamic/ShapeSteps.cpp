// Steps that move elements to other shapes.

#include "test/unit/Dynamic/SizedProgram.h"

using namespace mlir;

namespace heddle::sized {

static bool keepLargest(SizedProgram &p, Operation *op, Value from,
                        double atLeast = 0) {
  if (op)
    p.setLargest(op->getResult(0), std::max(p.largest(from), atLeast));
  return op;
}

static bool constant(SizedProgram &p) {
  Type type = p.numberType();
  // It is no step's result itself: nothing would look at its elements.
  Value x = p.splat(p.extents(p.number(1, 3)), type, p.number(-3, 3));
  return keepLargest(p, p.emit("stablehlo.negate", x, {}, type), x);
}

/// Sizes as numbers to compute with.
static bool sizeTensor(SizedProgram &p) {
  Type type =
      p.chance(70) ? p.i32() : p.oneOf<Type>({p.f32(), p.builder.getI64Type()});
  TrueShape numbers;
  for (int64_t i = p.number(1, 3); i > 0; --i)
    numbers.push_back(p.extent() - p.number(0, 2));
  Attribute elements = size::extentsAttr(p.builder.getContext(), numbers);
  Operation *op =
      p.tell("size.tensor", {}, p.named("elements", elements),
             RankedTensorType::get({int64_t(numbers.size())}, type));
  if (op && p.scale() != Scale::Huge)
    p.setLargest(op->getResult(0), 64);
  return op;
}

static bool iota(SizedProgram &p) {
  Type type = p.numberType();
  TrueShape shape = p.extents(p.number(1, 3));
  int64_t dimension = p.number(0, shape.size() - 1);
  Operation *op =
      p.tell("stablehlo.iota", {}, p.integer("iota_dimension", dimension),
             p.type(shape, type));
  if (op)
    p.setLargest(op->getResult(0), double(p.high(shape[dimension])));
  return op;
}

static bool broadcastInDim(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any([&](Value value) { return p.rank(value) <= 3; }, type);
  if (!x)
    return false;
  // Those of the operand, in any order, and some more.
  TrueShape from = p.nearly(x);
  int64_t rank = from.size() + p.number(0, 1);
  SmallVector<int64_t> order = p.permutation(rank);
  TrueShape shape = p.extents(rank);
  SmallVector<int64_t> dimensions;
  for (auto [i, extent] : llvm::enumerate(from)) {
    dimensions.push_back(order[i]);
    if (!extent.isConstant(1) || p.chance(50))
      shape[order[i]] = extent;
  }
  return p.fits(shape) &&
         keepLargest(p,
                     p.tell("stablehlo.broadcast_in_dim", x,
                            p.list("broadcast_dimensions", dimensions),
                            p.type(shape, type)),
                     x);
}

static bool broadcast(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  TrueShape sizes = p.extents(p.number(1, 2));
  SmallVector<NamedAttribute> attributes = {
      p.list("broadcast_sizes", p.highs(sizes))};
  p.addSized(attributes, {{"broadcast_sizes", sizes}});
  return keepLargest(p, p.emit("stablehlo.broadcast", x, attributes, type), x);
}

static bool transpose(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  return keepLargest(p,
                     p.emit("stablehlo.transpose", x,
                            p.list("permutation", p.permutation(p.rank(x))),
                            type),
                     x);
}

static bool reverse(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  SmallVector<int64_t> dimensions;
  for (int64_t i = 0; i < p.rank(x); ++i)
    if (p.chance(60))
      dimensions.push_back(i);
  return keepLargest(
      p, p.emit("stablehlo.reverse", x, p.list("dimensions", dimensions), type),
      x);
}

static bool concatenate(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  int64_t along = p.number(0, p.rank(x) - 1);
  SmallVector<Value> parts = {x};
  double most = p.largest(x);
  Expression sum = p.shape(x)[along];
  int64_t bounds = p.high(sum);
  for (int64_t more = p.number(1, 2); more > 0; --more) {
    TrueShape shape = p.nearly(x);
    shape[along] = p.extent();
    if (!p.fits(shape))
      return false;
    parts.push_back(p.like(shape, type));
    most = std::max(most, p.largest(parts.back()));
    sum = sum + shape[along];
    bounds += p.high(shape[along]);
  }
  // Of both sides of a size only importers know how to join them within the
  // bound of both together.
  if (sum && p.low(sum) == p.high(sum) && p.high(sum) != bounds)
    return false;
  return keepLargest(p,
                     p.emit("stablehlo.concatenate", parts,
                            p.integer("dimension", along), type),
                     x, most);
}

static bool pad(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  TrueShape low, high;
  SmallVector<int64_t> interior, atBoundLow, atBoundHigh;
  // Around what is there, without gaps: such a pad runs over true extents.
  bool isAround = p.chance(50);
  int64_t least = isAround ? 0 : -1;
  for (Expression extent : p.shape(x)) {
    interior.push_back(isAround || p.chance(70) ? 0 : p.number(1, 2));
    low.push_back(p.chance(6) ? p.extent() : p.constant(p.number(least, 2)));
    high.push_back(p.chance(25) ? p.extent() : p.constant(p.number(least, 2)));
    // Beside what calls choose stand numbers that the type of the bound has.
    Expression spread =
        interior.back() == 0
            ? extent
            : Expression::maximum(extent * (interior.back() + 1) -
                                      interior.back(),
                                  p.constant(0));
    int64_t sum = p.high(low.back() + spread + high.back());
    atBoundLow.push_back(p.high(low.back()));
    bool isKnown = low.back().isConstant() && high.back().isConstant();
    atBoundHigh.push_back(isKnown ? p.high(high.back())
                                  : sum - atBoundLow.back() - p.high(spread));
  }
  SmallVector<NamedAttribute> attributes = {
      p.list("edge_padding_low", atBoundLow),
      p.list("edge_padding_high", atBoundHigh),
      p.list("interior_padding", interior)};
  p.addSized(attributes,
             {{"edge_padding_low", low}, {"edge_padding_high", high}});
  Value fill = p.scalar(type, p.number(-3, 3));
  return keepLargest(p, p.emit("stablehlo.pad", {x, fill}, attributes, type), x,
                     3);
}

/// An expression that is never more than `extent`.
static Expression within(SizedProgram &p, Expression extent) {
  switch (p.number(0, 4)) {
  case 0:
    return p.knownRanges().simplified(extent.floorDiv(p.number(2, 3)));
  case 1:
    return p.knownRanges().simplified(
        Expression::minimum(extent, p.constant(p.number(1, 4))));
  case 2:
    return p.knownRanges().simplified(
        Expression::maximum(extent - p.number(1, 3), p.constant(0)));
  case 3: {
    Expression other = p.extent();
    return p.isNeverNegative(extent - other) ? other : extent;
  }
  default:
    return extent;
  }
}

static bool slice(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  TrueShape starts, limits;
  SmallVector<int64_t> begin, end, strides;
  for (Expression extent : p.shape(x)) {
    Expression limit = within(p, extent);
    Expression start = p.chance(60)   ? p.constant(0)
                       : p.chance(60) ? p.constant(p.number(0, 2))
                                      : within(p, limit);
    if (!limit || !start || !p.isNeverNegative(extent - limit) ||
        !p.isNeverNegative(limit - start))
      return false;
    strides.push_back(p.chance(60) ? 1 : p.number(2, 3));
    starts.push_back(start);
    limits.push_back(limit);
    if (start.isConstant() && limit.isConstant()) {
      begin.push_back(p.high(start));
      end.push_back(p.high(limit));
      continue;
    }
    int64_t length = p.high((limit - start).ceilDiv(strides.back()));
    length = std::max<int64_t>((length - 1) * strides.back() + 1, 0);
    int64_t room = std::max<int64_t>(p.high(extent) - length, 0);
    begin.push_back(start.isConstant() ? std::min(p.high(start), room) : 0);
    end.push_back(begin.back() + length);
  }
  SmallVector<NamedAttribute> attributes = {p.list("start_indices", begin),
                                            p.list("limit_indices", end),
                                            p.list("strides", strides)};
  p.addSized(attributes,
             {{"start_indices", starts}, {"limit_indices", limits}});
  return keepLargest(p, p.emit("stablehlo.slice", x, attributes, type), x);
}

static bool reshape(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  if (p.chance(30)) {
    // Two sizes that were one.
    Expression one = p.extent(), other = p.extent();
    TrueShape shape = {one * other, p.extent()};
    if (!shape[0] || !p.fits(shape))
      return false;
    x = p.like(shape, type);
    TrueShape split = {one, other, shape[1]};
    return keepLargest(
        p, p.tell("stablehlo.reshape", x, {}, p.type(split, type)), x);
  }
  TrueShape shape = p.shape(x);
  for (int64_t changes = p.number(1, 2); changes > 0; --changes) {
    int64_t at = p.number(0, shape.size());
    if (p.chance(40) || shape.size() < 2) {
      shape.insert(shape.begin() + at, p.constant(1));
      continue;
    }
    at = std::min<int64_t>(at, shape.size() - 2);
    if (p.chance(20)) {
      // The same number of elements in another order of sizes.
      std::swap(shape[at], shape[at + 1]);
      continue;
    }
    shape[at] = shape[at] * shape[at + 1];
    shape.erase(shape.begin() + at + 1);
    if (!shape[at])
      return false;
  }
  return p.fits(shape) &&
         keepLargest(p, p.tell("stablehlo.reshape", x, {}, p.type(shape, type)),
                     x);
}

ArrayRef<Step> shapeSteps() {
  static const Step steps[] = {
      {"stablehlo.constant", constant},
      {"size.tensor", sizeTensor},
      {"stablehlo.iota", iota},
      {"stablehlo.broadcast_in_dim", broadcastInDim},
      {"stablehlo.broadcast", broadcast},
      {"stablehlo.transpose", transpose},
      {"stablehlo.reverse", reverse},
      {"stablehlo.concatenate", concatenate},
      {"stablehlo.pad", pad},
      {"stablehlo.slice", slice},
      {"stablehlo.slice", slice},
      {"stablehlo.reshape", reshape},
      {"stablehlo.reshape", reshape},
  };
  return steps;
}

} // namespace heddle::sized
