// Arithmetic on constants. Floats are computed in double and rounded once:
// for the basic operations and the square root on f32 that is the same as
// rounding each, since double has more than twice the digits.

#include "BoxEvaluator.h"

#include "heddle/Support/ElementKind.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace heddle;

/// Toward zero and saturated, as APFloat converts; NaN becomes 0.
static int64_t toInteger(IntegerType type, double value) {
  llvm::APSInt result(type.getWidth(), type.isUnsigned());
  bool isExact;
  APFloat(value).convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return type.isUnsigned() ? static_cast<int64_t>(result.getZExtValue())
                           : result.getSExtValue();
}

void heddle::storeNumber(Type type, double value, char *out) {
  ElementKind kind = *elementKind(type);
  if (isa<FloatType>(type))
    return storeElements(kind, &value, 1, out);
  int64_t integer = static_cast<int64_t>(value);
  storeElements(kind, &integer, 1, out);
}

/// Computes `count` elements from those of up to three operands, floats as
/// doubles and integers as those of 64 bits.
template <typename T>
using BlockFunction = void (*)(const T *, const T *, const T *, int64_t count,
                               T *out);

/// The function of a case of a TypeSwitch that makes of the elements `a`, `b`
/// and `c` of the operands what `expression` says.
#define HEDDLE_FUNCTION(T, expression)                                         \
  [](auto) -> BlockFunction<T> {                                               \
    return [](const T *x, const T *y, const T *z, int64_t count, T *out) {     \
      for (int64_t i = 0; i < count; ++i) {                                    \
        [[maybe_unused]] T a = x[i], b = y[i], c = z[i];                       \
        out[i] = expression;                                                   \
      }                                                                        \
    };                                                                         \
  }

/// NaN wins, unlike in fmax and fmin.
static double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}
static double smaller(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
}

#define FUNCTION(expression) HEDDLE_FUNCTION(double, expression)
static BlockFunction<double> floatFunction(Operation *op) {
  using namespace stablehlo;
  return llvm::TypeSwitch<Operation *, BlockFunction<double>>(op)
      .Case<AddOp>(FUNCTION(a + b))
      .Case<SubtractOp>(FUNCTION(a - b))
      .Case<MulOp>(FUNCTION(a * b))
      .Case<DivOp>(FUNCTION(a / b))
      .Case<MaxOp>(FUNCTION(larger(a, b)))
      .Case<MinOp>(FUNCTION(smaller(a, b)))
      .Case<PowOp>(FUNCTION(std::pow(a, b)))
      .Case<NegOp>(FUNCTION(-a))
      .Case<AbsOp>(FUNCTION(std::fabs(a)))
      .Case<SqrtOp>(FUNCTION(std::sqrt(a)))
      .Case<RsqrtOp>(FUNCTION(1.0 / std::sqrt(a)))
      .Case<ExpOp>(FUNCTION(std::exp(a)))
      .Case<LogOp>(FUNCTION(std::log(a)))
      .Case<TanhOp>(FUNCTION(std::tanh(a)))
      .Case<SineOp>(FUNCTION(std::sin(a)))
      .Case<CosineOp>(FUNCTION(std::cos(a)))
      .Case<LogisticOp>(FUNCTION(1.0 / (1.0 + std::exp(-a))))
      .Case<FloorOp>(FUNCTION(std::floor(a)))
      .Case<CeilOp>(FUNCTION(std::ceil(a)))
      .Case<RoundOp>(FUNCTION(std::round(a)))
      .Case<RoundNearestEvenOp>(FUNCTION(std::nearbyint(a)))
      .Case<SignOp>(FUNCTION(a > 0   ? 1
                             : a < 0 ? -1
                                     : a)) // zeros and NaN stay
      .Case<ClampOp>(FUNCTION(smaller(larger(a, b), c)))
      .Default(BlockFunction<double>(nullptr));
}
#undef FUNCTION

