// Verifiers of convolutions and products.

#include "dialects/StableHlo/Verification.h"

using namespace mlir;

namespace heddle::stablehlo {

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

static LogicalResult verifyPrecision(Operation *op,
                                     std::optional<ArrayAttr> precision) {
  if (precision && !precision->empty() && precision->size() != 2)
    return op->emitOpError() << "precision_config has " << precision->size()
                             << " entries, 2 wanted";
  return success();
}

/// C21 and what follows: counts are positive, precisions float types, and the
/// algorithm alone says how exact products are.
static LogicalResult verifyAlgorithm(DotGeneralOp op) {
  DotAlgorithmAttr algorithm = op.getAlgorithmAttr();
  if (!algorithm)
    return success();
  if (std::optional<ArrayAttr> precision = op.getPrecisionConfig())
    for (auto entry : precision->getAsRange<PrecisionAttr>())
      if (entry.getValue() != Precision::DEFAULT)
        return op.emitOpError()
               << "has the precision " << stringifyPrecision(entry.getValue())
               << " beside an algorithm; DEFAULT is wanted";
  for (auto [name, count] :
       {std::pair("lhs_component_count", algorithm.getLhsComponentCount()),
        std::pair("rhs_component_count", algorithm.getRhsComponentCount()),
        std::pair("num_primitive_operations",
                  algorithm.getNumPrimitiveOperations())})
    if (count <= 0)
      return op.emitOpError() << "has an algorithm of " << name << " = "
                              << count << "; it must be positive";
  for (auto [name, type] :
       {std::pair("lhs_precision_type", algorithm.getLhsPrecisionType()),
        std::pair("rhs_precision_type", algorithm.getRhsPrecisionType()),
        std::pair("accumulation_type", algorithm.getAccumulationType())})
    if (!isa<FloatType>(type))
      return op.emitOpError() << "has an algorithm of " << name << " = " << type
                              << "; a float type is wanted";
  return success();
}

/// What products of quantized operands are: both and the result quantized in
/// one storage and expressed type, or the right one alone. The numbers of
/// dot_general's constraints C14 and C17 to C20, and convolution's C28 and C31
/// to C34.
static LogicalResult verifyQuantizedProduct(Operation *op, Type lhs, Type rhs,
                                            Type result) {
  auto left = dyn_cast<quant::QuantizedType>(lhs);
  auto right = dyn_cast<quant::QuantizedType>(rhs);
  auto product = dyn_cast<quant::QuantizedType>(result);
  // C14, C28.
  if (bool(left) != (right && product))
    return op->emitOpError()
           << "multiplies " << lhs << " by " << rhs << " to " << result
           << ": quantized are all three, or the right one";
  if (!left) {
    // C20, C34.
    if (right && (lhs != right.getExpressedType() || lhs != result))
      return op->emitOpError()
             << "multiplies " << lhs << " by " << rhs << " to " << result
             << ", which expresses " << right.getExpressedType();
    return success();
  }
  // C17, C31. Producers combine unsigned values with signed weights.
  if (left.getStorageTypeIntegralWidth() != right.getStorageTypeIntegralWidth())
    return op->emitOpError()
           << "multiplies values stored in different widths: " << lhs << " and "
           << rhs;
  // C18, C32.
  if (left.getExpressedType() != right.getExpressedType() ||
      left.getExpressedType() != product.getExpressedType())
    return op->emitOpError()
           << "multiplies values that express different types: " << lhs << ", "
           << rhs << " and " << result;
  // C19, C33.
  if (isa<quant::UniformQuantizedType>(right) &&
      !isa<quant::UniformQuantizedType>(product))
    return op->emitOpError() << "has a result quantized per axis, " << result
                             << ", of " << rhs << " quantized per tensor";
  return success();
}

/// A zero point of `element` that is not 0.
static std::optional<int64_t> zeroPointBesideZero(Type element) {
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(element))
    if (uniform.getZeroPoint() != 0)
      return uniform.getZeroPoint();
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element))
    for (int64_t zero : perAxis.getZeroPoints())
      if (zero != 0)
        return zero;
  return std::nullopt;
}

