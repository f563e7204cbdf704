// VHLO becomes StableHLO. Types and attributes are StableHLO's already, so only
// operations change: their names, and how they hold their attributes.

#include "heddle/Frontend/PortableArtifact.h"

#include "dialects/StableHlo/StableHlo.h"
#include "dialects/Vhlo/Vhlo.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace heddle::vhlo;

namespace heddle {

/// The name in StableHLO or func.
static std::string targetName(Operation *op, const OpRow &row) {
  bool inFunction =
      op->getParentOp() && (isa<func::FuncOp>(op->getParentOp()) ||
                            op->getParentOp()->getName().getStringRef() ==
                                nameOf(*findOpRow("func.func"), 1));
  bool ofFunc = row.name == "func" || row.name == "call" ||
                (row.name == "return" && inFunction);
  return ((ofFunc ? "func." : "stablehlo.") + row.name).str();
}

/// The attribute as StableHLO holds it; null if it is of another kind.
static Attribute fromPlain(Form form, Attribute value) {
  MLIRContext *context = value.getContext();
  auto symbol = [](Attribute text) -> Attribute {
    auto name = dyn_cast<StringAttr>(text);
    return name && !name.empty() ? FlatSymbolRefAttr::get(name) : Attribute();
  };
  switch (form) {
  case Form::Same:
    return value;
  case Form::ApiVersion: {
    auto number = dyn_cast<IntegerAttr>(value);
    return number && number.getType().isSignlessInteger(32) ? value
                                                            : Attribute();
  }
  case Form::Dims: {
    auto dense = dyn_cast<DenseIntElementsAttr>(value);
    if (!dense || !dense.getElementType().isSignlessInteger(64))
      return {};
    return DenseI64ArrayAttr::get(context,
                                  llvm::to_vector(dense.getValues<int64_t>()));
  }
  case Form::Bools: {
    auto dense = dyn_cast<DenseIntElementsAttr>(value);
    if (!dense || !dense.getElementType().isInteger(1))
      return {};
    return DenseBoolArrayAttr::get(context,
                                   llvm::to_vector(dense.getValues<bool>()));
  }
  case Form::Unit: {
    auto boolean = dyn_cast<BoolAttr>(value);
    return boolean && boolean.getValue() ? UnitAttr::get(context) : Attribute();
  }
  case Form::Symbol:
    return symbol(value);
  case Form::Symbols: {
    auto array = dyn_cast<ArrayAttr>(value);
    if (!array)
      return {};
    SmallVector<Attribute> symbols = llvm::map_to_vector(array, symbol);
    return llvm::is_contained(symbols, Attribute())
               ? Attribute()
               : ArrayAttr::get(context, symbols);
  }
  }
  return {};
}

static InFlightDiagnostic emitInvalid(Operation *op) {
  return emitError(op->getLoc(), ErrorCode::StableHloInvalid)
         << "'" << op->getName() << "': ";
}

/// Adds the attributes that `structure` names, joined.
static LogicalResult joinFields(Operation *op, const StructRow &structure,
                                unsigned revision, NamedAttrList &attributes) {
  SmallVector<Attribute> fields;
  bool standard = true;
  for (const AttributeRow &row : structure.fields) {
    Attribute value = op->getAttr(row.name);
    if (!value && row.isIn(revision))
      return emitInvalid(op) << "'" << row.name << "' is missing";
    standard &= !value || isDefault(row.standard, value);
    fields.push_back(value);
  }
  if (standard)
    return success();
  Attribute joined = structure.join(op->getContext(), fields);
  if (!joined)
    return emitInvalid(op) << "the fields of '" << structure.name
                           << "' are not of the kinds that they must be";
  attributes.set(structure.name, joined);
  return success();
}

static LogicalResult convertAttributes(Operation *op, const Revision &revision,
                                       NamedAttrList &attributes) {
  const OpRow &row = *revision.row;
  attributes.append(op->getDiscardableAttrs().begin(),
                    op->getDiscardableAttrs().end());
  for (const AttributeRow &each : row.attributes) {
    if (!each.isIn(revision.number))
      continue;
    Attribute value = op->getAttr(each.name);
    if (!value)
      return emitInvalid(op) << "'" << each.name << "' is missing";
    // The first revision of dynamic_conv had a padding that meant nothing.
    if (isDefault(each.standard, value) || each.lastRevision == 1)
      continue;
    Attribute converted = fromPlain(each.form, value);
    if (!converted)
      return emitInvalid(op) << "'" << each.name << "' is " << value
                             << ", which is of another kind than it must be";
    attributes.set(each.name, converted);
  }
  // Layouts are given for operands and results alike.
  for (StringRef name : {"operand_layouts", "result_layouts"})
    if (row.name == "custom_call" &&
        (attributes.get("operand_layouts") || attributes.get("result_layouts")))
      attributes.set(name, op->getAttr(name));
  for (const StructRow *structure : row.structures)
    if (failed(joinFields(op, *structure, revision.number, attributes)))
      return failure();
  return success();
}

static LogicalResult convertOp(Operation *op) {
  Revision revision = revisionOf(op->getName());
  OperationState state(op->getLoc(), targetName(op, *revision.row));
  if (!state.name.isRegistered())
    return emitError(op->getLoc(), ErrorCode::StableHloOperator)
           << "'" << op->getName() << "' has no form in StableHLO";
  if (failed(convertAttributes(op, revision, state.attributes)))
    return failure();
  // Otherwise an attribute of another kind would be dropped silently.
  if (failed(state.name.verifyInherentAttrs(state.attributes,
                                            [&] { return emitInvalid(op); })))
    return failure();
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *converted = Operation::create(state);
  op->getBlock()->getOperations().insert(op->getIterator(), converted);
  op->replaceAllUsesWith(converted);
  op->erase();
  return success();
}

LogicalResult convertFromVhlo(ModuleOp module) {
  auto *dialect = module.getContext()->getLoadedDialect<VhloDialect>();
  if (!dialect)
    return success();
  bool any = false;
  WalkResult result = module.walk([&](Operation *op) {
    // Between VHLO and other dialects; both have the same types here.
    if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op)) {
      if (cast.getOperandTypes() == cast.getResultTypes()) {
        cast.replaceAllUsesWith(cast.getOperands());
        cast.erase();
      }
      return WalkResult::advance();
    }
    if (op->getDialect() != dialect)
      return WalkResult::advance();
    any = true;
    return WalkResult(convertOp(op));
  });
  if (result.wasInterrupted())
    return failure();
  return any ? verify(module) : success();
}

} // namespace heddle
