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
  Shape shape = broadcastShape(shapeOf(lhs), shapeOf(rhs));
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
    return comparedSizes(lhs, rhs, direction, result);
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

Value Emitter::comparedSizes(Value lhs, Value rhs,
                             stablehlo::ComparisonDirection direction,
                             RankedTensorType result) {
  using size::Expression;
  bool isMade = lhs.getDefiningOp<size::TensorOp>() ||
                rhs.getDefiningOp<size::TensorOp>();
  std::optional<Shape> left = isMade ? sizesIn(lhs) : std::nullopt;
  std::optional<Shape> right = left ? sizesIn(rhs) : std::nullopt;
  if (!right || !elementOf(lhs).isSignlessInteger())
    return {};
  MLIRContext *context = builder.getContext();
  Shape elements;
  for (auto [x, y] : llvm::zip_equal(*left, *right)) {
    Expression a = x.expression(context), b = y.expression(context), answer;
    switch (direction) {
    case stablehlo::ComparisonDirection::EQ:
      answer = Expression::equal(a, b);
      break;
    case stablehlo::ComparisonDirection::NE:
      answer = 1 - Expression::equal(a, b);
      break;
    case stablehlo::ComparisonDirection::LT:
      answer = Expression::less(a, b);
      break;
    case stablehlo::ComparisonDirection::LE:
      answer = Expression::lessOrEqual(a, b);
      break;
    case stablehlo::ComparisonDirection::GT:
      answer = Expression::less(b, a);
      break;
    case stablehlo::ComparisonDirection::GE:
      answer = Expression::lessOrEqual(b, a);
      break;
    }
    elements.push_back(Extent(answer, decompositions.sizes));
  }
  return integers(elements, result);
}

Value Emitter::compare(Value lhs, Value rhs,
                       stablehlo::ComparisonDirection direction) {
  bool fits = unify(lhs, rhs);
  RankedTensorType result = type(shapeOf(lhs), builder.getI1Type());
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
  Shape shape = broadcastShape(shapeOf(predicate), shapeOf(onTrue));
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
  if (Value sizes = chosenSizes(predicate, onTrue, onFalse))
    return sizes;
  return stablehlo::SelectOp::create(builder, loc, onTrue.getType(), predicate,
                                     onTrue, onFalse);
}

Value Emitter::chosenSizes(Value predicate, Value onTrue, Value onFalse) {
  bool isMade =
      llvm::any_of(ValueRange{predicate, onTrue, onFalse}, [](Value v) {
        return v.getDefiningOp<size::TensorOp>() != nullptr;
      });
  std::optional<Shape> which = isMade ? sizesIn(predicate) : std::nullopt;
  std::optional<Shape> chosen = which ? sizesIn(onTrue) : std::nullopt;
  std::optional<Shape> other = chosen ? sizesIn(onFalse) : std::nullopt;
  if (!other)
    return {};
  Shape elements;
  for (auto [p, a, b] : llvm::zip_equal(*which, *chosen, *other))
    elements.push_back(b + p * (a - b));
  return integers(elements, typeOf(onTrue));
}

Value Emitter::convert(Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  RankedTensorType result = type(shapeOf(value), element);
  // A condition is no number; other sizes stay what they are where they fit.
  if (value.getDefiningOp<size::TensorOp>() && element.isIntOrFloat()) {
    if (element.isInteger(1))
      return compare(value, splatInteger(typeOf(value), 0),
                     stablehlo::ComparisonDirection::NE);
    Shape sizes = *sizesIn(value);
    int64_t greatest =
        isa<FloatType>(element)
            ? int64_t(1) << 53
            : APInt::getSignedMaxValue(element.getIntOrFloatBitWidth())
                  .getSExtValue();
    if (llvm::all_of(sizes, [&](const Extent &size) {
          return size.least() >= -greatest && size.bound() <= greatest;
        }))
      return integers(sizes, result);
  }
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
