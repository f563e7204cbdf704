// chlo.scan: text and verifier.

#include "dialects/Chlo/Chlo.h"

using namespace mlir;

namespace heddle::chlo {

int64_t ScanOp::getNumSteps() {
  for (Value input : getInputs())
    return cast<RankedTensorType>(input.getType()).getDimSize(getDimension());
  return getScanDimSize().value_or(ShapedType::kDynamic);
}

/// `(%inputs) inits (%inits) dimension=0 attributes {...} {body} : types`.
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  IntegerAttr dimension;
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseAttribute(dimension, parser.getBuilder().getI64Type(),
                            "dimension", state.attributes) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion()) || parser.parseColonType(type))
    return failure();
  size_t carries = inits.size();
  if (type.getNumInputs() != inputs.size() + carries ||
      type.getNumResults() < carries)
    return parser.emitError(loc)
           << inputs.size() << " inputs and " << carries
           << " initial values do not fit the type " << type;
  state.addTypes(type.getResults());
  auto &properties = state.getOrAddProperties<ScanOp::Properties>();
  properties.operandSegmentSizes = {int32_t(inputs.size()), int32_t(carries)};
  properties.resultSegmentSizes = {int32_t(type.getNumResults() - carries),
                                   int32_t(carries)};
  llvm::append_range(inputs, inits);
  return parser.resolveOperands(inputs, type.getInputs(), loc, state.operands);
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << "(" << getInputs() << ") inits (" << getInits()
          << ") dimension=" << getDimension();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << " ";
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(getOperation());
}

/// Whether `slice` is `whole` without the dimension.
static bool isSlice(Type slice, Type whole, int64_t dimension, int64_t steps) {
  auto small = dyn_cast<RankedTensorType>(slice);
  auto large = dyn_cast<RankedTensorType>(whole);
  if (!small || !large || dimension >= large.getRank() ||
      small.getElementType() != large.getElementType())
    return false;
  SmallVector<int64_t> shape(large.getShape());
  if (failed(verifyCompatibleShape(shape[dimension], steps)))
    return false;
  shape.erase(shape.begin() + dimension);
  return succeeded(verifyCompatibleShape(shape, small.getShape()));
}

LogicalResult ScanOp::verify() {
  int64_t dimension = getDimension(), steps = getNumSteps();
  if (getInputs().empty() && !getScanDimSize())
    return emitOpError("has neither inputs nor scan_dim_size");
  if (getInits().size() != getCarries().size())
    return emitOpError("has ") << getInits().size() << " initial values and "
                               << getCarries().size() << " carried results";
  Block &body = getBody().front();
  if (body.getNumArguments() != getNumOperands())
    return emitOpError("has a body of ")
           << body.getNumArguments() << " arguments for " << getNumOperands()
           << " operands";
  Operation *end = body.empty() ? nullptr : &body.back();
  if (!isa_and_nonnull<stablehlo::ReturnOp>(end) ||
      end->getNumOperands() != getNumResults())
    return emitOpError("has a body that does not return ")
           << getNumResults() << " values";
  auto wrong = [&](Type have, Type want) {
    return emitOpError("has a body with a value of type ")
           << have << " for " << want;
  };
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (!isSlice(body.getArgument(i).getType(), input.getType(), dimension,
                 steps))
      return wrong(body.getArgument(i).getType(), input.getType());
  for (auto [i, output] : llvm::enumerate(getOutputs()))
    if (!isSlice(end->getOperand(i).getType(), output.getType(), dimension,
                 steps))
      return wrong(end->getOperand(i).getType(), output.getType());
  unsigned inputs = getInputs().size(), outputs = getOutputs().size();
  for (auto [i, init] : llvm::enumerate(getInits())) {
    Type carried = body.getArgument(inputs + i).getType();
    for (Type other : {init.getType(), end->getOperand(outputs + i).getType(),
                       getCarries()[i].getType()})
      if (failed(verifyCompatibleShape(carried, other)) ||
          getElementTypeOrSelf(carried) != getElementTypeOrSelf(other))
        return wrong(carried, other);
  }
  return success();
}

} // namespace heddle::chlo
