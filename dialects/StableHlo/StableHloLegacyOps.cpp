// Operations that are out of use, but read: verifiers and inference.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "dialects/StableHlo/Verification.h"

#include "mlir/IR/Matchers.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloLegacyOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerLegacyOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloLegacyOps.cpp.inc"
      >();
}

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  SmallVector<int64_t> shape(adaptor.getBroadcastSizes());
  for (int64_t size : shape)
    if (size < 0)
      return emitOptionalError(location, "broadcast_sizes holds ", size);
  llvm::append_range(shape, type.getShape());
  inferred.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult SetDimensionSizeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t dim = adaptor.getDimension();
  if (dim < 0 || dim >= type.getRank())
    return emitOptionalError(location, "dimension ", dim,
                             " is not a dimension of ", type);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<int64_t> bounds(boundsOf(type));
  bounds.resize(shape.size(), ShapedType::kDynamic);
  DenseIntElementsAttr size;
  if (matchPattern(adaptor.getSize(), m_Constant(&size))) {
    shape[dim] = size.getSplatValue<APInt>().getSExtValue();
    bounds[dim] = ShapedType::kDynamic;
  } else if (ShapedType::isStatic(shape[dim])) {
    bounds[dim] = shape[dim];
    shape[dim] = ShapedType::kDynamic;
  }
  inferred.push_back(tensorType(shape, type.getElementType(), bounds));
  return success();
}

LogicalResult RealDynamicSliceOp::verify() {
  auto type = cast<RankedTensorType>(getOperand().getType());
  int64_t rank = type.getRank();
  for (Value bounds : {getStartIndices(), getLimitIndices(), getStrides()}) {
    auto boundsType = cast<RankedTensorType>(bounds.getType());
    if (boundsType.getRank() != 1 ||
        !sizesAgree(boundsType.getDimSize(0), rank))
      return emitOpError() << "bounds of type " << boundsType
                           << " for an operand of rank " << rank;
  }
  if (cast<RankedTensorType>(getType()).getRank() != rank)
    return emitOpError() << "result " << getType()
                         << " has another rank than the operand " << type;
  return success();
}

} // namespace heddle::stablehlo
