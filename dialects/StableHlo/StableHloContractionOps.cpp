// Products, convolutions, factorizations and Fourier transforms: verifiers and
// inference.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloContractionOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloContractionOps.cpp.inc"
      >();
}

bool asksPrecision(ArrayAttr config) {
  return config &&
         llvm::any_of(config.getAsRange<PrecisionAttr>(),
                      [](PrecisionAttr precision) {
                        return precision.getValue() != Precision::DEFAULT;
                      });
}

static SmallVector<int64_t> orOnes(std::optional<ArrayRef<int64_t>> values,
                                   int64_t count) {
  return values ? SmallVector<int64_t>(*values)
                : SmallVector<int64_t>(count, 1);
}

SmallVector<int64_t> ConvolutionOp::getWindowStridesOrDefault() {
  return orOnes(getWindowStrides(), getNumSpatialDimensions());
}
SmallVector<int64_t> ConvolutionOp::getLhsDilationOrDefault() {
  return orOnes(getLhsDilation(), getNumSpatialDimensions());
}
SmallVector<int64_t> ConvolutionOp::getRhsDilationOrDefault() {
  return orOnes(getRhsDilation(), getNumSpatialDimensions());
}
SmallVector<bool> ConvolutionOp::getWindowReversalOrDefault() {
  if (getWindowReversal())
    return SmallVector<bool>(*getWindowReversal());
  return SmallVector<bool>(getNumSpatialDimensions(), false);
}
SmallVector<std::pair<int64_t, int64_t>> ConvolutionOp::getPaddingOrDefault() {
  return paddingPairs(getPaddingAttr(), getNumSpatialDimensions());
}
SmallVector<int64_t> DynamicConvOp::getWindowStridesOrDefault() {
  return orOnes(getWindowStrides(), getNumSpatialDimensions());
}
SmallVector<int64_t> DynamicConvOp::getLhsDilationOrDefault() {
  return orOnes(getLhsDilation(), getNumSpatialDimensions());
}
SmallVector<int64_t> DynamicConvOp::getRhsDilationOrDefault() {
  return orOnes(getRhsDilation(), getNumSpatialDimensions());
}
SmallVector<bool> DynamicConvOp::getWindowReversalOrDefault() {
  if (getWindowReversal())
    return SmallVector<bool>(*getWindowReversal());
  return SmallVector<bool>(getNumSpatialDimensions(), false);
}

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getA().getType());
  int64_t rank = type.getRank();
  // C2.
  if (rank < 2)
    return emitOptionalError(location,
                             "a matrix or a batch of matrices is "
                             "needed, found ",
                             type);
  // C3.
  int64_t rows = type.getDimSize(rank - 2), columns = type.getDimSize(rank - 1);
  if (ShapedType::isStatic(rows) && ShapedType::isStatic(columns) &&
      rows != columns)
    return emitOptionalError(location, "matrices are not square: ", type);
  // C1.
  inferred.push_back(type);
  return success();
}

LogicalResult TriangularSolveOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto a = cast<RankedTensorType>(adaptor.getA().getType());
  auto b = cast<RankedTensorType>(adaptor.getB().getType());
  int64_t rank = a.getRank();
  // C2.
  if (rank < 2 || b.getRank() != rank)
    return emitOptionalError(location,
                             "a and b must be matrices or batches of "
                             "matrices of one rank, found ",
                             a, " and ", b);
  auto agree = [](int64_t x, int64_t y) {
    return ShapedType::isDynamic(x) || ShapedType::isDynamic(y) || x == y;
  };
  // C3: the matrices a are square, and batches agree.
  if (!agree(a.getDimSize(rank - 2), a.getDimSize(rank - 1)))
    return emitOptionalError(location, "matrices a are not square: ", a);
  if (failed(verifyCompatibleShape(a.getShape().drop_back(2),
                                   b.getShape().drop_back(2))))
    return emitOptionalError(location, "batches of ", a, " and ", b,
                             " do not agree");
  int64_t side = adaptor.getLeftSide() ? rank - 2 : rank - 1;
  if (!agree(a.getDimSize(rank - 1), b.getDimSize(side)))
    return emitOptionalError(location, "sizes of ", a, " and ", b,
                             " do not agree");
  if (adaptor.getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOptionalError(location, "transpose_a is TRANSPOSE_INVALID");
  // C4.
  inferred.push_back(b);
  return success();
}

LogicalResult FftOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> length = adaptor.getFftLength();
  int64_t rank = type.getRank(), count = length.size();
  FftType kind = adaptor.getFftType();
  // C1, C3.
  if (count < 1 || count > 3 || rank < count)
    return emitOptionalError(location, "fft_length has ", count,
                             " entries for an operand of rank ", rank,
                             "; 1 to 3 and at most the rank are possible");
  bool real = isa<FloatType>(type.getElementType());
  // C2: real only at the transform's real side.
  if (real != (kind == FftType::RFFT))
    return emitOptionalError(location, stringifyFftType(kind),
                             " does not take ", type);
  SmallVector<int64_t> shape(type.getShape());
  Type element = type.getElementType();
  // C4, C5: all sizes equal fft_length, but for the halved last one of a
  // real transform's complex side.
  for (int64_t i = 0; i < count; ++i) {
    int64_t dim = rank - count + i;
    int64_t wanted = length[i];
    if (i == count - 1 && kind == FftType::IRFFT)
      wanted = wanted / 2 + 1;
    if (ShapedType::isStatic(shape[dim]) && shape[dim] != wanted &&
        !(shape[dim] == 0 || length[i] == 0))
      return emitOptionalError(
          location, "dimension ", dim, " of ", type,
          " has another size than fft_length wants: ", wanted);
  }
  if (kind == FftType::RFFT) {
    element = ComplexType::get(element);
    shape.back() = length.back() == 0 ? 0 : length.back() / 2 + 1;
  } else if (kind == FftType::IRFFT) {
    element = cast<ComplexType>(element).getElementType();
    shape.back() = length.back();
  }
  inferred.push_back(tensorType(shape, element, boundsOf(type)));
  return success();
}

} // namespace heddle::stablehlo
