// Reductions, windows, maps and batch norms: text, verifiers and inference.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/RegionFormat.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "dialects/StableHlo/Verification.h"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloReductionOps.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHlo/StableHloReductionOps.cpp.inc"
      >();
}

static SmallVector<int64_t> orOnes(std::optional<ArrayRef<int64_t>> values,
                                   int64_t count) {
  return values ? SmallVector<int64_t>(*values)
                : SmallVector<int64_t>(count, 1);
}

/// What the three batch norms share: C1, C2, and vectors with one entry per
/// feature.
static LogicalResult verifyBatchNorm(std::optional<Location> location,
                                     Value operand, int64_t feature,
                                     ArrayRef<Value> vectors) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (feature < 0 || feature >= type.getRank())
    return emitOptionalError(location, "feature_index ", feature,
                             " is not a dimension of ", type);
  int64_t size = type.getDimSize(feature);
  for (Value vector : vectors) {
    auto vectorType = cast<RankedTensorType>(vector.getType());
    bool agree = vectorType.getRank() == 1 &&
                 (ShapedType::isDynamic(size) || vectorType.isDynamicDim(0) ||
                  vectorType.getDimSize(0) == size) &&
                 haveSameBaselineElement(vectorType.getElementType(),
                                         type.getElementType());
    if (!agree)
      return emitOptionalError(location, "a vector of type ", vectorType,
                               " does not fit the features of ", type);
    // Of features whose number is not known, all vectors have as many.
    if (ShapedType::isDynamic(size))
      size = vectorType.getDimSize(0);
  }
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &inferred) {
  ArrayRef<int64_t> dims = adaptor.getDimensions();
  SmallVector<Type> shapes;
  for (Value input : adaptor.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    // C1 (all shapes agree) is checked by the verifier.
    SmallVector<int64_t> shape;
    SmallVector<int64_t> bounds;
    llvm::SmallDenseSet<int64_t> seen;
    for (int64_t dim : dims) {
      // C4.
      if (dim < 0 || dim >= type.getRank())
        return emitOptionalError(location, dim, " is not a dimension of ",
                                 type);
      // C5.
      if (!seen.insert(dim).second)
        return emitOptionalError(location, "dimensions holds ", dim, " twice");
    }
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (seen.contains(i))
        continue;
      shape.push_back(type.getDimSize(i));
      if (!boundsOf(type).empty())
        bounds.push_back(boundsOf(type)[i]);
    }
    // C7.
    shapes.push_back(tensorType(shape, type.getElementType(), bounds));
  }
  // C8.
  return inferReduced(location, shapes, adaptor.getBody(), inferred);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseReduce(parser, result);
}

void ReduceOp::print(OpAsmPrinter &printer) { printReduce(printer, *this); }

LogicalResult ReduceWindowOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  SmallVector<Type> shapes;
  for (Value input : adaptor.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    int64_t rank = type.getRank();
    Window window;
    window.sizes = llvm::to_vector(adaptor.getWindowDimensions());
    window.strides = orOnes(adaptor.getWindowStrides(), rank);
    window.baseDilations = orOnes(adaptor.getBaseDilations(), rank);
    window.windowDilations = orOnes(adaptor.getWindowDilations(), rank);
    FailureOr<SmallVector<std::pair<int64_t, int64_t>>> padding =
        checkedPadding(location, adaptor.getPaddingAttr(), rank);
    if (failed(padding))
      return failure();
    window.padding = *padding;
    FailureOr<SmallVector<int64_t>> shape =
        slideWindow(location, type.getShape(), window);
    if (failed(shape))
      return failure();
    shapes.push_back(tensorType(*shape, type.getElementType()));
  }
  return inferReduced(location, shapes, adaptor.getBody(), inferred);
}

SmallVector<int64_t> ReduceWindowOp::getWindowStridesOrDefault() {
  return orOnes(getWindowStrides(), getWindowDimensions().size());
}
SmallVector<int64_t> ReduceWindowOp::getBaseDilationsOrDefault() {
  return orOnes(getBaseDilations(), getWindowDimensions().size());
}
SmallVector<int64_t> ReduceWindowOp::getWindowDilationsOrDefault() {
  return orOnes(getWindowDilations(), getWindowDimensions().size());
}
SmallVector<std::pair<int64_t, int64_t>> ReduceWindowOp::getPaddingOrDefault() {
  return paddingPairs(getPaddingAttr(), getWindowDimensions().size());
}

LogicalResult SelectAndScatterOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  // C11, C12.
  return inferReduced(location, {adaptor.getOperand().getType()},
                      adaptor.getScatter(), inferred);
}

LogicalResult MapOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &inferred) {
  // C4 (shapes of inputs and result agree by trait).
  if (adaptor.getInputs().empty())
    return emitOptionalError(location, "map needs at least one input");
  return inferReduced(location, {adaptor.getInputs().front().getType()},
                      adaptor.getComputation(), inferred);
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  if (failed(verifyBatchNorm(location, adaptor.getOperand(),
                             adaptor.getFeatureIndex(),
                             {adaptor.getScale(), adaptor.getOffset(),
                              adaptor.getMean(), adaptor.getVariance()})))
    return failure();
  // C7.
  inferred.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  if (failed(verifyBatchNorm(location, adaptor.getOperand(),
                             adaptor.getFeatureIndex(),
                             {adaptor.getScale(), adaptor.getOffset()})))
    return failure();
  // C3 to C5.
  Type features = adaptor.getScale().getType();
  inferred.assign({adaptor.getOperand().getType(), features, features});
  return success();
}

