// Emits the steps that algorithms on floats are made of.

#include "passes/Math/FloatBuilder.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace heddle {

/// `type` with elements `element`, keeping its lanes.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

FloatBuilder::FloatBuilder(OpBuilder &builder, Location loc, Type type,
                           bool hasFma)
    : builder(builder), loc(loc), hasFma(hasFma), floatType(type),
      intType(withElement(
          type, builder.getIntegerType(
                    getElementTypeOrSelf(type).getIntOrFloatBitWidth()))) {}

FloatBuilder FloatBuilder::withElements(FloatType element) const {
  return FloatBuilder(builder, loc, withElement(floatType, element), hasFma);
}

FloatBuilder FloatBuilder::inDouble() const {
  FloatBuilder wide = withElements(builder.getF64Type());
  wide.compensates = false;
  return wide;
}

FloatType FloatBuilder::element() const {
  return mlir::cast<FloatType>(getElementTypeOrSelf(floatType));
}

Value FloatBuilder::c(double value) {
  TypedAttr attr = builder.getFloatAttr(element(), value);
  if (auto vector = dyn_cast<VectorType>(floatType))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

Value FloatBuilder::i(int64_t value) {
  TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(intType), value);
  if (auto vector = dyn_cast<VectorType>(intType))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

Value FloatBuilder::fma(Value a, Value b, Value c) {
  if (hasFma)
    return math::FmaOp::create(builder, loc, a, b, c,
                               arith::FastMathFlags::contract);
  return add(mul(a, b), c);
}

std::pair<Value, Value> FloatBuilder::exactProduct(Value x, Value y) {
  Value product = mul(x, y);
  if (hasFma)
    return {product, math::FmaOp::create(builder, loc, x, y, neg(product))};
  // Veltkamp's halves, Dekker's sum (Numer. Math. 18, 1971).
  auto halves = [&](Value v) {
    int64_t bits = (mantissa() + 2) / 2;
    Value t = mul(v, c(static_cast<double>((int64_t(1) << bits) + 1)));
    Value high = sub(t, sub(t, v));
    return std::pair(high, sub(v, high));
  };
  auto [xHigh, xLow] = halves(x);
  auto [yHigh, yLow] = halves(y);
  Value rest = sub(mul(xHigh, yHigh), product);
  rest = add(rest, mul(xHigh, yLow));
  rest = add(rest, mul(xLow, yHigh));
  return {product, add(rest, mul(xLow, yLow))};
}

Value FloatBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value value = c(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    value = fma(value, x, c(coefficient));
  return value;
}

Value FloatBuilder::iequal(Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
}

int64_t FloatBuilder::mantissa() const {
  return element().getFPMantissaWidth() - 1;
}

int64_t FloatBuilder::bias() const { return element().isF64() ? 1023 : 127; }

std::pair<Value, Value> FloatBuilder::nearest(Value a, double b) {
  // Adding 1.5 * 2^mantissa leaves no room for a fraction: the sum's low bits
  // are the integer.
  double shift = 1.5 * static_cast<double>(int64_t(1) << mantissa());
  Value sum = fma(a, c(b), c(shift));
  Value number = isub(bits(sum), bits(c(shift)));
  return {sub(sum, c(shift)), number};
}

std::pair<Value, Value> FloatBuilder::nearestPower(Value a, double b,
                                                   int64_t shift) {
  // As above; with the bias in the sum, its low bits are the power's exponent.
  int64_t integers = int64_t(3) << (mantissa() - 1);
  Value origin = c(static_cast<double>(integers + bias() + shift));
  Value sum = fma(a, c(b), origin);
  return {sub(sum, origin), fromBits(shl(bits(sum), mantissa()))};
}

} // namespace heddle
