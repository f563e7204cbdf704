// Constants and operations that change shapes: text, folds, verifiers and
// inference.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

namespace heddle::stablehlo {

/// Whether `value` has the integers that `quantized` is stored as.
static bool isStorageOf(mlir::TypeRange value, mlir::TypeRange quantized) {
  auto integers = mlir::dyn_cast<mlir::RankedTensorType>(value.front());
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(quantized.front());
  auto element =
      type ? mlir::dyn_cast<mlir::quant::QuantizedType>(type.getElementType())
           : mlir::quant::QuantizedType();
  return element && integers && integers.getShape() == type.getShape() &&
         integers.getElementType() == element.getStorageType();
}

} // namespace heddle::stablehlo

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloShapeOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloShapeOps.cpp.inc"
      >();
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  inferred.push_back(adaptor.getValueAttr().getType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) {
  // A constant of a quantized type holds integers: it is not its own value.
  return getValue().getType() == getType() ? getValueAttr() : ElementsAttr();
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  // `stablehlo.constant {value = dense<..> : T} : () -> R` where the types of
  // value and result differ, else `stablehlo.constant dense<..> : T`.
  if (succeeded(parser.parseOptionalLParen()) && parser.parseRParen())
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (result.attributes.get("value")) {
    Type type;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseColonType(type))
      return failure();
    auto function = dyn_cast<FunctionType>(type);
    if (function && function.getNumInputs() == 0 &&
        function.getNumResults() == 1)
      type = function.getResult(0);
    else if (function)
      return parser.emitError(loc) << "type of a constant wanted";
    result.addTypes(type);
    return success();
  }
  ElementsAttr value;
  if (parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getType() == getType()) {
    printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
    printer << " ";
    printer.printAttribute(getValue());
    return;
  }
  printer << "() ";
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : () -> " << getType();
}

LogicalResult IotaOp::verify() {
  // C1.
  auto type = cast<RankedTensorType>(getType());
  if (getIotaDimension() < 0 || getIotaDimension() >= type.getRank())
    return emitOpError() << "iota_dimension " << getIotaDimension()
                         << " is not a dimension of " << type;
  return success();
}

