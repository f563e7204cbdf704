// Operations element by element: verifiers and inference.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloElementwiseOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloElementwiseOps.cpp.inc"
      >();
}

LogicalResult AbsOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (auto complex = dyn_cast<ComplexType>(type.getElementType()))
    type = cast<RankedTensorType>(type.clone(complex.getElementType()));
  inferred.push_back(type);
  return success();
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (auto complex = dyn_cast<ComplexType>(type.getElementType()))
    type = cast<RankedTensorType>(type.clone(complex.getElementType()));
  inferred.push_back(type);
  return success();
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  if (auto complex = dyn_cast<ComplexType>(type.getElementType()))
    type = cast<RankedTensorType>(type.clone(complex.getElementType()));
  inferred.push_back(type);
  return success();
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getX().getType());
  inferred.push_back(type.clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult UniformDequantizeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  inferred.push_back(type.clone(expressedType(type.getElementType())));
  return success();
}

LogicalResult AddOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  // C1, C4: the verifier tells quantized types apart.
  Type lhs = adaptor.getLhs().getType(), rhs = adaptor.getRhs().getType();
  if (expressedType(getElementTypeOrSelf(lhs)) !=
      expressedType(getElementTypeOrSelf(rhs)))
    return emitOptionalError(
        location, "operands have different element types: ", lhs, " and ", rhs);
  FailureOr<RankedTensorType> type =
      inferMostSpecific(location, {lhs, rhs}, getElementTypeOrSelf(lhs));
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  Type element = getElementTypeOrSelf(adaptor.getLhs().getType());
  // C1.
  if (getElementTypeOrSelf(adaptor.getRhs().getType()) != element)
    return emitOptionalError(
        location, "parts have different types: ", adaptor.getLhs().getType(),
        " and ", adaptor.getRhs().getType());
  FailureOr<RankedTensorType> type = inferMostSpecific(
      location, adaptor.getOperands().getTypes(), ComplexType::get(element));
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  // C1.
  Type lhs = adaptor.getLhs().getType(), rhs = adaptor.getRhs().getType();
  if (!haveSameBaselineElement(getElementTypeOrSelf(lhs),
                               getElementTypeOrSelf(rhs)))
    return emitOptionalError(
        location, "operands have different element types: ", lhs, " and ", rhs);
  FailureOr<RankedTensorType> type =
      inferMostSpecific(location, {lhs, rhs}, IntegerType::get(context, 1));
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

LogicalResult ClampOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  // C1, C2: a bound is a scalar or has the operand's shape.
  for (Value bound : {adaptor.getMin(), adaptor.getMax()}) {
    auto boundType = cast<RankedTensorType>(bound.getType());
    if (boundType.getRank() != 0 &&
        failed(verifyCompatibleShape(boundType, type)))
      return emitOptionalError(location, "bound of type ", boundType,
                               " is neither a scalar nor shaped like the "
                               "operand of type ",
                               type);
    // C3.
    if (!haveSameBaselineElement(boundType.getElementType(),
                                 type.getElementType()))
      return emitOptionalError(location, "bound of type ", boundType,
                               " and operand of type ", type,
                               " have different element types");
  }
  // C4.
  inferred.push_back(type);
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  auto pred = cast<RankedTensorType>(adaptor.getPred().getType());
  // C2.
  Type values[] = {adaptor.getOnTrue().getType(),
                   adaptor.getOnFalse().getType()};
  if (failed(inferSameType(location, values, inferred)))
    return failure();
  // C1.
  if (pred.getRank() != 0 &&
      failed(verifyCompatibleShape(pred, inferred.back())))
    return emitOptionalError(location, "pred of type ", pred,
                             " is neither a scalar nor shaped like the values "
                             "of type ",
                             inferred.back());
  return success();
}

void ConvertOp::build(OpBuilder &builder, OperationState &state, Value operand,
                      Type elementType) {
  auto type = cast<RankedTensorType>(operand.getType());
  build(builder, state, type.clone(elementType), operand);
}