LogicalResult DotGeneralOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatch = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContract = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContract = numbers.getRhsContractingDimensions();
  // C1.
  if (lhsBatch.size() != rhsBatch.size())
    return emitOpError("lhs and rhs have different numbers of batching "
                       "dimensions");
  // C2.
  if (lhsContract.size() != rhsContract.size())
    return emitOpError("lhs and rhs have different numbers of contracting "
                       "dimensions");
  // C3 to C8.
  auto together = [](ArrayRef<int64_t> first, ArrayRef<int64_t> second) {
    SmallVector<int64_t> all(first);
    llvm::append_range(all, second);
    return all;
  };
  SmallVector<int64_t> lhsUsed = together(lhsBatch, lhsContract);
  SmallVector<int64_t> rhsUsed = together(rhsBatch, rhsContract);
  if (failed(verifyDims(getLoc(), "lhs dimensions", lhsUsed, lhs.getRank())) ||
      failed(verifyDims(getLoc(), "rhs dimensions", rhsUsed, rhs.getRank())))
    return failure();
  // C9, C10.
  for (auto [i, j] : llvm::zip(lhsUsed, rhsUsed))
    if (!sizesAgree(lhs.getDimSize(i), rhs.getDimSize(j)))
      return emitOpError() << "lhs dimension " << i << " of size "
                           << lhs.getDimSize(i) << " does not go with rhs "
                           << "dimension " << j << " of size "
                           << rhs.getDimSize(j);
  // C11.
  if (failed(verifyPrecision(*this, getPrecisionConfig())) ||
      failed(verifyAlgorithm(*this)))
    return failure();
  // C13. An algorithm names the types that it multiplies.
  if (expressedType(lhs.getElementType()) !=
          expressedType(rhs.getElementType()) &&
      !getAlgorithm() && !isa<quant::QuantizedType>(rhs.getElementType()))
    return emitOpError() << "multiplies " << lhs.getElementType() << " by "
                         << rhs.getElementType()
                         << ": operands have one element type, unless an "
                            "algorithm names what is multiplied or the right "
                            "one is quantized";
  // C14, C17 to C20.
  Type product = cast<RankedTensorType>(getType()).getElementType();
  if (failed(verifyQuantizedProduct(*this, lhs.getElementType(),
                                    rhs.getElementType(), product)))
    return failure();
  // C15.
  if (std::optional<int64_t> zero = zeroPointBesideZero(rhs.getElementType()))
    return emitOpError() << "has the zero point " << *zero
                         << " on the right, 0 is wanted: "
                         << rhs.getElementType();
  // C16.
  if (auto perAxis =
          dyn_cast<quant::UniformQuantizedPerAxisType>(rhs.getElementType());
      perAxis &&
      llvm::is_contained(rhsContract, perAxis.getQuantizedDimension()))
    return emitOpError() << "contracts dimension "
                         << perAxis.getQuantizedDimension()
                         << " of rhs, along which it is quantized";
  // C12.
  return verifyResultType(
      *this, RankedTensorType::get(productShape(*this), product), getType());
}

LogicalResult DotOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  if (lhs.getRank() < 1 || lhs.getRank() > 2 || rhs.getRank() < 1 ||
      rhs.getRank() > 2)
    return emitOpError() << "multiplies " << lhs << " by " << rhs
                         << "; vectors and matrices are wanted";
  if (!sizesAgree(lhs.getShape().back(), rhs.getShape().front()))
    return emitOpError() << "sizes of " << lhs << " and " << rhs
                         << " do not go together";
  if (failed(verifyPrecision(*this, getPrecisionConfig())))
    return failure();
  SmallVector<int64_t> shape(lhs.getShape().drop_back());
  llvm::append_range(shape, rhs.getShape().drop_front());
  Type element = cast<RankedTensorType>(getType()).getElementType();
  return verifyResultType(*this, RankedTensorType::get(shape, element),
                          getType());
}

