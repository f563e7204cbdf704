// Checks of quantized types, alone and between the operands and results of an
// operation.

#include "dialects/StableHlo/QuantizedTypes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace heddle::stablehlo {

Type expressedType(Type element) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return quantized.getExpressedType();
  return element;
}

Type storedType(Type element) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  if (!quantized)
    return element;
  auto storage = cast<IntegerType>(quantized.getStorageType());
  return quantized.isSigned()
             ? storage
             : IntegerType::get(element.getContext(), storage.getWidth(),
                                IntegerType::Unsigned);
}

//===----------------------------------------------------------------------===//
// One type
//===----------------------------------------------------------------------===//

/// C1 to C6 and C9 to C11 of quantized element types are those of MLIR's own
/// verifier; what is left needs the tensor, or is left open there.
static LogicalResult verifyQuantizedType(Operation *op, StringRef kind,
                                         unsigned number, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto element = tensor
                     ? dyn_cast<quant::QuantizedType>(tensor.getElementType())
                     : quant::QuantizedType();
  if (!element)
    return success();
  auto error = [&] {
    return op->emitOpError() << kind << " #" << number << " of type " << type;
  };
  Type storage = element.getStorageType();
  unsigned width = element.getStorageTypeIntegralWidth();
  if (storage.isSignedInteger() ||
      !llvm::is_contained({2u, 4u, 8u, 16u, 32u}, width))
    return error() << " is stored as " << storage
                   << "; i or u of 2, 4, 8, 16 or 32 bits is wanted";
  SmallVector<int64_t> zeroPoints;
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(element))
    zeroPoints = {uniform.getZeroPoint()};
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element);
  if (perAxis)
    llvm::append_range(zeroPoints, perAxis.getZeroPoints());
  // C7, C8.
  for (int64_t zero : zeroPoints)
    if (zero < element.getStorageTypeMin() ||
        zero > element.getStorageTypeMax())
      return error() << " has the zero point " << zero
                     << ", values are stored from "
                     << element.getStorageTypeMin() << " to "
                     << element.getStorageTypeMax();
  if (!perAxis)
    return success();
  // C12.
  int64_t axis = perAxis.getQuantizedDimension();
  if (axis >= tensor.getRank())
    return error() << " has scales along dimension " << axis
                   << ", which is not a dimension of rank " << tensor.getRank();
  // C13.
  int64_t size = tensor.getDimSize(axis), scales = perAxis.getScales().size();
  if (ShapedType::isStatic(size) && size != scales)
    return error() << " has " << scales << " scales for dimension " << axis
                   << " of size " << size;
  return success();
}

LogicalResult verifyQuantizedTypes(Operation *op) {
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(verifyQuantizedType(op, "operand", i, type)))
      return failure();
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(verifyQuantizedType(op, "result", i, type)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Two types
//===----------------------------------------------------------------------===//

/// Whether the same integers are stored for the same kind of numbers, whatever
/// the scales.
static bool storeTheSame(quant::QuantizedType first,
                         quant::QuantizedType second) {
  return storedType(first) == storedType(second) &&
         first.getStorageTypeMin() == second.getStorageTypeMin() &&
         first.getStorageTypeMax() == second.getStorageTypeMax() &&
         first.getExpressedType() == second.getExpressedType();
}

bool haveSameBaselineElement(Type first, Type second) {
  auto left = dyn_cast<quant::QuantizedType>(first);
  auto right = dyn_cast<quant::QuantizedType>(second);
  if (first == second || !left || !right)
    return first == second;
  auto leftAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(first);
  auto rightAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(second);
  return left.getTypeID() == right.getTypeID() && storeTheSame(left, right) &&
         (!leftAxis || leftAxis.getQuantizedDimension() ==
                           rightAxis.getQuantizedDimension());
}

static InFlightDiagnostic changesElements(Operation *op, RankedTensorType from,
                                          RankedTensorType to) {
  return op->emitOpError() << "changes the element type from "
                           << from.getElementType() << " to "
                           << to.getElementType();
}

namespace {
/// The element types before and after elements are moved; null unless both have
/// scales along an axis.
struct AxisTypes {
  quant::UniformQuantizedPerAxisType operand, result;
  explicit operator bool() const { return operand && result; }
};
} // namespace

/// C1 of operations that move elements: these stay of one type, but for the
/// axis of their scales.
static FailureOr<AxisTypes>
verifyKeptElements(Operation *op, RankedTensorType from, RankedTensorType to) {
  AxisTypes types = {
      dyn_cast<quant::UniformQuantizedPerAxisType>(from.getElementType()),
      dyn_cast<quant::UniformQuantizedPerAxisType>(to.getElementType())};
  bool kept = types ? storeTheSame(types.operand, types.result)
                    : from.getElementType() == to.getElementType();
  if (!kept)
    return changesElements(op, from, to);
  return types;
}

LogicalResult verifyBroadcastElements(Operation *op, RankedTensorType from,
                                      RankedTensorType to,
                                      ArrayRef<int64_t> dims) {
  // C1.
  FailureOr<AxisTypes> types = verifyKeptElements(op, from, to);
  if (failed(types) || !*types)
    return failure(failed(types));
  auto [operand, result] = *types;
  // C6.
  int64_t axis = operand.getQuantizedDimension();
  if (result.getQuantizedDimension() != dims[axis])
    return op->emitOpError()
           << "result has scales along dimension "
           << result.getQuantizedDimension() << ", the operand's dimension "
           << axis << ", along which it has scales, becomes " << dims[axis];
  if (from.getDimSize(axis) != 1)
    return success();
  for (auto [scale, zero] :
       llvm::zip_equal(result.getScales(), result.getZeroPoints()))
    if (scale != operand.getScales().front() ||
        zero != operand.getZeroPoints().front())
      return op->emitOpError()
             << "result has the scale " << scale << " and zero point " << zero
             << " where the operand's only ones, "
             << operand.getScales().front() << " and "
             << operand.getZeroPoints().front() << ", are repeated";
  return success();
}

/// The product of sizes; nothing where one is not known.
static std::optional<int64_t> product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    result *= size;
  }
  return result;
}

LogicalResult verifyReshapedElements(Operation *op, RankedTensorType from,
                                     RankedTensorType to) {
  // C1.
  FailureOr<AxisTypes> types = verifyKeptElements(op, from, to);
  if (failed(types) || !*types)
    return failure(failed(types));
  auto [operand, result] = *types;
  if (operand.getScales() != result.getScales() ||
      operand.getZeroPoints() != result.getZeroPoints())
    return changesElements(op, from, to);
  // C3. That the axis keeps its size follows from equal numbers of scales, but
  // for sizes that are not known.
  size_t fromAxis = operand.getQuantizedDimension();
  size_t toAxis = result.getQuantizedDimension();
  auto differ = [](ArrayRef<int64_t> first, ArrayRef<int64_t> second) {
    std::optional<int64_t> left = product(first), right = product(second);
    return left && right && *left != *right;
  };
  ArrayRef<int64_t> sizes = from.getShape(), newSizes = to.getShape();
  if (differ(sizes.take_front(fromAxis), newSizes.take_front(toAxis)) ||
      differ(sizes[fromAxis], newSizes[toAxis]) ||
      differ(sizes.drop_front(fromAxis + 1), newSizes.drop_front(toAxis + 1)))
    return op->emitOpError()
           << "turns dimension " << fromAxis << " of " << from
           << ", along which it has scales, into another one than dimension "
           << toAxis << " of " << to;
  return success();
}

} // namespace heddle::stablehlo
