#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

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
  SmallVector<int64_t> sizes(operand.getRank(), ShapedType::kDynamic);
  return inferGather(
      location, operand,
      cast<RankedTensorType>(adaptor.getStartIndices().getType()),
      adaptor.getDimensionNumbers(), sizes, inferred);
}

} // namespace heddle::stablehlo