LogicalResult BatchNormGradOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  if (failed(verifyBatchNorm(
          location, adaptor.getOperand(), adaptor.getFeatureIndex(),
          {adaptor.getScale(), adaptor.getMean(), adaptor.getVariance()})))
    return failure();
  // C3.
  if (!haveSameBaseline(adaptor.getOperand().getType(),
                        adaptor.getGradOutput().getType()))
    return emitOptionalError(
        location, "grad_output of type ", adaptor.getGradOutput().getType(),
        " does not have the operand's type ", adaptor.getOperand().getType());
  // C4.
  Type features = adaptor.getScale().getType();
  inferred.assign({adaptor.getOperand().getType(), features, features});
  return success();
}

/// What reduce and reduce_window ask alike: inputs of one shape (reduce: C1,
/// reduce_window: C1, C2), initial values (C2, C3) and a reducer (C6, C13) that
/// fit them. The rest is in the traits and the inference.
template <typename Op> static LogicalResult verifyReduction(Op op) {
  ValueRange inputs = op.getInputs();
  if (inputs.empty())
    return op.emitOpError("needs at least one input");
  for (Value input : inputs)
    if (failed(
            verifyCompatibleShape(inputs.front().getType(), input.getType())))
      return op.emitOpError()
             << "inputs have different shapes: " << inputs.front().getType()
             << " and " << input.getType();
  if (failed(verifyInitValues(op, inputs.getTypes(),
                              op.getInitValues().getTypes())))
    return failure();
  return verifyReducer(op, op.getBody(), inputs.getTypes());
}

LogicalResult ReduceOp::verify() { return verifyReduction(*this); }

LogicalResult ReduceWindowOp::verify() { return verifyReduction(*this); }

LogicalResult SelectAndScatterOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType());
  auto source = cast<RankedTensorType>(getSource().getType());
  int64_t rank = operand.getRank();
  // C1.
  if (operand.getElementType() != source.getElementType())
    return emitOpError() << "operand of type " << operand
                         << " and source of type " << source
                         << " have different element types";
  // C3.
  if (failed(verifyInitValues(*this, operand, getInitValue().getType())))
    return failure();
  // C2, C4 to C8.
  if (!getWindowDimensions() && rank != 0)
    return emitOpError() << "lacks window_dimensions: " << rank
                         << " sizes are wanted";
  FailureOr<SmallVector<std::pair<int64_t, int64_t>>> padding =
      checkedPadding(getLoc(), getPaddingAttr(), rank);
  if (failed(padding))
    return failure();
  SmallVector<int64_t> ones(rank, 1);
  Window window{orOnes(getWindowDimensions(), rank),
                orOnes(getWindowStrides(), rank), ones, ones, *padding};
  FailureOr<SmallVector<int64_t>> places =
      slideWindow(getLoc(), operand.getShape(), window);
  if (failed(places))
    return failure();
  if (failed(verifyCompatibleShape(*places, source.getShape())))
    return emitOpError() << "source of type " << source
                         << " does not have one value per window of "
                         << operand;
  // C9.
  Block &select = getSelect().front();
  Type boolean = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  Type scalar = RankedTensorType::get({}, operand.getElementType());
  auto selected = select.getTerminator()->getOperandTypes();
  if (select.getNumArguments() != 2 ||
      select.getArgument(0).getType() != scalar ||
      select.getArgument(1).getType() != scalar || selected.size() != 1 ||
      selected.front() != boolean)
    return emitOpError() << "select must compare two values of type " << scalar;
  // C10.
  return verifyReducer(*this, getScatter(), operand);
}

LogicalResult MapOp::verify() {
  // C3: all dimensions, in order.
  int64_t rank = cast<RankedTensorType>(getType()).getRank();
  if (llvm::to_vector(getDimensions()) !=
      llvm::to_vector(llvm::seq<int64_t>(0, rank)))
    return emitOpError() << "dimensions must be all " << rank
                         << " dimensions in order";
  // C4.
  Block &block = getComputation().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError() << "computation takes " << block.getNumArguments()
                         << " arguments for " << getInputs().size()
                         << " inputs";
  for (auto [argument, input] :
       llvm::zip(block.getArguments(), getInputs().getTypes()))
    if (argument.getType() !=
        RankedTensorType::get({}, getElementTypeOrSelf(input)))
      return emitOpError() << "computation takes " << argument.getType()
                           << " for an input of type " << input;
  auto returned = block.getTerminator()->getOperandTypes();
  auto scalar = returned.size() == 1
                    ? dyn_cast<RankedTensorType>(returned.front())
                    : RankedTensorType();
  if (!scalar || scalar.getRank() != 0)
    return emitOpError("computation must return one scalar");
  return success();
}

} // namespace heddle::stablehlo
