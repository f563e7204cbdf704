// Infers result types with bounds and open sizes, and tells whether two types
// can be the same.

#include "dialects/StableHlo/TypeInference.h"

#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/Verification.h"

using namespace mlir;

namespace heddle::stablehlo {

ArrayRef<int64_t> boundsOf(RankedTensorType type) {
  auto extensions = dyn_cast_or_null<TypeExtensionsAttr>(type.getEncoding());
  return extensions ? extensions.getBounds() : ArrayRef<int64_t>();
}

RankedTensorType tensorType(ArrayRef<int64_t> shape, Type element,
                            ArrayRef<int64_t> bounds) {
  if (llvm::all_of(bounds, ShapedType::isDynamic))
    return RankedTensorType::get(shape, element);
  return RankedTensorType::get(
      shape, element, TypeExtensionsAttr::get(element.getContext(), bounds));
}

bool areCompatibleTypes(Type first, Type second) {
  if (first == second)
    return true;
  if (auto tuple = dyn_cast<TupleType>(first)) {
    auto other = dyn_cast<TupleType>(second);
    return other && areCompatibleTypes(TypeRange(tuple.getTypes()),
                                       TypeRange(other.getTypes()));
  }
  auto a = dyn_cast<RankedTensorType>(first);
  auto b = dyn_cast<RankedTensorType>(second);
  if (!a || !b || failed(verifyCompatibleShape(a, b)))
    return false;
  return a.getElementType() == b.getElementType();
}

bool areCompatibleTypes(TypeRange first, TypeRange second) {
  return first.size() == second.size() &&
         llvm::all_of(llvm::zip(first, second), [](auto pair) {
           return areCompatibleTypes(std::get<0>(pair), std::get<1>(pair));
         });
}

/// Whether tensors agree in shape, and in their element types as `agree` says.
static bool areCompatibleTensors(TypeRange first, TypeRange second,
                                 llvm::function_ref<bool(Type, Type)> agree) {
  return first.size() == second.size() &&
         llvm::all_of(llvm::zip(first, second), [&](auto pair) {
           auto a = cast<RankedTensorType>(std::get<0>(pair));
           auto b = cast<RankedTensorType>(std::get<1>(pair));
           return succeeded(verifyCompatibleShape(a, b)) &&
                  agree(a.getElementType(), b.getElementType());
         });
}

bool haveSameBaseline(TypeRange first, TypeRange second) {
  return areCompatibleTensors(first, second, haveSameBaselineElement);
}

bool expressTheSame(TypeRange first, TypeRange second) {
  return areCompatibleTensors(first, second, [](Type a, Type b) {
    return expressedType(a) == expressedType(b);
  });
}

/// What two dimensions with bounds say together; false if they contradict.
static bool meet(int64_t &size, int64_t &bound, int64_t otherSize,
                 int64_t otherBound) {
  if (ShapedType::isStatic(size) && ShapedType::isStatic(otherSize))
    return size == otherSize;
  if (ShapedType::isStatic(otherSize)) {
    if (ShapedType::isStatic(bound) && otherSize > bound)
      return false;
    size = otherSize;
    bound = ShapedType::kDynamic;
    return true;
  }
  if (ShapedType::isStatic(size))
    return !(ShapedType::isStatic(otherBound) && size > otherBound);
  if (ShapedType::isStatic(otherBound))
    bound =
        ShapedType::isStatic(bound) ? std::min(bound, otherBound) : otherBound;
  return true;
}

FailureOr<RankedTensorType> inferMostSpecific(std::optional<Location> location,
                                              TypeRange types, Type element) {
  auto first = cast<RankedTensorType>(types.front());
  SmallVector<int64_t> shape(first.getShape());
  SmallVector<int64_t> bounds(boundsOf(first));
  bounds.resize(shape.size(), ShapedType::kDynamic);
  for (Type other : types.drop_front()) {
    auto type = cast<RankedTensorType>(other);
    SmallVector<int64_t> otherBounds(boundsOf(type));
    otherBounds.resize(type.getRank(), ShapedType::kDynamic);
    bool agree = type.getRank() == first.getRank();
    for (int64_t i = 0; agree && i < type.getRank(); ++i)
      agree = meet(shape[i], bounds[i], type.getDimSize(i), otherBounds[i]);
    if (!agree)
      return emitOptionalError(location, "shapes of ", first, " and ", type,
                               " do not agree");
  }
  // Whoever has true extents: the others are of that size, too.
  for (Type type : types)
    if (size::hasExtents(type) &&
        cast<RankedTensorType>(type).getShape() == ArrayRef<int64_t>(shape))
      return RankedTensorType::get(shape, element,
                                   cast<RankedTensorType>(type).getEncoding());
  return tensorType(shape, element, bounds);
}

LogicalResult inferSameType(std::optional<Location> location, TypeRange types,
                            SmallVectorImpl<Type> &inferred) {
  // C1: the operands have one element type, up to scales.
  Type element = getElementTypeOrSelf(types.front());
  for (Type type : types)
    if (!haveSameBaselineElement(getElementTypeOrSelf(type), element))
      return emitOptionalError(
          location, "operands have different element types: ", types.front(),
          " and ", type);
  FailureOr<RankedTensorType> type =
      inferMostSpecific(location, types, element);
  if (failed(type))
    return failure();
  inferred.push_back(*type);
  return success();
}

LogicalResult inferReduced(std::optional<Location> location, TypeRange types,
                           Region &region, SmallVectorImpl<Type> &inferred) {
  TypeRange returned = types;
  if (!region.empty() && region.front().mightHaveTerminator())
    returned = region.front().getTerminator()->getOperandTypes();
  if (returned.size() != types.size())
    return emitOptionalError(location, "the region returns ", returned.size(),
                             " values, ", types.size(), " are wanted");
  for (auto [type, element] : llvm::zip(types, returned))
    inferred.push_back(
        cast<RankedTensorType>(type).clone(getElementTypeOrSelf(element)));
  return success();
}

LogicalResult
inferGather(std::optional<Location> location, RankedTensorType operand,
            RankedTensorType startIndices, GatherDimensionNumbersAttr numbers,
            ArrayRef<int64_t> sliceSizes, SmallVectorImpl<Type> &inferred) {
  int64_t vectorDim = numbers.getIndexVectorDim();
  // C2.
  if (vectorDim < 0 || vectorDim > startIndices.getRank())
    return emitOptionalError(location, "index_vector_dim ", vectorDim,
                             " is outside of ", startIndices);
  // C1, and sizes of what follows.
  if (static_cast<int64_t>(sliceSizes.size()) != operand.getRank() ||
      operand.getRank() !=
          static_cast<int64_t>(numbers.getOffsetDims().size() +
                               numbers.getCollapsedSliceDims().size() +
                               numbers.getOperandBatchingDims().size()))
    return emitOptionalError(location,
                             "slice_sizes, offset_dims, "
                             "collapsed_slice_dims and operand_batching_dims "
                             "do not cover the dimensions of ",
                             operand);
  ArrayRef<int64_t> collapsed = numbers.getCollapsedSliceDims();
  ArrayRef<int64_t> batching = numbers.getOperandBatchingDims();
  ArrayRef<int64_t> indicesBatching = numbers.getStartIndicesBatchingDims();
  ArrayRef<int64_t> indexMap = numbers.getStartIndexMap();
  // C3.
  int64_t indexSize = vectorDim < startIndices.getRank()
                          ? startIndices.getDimSize(vectorDim)
                          : 1;
  if (!sizesAgree(indexMap.size(), indexSize))
    return emitOptionalError(location, "start_index_map has ", indexMap.size(),
                             " entries for indices of ", indexSize);
  // C4, C7, C10.
  if (failed(verifySorted(location, "offset_dims", numbers.getOffsetDims())) ||
      failed(verifySorted(location, "collapsed_slice_dims", collapsed)) ||
      failed(verifySorted(location, "operand_batching_dims", batching)))
    return failure();
  // C6, C8, C11.
  SmallVector<int64_t> left(collapsed);
  llvm::append_range(left, batching);
  if (failed(verifyDims(location, "collapsed_slice_dims", left,
                        operand.getRank())))
    return failure();
  // C9, C12.
  for (int64_t dim : left)
    if (ShapedType::isStatic(sliceSizes[dim]) && sliceSizes[dim] > 1)
      return emitOptionalError(location, "slice_sizes[", dim,
                               "] = ", sliceSizes[dim],
                               " in a dimension that is dropped");
  // C13 to C15.
  if (failed(verifyDims(location, "start_indices_batching_dims",
                        indicesBatching, startIndices.getRank())))
    return failure();
  if (llvm::is_contained(indicesBatching, vectorDim))
    return emitOptionalError(location,
                             "start_indices_batching_dims holds "
                             "index_vector_dim ",
                             vectorDim);
  // C16, C17.
  if (indicesBatching.size() != batching.size())
    return emitOptionalError(location,
                             "operand_batching_dims and "
                             "start_indices_batching_dims have different "
                             "lengths");
  for (auto [i, j] : llvm::zip(batching, indicesBatching))
    if (!sizesAgree(operand.getDimSize(i), startIndices.getDimSize(j)))
      return emitOptionalError(location, "batching dimensions ", i, " of ",
                               operand, " and ", j, " of ", startIndices,
                               " have different sizes");
  // C18, C19.
  SmallVector<int64_t> mapped(indexMap);
  llvm::append_range(mapped, batching);
  if (failed(
          verifyDims(location, "start_index_map", mapped, operand.getRank())))
    return failure();
  // C21.
  for (auto [i, size] : llvm::enumerate(sliceSizes))
    if (ShapedType::isStatic(size) &&
        (size < 0 ||
         (!operand.isDynamicDim(i) && size > operand.getDimSize(i))))
      return emitOptionalError(location, "slice_sizes[", i, "] = ", size,
                               " is not inside ", operand);
  // C22.
  SmallVector<int64_t> batch(startIndices.getShape());
  if (vectorDim < static_cast<int64_t>(batch.size()))
    batch.erase(batch.begin() + vectorDim);
  SmallVector<int64_t> offset;
  for (auto [i, size] : llvm::enumerate(sliceSizes))
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), i) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), i))
      offset.push_back(size);
  SmallVector<int64_t> shape;
  auto nextBatch = batch.begin();
  auto nextOffset = offset.begin();
  for (size_t i = 0, rank = batch.size() + offset.size(); i < rank; ++i) {
    bool isOffset = llvm::is_contained(numbers.getOffsetDims(), i);
    if (isOffset ? nextOffset == offset.end() : nextBatch == batch.end())
      return emitOptionalError(location, "offset_dims do not fit a result of ",
                               rank, " dimensions");
    shape.push_back(isOffset ? *nextOffset++ : *nextBatch++);
  }
  // C23.
  inferred.push_back(tensorType(shape, operand.getElementType()));
  return success();
}

