#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "dialects/StableHlo/Verification.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloDynamicOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerDynamicOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloDynamicOps.cpp.inc"
      >();
}

LogicalResult DynamicGatherOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto operand = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto sizesType = cast<RankedTensorType>(adaptor.getSliceSizes().getType());
  // C11.
  if (sizesType.getRank() != 1 ||
      !sizesAgree(sizesType.getDimSize(0), operand.getRank()))
    return emitOptionalError(location, "slice_sizes of type ", sizesType,
                             " for ", operand.getRank(), " dimensions");
  SmallVector<int64_t> sizes(operand.getRank(), ShapedType::kDynamic);
  DenseIntElementsAttr known;
  if (matchPattern(adaptor.getSliceSizes(), m_Constant(&known)))
    for (auto [size, value] : llvm::zip(sizes, known.getValues<APInt>()))
      size = value.getSExtValue();
  return inferGather(
      location, operand,
      cast<RankedTensorType>(adaptor.getStartIndices().getType()),
      adaptor.getDimensionNumbers(), sizes, inferred);
}

/// That `shape` is a vector with one entry per dimension of `rank`.
static LogicalResult verifyShapeOperand(Operation *op, StringRef name,
                                        Value shape, int64_t rank) {
  auto type = cast<RankedTensorType>(shape.getType());
  if (type.getRank() != 1 || !sizesAgree(type.getDimSize(0), rank))
    return op->emitOpError()
           << name << " of type " << type << " for " << rank << " dimensions";
  return success();
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  // C1.
  if (expressedType(from.getElementType()) !=
      expressedType(to.getElementType()))
    return emitOpError() << "changes the element type from "
                         << from.getElementType() << " to "
                         << to.getElementType();
  // C2.
  if (static_cast<int64_t>(dims.size()) != from.getRank())
    return emitOpError() << "broadcast_dimensions has " << dims.size()
                         << " entries for an operand of rank "
                         << from.getRank();
  // C3, C4.
  if (failed(verifyDims(getLoc(), "broadcast_dimensions", dims, to.getRank())))
    return failure();
  // C5.
  for (auto [i, dim] : llvm::enumerate(dims))
    if (from.getDimSize(i) != 1 &&
        !sizesAgree(from.getDimSize(i), to.getDimSize(dim)))
      return emitOpError() << "operand dimension " << i << " of size "
                           << from.getDimSize(i)
                           << " does not fit result dimension " << dim
                           << " of size " << to.getDimSize(dim);
  // C7.
  if (failed(verifyShapeOperand(*this, "output_dimensions",
                                getOutputDimensions(), to.getRank())))
    return failure();
  // C8, C9.
  SmallVector<int64_t> known;
  for (auto list :
       {getKnownExpandingDimensions(), getKnownNonexpandingDimensions()})
    if (list)
      llvm::append_range(known, *list);
  return verifyDims(getLoc(),
                    "known_expanding_dimensions and "
                    "known_nonexpanding_dimensions",
                    known, from.getRank());
}

LogicalResult DynamicIotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  // C1.
  if (getIotaDimension() < 0 || getIotaDimension() >= type.getRank())
    return emitOpError() << "iota_dimension " << getIotaDimension()
                         << " is not a dimension of " << type;
  // C2.
  return verifyShapeOperand(*this, "output_shape", getOutputShape(),
                            type.getRank());
}

LogicalResult DynamicPadOp::verify() {
  auto type = cast<RankedTensorType>(getOperand().getType());
  auto value = cast<RankedTensorType>(getPaddingValue().getType());
  // C1.
  if (value.getRank() != 0 || value.getElementType() != type.getElementType())
    return emitOpError() << "padding_value of type " << value
                         << " is not a scalar of the operand's type " << type;
  // C2.
  for (Value amounts :
       {getEdgePaddingLow(), getEdgePaddingHigh(), getInteriorPadding()})
    if (failed(verifyShapeOperand(*this, "padding", amounts, type.getRank())))
      return failure();
  // C3.
  DenseIntElementsAttr interior;
  if (matchPattern(getInteriorPadding(), m_Constant(&interior)))
    for (const APInt &amount : interior.getValues<APInt>())
      if (amount.isNegative())
        return emitOpError()
               << "interior_padding is negative: " << amount.getSExtValue();
  // C4.
  if (cast<RankedTensorType>(getType()).getRank() != type.getRank())
    return emitOpError() << "result " << getType()
                         << " has another rank than the operand " << type;
  return success();
}

LogicalResult DynamicReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  // C1.
  if (expressedType(from.getElementType()) !=
      expressedType(to.getElementType()))
    return emitOpError() << "changes the element type from "
                         << from.getElementType() << " to "
                         << to.getElementType();
  // C2.
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements())
    return emitOpError() << "turns " << from.getNumElements()
                         << " elements into " << to.getNumElements();
  // C3.
  return verifyShapeOperand(*this, "output_shape", getOutputShape(),
                            to.getRank());
}

} // namespace heddle::stablehlo
