// Types and attributes in text. They become builtin and stablehlo ones at once,
// as in bytecode.

#include "dialects/Vhlo/Encoding.h"
#include "dialects/Vhlo/Vhlo.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace heddle::vhlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `<4x?x!vhlo.f32_v1, #encoding>`
static Type parseTensor(DialectAsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  Attribute encoding;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(element) ||
      (succeeded(parser.parseOptionalComma()) &&
       parser.parseAttribute(encoding)) ||
      parser.parseGreater())
    return {};
  llvm::SMLoc loc = parser.getNameLoc();
  return RankedTensorType::getChecked([&] { return parser.emitError(loc); },
                                      shape, element, encoding);
}

/// `<!vhlo.f32_v1>`
static Type parseElement(DialectAsmParser &parser) {
  Type element;
  if (parser.parseLess() || parser.parseType(element) || parser.parseGreater())
    return {};
  return element;
}

static ParseResult parseTypes(DialectAsmParser &parser,
                              SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
    return parser.parseType(types.emplace_back());
  });
}

Type VhloDialect::parseType(DialectAsmParser &parser) const {
  StringRef name;
  llvm::SMLoc loc = parser.getNameLoc();
  auto emitError = [&] { return parser.emitError(loc); };
  if (parser.parseKeyword(&name))
    return {};
  StringRef stem = name;
  if (stem.consume_back("_v1")) {
    for (const PlainType &plain : plainTypes())
      if (plain.name == stem)
        return plain.get(getContext());
    if (stem == "tensor")
      return parseTensor(parser);
    if (stem == "complex") {
      Type element = parseElement(parser);
      return element ? ComplexType::getChecked(emitError, element) : Type();
    }
    if (stem == "unranked_tensor") {
      Type element = parseElement(parser);
      return element ? UnrankedTensorType::getChecked(emitError, element)
                     : Type();
    }
    SmallVector<Type> types;
    if (stem == "tuple")
      return parseTypes(parser, types) ? Type()
                                       : TupleType::get(getContext(), types);
    if (stem == "future")
      return parseTypes(parser, types)
                 ? Type()
                 : stablehlo::FutureType::get(getContext(), types);
  }
  emitError() << "unknown type of the vhlo dialect: '" << name << "'";
  return {};
}

void VhloDialect::printType(Type type, DialectAsmPrinter &printer) const {
  printer << "versioned<" << cast<VersionedType>(type).getType() << ">";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// `<attribute>`, where it is of the kind `T`.
template <typename T> static T parseInside(DialectAsmParser &parser) {
  T value;
  if (parser.parseLess() || parser.parseAttribute(value) ||
      parser.parseGreater())
    return {};
  return value;
}

/// `<{#vhlo.string_v1<"name"> = value, ...}>`
static Attribute parseDictionary(DialectAsmParser &parser) {
  NamedAttrList list;
  auto entry = [&]() -> ParseResult {
    StringAttr name;
    Attribute value;
    if (parser.parseAttribute(name) || parser.parseEqual() ||
        parser.parseAttribute(value))
      return failure();
    if (name.empty())
      return parser.emitError(parser.getNameLoc()) << "an entry has no name";
    list.set(name, value);
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, entry) ||
      parser.parseGreater())
    return {};
  return list.getDictionary(parser.getContext());
}

/// `<1.0 : !vhlo.f32_v1>`: the builtin form does not know this type.
static Attribute parseFloat(DialectAsmParser &parser) {
  double value = 0;
  FloatType type;
  if (parser.parseLess() || parser.parseFloat(value) || parser.parseColon() ||
      parser.parseType(type) || parser.parseGreater())
    return {};
  return FloatAttr::get(type, value);
}

/// `<atol = 0.0, rtol = 0.0, ulps = 1, mode = #vhlo<...>>`
static Attribute parseAccuracy(DialectAsmParser &parser) {
  double absolute = 0, relative = 0;
  int64_t ulps = 0;
  stablehlo::ResultAccuracyModeAttr mode;
  if (parser.parseLess() || parser.parseKeyword("atol") ||
      parser.parseEqual() || parser.parseFloat(absolute) ||
      parser.parseComma() || parser.parseKeyword("rtol") ||
      parser.parseEqual() || parser.parseFloat(relative) ||
      parser.parseComma() || parser.parseKeyword("ulps") ||
      parser.parseEqual() || parser.parseInteger(ulps) || parser.parseComma() ||
      parser.parseKeyword("mode") || parser.parseEqual() ||
      parser.parseAttribute(mode) || parser.parseGreater())
    return {};
  llvm::SMLoc loc = parser.getNameLoc();
  return stablehlo::ResultAccuracyAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(),
      APFloat(absolute), APFloat(relative), ulps, mode);
}

