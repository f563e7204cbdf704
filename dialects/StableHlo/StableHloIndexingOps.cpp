// Slices by computed starts, gathers, scatters and sorts: verifiers and
// inference.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "dialects/StableHlo/Verification.h"

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
  if (update.getElementType() != type.getElementType())
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
  // One of these is the mark of a size that is not known.
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size < 0)
      return emitOptionalError(location, "slice_sizes[", i, "] = ", size,
                               " is negative");
  return inferGather(
      location, cast<RankedTensorType>(adaptor.getOperand().getType()),
      cast<RankedTensorType>(adaptor.getStartIndices().getType()),
      adaptor.getDimensionNumbers(), sizes, inferred);
}

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  // C24, C25.
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

/// The dimensions of `shape` that are not in `left`, with their sizes.
static SmallVector<int64_t> without(ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> left) {
  SmallVector<int64_t> rest;
  for (auto [i, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(left, static_cast<int64_t>(i)))
      rest.push_back(size);
  return rest;
}

LogicalResult ScatterOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one input");
  auto input = cast<RankedTensorType>(getInputs().front().getType());
  auto indices = cast<RankedTensorType>(getScatterIndices().getType());
  auto update = cast<RankedTensorType>(getUpdates().front().getType());
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  ArrayRef<int64_t> windowDims = numbers.getUpdateWindowDims();
  ArrayRef<int64_t> inserted = numbers.getInsertedWindowDims();
  ArrayRef<int64_t> batching = numbers.getInputBatchingDims();
  ArrayRef<int64_t> indicesBatching = numbers.getScatterIndicesBatchingDims();
  ArrayRef<int64_t> toOperand = numbers.getScatterDimsToOperandDims();
  int64_t vectorDim = numbers.getIndexVectorDim();
  // C1, C3, C6 (C5 is the trait's).
  for (auto [each, values] : llvm::zip(getInputs(), getUpdates())) {
    if (failed(verifyCompatibleShape(input, each.getType())) ||
        failed(verifyCompatibleShape(update, values.getType())))
      return emitOpError("inputs or updates have different shapes");
    if (getElementTypeOrSelf(each) != getElementTypeOrSelf(values))
      return emitOpError() << "updates of type " << values.getType()
                           << " for an input of type " << each.getType();
  }
  // C2.
  if (input.getRank() !=
      static_cast<int64_t>(windowDims.size() + inserted.size() +
                           batching.size()))
    return emitOpError() << "update_window_dims, inserted_window_dims and "
                            "input_batching_dims do not cover the dimensions "
                            "of "
                         << input;
  // C7, C8.
  if (failed(verifyDims(getLoc(), "update_window_dims", windowDims,
                        update.getRank())) ||
      failed(verifySorted(getLoc(), "update_window_dims", windowDims)))
    return failure();
  // C9 to C13.
  SmallVector<int64_t> left(inserted);
  llvm::append_range(left, batching);
  if (failed(verifyDims(getLoc(), "inserted_window_dims", left,
                        input.getRank())) ||
      failed(verifySorted(getLoc(), "inserted_window_dims", inserted)) ||
      failed(verifySorted(getLoc(), "input_batching_dims", batching)))
    return failure();
  // C22.
  if (vectorDim < 0 || vectorDim > indices.getRank())
    return emitOpError() << "index_vector_dim " << vectorDim
                         << " is outside of " << indices;
  // C14 to C16.
  if (failed(verifyDims(getLoc(), "scatter_indices_batching_dims",
                        indicesBatching, indices.getRank())))
    return failure();
  if (llvm::is_contained(indicesBatching, vectorDim))
    return emitOpError() << "scatter_indices_batching_dims holds "
                            "index_vector_dim "
                         << vectorDim;
  // C17, C18.
  if (indicesBatching.size() != batching.size())
    return emitOpError("input_batching_dims and scatter_indices_batching_dims "
                       "have different lengths");
  for (auto [i, j] : llvm::zip(batching, indicesBatching))
    if (!sizesAgree(input.getDimSize(i), indices.getDimSize(j)))
      return emitOpError() << "batching dimensions " << i << " of " << input
                           << " and " << j << " of " << indices
                           << " have different sizes";
  // C19.
  int64_t indexSize =
      vectorDim < indices.getRank() ? indices.getDimSize(vectorDim) : 1;
  if (!sizesAgree(toOperand.size(), indexSize))
    return emitOpError() << "scatter_dims_to_operand_dims has "
                         << toOperand.size() << " entries for indices of "
                         << indexSize;
  // C20, C21.
  SmallVector<int64_t> mapped(toOperand);
  llvm::append_range(mapped, batching);
  if (failed(verifyDims(getLoc(), "scatter_dims_to_operand_dims", mapped,
                        input.getRank())))
    return failure();
  // C4: outside the window, updates have the shape of the indices; inside, at
  // most that of the input.
  SmallVector<int64_t> places = without(update.getShape(), windowDims);
  SmallVector<int64_t> wanted = vectorDim < indices.getRank()
                                    ? without(indices.getShape(), vectorDim)
                                    : SmallVector<int64_t>(indices.getShape());
  if (failed(verifyCompatibleShape(places, wanted)))
    return emitOpError() << "updates of type " << update
                         << " do not have one window per index of " << indices;
  SmallVector<int64_t> window = without(input.getShape(), left);
  for (auto [dim, size] : llvm::zip(windowDims, window))
    if (!update.isDynamicDim(dim) && ShapedType::isStatic(size) &&
        update.getDimSize(dim) > size)
      return emitOpError() << "window of " << update
                           << " is larger than the input " << input;
  // C23.
  return verifyReducer(*this, getUpdateComputation(), getInputs().getTypes());
}

} // namespace heddle::stablehlo
