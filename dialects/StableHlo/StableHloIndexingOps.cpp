#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloIndexingOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerIndexingOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloIndexingOps.cpp.inc"
      >();
}

/// One type of scalar integers for all indices.
static LogicalResult verifyScalarIndices(std::optional<Location> location,
                                         ValueRange indices) {
  for (Value index : indices) {
    auto type = cast<RankedTensorType>(index.getType());
    if (type.getRank() != 0 || type != indices.front().getType())
      return emitOptionalError(location,
                               "start_indices must be scalars of one "
                               "type, found ",
                               type);
  }
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  int64_t rank = type.getRank();
  // C2.
  if (static_cast<int64_t>(adaptor.getStartIndices().size()) != rank ||
      static_cast<int64_t>(sizes.size()) != rank)
    return emitOptionalError(location, adaptor.getStartIndices().size(),
                             " start_indices and ", sizes.size(),
                             " slice_sizes for an operand of rank ", rank);
  // C3.
  if (failed(verifyScalarIndices(location, adaptor.getStartIndices())))
    return failure();
  // C4.
  for (int64_t i = 0; i < rank; ++i)
    if (sizes[i] < 0 ||
        (!type.isDynamicDim(i) && sizes[i] > type.getDimSize(i)))
      return emitOptionalError(location, "slice_sizes[", i, "] = ", sizes[i],
                               " is not inside ", type);
  // C1, C5.
  inferred.push_back(tensorType(sizes, type.getElementType()));
  return success();
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto update = cast<RankedTensorType>(adaptor.getUpdate().getType());
  // C2.
  if (expressedType(update.getElementType()) !=
      expressedType(type.getElementType()))
    return emitOptionalError(location, "update of type ", update,
                             " and operand of type ", type,
                             " have different element types");
  // C3.
  if (update.getRank() != type.getRank())
    return emitOptionalError(location, "update of type ", update,
                             " and operand of type ", type, " differ in rank");
  // C4.
  if (static_cast<int64_t>(adaptor.getStartIndices().size()) != type.getRank())
    return emitOptionalError(location, adaptor.getStartIndices().size(),
                             " start_indices for an operand of rank ",
                             type.getRank());
  // C5.
  if (failed(verifyScalarIndices(location, adaptor.getStartIndices())))
    return failure();
  // C6.
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!type.isDynamicDim(i) && !update.isDynamicDim(i) &&
        update.getDimSize(i) > type.getDimSize(i))
      return emitOptionalError(location, "update of type ", update,
                               " is larger than the operand of type ", type);
  // C1.
  inferred.push_back(type);
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  SmallVector<int64_t> sizes(adaptor.getSliceSizes());
  return inferGather(
      location, cast<RankedTensorType>(adaptor.getOperand().getType()),
      cast<RankedTensorType>(adaptor.getStartIndices().getType()),
      adaptor.getDimensionNumbers(), sizes, inferred);
}

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  // C24: shapes of the inputs, element types of the computation's results.
  return inferReduced(location, adaptor.getInputs().getTypes(),
                      adaptor.getUpdateComputation(), inferred);
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  // C2, C3 (C1 is the trait's).
  llvm::append_range(inferred, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult SortOp::verify() {
  if (getInputs().empty())
    return emitOpError("sorts nothing: at least one input is needed");
  // C4.
  int64_t rank =
      cast<RankedTensorType>(getInputs().front().getType()).getRank();
  if (getDimension() < -rank || getDimension() >= rank)
    return emitOpError() << "dimension " << getDimension()
                         << " is not a dimension of rank " << rank;
  // C5.
  Block &block = getComparator().front();
  if (block.getNumArguments() != 2 * getInputs().size())
    return emitOpError() << "comparator takes " << block.getNumArguments()
                         << " arguments, " << 2 * getInputs().size()
                         << " wanted";
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    Type element = getElementTypeOrSelf(getInputs()[i / 2].getType());
    if (argument.getType() != RankedTensorType::get({}, element))
      return emitOpError() << "comparator's argument " << i << " has type "
                           << argument.getType() << ", tensor<" << element
                           << "> wanted";
  }
  auto results = block.getTerminator()->getOperandTypes();
  if (results.size() != 1 ||
      results.front() !=
          RankedTensorType::get({}, IntegerType::get(getContext(), 1)))
    return emitOpError("comparator returns something else than one tensor<i1>");
  return success();
}

} // namespace heddle::stablehlo