static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

#define FUNCTION(expression) HEDDLE_FUNCTION(int64_t, expression)
static BlockFunction<int64_t> integerFunction(Operation *op) {
  using namespace stablehlo;
  return llvm::TypeSwitch<Operation *, BlockFunction<int64_t>>(op)
      .Case<AddOp>(FUNCTION(wrap(uint64_t(a) + uint64_t(b))))
      .Case<SubtractOp>(FUNCTION(wrap(uint64_t(a) - uint64_t(b))))
      .Case<MulOp>(FUNCTION(wrap(uint64_t(a) * uint64_t(b))))
      .Case<MaxOp>(FUNCTION(std::max(a, b)))
      .Case<MinOp>(FUNCTION(std::min(a, b)))
      .Case<NegOp>(FUNCTION(wrap(0 - uint64_t(a))))
      .Case<AbsOp>(FUNCTION(a < 0 ? wrap(0 - uint64_t(a)) : a))
      .Case<AndOp>(FUNCTION(a & b))
      .Case<OrOp>(FUNCTION(a | b))
      .Case<XorOp>(FUNCTION(a ^ b))
      .Case<NotOp>(FUNCTION(~a))
      .Case<ClampOp>(FUNCTION(std::min(std::max(a, b), c)))
      .Default(BlockFunction<int64_t>(nullptr));
}

/// On bool, + is or and * is and.
static BlockFunction<int64_t> boolFunction(Operation *op) {
  using namespace stablehlo;
  if (isa<SubtractOp, NegOp, AbsOp>(op))
    return nullptr;
  return llvm::TypeSwitch<Operation *, BlockFunction<int64_t>>(op)
      .Case<AddOp>(FUNCTION(a | b))
      .Case<MulOp>(FUNCTION(a & b))
      .Default(integerFunction);
}
#undef FUNCTION
#undef HEDDLE_FUNCTION

template <typename T>
static bool holds(stablehlo::ComparisonDirection direction, T a, T b) {
  using Direction = stablehlo::ComparisonDirection;
  switch (direction) {
  case Direction::EQ:
    return a == b;
  case Direction::NE:
    return a != b;
  case Direction::GE:
    return a >= b;
  case Direction::GT:
    return a > b;
  case Direction::LE:
    return a <= b;
  case Direction::LT:
    return a < b;
  }
  return false;
}

namespace {
/// The inputs at point `i`.
struct Inputs {
  ArrayRef<const char *> data;
  ArrayRef<bool> isScalar;
  SmallVector<int64_t> bytes;

  const char *at(size_t input, int64_t i) const {
    return isScalar[input] ? data[input] : data[input] + i * bytes[input];
  }
};
} // namespace

/// Elements that are computed side by side.
static constexpr int64_t blockElements = 512;

/// `count` elements of an input from number `begin` on; a scalar repeated.
template <typename T>
static void loadBlock(ElementKind kind, const Inputs &x, size_t input,
                      int64_t begin, int64_t count, T *values) {
  bool isScalar = x.isScalar[input];
  loadElements(kind, x.at(input, begin), isScalar ? 1 : count, values);
  if (isScalar)
    std::fill_n(values + 1, count - 1, values[0]);
}

/// Makes elements of `kind` from the operands' by `function`.
template <typename T>
static void computeBlocks(BlockFunction<T> function, ElementKind kind,
                          const Inputs &x, int64_t count, char *out) {
  T values[3][blockElements] = {};
  T results[blockElements];
  for (int64_t i = 0; i < count; i += blockElements) {
    int64_t here = std::min(blockElements, count - i);
    for (size_t input = 0; input < x.data.size(); ++input)
      loadBlock(kind, x, input, i, here, values[input]);
    function(values[0], values[1], values[2], here, results);
    storeElements(kind, results, here, out + i * storedBytes(kind));
  }
}

