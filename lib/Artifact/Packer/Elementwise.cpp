// Arithmetic on constants. Floats are computed in double and rounded once:
// for the basic operations and the square root on f32 that is the same as
// rounding each, since double has more than twice the digits.

#include "BoxEvaluator.h"

#include "heddle/Support/ElementKind.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace heddle;

template <typename T> static T read(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

static double loadFloat(FloatType type, const char *from) {
  if (type.isF32())
    return read<float>(from);
  if (type.isF64())
    return read<double>(from);
  double value;
  loadElements(*elementKind(type), from, 1, &value);
  return value;
}

static int64_t loadInteger(IntegerType type, const char *from) {
  switch (elementBytes(type)) {
  case 1: {
    // Of two or four bits those above do not count.
    int64_t value;
    loadElements(*elementKind(type), from, 1, &value);
    return value;
  }
  case 2:
    return type.isUnsigned() ? read<uint16_t>(from) : read<int16_t>(from);
  case 4:
    // Their common type would be unsigned.
    return type.isUnsigned() ? int64_t(read<uint32_t>(from))
                             : int64_t(read<int32_t>(from));
  default:
    return read<int64_t>(from);
  }
}

static void storeFloat(FloatType type, double value, char *out) {
  if (type.isF32()) {
    float narrow = static_cast<float>(value);
    std::memcpy(out, &narrow, sizeof(narrow));
    return;
  }
  if (type.isF64()) {
    std::memcpy(out, &value, sizeof(value));
    return;
  }
  storeElements(*elementKind(type), &value, 1, out);
}

/// Toward zero and saturated, as APFloat converts; NaN becomes 0.
static int64_t toInteger(IntegerType type, double value) {
  llvm::APSInt result(type.getWidth(), type.isUnsigned());
  bool isExact;
  APFloat(value).convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return type.isUnsigned() ? static_cast<int64_t>(result.getZExtValue())
                           : result.getSExtValue();
}

static void storeInteger(IntegerType type, int64_t value, char *out) {
  if (type.getWidth() == 1)
    value &= 1;
  std::memcpy(out, &value, elementBytes(type));
}

void heddle::storeNumber(Type type, double value, char *out) {
  if (auto floating = dyn_cast<FloatType>(type))
    storeFloat(floating, value, out);
  else
    storeInteger(cast<IntegerType>(type), static_cast<int64_t>(value), out);
}

/// Computes `count` elements from those of up to three operands.
using FloatFunction = void (*)(const double *, const double *, const double *,
                               int64_t count, double *out);
using IntegerFunction = int64_t (*)(int64_t, int64_t, int64_t);

/// NaN wins, unlike in fmax and fmin.
static double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}
static double smaller(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
}

static FloatFunction floatFunction(Operation *op) {
  using namespace stablehlo;
  using F = FloatFunction;
#define FUNCTION(expression)                                                   \
  [&](auto) -> F {                                                             \
    return [](const double *x, const double *y, const double *z,               \
              int64_t count, double *out) {                                    \
      for (int64_t i = 0; i < count; ++i) {                                    \
        double a = x[i], b = y[i], c = z[i];                                   \
        (void)b;                                                               \
        (void)c;                                                               \
        out[i] = expression;                                                   \
      }                                                                        \
    };                                                                         \
  }
  return llvm::TypeSwitch<Operation *, F>(op)
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
      .Default([](Operation *) -> F { return nullptr; });
#undef FUNCTION
}

static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

static IntegerFunction integerFunction(Operation *op) {
  using namespace stablehlo;
  using F = IntegerFunction;
#define FUNCTION(expression)                                                   \
  [&](auto) -> F {                                                             \
    return [](int64_t a, int64_t b, int64_t c) -> int64_t {                    \
      (void)b;                                                                 \
      (void)c;                                                                 \
      return expression;                                                       \
    };                                                                         \
  }
  return llvm::TypeSwitch<Operation *, F>(op)
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
      .Default([](Operation *) -> F { return nullptr; });
#undef FUNCTION
}

/// On bool, + is or and * is and.
static IntegerFunction boolFunction(Operation *op) {
  if (isa<stablehlo::AddOp>(op))
    return [](int64_t a, int64_t b, int64_t) { return a | b; };
  if (isa<stablehlo::MulOp>(op))
    return [](int64_t a, int64_t b, int64_t) { return a & b; };
  if (isa<stablehlo::SubtractOp, stablehlo::NegOp, stablehlo::AbsOp>(op))
    return nullptr;
  return integerFunction(op);
}

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