SmallVector<int64_t> productShape(DotGeneralOp op) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  SmallVector<int64_t> shape;
  for (int64_t dim : numbers.getLhsBatchingDimensions())
    shape.push_back(lhs.getDimSize(dim));
  auto addFree = [&](RankedTensorType type, ArrayRef<int64_t> batching,
                     ArrayRef<int64_t> contracting) {
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (!llvm::is_contained(batching, i) &&
          !llvm::is_contained(contracting, i))
        shape.push_back(type.getDimSize(i));
  };
  addFree(lhs, numbers.getLhsBatchingDimensions(),
          numbers.getLhsContractingDimensions());
  addFree(rhs, numbers.getRhsBatchingDimensions(),
          numbers.getRhsContractingDimensions());
  return shape;
}

FailureOr<SmallVector<int64_t>> slideWindow(std::optional<Location> location,
                                            ArrayRef<int64_t> shape,
                                            const Window &window) {
  size_t rank = shape.size();
  for (ArrayRef<int64_t> list :
       {ArrayRef(window.sizes), ArrayRef(window.strides),
        ArrayRef(window.baseDilations), ArrayRef(window.windowDilations)}) {
    if (list.size() != rank)
      return emitOptionalError(location, "window of ", list.size(),
                               " dimensions over ", rank);
    for (int64_t value : list)
      if (value <= 0)
        return emitOptionalError(location,
                                 "window sizes, strides and dilations "
                                 "must be positive, found ",
                                 value);
  }
  SmallVector<int64_t> result;
  for (size_t i = 0; i < rank; ++i) {
    if (ShapedType::isDynamic(shape[i])) {
      result.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t dilated =
        shape[i] == 0 ? 0 : (shape[i] - 1) * window.baseDilations[i] + 1;
    int64_t padded =
        window.padding[i].first + dilated + window.padding[i].second;
    int64_t reach = (window.sizes[i] - 1) * window.windowDilations[i] + 1;
    result.push_back(padded <= 0 || reach > padded
                         ? 0
                         : (padded - reach) / window.strides[i] + 1);
  }
  return result;
}

SmallVector<std::pair<int64_t, int64_t>>
paddingPairs(DenseIntElementsAttr padding, int64_t rank) {
  SmallVector<std::pair<int64_t, int64_t>> pairs(rank, {0, 0});
  if (!padding)
    return pairs;
  SmallVector<int64_t> values(padding.getValues<int64_t>());
  for (int64_t i = 0; i < rank; ++i)
    pairs[i] = {values[2 * i], values[2 * i + 1]};
  return pairs;
}

FailureOr<SmallVector<std::pair<int64_t, int64_t>>>
checkedPadding(std::optional<Location> location, DenseIntElementsAttr padding,
               int64_t rank) {
  int64_t shape[] = {rank, 2};
  if (padding && padding.getType().getShape() != ArrayRef<int64_t>(shape))
    return emitOptionalError(location, "padding of type ", padding.getType(),
                             ", tensor<", rank, "x2xi64> wanted");
  return paddingPairs(padding, rank);
}

} // namespace heddle::stablehlo
