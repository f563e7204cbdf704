#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloDistributionOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerDistributionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloDistributionOps.cpp.inc"
      >();
}

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  return inferReduced(location, adaptor.getOperands().getTypes(),
                      adaptor.getComputation(), inferred);
}

LogicalResult CollectiveReduceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  return inferReduced(location, adaptor.getOperands().getTypes(),
                      adaptor.getComputation(), inferred);
}

LogicalResult CollectiveBroadcastOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, adaptor.getOperand().getTypes());
  return success();
}

LogicalResult CollectivePermuteOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  inferred.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult AllToAllOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  int64_t split = adaptor.getSplitDimension();
  int64_t concat = adaptor.getConcatDimension();
  int64_t count = adaptor.getSplitCount();
  for (Value operand : adaptor.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    // C1, C3.
    if (split >= type.getRank() || concat >= type.getRank())
      return emitOptionalError(location, "split_dimension ", split,
                               " or concat_dimension ", concat,
                               " is not a dimension of ", type);
    SmallVector<int64_t> shape(type.getShape());
    // C2.
    if (ShapedType::isStatic(shape[split])) {
      if (shape[split] % count != 0)
        return emitOptionalError(location, "split_count ", count,
                                 " does not divide dimension ", split, " of ",
                                 type);
      shape[split] /= count;
    }
    // C9.
    if (ShapedType::isStatic(shape[concat]))
      shape[concat] *= count;
    inferred.push_back(tensorType(shape, type.getElementType()));
  }
  return success();
}

LogicalResult ReplicaIdOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  inferred.push_back(RankedTensorType::get(
      {}, IntegerType::get(context, 32, IntegerType::Unsigned)));
  return success();
}

LogicalResult PartitionIdOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  inferred.push_back(RankedTensorType::get(
      {}, IntegerType::get(context, 32, IntegerType::Unsigned)));
  return success();
}

LogicalResult InfeedOp::verify() {
  // C1 to C3.
  if (getNumResults() == 0 || !isa<TokenType>(getResults().back().getType()))
    return emitOpError("must end its results with a token");
  return success();
}

LogicalResult RecvOp::verify() {
  if (getNumResults() == 0 || !isa<TokenType>(getResults().back().getType()))
    return emitOpError("must end its results with a token");
  return success();
}

} // namespace heddle::stablehlo
