// Small tensors that are known while importing, and arithmetic on them.

#include "Literal.h"

#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Weights.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

Literal Literal::zeros(RankedTensorType type) {
  Literal result{type, {}, {}};
  if (result.isFloat())
    result.floats.resize(type.getNumElements());
  else
    result.integers.resize(type.getNumElements());
  return result;
}

/// Wraps to the width of an integer type, signless ones as signed.
static int64_t wrap(int64_t value, Type element) {
  unsigned width = element.getIntOrFloatBitWidth();
  if (width == 64)
    return value;
  uint64_t low =
      static_cast<uint64_t>(value) & llvm::maskTrailingOnes<uint64_t>(width);
  if (element.isUnsignedInteger() || width == 1)
    return static_cast<int64_t>(low);
  return llvm::SignExtend64(low, width);
}

static llvm::APFloat rounded(double value, FloatType type) {
  llvm::APFloat result(value);
  bool losesInfo;
  result.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result;
}

static double toDouble(llvm::APFloat value) {
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

void Literal::normalize() {
  Type element = type.getElementType();
  if (auto floatType = dyn_cast<FloatType>(element)) {
    for (double &value : floats)
      value = toDouble(rounded(value, floatType));
    return;
  }
  for (int64_t &value : integers)
    value = wrap(value, element);
}

ElementsAttr Literal::attribute() const {
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  unsigned bytes = llvm::divideCeil(width, 8);
  std::vector<char> data(size() * bytes);
  for (int64_t i = 0, e = size(); i < e; ++i) {
    uint64_t bits =
        isFloat() ? rounded(floats[i], cast<FloatType>(type.getElementType()))
                        .bitcastToAPInt()
                        .getZExtValue()
                  : static_cast<uint64_t>(integers[i]);
    std::memcpy(&data[i * bytes], &bits, bytes);
  }
  if (size() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  return makeConstant(type, "folded", std::move(data));
}

bool heddle::onnx::isFoldable(RankedTensorType type) {
  Type element = type.getElementType();
  // Of a tensor whose extents calls choose the elements are not known.
  if (!element.isIntOrFloat() || size::hasExtents(type))
    return false;
  return type.getNumElements() <=
         (isa<FloatType>(element) ? kMaxFloats : kMaxIntegers);
}

std::optional<Literal> heddle::onnx::readLiteral(ElementsAttr attr) {
  auto type = dyn_cast<RankedTensorType>(attr.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  Literal result = Literal::zeros(type);
  Type element = type.getElementType();

  if (isa<DenseResourceElementsAttr>(attr)) {
    std::optional<ArrayRef<char>> data = weightBytes(attr);
    unsigned width = element.getIntOrFloatBitWidth();
    unsigned bytes = llvm::divideCeil(width, 8);
    if (!data || data->size() != static_cast<size_t>(result.size()) * bytes)
      return std::nullopt;
    for (int64_t i = 0, e = result.size(); i < e; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, data->data() + i * bytes, bytes);
      if (auto floatType = dyn_cast<FloatType>(element))
        result.floats[i] = toDouble(llvm::APFloat(
            floatType.getFloatSemantics(), APInt(width, bits, false, true)));
      else
        result.integers[i] = wrap(static_cast<int64_t>(bits), element);
    }
    return result;
  }

  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return std::nullopt;
  int64_t i = 0;
  if (result.isFloat()) {
    for (const llvm::APFloat &value : dense.getValues<llvm::APFloat>())
      result.floats[i++] = toDouble(value);
    return result;
  }
  for (const APInt &value : dense.getValues<APInt>())
    result.integers[i++] =
        wrap(static_cast<int64_t>(value.getZExtValue()), element);
  return result;
}

std::optional<Literal> heddle::onnx::readLiteral(Value value) {
  auto op = value.getDefiningOp<stablehlo::ConstantOp>();
  if (!op)
    return std::nullopt;
  if (!isFoldable(cast<RankedTensorType>(value.getType())))
    return std::nullopt;
  return readLiteral(cast<ElementsAttr>(op.getValue()));
}

bool heddle::onnx::isSplat(Value value) {
  auto op = value.getDefiningOp<stablehlo::ConstantOp>();
  if (!op)
    return false;
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  return dense && dense.isSplat();
}

int64_t heddle::onnx::linearIndex(ArrayRef<int64_t> index,
                                  ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    position = position * shape[i] + index[i];
  return position;
}

//===--- Elementwise ------------------------------------------------------===//

std::optional<Literal> heddle::onnx::foldUnary(StringRef op,
                                               const Literal &value) {
  Literal result = value;
  using FloatFunction = double (*)(double);
  auto floating =
      llvm::StringSwitch<FloatFunction>(op)
          .Case("stablehlo.negate", [](double x) { return -x; })
          .Case("stablehlo.abs", [](double x) { return std::fabs(x); })
          .Case("stablehlo.floor", [](double x) { return std::floor(x); })
          .Case("stablehlo.ceil", [](double x) { return std::ceil(x); })
          .Case("stablehlo.sqrt", [](double x) { return std::sqrt(x); })
          .Default(nullptr);
  using IntegerFunction = int64_t (*)(int64_t);
  auto integral =
      llvm::StringSwitch<IntegerFunction>(op)
          .Case("stablehlo.negate",
                [](int64_t x) { return int64_t(0 - uint64_t(x)); })
          .Case("stablehlo.abs",
                [](int64_t x) { return x < 0 ? int64_t(0 - uint64_t(x)) : x; })
          .Case("stablehlo.sign",
                [](int64_t x) { return int64_t(x > 0) - int64_t(x < 0); })
          .Case("stablehlo.not", [](int64_t x) { return ~x; })
          .Default(nullptr);
  if (value.isFloat() ? !floating : !integral)
    return std::nullopt;
  for (double &x : result.floats)
    x = floating(x);
  for (int64_t &x : result.integers)
    x = integral(x);
  result.normalize();
  return result;
}

namespace {
enum class Binary {
  None,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Maximum,
  Minimum,
  And,
  Or,
  Xor,
};
} // namespace

/// Wrapping arithmetic; nothing for a division that has no result.
static std::optional<int64_t> apply(Binary op, int64_t x, int64_t y,
                                    bool isUnsigned) {
  uint64_t ux = x, uy = y;
  switch (op) {
  case Binary::Add:
    return int64_t(ux + uy);
  case Binary::Subtract:
    return int64_t(ux - uy);
  case Binary::Multiply:
    return int64_t(ux * uy);
  case Binary::Divide:
    if (y == 0 || (!isUnsigned && x == INT64_MIN && y == -1))
      return std::nullopt;
    return isUnsigned ? int64_t(ux / uy) : x / y;
  case Binary::Remainder:
    if (y == 0 || (!isUnsigned && x == INT64_MIN && y == -1))
      return std::nullopt;
    return isUnsigned ? int64_t(ux % uy) : x % y;
  case Binary::Maximum:
    return isUnsigned ? int64_t(std::max(ux, uy)) : std::max(x, y);
  case Binary::Minimum:
    return isUnsigned ? int64_t(std::min(ux, uy)) : std::min(x, y);
  case Binary::And:
    return x & y;
  case Binary::Or:
    return x | y;
  case Binary::Xor:
    return x ^ y;
  case Binary::None:
    break;
  }
  return std::nullopt;
}

/// In double; rounding once more to a narrower type gives the type's own result
/// for these operations.
static std::optional<double> apply(Binary op, double x, double y) {
  switch (op) {
  case Binary::Add:
    return x + y;
  case Binary::Subtract:
    return x - y;
  case Binary::Multiply:
    return x * y;
  case Binary::Divide:
    return x / y;
  case Binary::Maximum:
    return std::isnan(x) || x > y ? x : y;
  case Binary::Minimum:
    return std::isnan(x) || x < y ? x : y;
  default:
    return std::nullopt;
  }
}

std::optional<Literal> heddle::onnx::foldBinary(StringRef name,
                                                const Literal &lhs,
                                                const Literal &rhs) {
  Binary op = llvm::StringSwitch<Binary>(name)
                  .Case("stablehlo.add", Binary::Add)
                  .Case("stablehlo.subtract", Binary::Subtract)
                  .Case("stablehlo.multiply", Binary::Multiply)
                  .Case("stablehlo.divide", Binary::Divide)
                  .Case("stablehlo.remainder", Binary::Remainder)
                  .Case("stablehlo.maximum", Binary::Maximum)
                  .Case("stablehlo.minimum", Binary::Minimum)
                  .Case("stablehlo.and", Binary::And)
                  .Case("stablehlo.or", Binary::Or)
                  .Case("stablehlo.xor", Binary::Xor)
                  .Default(Binary::None);
  if (op == Binary::None)
    return std::nullopt;
  Literal result = lhs;
  bool isUnsigned = lhs.type.getElementType().isUnsignedInteger();
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    if (result.isFloat()) {
      std::optional<double> value = apply(op, lhs.floats[i], rhs.floats[i]);
      if (!value)
        return std::nullopt;
      result.floats[i] = *value;
      continue;
    }
    std::optional<int64_t> value =
        apply(op, lhs.integers[i], rhs.integers[i], isUnsigned);
    if (!value)
      return std::nullopt;
    result.integers[i] = *value;
  }
  result.normalize();
  return result;
}

std::optional<Literal> heddle::onnx::foldConvert(const Literal &value,
                                                 RankedTensorType type) {
  Literal result = Literal::zeros(type);
  bool toBool = type.getElementType().isInteger(1);
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    if (value.isFloat() && result.isFloat()) {
      result.floats[i] = value.floats[i];
    } else if (value.isFloat()) {
      double x = value.floats[i];
      if (toBool)
        result.integers[i] = x != 0;
      else if (std::fabs(x) < 0x1p53)
        result.integers[i] = static_cast<int64_t>(x);
      else
        return std::nullopt;
    } else if (result.isFloat()) {
      result.floats[i] = static_cast<double>(value.integers[i]);
    } else {
      result.integers[i] = toBool ? value.integers[i] != 0 : value.integers[i];
    }
  }
  result.normalize();
  return result;
}
