// The prec dialect: verifiers and folds of quantization as the model has it.

#include "dialects/Prec/Prec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

#include "dialects/Prec/PrecDialect.cpp.inc"
#include "dialects/Prec/PrecEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Prec/PrecOps.cpp.inc"

namespace heddle::prec {

void PrecDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Prec/PrecOps.cpp.inc"
      >();
}

int64_t leastOf(IntegerType type) {
  if (type.isUnsigned())
    return 0;
  return type.getWidth() >= 64 ? INT64_MIN
                               : -(int64_t(1) << (type.getWidth() - 1));
}

int64_t largestOf(IntegerType type) {
  unsigned bits = type.getWidth() - (type.isUnsigned() ? 0 : 1);
  return bits >= 63 ? INT64_MAX : (int64_t(1) << bits) - 1;
}

/// The input's shape is the result's, as far as both are known; scale and zero
/// point are scalars, or vectors along the axis; the zero point is of the type
/// that is stored.
template <typename Op>
static LogicalResult verifyConversion(Op op, Value stored) {
  Type storage = op.getStorageType().value_or(
      getElementTypeOrSelf(op.getZeroPoint().getType()));
  Type held = storage;
  if (auto integer = dyn_cast<IntegerType>(storage);
      integer && op.getStorageType())
    held = IntegerType::get(op.getContext(), integer.getWidth());
  for (Value value : {stored, Value(op.getZeroPoint())})
    if (!isa<IntegerType>(storage) ||
        getElementTypeOrSelf(value.getType()) != held)
      return op.emitOpError("stores ")
             << storage << ", which " << value.getType() << " does not hold";
  auto input = cast<RankedTensorType>(op.getInput().getType());
  if (failed(verifyCompatibleShape(
          input.getShape(), cast<RankedTensorType>(op.getType()).getShape())))
    return op.emitOpError("converts ") << input << " to " << op.getType();
  std::optional<uint64_t> axis = op.getAxis();
  if (axis && *axis >= uint64_t(input.getRank()))
    return op.emitOpError("has scales along dimension ")
           << *axis << " of " << input;
  SmallVector<int64_t> wanted;
  if (axis)
    wanted.push_back(input.getDimSize(*axis));
  for (Value parameter : {op.getScale(), op.getZeroPoint()}) {
    auto type = cast<RankedTensorType>(parameter.getType());
    if (type.getShape() == ArrayRef<int64_t>(wanted))
      continue;
    if (axis)
      return op.emitOpError("needs a scale and a zero point for each of ")
             << wanted[0] << " elements along dimension " << *axis << ", not "
             << type;
    return op.emitOpError("without an axis needs scalars, not ") << type;
  }
  return success();
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyConversion(*this, getResult())))
    return failure();
  IntegerType storage = getStorage();
  int64_t minimum = getMinimum(), maximum = getMaximum();
  if (minimum > maximum || minimum < leastOf(storage) ||
      maximum > largestOf(storage))
    return emitOpError("saturates to the range ")
           << minimum << " to " << maximum << ", which " << storage
           << " cannot hold";
  return success();
}

LogicalResult DequantizeOp::verify() {
  if (failed(verifyConversion(*this, getInput())))
    return failure();
  Type scale = getElementTypeOrSelf(getScale().getType()),
       result = getElementTypeOrSelf(getType());
  if (!scale.isInteger() && !result.isInteger())
    return success();
  if (scale != result)
    return emitOpError("gives ") << result << " by a scale of " << scale
                                 << "; integers come of integers alone";
  if (getStorage().getWidth() > 16)
    return emitOpError("gives ")
           << result << " of " << getStorage()
           << ", whose differences it may not hold; 16 bits are the most";
  return success();
}

/// Whether two values are one, or constants that are equal.
static bool isSame(Value left, Value right) {
  Attribute leftValue, rightValue;
  return left == right || (matchPattern(left, m_Constant(&leftValue)) &&
                           matchPattern(right, m_Constant(&rightValue)) &&
                           leftValue == rightValue);
}

static double rounded(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::NearestEven:
    return std::nearbyint(value);
  case Rounding::NearestAway:
    return std::round(value);
  case Rounding::TowardZero:
    return std::trunc(value);
  }
  llvm_unreachable("three roundings");
}

int64_t QuantizeOp::store(double quotient, int64_t zeroPoint) {
  int64_t minimum = getMinimum(), maximum = getMaximum();
  double moved =
      rounded(quotient, getRounding()) + static_cast<double>(zeroPoint);
  if (std::isnan(moved))
    return std::clamp<int64_t>(0, minimum, maximum);
  // The limit itself may be no double.
  if (moved >= static_cast<double>(maximum))
    return maximum;
  return static_cast<int64_t>(std::max(moved, static_cast<double>(minimum)));
}

OpFoldResult QuantizeOp::fold(FoldAdaptor) {
  // Exact with any rounding: the quotient is off by less than an ulp of an
  // integer of at most 16 bits.
  auto source = getInput().getDefiningOp<DequantizeOp>();
  IntegerType storage = getStorage();
  int64_t minimum = getMinimum(), maximum = getMaximum();
  bool wholeRange =
      minimum == leastOf(storage) && maximum == largestOf(storage);
  if (!source || !wholeRange || source.getInput().getType() != getType() ||
      source.getStorage() != storage || getRounding() == Rounding::TowardZero ||
      storage.getWidth() > 16 ||
      !cast<RankedTensorType>(getInput().getType()).getElementType().isF32() ||
      source.getAxisAttr() != getAxisAttr() ||
      !isSame(source.getScale(), getScale()) ||
      !isSame(source.getZeroPoint(), getZeroPoint()))
    return {};
  return source.getInput();
}

} // namespace heddle::prec
