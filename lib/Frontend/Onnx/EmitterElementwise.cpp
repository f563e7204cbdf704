// Writes arithmetic, comparisons, selections and conversions of elements.

#include "Emitter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

bool Emitter::unify(Value &lhs, Value &rhs) {
  if (elementOf(lhs) != elementOf(rhs)) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "the operands have different types, " << elementOf(lhs) << " and "
        << elementOf(rhs);
    fault(ErrorCode::OnnxNode, text);
    return false;
  }
  OwnedExtents shape = broadcastShape(shapeOf(lhs), shapeOf(rhs));
  if (hasFault())
    return false;
  lhs = broadcastTo(lhs, shape);
  rhs = broadcastTo(rhs, shape);
  return !hasFault();
}

template <typename T>
static bool holds(stablehlo::ComparisonDirection direction, T lhs, T rhs) {
  switch (direction) {
  case stablehlo::ComparisonDirection::EQ:
    return lhs == rhs;
  case stablehlo::ComparisonDirection::NE:
    return lhs != rhs;
  case stablehlo::ComparisonDirection::LT:
    return lhs < rhs;
  case stablehlo::ComparisonDirection::LE:
    return lhs <= rhs;
  case stablehlo::ComparisonDirection::GT:
    return lhs > rhs;
  case stablehlo::ComparisonDirection::GE:
    return lhs >= rhs;
  }
  return false;
}

Value Emitter::foldedComparison(Value lhs, Value rhs,
                                stablehlo::ComparisonDirection direction,
                                RankedTensorType result) {
  std::optional<Literal> left = readLiteral(lhs);
  std::optional<Literal> right = left ? readLiteral(rhs) : std::nullopt;
  if (!right)
    return {};
  Literal values = Literal::zeros(result);
  bool isUnsigned = elementOf(lhs).isUnsignedInteger();
  for (int64_t i = 0, e = values.size(); i < e; ++i) {
    if (left->isFloat())
      values.integers[i] = holds(direction, left->floats[i], right->floats[i]);
    else if (isUnsigned)
      values.integers[i] =
          holds<uint64_t>(direction, left->integers[i], right->integers[i]);
    else
      values.integers[i] =
          holds(direction, left->integers[i], right->integers[i]);
  }
  return constant(values);
}

Value Emitter::compare(Value lhs, Value rhs,
                       stablehlo::ComparisonDirection direction) {
  bool fits = unify(lhs, rhs);
  auto result = RankedTensorType::get(shapeOf(lhs), builder.getI1Type());
  if (!fits)
    return standIn(result);
  if (Value known = foldedComparison(lhs, rhs, direction, result))
    return known;
  Type element = elementOf(lhs);
  auto kind = isa<FloatType>(element) ? stablehlo::ComparisonType::FLOAT
              : element.isUnsignedInteger() || element.isInteger(1)
                  ? stablehlo::ComparisonType::UNSIGNED
                  : stablehlo::ComparisonType::SIGNED;
  return stablehlo::CompareOp::create(
      builder, loc, result, lhs, rhs,
      stablehlo::ComparisonDirectionAttr::get(builder.getContext(), direction),
      stablehlo::ComparisonTypeAttr::get(builder.getContext(), kind));
}

Value Emitter::holdsExtreme(Value x, Value extreme) {
  using Direction = stablehlo::ComparisonDirection;
  Value isExtreme = compare(x, extreme, Direction::EQ);
  if (!isa<FloatType>(elementOf(x)))
    return isExtreme;
  // No NaN equals the extreme that it makes.
  return binary<stablehlo::OrOp>(isExtreme, compare(x, x, Direction::NE));
}

Value Emitter::select(Value predicate, Value onTrue, Value onFalse) {
  if (!unify(onTrue, onFalse))
    return onTrue;
  OwnedExtents shape = broadcastShape(shapeOf(predicate), shapeOf(onTrue));
  if (!elementOf(predicate).isInteger(1))
    fault(ErrorCode::OnnxNode, "the condition is not of type bool");
  if (hasFault())
    return onTrue;
  predicate = broadcastTo(predicate, shape);
  onTrue = broadcastTo(onTrue, shape);
  onFalse = broadcastTo(onFalse, shape);
  std::optional<Literal> which =
      folds(typeOf(onTrue)) ? readLiteral(predicate) : std::nullopt;
  std::optional<Literal> chosen = which ? readLiteral(onTrue) : std::nullopt;
  std::optional<Literal> other = chosen ? readLiteral(onFalse) : std::nullopt;
  if (other) {
    for (int64_t i = 0, e = which->size(); i < e; ++i)
      if (!which->integers[i])
        chosen->copy(i, *other, i);
    return constant(*chosen);
  }
  return stablehlo::SelectOp::create(builder, loc, onTrue.getType(), predicate,
                                     onTrue, onFalse);
}

Value Emitter::convert(Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  auto result = RankedTensorType::get(shapeOf(value), element);
  std::optional<Literal> known =
      folds(result) ? readLiteral(value) : std::nullopt;
  if (known && element.isIntOrFloat())
    if (std::optional<Literal> converted = foldConvert(*known, result))
      return constant(*converted);
  return stablehlo::ConvertOp::create(builder, loc, result, value);
}

Value Emitter::add(Value lhs, Value rhs) {
  return binary<stablehlo::AddOp>(lhs, rhs);
}
Value Emitter::subtract(Value lhs, Value rhs) {
  return binary<stablehlo::SubtractOp>(lhs, rhs);
}
Value Emitter::multiply(Value lhs, Value rhs) {
  return binary<stablehlo::MulOp>(lhs, rhs);
}
Value Emitter::divide(Value lhs, Value rhs) {
  return binary<stablehlo::DivOp>(lhs, rhs);
}
Value Emitter::maximum(Value lhs, Value rhs) {
  return binary<stablehlo::MaxOp>(lhs, rhs);
}
Value Emitter::minimum(Value lhs, Value rhs) {
  return binary<stablehlo::MinOp>(lhs, rhs);
}