//===----------------------------------------------------------------------===//
// convolution
//===----------------------------------------------------------------------===//

/// That batch, feature and spatial dimensions are all `rank` dimensions.
static LogicalResult verifyLayout(Operation *op, StringRef name, int64_t first,
                                  int64_t second, ArrayRef<int64_t> spatial,
                                  int64_t rank) {
  SmallVector<int64_t> dims(spatial);
  dims.push_back(first);
  dims.push_back(second);
  if (static_cast<int64_t>(dims.size()) != rank)
    return op->emitOpError() << name << " has " << dims.size()
                             << " dimensions for a tensor of rank " << rank;
  return verifyDims(op->getLoc(), name, dims, rank);
}

/// What convolution and dynamic_conv share; `padding` is not known for the
/// second one.
template <typename Op>
static LogicalResult verifyConvolution(
    Op op, std::optional<SmallVector<std::pair<int64_t, int64_t>>> padding) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  auto result = cast<RankedTensorType>(op.getType());
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  int64_t rank = lhs.getRank();
  // C1, C26.
  if (rhs.getRank() != rank || result.getRank() != rank)
    return op.emitOpError() << "ranks of " << lhs << ", " << rhs << " and "
                            << result << " differ";
  // C12, C13, C17 to C20.
  if (failed(verifyLayout(op, "input layout", numbers.getInputBatchDimension(),
                          numbers.getInputFeatureDimension(),
                          numbers.getInputSpatialDimensions(), rank)) ||
      failed(verifyLayout(op, "kernel layout",
                          numbers.getKernelInputFeatureDimension(),
                          numbers.getKernelOutputFeatureDimension(),
                          numbers.getKernelSpatialDimensions(), rank)) ||
      failed(verifyLayout(op, "output layout",
                          numbers.getOutputBatchDimension(),
                          numbers.getOutputFeatureDimension(),
                          numbers.getOutputSpatialDimensions(), rank)))
    return failure();
  int64_t spatial = rank - 2;
  // C2, C5, C7, C9.
  SmallVector<int64_t> strides = op.getWindowStridesOrDefault();
  SmallVector<int64_t> lhsDilation = op.getLhsDilationOrDefault();
  SmallVector<int64_t> rhsDilation = op.getRhsDilationOrDefault();
  for (size_t size : {strides.size(), lhsDilation.size(), rhsDilation.size(),
                      op.getWindowReversalOrDefault().size()})
    // JAX writes dynamic_conv with an entry more than there are dimensions, and
    // every implementation reads as many as it needs.
    if (padding ? static_cast<int64_t>(size) != spatial
                : static_cast<int64_t>(size) < spatial)
      return op.emitOpError()
             << "a window attribute has " << size << " entries for " << spatial
             << " spatial dimensions";
  // C3, C6, C8.
  for (ArrayRef<int64_t> list :
       {ArrayRef(strides), ArrayRef(lhsDilation), ArrayRef(rhsDilation)})
    for (int64_t value : list)
      if (value <= 0)
        return op.emitOpError()
               << "window sizes, strides and dilations must be positive, found "
               << value;
  // C21 and C22 are in the attributes' types. C23.
  int64_t groups = op.getFeatureGroupCount(), batches = op.getBatchGroupCount();
  if (groups != 1 && batches != 1)
    return op.emitOpError() << "has both feature_group_count " << groups
                            << " and batch_group_count " << batches;
  auto divides = [](int64_t count, int64_t size) {
    return ShapedType::isDynamic(size) || size % count == 0;
  };
  int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  int64_t features = lhs.getDimSize(numbers.getInputFeatureDimension());
  int64_t inputs = rhs.getDimSize(numbers.getKernelInputFeatureDimension());
  int64_t outputs = rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  // C10.
  if (!divides(batches, batch))
    return op.emitOpError() << "batch_group_count " << batches
                            << " does not divide the batch " << batch;
  // C11.
  if (!divides(groups, features))
    return op.emitOpError() << "feature_group_count " << groups
                            << " does not divide " << features << " features";
  // C14.
  if (ShapedType::isStatic(features) && !sizesAgree(inputs, features / groups))
    return op.emitOpError()
           << "kernel takes " << inputs << " features, the input has "
           << features / groups << " in each group";
  // C15, C16.
  if (!divides(batches, outputs) || !divides(groups, outputs))
    return op.emitOpError()
           << "group count " << batches * groups << " does not divide "
           << outputs << " output features";
  // C24.
  if (failed(verifyPrecision(op, op.getPrecisionConfig())))
    return failure();
  // C27. Producers have results of another type than the operands, as sums of
  // products of narrow numbers.
  if (expressedType(lhs.getElementType()) !=
          expressedType(rhs.getElementType()) &&
      !isa<quant::QuantizedType>(rhs.getElementType()))
    return op.emitOpError() << "multiplies " << lhs.getElementType() << " by "
                            << rhs.getElementType()
                            << ": operands have one element type, unless the "
                               "right one is quantized";
  // C28, C31 to C34.
  if (failed(verifyQuantizedProduct(op, lhs.getElementType(),
                                    rhs.getElementType(),
                                    result.getElementType())))
    return failure();
  // C29, C30.
  for (auto [name, type, dimension] :
       {std::tuple("rhs", rhs, numbers.getKernelOutputFeatureDimension()),
        std::tuple("result", result, numbers.getOutputFeatureDimension())})
    if (auto perAxis =
            dyn_cast<quant::UniformQuantizedPerAxisType>(type.getElementType());
        perAxis && perAxis.getQuantizedDimension() != dimension)
      return op.emitOpError()
             << name << " is quantized along dimension "
             << perAxis.getQuantizedDimension()
             << ", not along that of its features, " << dimension;
  // C25.
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  shape[numbers.getOutputBatchDimension()] =
      ShapedType::isDynamic(batch) ? batch : batch / batches;
  shape[numbers.getOutputFeatureDimension()] = outputs;
  if (padding) {
    Window window{{}, strides, lhsDilation, rhsDilation, *padding};
    SmallVector<int64_t> sizes;
    bool known = true;
    for (int64_t i = 0; i < spatial; ++i) {
      sizes.push_back(lhs.getDimSize(numbers.getInputSpatialDimensions()[i]));
      int64_t extent = rhs.getDimSize(numbers.getKernelSpatialDimensions()[i]);
      // A kernel of size 0 has no window: its result is all zeros.
      known &= ShapedType::isStatic(extent) && extent > 0;
      window.sizes.push_back(extent);
    }
    if (known) {
      FailureOr<SmallVector<int64_t>> places =
          slideWindow(op.getLoc(), sizes, window);
      if (failed(places))
        return failure();
      for (int64_t i = 0; i < spatial; ++i)
        shape[numbers.getOutputSpatialDimensions()[i]] = (*places)[i];
    }
  }
  return verifyResultType(
      op, RankedTensorType::get(shape, result.getElementType()), result);
}

LogicalResult ConvolutionOp::verify() {
  // C4.
  auto padding =
      checkedPadding(getLoc(), getPaddingAttr(), getNumSpatialDimensions());
  if (failed(padding))
    return failure();
  return verifyConvolution(*this, *padding);
}

LogicalResult DynamicConvOp::verify() {
  auto padding = cast<RankedTensorType>(getPadding().getType());
  int64_t shape[] = {getNumSpatialDimensions(), 2};
  if (failed(verifyCompatibleShape(padding.getShape(), shape)))
    return emitOpError() << "padding of type " << padding << " for "
                         << getNumSpatialDimensions() << " spatial dimensions";
  return verifyConvolution(*this, std::nullopt);
}

} // namespace heddle::stablehlo