/// Bits of an element for bitcast_convert.
static int64_t bitWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  return element.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  // C2.
  if (isa<ComplexType>(from.getElementType()) !=
      isa<ComplexType>(to.getElementType()))
    return emitOpError() << "casts between a complex and a real type: " << from
                         << " to " << to;
  // C1: the wider side lacks a last dimension that makes up the difference.
  int64_t fromBits = bitWidth(from.getElementType());
  int64_t toBits = bitWidth(to.getElementType());
  RankedTensorType longer = fromBits < toBits ? from : to;
  RankedTensorType shorter = fromBits < toBits ? to : from;
  int64_t ratio = std::max(fromBits, toBits) / std::min(fromBits, toBits);
  ArrayRef<int64_t> shape = longer.getShape();
  bool agree = std::max(fromBits, toBits) % std::min(fromBits, toBits) == 0;
  if (agree && ratio != 1) {
    agree = !shape.empty() &&
            (ShapedType::isDynamic(shape.back()) || shape.back() == ratio);
    if (agree)
      shape = shape.drop_back();
  }
  if (!agree || failed(verifyCompatibleShape(shape, shorter.getShape())))
    return emitOpError() << "sizes of " << from << " and " << to
                         << " do not agree";
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  // C2.
  if (static_cast<int64_t>(dims.size()) != from.getRank())
    return emitOpError() << "broadcast_dimensions has " << dims.size()
                         << " entries for an operand of rank "
                         << from.getRank();
  llvm::SmallDenseSet<int64_t> seen;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    // C3.
    if (dim < 0 || dim >= to.getRank())
      return emitOpError() << "broadcast_dimensions[" << i << "] = " << dim
                           << " is not a dimension of the result " << to;
    // C4.
    if (!seen.insert(dim).second)
      return emitOpError() << "broadcast_dimensions holds " << dim << " twice";
    // C5.
    int64_t size = from.getDimSize(i), wanted = to.getDimSize(dim);
    if (ShapedType::isStatic(size) && size != 1 &&
        ShapedType::isStatic(wanted) && size != wanted)
      return emitOpError() << "operand dimension " << i << " of size " << size
                           << " does not fit result dimension " << dim
                           << " of size " << wanted;
  }
  // C1, C6.
  return verifyBroadcastElements(*this, from, to, dims);
}

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &inferred) {
  int64_t dim = adaptor.getDimension();
  auto first =
      adaptor.getInputs().empty()
          ? RankedTensorType()
          : cast<RankedTensorType>(adaptor.getInputs().front().getType());
  // C3.
  if (!first)
    return emitOptionalError(location, "concatenate needs at least one input");
  // C4.
  if (dim < 0 || dim >= first.getRank())
    return emitOptionalError(location, "dimension ", dim,
                             " is not a dimension of ", first);
  SmallVector<int64_t> shape(first.getShape());
  SmallVector<int64_t> bounds(boundsOf(first));
  bounds.resize(shape.size(), ShapedType::kDynamic);
  int64_t total = 0;
  int64_t bound = 0;
  for (Value input : adaptor.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    // C1.
    if (type.getElementType() != first.getElementType())
      return emitOptionalError(location,
                               "inputs have different element types: ", first,
                               " and ", type);
    // C2.
    bool agree = type.getRank() == first.getRank();
    for (int64_t i = 0; agree && i < type.getRank(); ++i) {
      if (i == dim)
        continue;
      agree = ShapedType::isDynamic(shape[i]) || type.isDynamicDim(i) ||
              shape[i] == type.getDimSize(i);
      if (ShapedType::isDynamic(shape[i])) {
        shape[i] = type.getDimSize(i);
        if (ShapedType::isStatic(shape[i]))
          bounds[i] = ShapedType::kDynamic;
      }
    }
    if (!agree)
      return emitOptionalError(location,
                               "shapes of inputs differ outside "
                               "dimension ",
                               dim, ": ", first, " and ", type);
    int64_t size = type.getDimSize(dim);
    int64_t sizeBound = size;
    if (ShapedType::isDynamic(size) && !boundsOf(type).empty())
      sizeBound = boundsOf(type)[dim];
    total = ShapedType::isDynamic(size) || ShapedType::isDynamic(total)
                ? ShapedType::kDynamic
                : total + size;
    bound = ShapedType::isDynamic(sizeBound) || ShapedType::isDynamic(bound)
                ? ShapedType::kDynamic
                : bound + sizeBound;
  }
  // C5, C6.
  shape[dim] = total;
  bounds[dim] = ShapedType::isDynamic(total) ? bound : ShapedType::kDynamic;
  inferred.push_back(tensorType(shape, first.getElementType(), bounds));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  auto value = cast<RankedTensorType>(adaptor.getPaddingValue().getType());
  // C1.
  if (value.getRank() != 0 || value.getElementType() != type.getElementType())
    return emitOptionalError(location, "padding_value of type ", value,
                             " is not a scalar of the operand's type ", type);
  ArrayRef<int64_t> low = adaptor.getEdgePaddingLow();
  ArrayRef<int64_t> high = adaptor.getEdgePaddingHigh();
  ArrayRef<int64_t> interior = adaptor.getInteriorPadding();
  int64_t rank = type.getRank();
  // C2.
  for (ArrayRef<int64_t> amounts : {low, high, interior})
    if (static_cast<int64_t>(amounts.size()) != rank)
      return emitOptionalError(location, "padding for ", amounts.size(),
                               " dimensions of an operand of rank ", rank);
  SmallVector<int64_t> shape;
  SmallVector<int64_t> bounds;
  auto padded = [&](int64_t size, int64_t i) {
    return ShapedType::isDynamic(size)
               ? size
               : size + low[i] + high[i] +
                     std::max<int64_t>(size - 1, 0) * interior[i];
  };
  for (int64_t i = 0; i < rank; ++i) {
    // C3.
    if (interior[i] < 0)
      return emitOptionalError(location, "interior_padding[", i,
                               "] is negative: ", interior[i]);
    // C4.
    shape.push_back(padded(type.getDimSize(i), i));
    bounds.push_back(boundsOf(type).empty() ? ShapedType::kDynamic
                                            : padded(boundsOf(type)[i], i));
    for (int64_t size : {shape[i], bounds[i]})
      if (ShapedType::isStatic(size) && size < 0)
        return emitOptionalError(location, "padding cuts more of dimension ", i,
                                 " than there is: size ", size);
  }
  inferred.push_back(tensorType(shape, type.getElementType(), bounds));
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  // C2.
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements())
    return emitOpError() << "turns " << from.getNumElements()
                         << " elements into " << to.getNumElements();
  // C1, C3.
  return verifyReshapedElements(*this, from, to);
}

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : adaptor.getDimensions()) {
    // C3, before the set is asked: the largest numbers are keys of its own.
    if (dim < 0 || dim >= type.getRank())
      return emitOptionalError(location, dim, " is not a dimension of ", type);
    // C2.
    if (!seen.insert(dim).second)
      return emitOptionalError(location, "dimensions holds ", dim, " twice");
  }
  // C1.
  inferred.push_back(type);
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> starts = adaptor.getStartIndices();
  ArrayRef<int64_t> limits = adaptor.getLimitIndices();
  ArrayRef<int64_t> strides = adaptor.getStrides();
  int64_t rank = type.getRank();
  // C2.
  for (ArrayRef<int64_t> list : {starts, limits, strides})
    if (static_cast<int64_t>(list.size()) != rank)
      return emitOptionalError(location, "bounds for ", list.size(),
                               " dimensions of an operand of rank ", rank);
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    // C3.
    int64_t size = type.getDimSize(i);
    if (ShapedType::isDynamic(size) && !boundsOf(type).empty())
      size = boundsOf(type)[i];
    if (starts[i] < 0 || starts[i] > limits[i] ||
        (ShapedType::isStatic(size) && limits[i] > size))
      return emitOptionalError(location, "range ", starts[i], ":", limits[i],
                               " of dimension ", i, " is not inside ", type);
    // C4.
    if (strides[i] <= 0)
      return emitOptionalError(location, "stride of dimension ", i,
                               " is not positive: ", strides[i]);
    // C5.
    shape.push_back(llvm::divideCeil(limits[i] - starts[i], strides[i]));
  }
  inferred.push_back(tensorType(shape, type.getElementType()));
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  // C2.
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())))
    return emitOptionalError(location, "permutation does not order the ",
                             type.getRank(), " dimensions of ", type);
  // C3.
  SmallVector<int64_t> shape;
  SmallVector<int64_t> bounds;
  for (int64_t dim : permutation) {
    shape.push_back(type.getDimSize(dim));
    if (!boundsOf(type).empty())
      bounds.push_back(boundsOf(type)[dim]);
  }
  // C1, C4: a quantization dimension moves along.
  Type element = type.getElementType();
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element))
    element = quant::UniformQuantizedPerAxisType::get(
        perAxis.getFlags(), perAxis.getStorageType(),
        perAxis.getExpressedType(), perAxis.getScales(),
        perAxis.getZeroPoints(),
        llvm::find(permutation, perAxis.getQuantizedDimension()) -
            permutation.begin(),
        perAxis.getStorageTypeMin(), perAxis.getStorageTypeMax());
  inferred.push_back(tensorType(shape, element, bounds));
  return success();
}

LogicalResult GetDimensionSizeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t dim = adaptor.getDimension();
  // C1.
  if (dim < 0 || dim >= type.getRank())
    return emitOptionalError(location, "dimension ", dim,
                             " is not a dimension of ", type);
  inferred.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return success();
}

} // namespace heddle::stablehlo