/// Elements that are computed as doubles side by side.
static constexpr int64_t blockElements = 512;

/// `count` elements of an input from number `begin` on; a scalar repeated.
static void loadBlock(ElementKind kind, const Inputs &x, size_t input,
                      int64_t begin, int64_t count, double *values) {
  bool isScalar = x.isScalar[input];
  loadElements(kind, x.at(input, begin), isScalar ? 1 : count, values);
  if (isScalar)
    std::fill_n(values + 1, count - 1, values[0]);
}

static void convertToFloat(Type from, FloatType to, const Inputs &x,
                           int64_t count, char *out) {
  ElementKind source = *elementKind(from), target = *elementKind(to);
  double values[blockElements];
  for (int64_t i = 0; i < count; i += blockElements) {
    int64_t here = std::min(blockElements, count - i);
    loadBlock(source, x, 0, i, here, values);
    storeElements(target, values, here, out + i * elementBytes(to));
  }
}

static void computeFloats(FloatFunction function, FloatType type,
                          const Inputs &x, int64_t count, char *out) {
  ElementKind kind = *elementKind(type);
  double values[3][blockElements] = {};
  double results[blockElements];
  for (int64_t i = 0; i < count; i += blockElements) {
    int64_t here = std::min(blockElements, count - i);
    for (size_t input = 0; input < x.data.size(); ++input)
      loadBlock(kind, x, input, i, here, values[input]);
    function(values[0], values[1], values[2], here, results);
    storeElements(kind, results, here, out + i * elementBytes(type));
  }
}

static bool convert(Type from, Type to, const Inputs &x, int64_t count,
                    char *out) {
  int64_t bytes = elementBytes(to);
  auto fromFloat = dyn_cast<FloatType>(from);
  if (auto toFloat = dyn_cast<FloatType>(to)) {
    convertToFloat(from, toFloat, x, count, out);
    return true;
  }
  for (int64_t i = 0; i < count; ++i, out += bytes) {
    const char *in = x.at(0, i);
    if (fromFloat && to.isInteger(1))
      *out = loadFloat(fromFloat, in) != 0;
    else if (fromFloat)
      storeInteger(cast<IntegerType>(to),
                   toInteger(cast<IntegerType>(to), loadFloat(fromFloat, in)),
                   out);
    else if (to.isInteger(1))
      *out = loadInteger(cast<IntegerType>(from), in) != 0;
    else
      storeInteger(cast<IntegerType>(to),
                   loadInteger(cast<IntegerType>(from), in), out);
  }
  return true;
}

static bool compare(stablehlo::CompareOp op, Type type, const Inputs &x,
                    int64_t count, char *out) {
  if (op.getCompareType() == stablehlo::ComparisonType::TOTALORDER ||
      type.isUnsignedInteger(64))
    return false;
  auto direction = op.getComparisonDirection();
  for (int64_t i = 0; i < count; ++i) {
    if (auto floating = dyn_cast<FloatType>(type))
      out[i] = holds(direction, loadFloat(floating, x.at(0, i)),
                     loadFloat(floating, x.at(1, i)));
    else
      out[i] =
          holds(direction, loadInteger(cast<IntegerType>(type), x.at(0, i)),
                loadInteger(cast<IntegerType>(type), x.at(1, i)));
  }
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
  if (isa<stablehlo::ConvertOp>(op))
    return convert(source, target, x, count, out);
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
  if (auto type = dyn_cast<FloatType>(source)) {
    FloatFunction function = floatFunction(op);
    if (!function || target != source)
      return false;
    computeFloats(function, type, x, count, out);
    return true;
  }
  auto type = cast<IntegerType>(source);
  IntegerFunction function =
      type.getWidth() == 1 ? boolFunction(op) : integerFunction(op);
  if (!function || target != source ||
      (type.isUnsigned() && type.getWidth() == 64))
    return false;
  auto argument = [&](size_t input, int64_t i, auto load) {
    return input < inputs.size() ? load(x.at(input, i))
                                 : decltype(load(out))(0);
  };
  auto load = [&](const char *from) { return loadInteger(type, from); };
  for (int64_t i = 0; i < count; ++i)
    storeInteger(type,
                 function(argument(0, i, load), argument(1, i, load),
                          argument(2, i, load)),
                 out + i * bytes);
  return true;
}
