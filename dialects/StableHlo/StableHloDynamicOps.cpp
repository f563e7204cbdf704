// Operations whose sizes are operands: verifiers and inference.

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

/// What `amounts` holds, where it is a constant.
static std::optional<SmallVector<int64_t>> knownValues(Value amounts) {
  DenseIntElementsAttr known;
  if (!matchPattern(amounts, m_Constant(&known)))
    return std::nullopt;
  return llvm::map_to_vector(known.getValues<APInt>(), [](const APInt &value) {
    return value.getSExtValue();
  });
}

/// That `shape` has an entry for each dimension of `result`, and, where it is a
/// constant, holds the result's sizes. Gives the result's type with all sizes
/// that are known.
static FailureOr<RankedTensorType> verifyShapeOf(Operation *op, StringRef name,
                                                 Value shape,
                                                 RankedTensorType result) {
  if (failed(verifyShapeOperand(op, name, shape, result.getRank())))
    return failure();
  std::optional<SmallVector<int64_t>> sizes = knownValues(shape);
  if (!sizes)
    return result;
  for (auto [i, size] : llvm::enumerate(*sizes))
    if (size < 0 || !sizesAgree(size, result.getDimSize(i)))
      return op->emitOpError()
             << name << " gives dimension " << i << " the size " << size
             << ", the result is " << result;
  return RankedTensorType::get(*sizes, result.getElementType());
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  // C7.
  FailureOr<RankedTensorType> sized =
      verifyShapeOf(*this, "output_dimensions", getOutputDimensions(),
                    cast<RankedTensorType>(getType()));
  if (failed(sized))
    return failure();
  RankedTensorType to = *sized;
  ArrayRef<int64_t> dims = getBroadcastDimensions();
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
  // C1, C6.
  if (failed(verifyBroadcastElements(*this, from, to, dims)))
    return failure();
  // C8 to C10.
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
  return verifyShapeOf(*this, "output_shape", getOutputShape(), type);
}

LogicalResult DynamicPadOp::verify() {
  auto type = cast<RankedTensorType>(getOperand().getType());
  auto value = cast<RankedTensorType>(getPaddingValue().getType());
  auto result = cast<RankedTensorType>(getType());
  // C1.
  if (value.getRank() != 0 || value.getElementType() != type.getElementType())
    return emitOpError() << "padding_value of type " << value
                         << " is not a scalar of the operand's type " << type;
  if (result.getElementType() != type.getElementType())
    return emitOpError() << "changes the element type from "
                         << type.getElementType() << " to "
                         << result.getElementType();
  // C2.
  for (Value amounts :
       {getEdgePaddingLow(), getEdgePaddingHigh(), getInteriorPadding()})
    if (failed(verifyShapeOperand(*this, "padding", amounts, type.getRank())))
      return failure();
  // C3.
  std::optional<SmallVector<int64_t>> low = knownValues(getEdgePaddingLow()),
                                      high = knownValues(getEdgePaddingHigh()),
                                      interior =
                                          knownValues(getInteriorPadding());
  if (interior)
    for (int64_t amount : *interior)
      if (amount < 0)
        return emitOpError() << "interior_padding is negative: " << amount;
  // C4.
  if (result.getRank() != type.getRank())
    return emitOpError() << "result " << result
                         << " has another rank than the operand " << type;
  if (!low || !high || !interior)
    return success();
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t size = type.getDimSize(i);
    if (ShapedType::isDynamic(size))
      continue;
    int64_t padded = size + (*low)[i] + (*high)[i] +
                     std::max<int64_t>(size - 1, 0) * (*interior)[i];
    if (!sizesAgree(padded, result.getDimSize(i)))
      return emitOpError() << "padding makes dimension " << i << " of " << type
                           << " " << padded << " long, the result is "
                           << result;
  }
  return success();
}

LogicalResult DynamicReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  // C4.
  FailureOr<RankedTensorType> sized =
      verifyShapeOf(*this, "output_shape", getOutputShape(),
                    cast<RankedTensorType>(getType()));
  if (failed(sized))
    return failure();
  RankedTensorType to = *sized;
  // C2.
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements())
    return emitOpError() << "turns " << from.getNumElements()
                         << " elements into " << to.getNumElements();
  // C1, C3.
  return verifyReshapedElements(*this, from, to);
}

} // namespace heddle::stablehlo
