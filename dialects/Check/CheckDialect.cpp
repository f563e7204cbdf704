// The check dialect: text and verifier of comparisons that a program makes of
// its own results.

#include "dialects/Check/Check.h"

#include "dialects/Check/CheckDialect.cpp.inc"

using namespace mlir;

/// `%x, %y` or `%x, dense<..> : type`, then `, name = value` for attributes, an
/// attribute dictionary and `: type` (once for all, or for each operand).
static ParseResult parseCheck(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands(1);
  if (parser.parseOperand(operands[0]))
    return failure();
  SmallVector<Type> types;
  while (succeeded(parser.parseOptionalComma())) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult another = parser.parseOptionalOperand(operand);
    if (another.has_value()) {
      if (failed(*another))
        return failure();
      operands.push_back(operand);
      continue;
    }
    StringRef name;
    if (succeeded(parser.parseOptionalKeyword(
            &name, {"tolerance", "max_ulp_difference", "min_ulp_difference",
                    "probe_id", "iteration"}))) {
      Attribute attribute;
      if (parser.parseEqual())
        return failure();
      if (parser.parseAttribute(
              attribute, name.ends_with("difference") || name == "iteration"
                             ? parser.getBuilder().getI64Type()
                             : Type()))
        return failure();
      state.addAttribute(name, attribute);
      continue;
    }
    TypedAttr value;
    if (parser.parseAttribute(value, "value", state.attributes))
      return failure();
    types.push_back(value.getType());
  }
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  if (succeeded(parser.parseOptionalColon())) {
    types.clear();
    if (parser.parseTypeList(types))
      return failure();
  }
  if (types.empty())
    return parser.emitError(parser.getNameLoc(), "expected a type");
  types.resize(operands.size(), types.front());
  return parser.resolveOperands(operands, types, parser.getNameLoc(),
                                state.operands);
}

static void printCheck(OpAsmPrinter &printer, Operation *op) {
  printer << " ";
  printer.printOperands(op->getOperands());
  auto value = op->getAttrOfType<ElementsAttr>("value");
  if (value)
    printer << ", " << value;
  printer.printOptionalAttrDict(op->getAttrs(), {"value"});
  if (!value) {
    printer << " : ";
    llvm::interleaveComma(op->getOperandTypes(), printer);
  }
}

namespace heddle::check {

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Check/CheckOps.cpp.inc"
      >();
}

static LogicalResult verifyTypes(Operation *op, Type actual, Type expected) {
  if (actual == expected)
    return success();
  // Where a dimension is unknown, what runs decides.
  auto have = dyn_cast<ShapedType>(actual),
       want = dyn_cast<ShapedType>(expected);
  if (have && want && have.getElementType() == want.getElementType() &&
      succeeded(verifyCompatibleShape(have.getShape(), want.getShape())))
    return success();
  return op->emitOpError("compares ") << actual << " with " << expected;
}

#define HEDDLE_CHECK_SYNTAX(Op)                                                \
  ParseResult Op::parse(OpAsmParser &parser, OperationState &state) {          \
    return parseCheck(parser, state);                                          \
  }                                                                            \
  void Op::print(OpAsmPrinter &printer) { printCheck(printer, *this); }
#define HEDDLE_CHECK_TENSORS(Op)                                               \
  HEDDLE_CHECK_SYNTAX(Op)                                                      \
  LogicalResult Op::verify() {                                                 \
    return verifyTypes(*this, getActual().getType(), getExpected().getType()); \
  }
#define HEDDLE_CHECK_CONSTANT(Op)                                              \
  HEDDLE_CHECK_SYNTAX(Op)                                                      \
  LogicalResult Op::verify() {                                                 \
    return verifyTypes(*this, getActual().getType(),                           \
                       getValue().getShapedType());                            \
  }

HEDDLE_CHECK_TENSORS(ExpectEqOp)
HEDDLE_CHECK_TENSORS(ExpectAlmostEqOp)
HEDDLE_CHECK_TENSORS(ExpectCloseOp)
HEDDLE_CHECK_CONSTANT(ExpectEqConstOp)
HEDDLE_CHECK_CONSTANT(ExpectAlmostEqConstOp)
HEDDLE_CHECK_CONSTANT(ExpectCloseConstOp)
HEDDLE_CHECK_SYNTAX(ExpectSerializedEqOp)

} // namespace heddle::check

#define GET_OP_CLASSES
#include "dialects/Check/CheckOps.cpp.inc"
