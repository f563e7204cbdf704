// Steps that compute element by element.

#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace heddle::sized {

/// Whole numbers: what jumps somewhere is tried of these alone, since the graph
/// stage computes others in another order.
static Value whole(SizedProgram &p, Type type) {
  Value x = p.any([&](Value value) { return p.isExact(value, 1); }, type);
  return x ? x : p.argument(p.extents(2), type);
}
static Value wholeLike(SizedProgram &p, Value x) {
  Value y = p.like(p.nearly(x), p.element(x));
  return p.isExact(y, 1) ? y : p.argument(p.shape(y), p.element(x));
}

/// Keeps whole numbers whole.
static bool negate(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  StringRef name = p.oneOf<StringRef>({"stablehlo.negate", "stablehlo.abs"});
  Operation *op = p.emit(name, x, {}, type);
  if (op)
    p.setLargest(op->getResult(0), p.largest(x));
  return op;
}

static bool function(SizedProgram &p) {
  StringRef name = p.oneOf<StringRef>(
      {"stablehlo.exponential", "stablehlo.sine", "stablehlo.tanh",
       "stablehlo.sqrt", "stablehlo.log", "stablehlo.logistic",
       "stablehlo.floor", "stablehlo.cbrt", "stablehlo.sign",
       "stablehlo.cosine", "stablehlo.exponential_minus_one",
       "stablehlo.log_plus_one", "stablehlo.rsqrt", "stablehlo.tan",
       "stablehlo.ceil", "stablehlo.round_nearest_afz",
       "stablehlo.round_nearest_even"});
  return p.emit(name, whole(p, p.f32()), {}, p.f32());
}

static bool binary(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  Value y = p.like(p.nearly(x), type);
  StringRef name = p.oneOf<StringRef>({"stablehlo.add", "stablehlo.subtract",
                                       "stablehlo.maximum", "stablehlo.minimum",
                                       "stablehlo.multiply"});
  Operation *op = p.emit(name, {x, y}, {}, type);
  if (op)
    p.setLargest(op->getResult(0), name.ends_with("multiply")
                                       ? p.largest(x) * p.largest(y)
                                       : p.largest(x) + p.largest(y));
  return op;
}

static bool add(SizedProgram &p) {
  Value x = p.any(p.f32());
  Operation *op =
      p.emit("stablehlo.add", {x, p.like(p.nearly(x), p.f32())}, {}, p.f32());
  return op;
}

static bool divide(SizedProgram &p) {
  // Of floats, and of integers nothing by 0 that counts.
  Value x = whole(p, p.f32());
  StringRef name =
      p.oneOf<StringRef>({"stablehlo.divide", "stablehlo.atan2",
                          "stablehlo.power", "stablehlo.remainder"});
  return p.emit(name, {x, wholeLike(p, x)}, {}, p.f32());
}

static NamedAttribute direction(SizedProgram &p) {
  return p.named("comparison_direction",
                 stablehlo::ComparisonDirectionAttr::get(
                     p.builder.getContext(),
                     p.oneOf({stablehlo::ComparisonDirection::LT,
                              stablehlo::ComparisonDirection::GE,
                              stablehlo::ComparisonDirection::EQ})));
}

static bool compare(SizedProgram &p) {
  Type type = p.numberType();
  Value x = whole(p, type);
  return p.emit("stablehlo.compare", {x, wholeLike(p, x)}, direction(p),
                p.i1());
}

static bool select(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type), y = p.like(p.nearly(x), type);
  Value which =
      p.chance(30) ? p.argument({}, p.i1()) : p.like(p.nearly(x), p.i1());
  Operation *op = p.emit("stablehlo.select", {which, x, y}, {}, type);
  if (op)
    p.setLargest(op->getResult(0), std::max(p.largest(x), p.largest(y)));
  return op;
}

static bool clamp(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  auto bound = [&](int64_t value) {
    return p.chance(50) ? p.scalar(type, value) : p.like(p.nearly(x), type);
  };
  Value low = bound(-2), high = bound(3);
  Operation *op = p.emit("stablehlo.clamp", {low, x, high}, {}, type);
  if (op)
    p.setLargest(op->getResult(0),
                 std::max({p.largest(low), p.largest(x), p.largest(high)}));
  return op;
}

static bool convert(SizedProgram &p) {
  Type from = p.numberType(), to = from == p.f32() ? p.i32() : p.f32();
  // What a float that is no integer becomes is another's test.
  Value x = p.any([&](Value value) { return p.isExact(value, 1); }, from);
  if (!x || (from == p.i32() && p.largest(x) > 1 << 20))
    return false;
  Operation *op = p.emit("stablehlo.convert", x, {}, to);
  if (op)
    p.setLargest(op->getResult(0), p.largest(x));
  return op;
}

