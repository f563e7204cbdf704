// Shardy's attributes and operations as far as one device needs them: read,
// and passed over.

#include "lib/Frontend/StableHlo/ShardyDialect.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Takes what lies between brackets of any kind up to the one that closes what
/// has been opened: names, numbers and punctuation that say nothing here.
static ParseResult skipToClosing(OpAsmParser &parser) {
  for (int depth = 1; depth > 0;) {
    StringRef keyword;
    std::string text;
    StringAttr symbol;
    int64_t number;
    if (succeeded(parser.parseOptionalLess()) ||
        succeeded(parser.parseOptionalLSquare()) ||
        succeeded(parser.parseOptionalLBrace()) ||
        succeeded(parser.parseOptionalLParen())) {
      ++depth;
    } else if (succeeded(parser.parseOptionalGreater()) ||
               succeeded(parser.parseOptionalRSquare()) ||
               succeeded(parser.parseOptionalRBrace()) ||
               succeeded(parser.parseOptionalRParen())) {
      --depth;
    } else if (failed(parser.parseOptionalComma()) &&
               failed(parser.parseOptionalColon()) &&
               failed(parser.parseOptionalEqual()) &&
               failed(parser.parseOptionalQuestion()) &&
               failed(parser.parseOptionalString(&text)) &&
               failed(parser.parseOptionalKeyword(&keyword)) &&
               failed(parser.parseOptionalSymbolName(symbol)) &&
               !parser.parseOptionalInteger(number).has_value()) {
      return parser.emitError(parser.getCurrentLocation(),
                              "expected a sharding");
    }
  }
  return success();
}

/// sdy.mesh @name = <["x"=2, ...]>
static ParseResult parseMesh(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  return failure(parser.parseSymbolName(name, "sym_name", result.attributes) ||
                 parser.parseEqual() || parser.parseLess() ||
                 skipToClosing(parser) ||
                 parser.parseOptionalAttrDict(result.attributes));
}

/// sdy.sharding_constraint %x <@mesh, [...]> : type
static ParseResult parseConstraint(OpAsmParser &parser,
                                   OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  Type type;
  if (parser.parseOperand(operand) || parser.parseLess() ||
      skipToClosing(parser) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperand(operand, type, result.operands))
    return failure();
  result.addTypes(type);
  return success();
}

/// sdy.manual_computation(%x) in_shardings=[...] out_shardings=[...]
///     manual_axes={...} (%argument: type) {...} : (type) -> type
static ParseResult parseManual(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  FunctionType type;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in_shardings") || parser.parseEqual() ||
      parser.parseLSquare() || skipToClosing(parser) ||
      parser.parseKeyword("out_shardings") || parser.parseEqual() ||
      parser.parseLSquare() || skipToClosing(parser) ||
      parser.parseKeyword("manual_axes") || parser.parseEqual() ||
      parser.parseLBrace() || skipToClosing(parser) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), place,
                             result.operands))
    return failure();
  result.addTypes(type.getResults());
  return success();
}

/// sdy.return %x : type
static ParseResult parseReturn(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc place = parser.getCurrentLocation();
  return failure(
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseOperandList(operands) ||
      (!operands.empty() && parser.parseColonTypeList(types)) ||
      parser.resolveOperands(operands, types, place, result.operands));
}

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

namespace {
class ShardyReader : public BytecodeDialectInterface {
public:
  explicit ShardyReader(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    // Byte by byte to the end, which only an error tells.
    ScopedDiagnosticHandler silent(getContext(),
                                   [](Diagnostic &) { return success(); });
    bool byte = false;
    while (succeeded(reader.readBool(byte)))
      ;
    return UnitAttr::get(getContext());
  }
};

class ShardyDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShardyDialect)
  static constexpr StringLiteral getDialectNamespace() { return "sdy"; }

  explicit ShardyDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ShardyDialect>()) {
    addInterfaces<ShardyReader>();
    allowUnknownOperations();
  }

  /// The text as it is.
  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override {
    return OpaqueAttr::get(StringAttr::get(getContext(), "sdy"),
                           parser.getFullSymbolSpec(),
                           type ? type : NoneType::get(getContext()));
  }
  std::optional<ParseOpHook>
  getParseOperationHook(StringRef name) const override {
    if (name == "sdy.mesh")
      return ParseOpHook(parseMesh);
    if (name == "sdy.sharding_constraint")
      return ParseOpHook(parseConstraint);
    if (name == "sdy.manual_computation")
      return ParseOpHook(parseManual);
    if (name == "sdy.return")
      return ParseOpHook(parseReturn);
    return std::nullopt;
  }
};
} // namespace

void heddle::allowShardy(MLIRContext &context) {
  context.loadDialect<ShardyDialect>();
}

bool heddle::mentionsShardy(StringRef text) { return text.contains("sdy."); }
