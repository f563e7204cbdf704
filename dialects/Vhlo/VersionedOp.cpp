// How operations of a table are registered: one model for all of them, which
// holds its attributes in a dictionary.

#include "dialects/Vhlo/Vhlo.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace heddle::vhlo {

static DictionaryAttr &propertiesOf(OpaqueProperties storage) {
  return *storage.as<DictionaryAttr *>();
}

std::string nameOf(const OpRow &row, unsigned revision) {
  return ("vhlo." + row.name + "_v" + llvm::Twine(revision)).str();
}

namespace {

/// The attributes in the order of their names, without any of the names.
struct PropertiesModel : BytecodeOpInterface::FallbackModel<PropertiesModel> {
  static LogicalResult readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
    Revision revision = revisionOf(state.name);
    for (const AttributeRow *row :
         attributesOf(*revision.row, revision.number)) {
      Attribute value;
      if (failed(reader.readAttribute(value)))
        return failure();
      if (!value)
        return reader.emitError()
               << "'" << state.name << "' lacks '" << row->name << "'";
      state.addAttribute(row->name, value);
    }
    return success();
  }
  void writeProperties(Operation *op, DialectBytecodeWriter &writer) const {
    Revision revision = revisionOf(op->getName());
    for (const AttributeRow *row : attributesOf(*revision.row, revision.number))
      writer.writeAttribute(op->getAttr(row->name));
  }
};

/// Says nothing about operands, results and regions: what is read is checked
/// when it has become StableHLO.
class VersionedOp : public OperationName::Impl {
public:
  VersionedOp(Dialect *dialect, const OpRow &row, unsigned revision, TypeID id)
      : Impl(nameOf(row, revision), dialect, id, interfaces()),
        revision{&row, revision}, attributes(attributesOf(row, revision)) {}

  const Revision revision;

  LogicalResult foldHook(Operation *, ArrayRef<Attribute>,
                         SmallVectorImpl<OpFoldResult> &) override {
    return failure();
  }
  void getCanonicalizationPatterns(RewritePatternSet &,
                                   MLIRContext *) override {}
  bool hasTrait(TypeID trait) override {
    if (revision.row->name == "func")
      return trait == TypeID::get<OpTrait::IsIsolatedFromAbove>();
    return revision.row->name == "return" &&
           trait == TypeID::get<OpTrait::IsTerminator>();
  }
  OperationName::ParseAssemblyFn getParseAssemblyFn() override;
  void populateDefaultAttrs(const OperationName &, NamedAttrList &) override {}
  void printAssembly(Operation *op, OpAsmPrinter &printer, StringRef) override {
    printer.printGenericOp(op);
  }
  LogicalResult verifyInvariants(Operation *) override { return success(); }
  LogicalResult verifyRegionInvariants(Operation *) override {
    return success();
  }

  std::optional<Attribute> getInherentAttr(Operation *op,
                                           StringRef name) override {
    if (!hasAttribute(name))
      return std::nullopt;
    DictionaryAttr properties = propertiesOf(op->getPropertiesStorage());
    return properties ? properties.get(name) : Attribute();
  }
  void setInherentAttr(Operation *op, StringAttr name,
                       Attribute value) override {
    DictionaryAttr &properties = propertiesOf(op->getPropertiesStorage());
    NamedAttrList list(properties);
    if (value)
      list.set(name, value);
    else
      list.erase(name);
    properties = list.getDictionary(op->getContext());
  }
  void populateInherentAttrs(Operation *op, NamedAttrList &attrs) override {
    if (!hasProperties())
      return;
    if (DictionaryAttr properties = propertiesOf(op->getPropertiesStorage()))
      for (NamedAttribute attribute : properties)
        attrs.append(attribute);
  }
  LogicalResult
  verifyInherentAttrs(OperationName, NamedAttrList &,
                      function_ref<InFlightDiagnostic()>) override {
    return success();
  }