/// Elements that are read as `From` become those that `function` makes of each,
/// written as `To`.
template <typename From, typename To, typename Function>
static void convertBlocks(ElementKind source, ElementKind target,
                          const Inputs &x, int64_t count, char *out,
                          Function function) {
  From values[blockElements];
  To results[blockElements];
  for (int64_t i = 0; i < count; i += blockElements) {
    int64_t here = std::min(blockElements, count - i);
    loadBlock(source, x, 0, i, here, values);
    std::transform(values, values + here, results, function);
    storeElements(target, results, here, out + i * storedBytes(target));
  }
}

static void convert(Type from, Type to, const Inputs &x, int64_t count,
                    char *out) {
  ElementKind source = *elementKind(from), target = *elementKind(to);
  if (isa<FloatType>(to))
    return convertBlocks<double, double>(source, target, x, count, out,
                                         [](double value) { return value; });
  auto integer = cast<IntegerType>(to);
  bool isBool = integer.getWidth() == 1;
  if (isa<FloatType>(from))
    return convertBlocks<double, int64_t>(
        source, target, x, count, out, [&](double value) {
          return isBool ? int64_t(value != 0) : toInteger(integer, value);
        });
  convertBlocks<int64_t, int64_t>(
      source, target, x, count, out,
      [&](int64_t value) { return isBool ? int64_t(value != 0) : value; });
}

template <typename T>
static void compareBlocks(stablehlo::ComparisonDirection direction,
                          ElementKind kind, const Inputs &x, int64_t count,
                          char *out) {
  T left[blockElements], right[blockElements];
  for (int64_t i = 0; i < count; i += blockElements) {
    int64_t here = std::min(blockElements, count - i);
    loadBlock(kind, x, 0, i, here, left);
    loadBlock(kind, x, 1, i, here, right);
    for (int64_t at = 0; at < here; ++at)
      out[i + at] = holds(direction, left[at], right[at]);
  }
}

static bool compare(stablehlo::CompareOp op, Type type, const Inputs &x,
                    int64_t count, char *out) {
  if (op.getCompareType() == stablehlo::ComparisonType::TOTALORDER ||
      type.isUnsignedInteger(64))
    return false;
  auto compareAs =
      isa<FloatType>(type) ? compareBlocks<double> : compareBlocks<int64_t>;
  compareAs(op.getComparisonDirection(), *elementKind(type), x, count, out);
  return true;
}

bool heddle::applyElementwise(Operation *op, ArrayRef<const char *> inputs,
                              ArrayRef<bool> isScalar, int64_t count,
                              char *out) {
  Inputs x{inputs, isScalar, {}};
  for (Value operand : op->getOperands())
    x.bytes.push_back(elementBytes(
        cast<RankedTensorType>(operand.getType()).getElementType()));
  Type source =
      cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  Type target =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  int64_t bytes = elementBytes(target);
  if (isa<stablehlo::ConvertOp>(op)) {
    convert(source, target, x, count, out);
    return true;
  }
  if (auto comparison = dyn_cast<stablehlo::CompareOp>(op))
    return compare(comparison, source, x, count, out);
  if (isa<stablehlo::BitcastConvertOp>(op)) {
    if (x.bytes[0] != bytes)
      return false;
    std::memcpy(out, inputs[0], count * bytes);
    return true;
  }
  if (isa<stablehlo::SelectOp>(op)) {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(out + i * bytes, x.at(*x.at(0, i) ? 1 : 2, i), bytes);
    return true;
  }
  if (target != source)
    return false;
  auto compute = [&](auto function) {
    if (function)
      computeBlocks(function, *elementKind(source), x, count, out);
    return function != nullptr;
  };
  if (isa<FloatType>(source))
    return compute(floatFunction(op));
  // The numbers that these are read as have a sign.
  if (source.isUnsignedInteger(64))
    return false;
  return compute(source.isInteger(1) ? boolFunction(op) : integerFunction(op));
}