void CompareOp::build(OpBuilder &builder, OperationState &state, Value lhs,
                      Value rhs, ComparisonDirection direction,
                      ComparisonType type) {
  MLIRContext *context = builder.getContext();
  build(builder, state, lhs, rhs,
        ComparisonDirectionAttr::get(context, direction),
        type == ComparisonType::NOTYPE
            ? ComparisonTypeAttr()
            : ComparisonTypeAttr::get(context, type));
}

LogicalResult AddOp::verify() {
  RankedTensorType types[] = {getLhs().getType(), getRhs().getType(),
                              getType()};
  SmallVector<quant::QuantizedType> quantized;
  for (RankedTensorType type : types)
    if (auto element = dyn_cast<quant::QuantizedType>(type.getElementType()))
      quantized.push_back(element);
  if (quantized.empty())
    return success();
  auto error = [&] {
    return emitOpError() << "adds " << types[0].getElementType() << " and "
                         << types[1].getElementType() << " to "
                         << types[2].getElementType() << ": ";
  };
  // C2.
  if (quantized.size() != 3)
    return error() << "quantized are all three, or none";
  // C3.
  Type stored = storedType(quantized.front());
  for (quant::QuantizedType element : quantized)
    if (storedType(element) != stored)
      return error() << "all three are stored alike, found " << stored
                     << " and " << storedType(element);
  // C5.
  auto axisOf = [](quant::QuantizedType type) -> std::optional<int64_t> {
    if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type))
      return perAxis.getQuantizedDimension();
    return std::nullopt;
  };
  std::optional<int64_t> lhs = axisOf(quantized[0]), rhs = axisOf(quantized[1]),
                         sum = axisOf(quantized[2]);
  if ((lhs || rhs) != sum.has_value())
    return error() << "the sum has scales along an axis if an operand has";
  // C6, C7.
  for (std::optional<int64_t> axis : {lhs, rhs})
    if (axis && axis != sum)
      return error() << "scales lie along one axis, found " << *axis << " and "
                     << *sum;
  return success();
}

LogicalResult ConvertOp::verify() {
  // Quantized values are converted by uniform_quantize and uniform_dequantize.
  if (isa<quant::QuantizedType>(getOperand().getType().getElementType()) !=
      isa<quant::QuantizedType>(getType().getElementType()))
    return emitOpError("converts between quantized and plain values; "
                       "uniform_quantize and uniform_dequantize do that");
  return success();
}

LogicalResult UniformQuantizeOp::verify() {
  // C2 (C1 is the trait's).
  if (expressedType(getOperand().getType().getElementType()) !=
      expressedType(getType().getElementType()))
    return emitOpError() << "result expresses "
                         << expressedType(getType().getElementType())
                         << ", the operand "
                         << expressedType(
                                getOperand().getType().getElementType());
  return success();
}

LogicalResult ReducePrecisionOp::verify() {
  // C2.
  if (getExponentBits() < 1)
    return emitOpError() << "exponent_bits is " << getExponentBits()
                         << ", at least 1 is needed";
  // C3.
  if (getMantissaBits() < 0)
    return emitOpError() << "mantissa_bits is negative: " << getMantissaBits();
  return success();
}

LogicalResult CompareOp::verify() {
  // C3: the kind of comparison belongs to the element type.
  if (!getCompareType() || *getCompareType() == ComparisonType::NOTYPE)
    return success();
  Type element = expressedType(getLhs().getType().getElementType());
  bool legal = false;
  switch (*getCompareType()) {
  case ComparisonType::SIGNED:
    legal = (element.isSignlessInteger() && !element.isInteger(1)) ||
            isa<quant::QuantizedType>(getLhs().getType().getElementType());
    break;
  case ComparisonType::UNSIGNED:
    legal = element.isUnsignedInteger() || element.isInteger(1);
    break;
  case ComparisonType::FLOAT:
    legal = isa<FloatType, ComplexType>(element);
    break;
  case ComparisonType::TOTALORDER:
    legal = isa<FloatType>(element);
    break;
  case ComparisonType::NOTYPE:
    legal = true;
    break;
  }
  if (!legal)
    return emitOpError() << "compares values of type " << element << " as "
                         << stringifyComparisonType(*getCompareType());
  return success();
}

} // namespace heddle::stablehlo