  // Where there are no attributes, a file must not have any properties.
  int getOpPropertyByteSize() override {
    return hasProperties() ? sizeof(DictionaryAttr) : 0;
  }
  void initProperties(OperationName, OpaqueProperties storage,
                      OpaqueProperties init) override {
    new (storage.as<DictionaryAttr *>())
        DictionaryAttr(init ? propertiesOf(init) : DictionaryAttr());
  }
  void deleteProperties(OpaqueProperties) override {}
  void populateDefaultProperties(OperationName, OpaqueProperties) override {}
  LogicalResult
  setPropertiesFromAttr(OperationName name, OpaqueProperties storage,
                        Attribute value,
                        function_ref<InFlightDiagnostic()> emitError) override {
    if (!hasProperties())
      return success();
    auto dictionary = dyn_cast_or_null<DictionaryAttr>(value);
    if (value && !dictionary) {
      if (emitError)
        emitError() << "'" << name << "' wants a dictionary of attributes";
      return failure();
    }
    propertiesOf(storage) = dictionary;
    return success();
  }
  Attribute getPropertiesAsAttr(Operation *op) override {
    return hasProperties() ? propertiesOf(op->getPropertiesStorage())
                           : DictionaryAttr();
  }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) override {
    propertiesOf(to) = propertiesOf(from);
  }
  bool compareProperties(OpaqueProperties a, OpaqueProperties b) override {
    return propertiesOf(a) == propertiesOf(b);
  }
  llvm::hash_code hashProperties(OpaqueProperties properties) override {
    return hash_value(propertiesOf(properties));
  }

private:
  static mlir::detail::InterfaceMap interfaces() {
    mlir::detail::InterfaceMap map;
    map.insertModels<PropertiesModel>();
    return map;
  }
  bool hasProperties() const { return !attributes.empty(); }
  bool hasAttribute(StringRef name) const {
    return llvm::any_of(
        attributes, [&](const AttributeRow *row) { return row->name == name; });
  }

  const SmallVector<const AttributeRow *> attributes;
};

/// What stands for the C++ classes that these operations do not have.
struct alignas(8) Identity {
  Revision revision;
};

} // namespace

/// Two for each row, in the order of the table.
static ArrayRef<Identity> identities() {
  static const std::vector<Identity> all = [] {
    std::vector<Identity> made;
    for (const OpRow &row : opRows())
      for (unsigned revision : {1, 2})
        made.push_back({{&row, revision}});
    return made;
  }();
  return all;
}

Revision revisionOf(OperationName name) {
  return static_cast<const Identity *>(name.getTypeID().getAsOpaquePointer())
      ->revision;
}

/// `vhlo.func_v1 @name(%argument: type, ...) -> (type, ...) { ... } {...}`; all
/// others have the generic form alone.
static ParseResult parseFunction(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  if (parser.parseSymbolName(name, "sym_name", state.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseArrowTypeList(results) ||
      parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  SmallVector<Type> inputs;
  for (const OpAsmParser::Argument &argument : arguments)
    inputs.push_back(argument.type);
  state.addAttribute(
      "function_type",
      TypeAttr::get(parser.getBuilder().getFunctionType(inputs, results)));
  return success();
}

OperationName::ParseAssemblyFn VersionedOp::getParseAssemblyFn() {
  if (revision.row->name == "func")
    return parseFunction;
  return [](OpAsmParser &parser, OperationState &) -> ParseResult {
    return parser.emitError(parser.getNameLoc())
           << "this operation is written in quotes, in the generic form";
  };
}

void VhloDialect::registerOperations() {
  for (const Identity &identity : identities()) {
    auto [row, number] = identity.revision;
    if (number == 2 && !row->hasSecond())
      continue;
    RegisteredOperationName::insert(
        std::make_unique<VersionedOp>(this, *row, number,
                                      TypeID::getFromOpaquePointer(&identity)),
        /*attrNames=*/{});
  }
}

} // namespace heddle::vhlo