static bool isFinite(SizedProgram &p) {
  return p.emit("stablehlo.is_finite", whole(p, p.f32()), {}, p.i1());
}

static bool complex(SizedProgram &p) {
  Value x = p.any(p.f32());
  Type type = ComplexType::get(p.f32());
  Operation *op =
      p.emit("stablehlo.complex", {x, p.like(p.nearly(x), p.f32())}, {}, type);
  return op && p.emit(p.oneOf<StringRef>({"stablehlo.imag", "stablehlo.real",
                                          "stablehlo.abs"}),
                      op->getResult(0), {}, p.f32());
}

static bool reducePrecision(SizedProgram &p) {
  auto bits = [&](StringRef name, int value) {
    return p.named(name, p.builder.getI32IntegerAttr(value));
  };
  return p.emit("stablehlo.reduce_precision", whole(p, p.f32()),
                {bits("exponent_bits", 5), bits("mantissa_bits", 3)}, p.f32());
}

static bool bitcast(SizedProgram &p) {
  Value x = whole(p, p.f32());
  TrueShape shape = p.shape(x);
  if (p.chance(60))
    return p.tell("stablehlo.bitcast_convert", x, {}, p.type(shape, p.i32()));
  // Each element becomes two, along a new dimension.
  shape.push_back(p.constant(2));
  return p.fits(shape) && p.tell("stablehlo.bitcast_convert", x, {},
                                 p.type(shape, p.builder.getIntegerType(16)));
}

static bool quantize(SizedProgram &p) {
  Type type = quant::UniformQuantizedType::get(
      quant::QuantizationFlags::Signed, p.builder.getIntegerType(8), p.f32(),
      /*scale=*/0.5, /*zeroPoint=*/3, -128, 127);
  Operation *op =
      p.emit("stablehlo.uniform_quantize", whole(p, p.f32()), {}, type);
  return op &&
         p.emit("stablehlo.uniform_dequantize", op->getResult(0), {}, p.f32());
}

/// A function that is no operation, by its name.
static bool call(SizedProgram &p) {
  Value x = p.any(p.f32());
  return p.tell(
      "stablehlo.custom_call", x,
      p.named("call_target_name", p.builder.getStringAttr("mhlo.erf")),
      x.getType());
}

/// Functions of integers and of bits.
static bool bits(SizedProgram &p) {
  Value x = p.any(p.i32());
  StringRef one = p.oneOf<StringRef>(
      {"stablehlo.not", "stablehlo.popcnt", "stablehlo.count_leading_zeros"});
  if (p.chance(40))
    return p.emit(one, x, {}, p.i32());
  StringRef two = p.oneOf<StringRef>(
      {"stablehlo.and", "stablehlo.or", "stablehlo.xor", "stablehlo.shift_left",
       "stablehlo.shift_right_arithmetic", "stablehlo.shift_right_logical"});
  return p.emit(two, {x, p.like(p.nearly(x), p.i32())}, {}, p.i32());
}

static bool map(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type), y = p.like(p.nearly(x), type);
  SmallVector<int64_t> dimensions;
  for (int64_t i = 0; i < p.rank(x); ++i)
    dimensions.push_back(i);
  return p.emit("stablehlo.map", {x, y}, p.list("dimensions", dimensions), type,
                [&](OpBuilder &, OperationState &state) {
                  p.addCombiner(state, "stablehlo.subtract", type);
                });
}

static bool barrier(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  Operation *op =
      p.emit("stablehlo.optimization_barrier", {x, p.any(type)}, {}, type);
  return op;
}

ArrayRef<Step> elementwiseSteps() {
  static const Step steps[] = {
      {"stablehlo.negate", negate},
      {"stablehlo.exponential", function},
      {"stablehlo.multiply", binary},
      {"stablehlo.add", add},
      {"stablehlo.divide", divide},
      {"stablehlo.compare", compare},
      {"stablehlo.select", select},
      {"stablehlo.clamp", clamp},
      {"stablehlo.convert", convert},
      {"stablehlo.is_finite", isFinite},
      {"stablehlo.complex", complex},
      {"stablehlo.reduce_precision", reducePrecision},
      {"stablehlo.bitcast_convert", bitcast},
      {"stablehlo.uniform_quantize", quantize},
      {"stablehlo.custom_call", call},
      {"stablehlo.xor", bits},
      {"stablehlo.map", map},
      {"stablehlo.optimization_barrier", barrier},
  };
  return steps;
}

} // namespace heddle::sized