/// `[4, ?]`
static ParseResult parseSizes(DialectAsmParser &parser,
                              SmallVectorImpl<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        if (succeeded(parser.parseOptionalQuestion())) {
          sizes.push_back(ShapedType::kDynamic);
          return success();
        }
        return parser.parseInteger(sizes.emplace_back());
      });
}

/// `<bounds = [4, ?]>`
static Attribute parseBounds(DialectAsmParser &parser) {
  SmallVector<int64_t> bounds;
  if (parser.parseLess() || parser.parseKeyword("bounds") ||
      parser.parseEqual() || parseSizes(parser, bounds) ||
      parser.parseGreater())
    return {};
  return stablehlo::TypeExtensionsAttr::get(parser.getContext(), bounds);
}

/// `<outputTupleIndices = [0], operandIndex = 0, operandTupleIndices = []>`
static Attribute parseAlias(DialectAsmParser &parser) {
  SmallVector<int64_t> output, indices;
  int64_t operand = 0;
  if (parser.parseLess() || parser.parseKeyword("outputTupleIndices") ||
      parser.parseEqual() || parseSizes(parser, output) ||
      parser.parseComma() || parser.parseKeyword("operandIndex") ||
      parser.parseEqual() || parser.parseInteger(operand) ||
      parser.parseComma() || parser.parseKeyword("operandTupleIndices") ||
      parser.parseEqual() || parseSizes(parser, indices) ||
      parser.parseGreater())
    return {};
  return stablehlo::OutputOperandAliasAttr::get(parser.getContext(), output,
                                                operand, indices);
}

static Attribute parseTypeInside(DialectAsmParser &parser) {
  Type type = parseElement(parser);
  return type ? TypeAttr::get(type) : Attribute();
}

/// `<"text">`
static Attribute parseText(DialectAsmParser &parser) {
  std::string text;
  if (parser.parseLess() || parser.parseString(&text) || parser.parseGreater())
    return {};
  return StringAttr::get(parser.getContext(), text);
}

Attribute VhloDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  StringRef name;
  llvm::SMLoc loc = parser.getNameLoc();
  if (parser.parseKeyword(&name))
    return {};
  StringRef stem = name;
  if (stem.consume_back("_v1")) {
    for (const EnumRow &row : enumRows()) {
      StringRef value;
      if (row.name != stem)
        continue;
      if (parser.parseKeyword(&value))
        return {};
      if (Attribute attribute = row.fromName(getContext(), value))
        return attribute;
      parser.emitError(loc) << "'" << value << "' is no value of " << stem;
      return {};
    }
    using Parse = Attribute (*)(DialectAsmParser &);
    auto parse = llvm::StringSwitch<Parse>(stem)
                     .Case("array",
                           [](DialectAsmParser &parser) -> Attribute {
                             return parseInside<ArrayAttr>(parser);
                           })
                     .Case("bool",
                           [](DialectAsmParser &parser) -> Attribute {
                             return parseInside<BoolAttr>(parser);
                           })
                     .Case("dict", parseDictionary)
                     .Case("float", parseFloat)
                     .Case("integer",
                           [](DialectAsmParser &parser) -> Attribute {
                             return parseInside<IntegerAttr>(parser);
                           })
                     .Case("output_operand_alias", parseAlias)
                     .Case("result_accuracy", parseAccuracy)
                     .Case("string", parseText)
                     .Case("tensor",
                           [](DialectAsmParser &parser) -> Attribute {
                             return parseInside<DenseElementsAttr>(parser);
                           })
                     .Case("type", parseTypeInside)
                     .Case("type_extensions", parseBounds)
                     .Default(nullptr);
    if (parse)
      return parse(parser);
  }
  parser.emitError(loc) << "unknown attribute of the vhlo dialect: '" << name
                        << "'";
  return {};
}

void VhloDialect::printAttribute(Attribute attribute,
                                 DialectAsmPrinter &printer) const {
  printer << "versioned<" << cast<VersionedAttr>(attribute).getValue() << ">";
}

} // namespace heddle::vhlo
