// Brings the functions of several models together: none may be called as
// another one, and each speaks of the sizes that calls choose by its own
// numbers.

#include "heddle/Frontend/EntryJoiner.h"

#include "dialects/Size/Expression.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/SignatureAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

/// Drops the functions that `entry` does not lead to, such as other entries of
/// its file.
static void dropUnused(ModuleOp module, SymbolTable &symbols,
                       func::FuncOp entry) {
  llvm::SetVector<Operation *> used;
  used.insert(entry);
  for (unsigned i = 0; i < used.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(used[i]))
      for (const SymbolTable::SymbolUse &use : *uses)
        if (Operation *symbol =
                symbols.lookup(use.getSymbolRef().getRootReference()))
          used.insert(symbol);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!used.contains(function))
      symbols.erase(function);
}

/// The names that the symbols of an entry, those in `own`, have among `all`,
/// which gains what it lacks.
static FailureOr<llvm::StringMap<StringAttr>>
addSymbols(StringRef entry, llvm::function_ref<bool(StringRef)> isShared,
           ArrayAttr own, SmallVectorImpl<Attribute> &all) {
  llvm::StringMap<StringAttr> names;
  for (auto symbol : own.getAsRange<DictionaryAttr>()) {
    auto name = symbol.getAs<StringAttr>("name");
    StringAttr &becomes = names[name.getValue()];
    bool isOne = isShared(name);
    if (!isOne) {
      NamedAttrList renamed(symbol);
      name = StringAttr::get(own.getContext(), entry + "." + name.getValue());
      renamed.set("name", name);
      symbol = renamed.getDictionary(own.getContext());
    }
    auto *known = llvm::find_if(all, [&](Attribute other) {
      return cast<DictionaryAttr>(other).get("name") == name;
    });
    becomes = name;
    if (known == all.end()) {
      all.push_back(symbol);
    } else if (!isOne || *known != symbol) {
      InFlightDiagnostic error = emitError(UnknownLoc::get(own.getContext()),
                                           ErrorCode::OnnxShapeOption);
      if (isOne)
        return error << "\"" << name.getValue() << "\" is given several ranges";
      return error << "two sizes are called \"" << name.getValue()
                   << "\": give an entry another name";
    }
  }
  return names;
}

/// What an entry takes for granted of sizes, in the names that these have, and
/// as the entry's own.
static void addAssumptions(StringRef entry,
                           const llvm::StringMap<StringAttr> &names,
                           ArrayAttr own, SmallVectorImpl<Attribute> &all) {
  MLIRContext *context = own.getContext();
  for (auto assumption : own.getAsRange<DictionaryAttr>()) {
    NamedAttrList renamed(assumption);
    size::Expression zero(assumption.getAs<size::ExpressionAttr>("zero"));
    zero = zero.substituted([&](StringRef name) {
      return size::Expression::symbol(context, names.at(name));
    });
    renamed.set("zero", zero.attribute());
    renamed.set("entry", StringAttr::get(context, entry));
    all.push_back(renamed.getDictionary(context));
  }
}

/// Makes the model of the entry call its symbols by other names.
static void renameSymbols(ModuleOp model, func::FuncOp entry,
                          const llvm::StringMap<StringAttr> &names) {
  MLIRContext *context = entry.getContext();
  SignatureAttributes attributes(entry);
  auto rename = [&](NamedAttrList &list) {
    if (auto symbol = dyn_cast_or_null<StringAttr>(list.get(kExtentAttrName)))
      list.set(kExtentAttrName, names.at(symbol));
  };
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    rename(attributes.argument(i));
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    rename(attributes.result(i));
  attributes.store();
  // Wherever there are expressions: in types, attributes and elements.
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](size::ExpressionAttr expression) -> std::pair<Attribute, WalkResult> {
        size::Expression renamed =
            size::Expression(expression).substituted([&](StringRef name) {
              return size::Expression::symbol(context, names.at(name));
            });
        return {renamed.attribute(), WalkResult::skip()};
      });
  for (Operation &op : *model.getBody())
    replacer.recursivelyReplaceElementsIn(&op, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
}

LogicalResult EntryJoiner::add(StringRef name, func::FuncOp entry,
                               llvm::function_ref<bool(StringRef)> isShared,
                               OwningOpRef<ModuleOp> model) {
  SymbolTable symbols(*model);
  dropUnused(*model, symbols, entry);
  // A function of the model's own may have the name.
  if (Operation *other = symbols.lookup(name); other && other != entry)
    if (failed(symbols.renameToUnique(other, {})))
      return failure();
  if (entry.getName() != name && failed(symbols.rename(entry, name)))
    return failure();
  if (auto own = (*model)->getAttrOfType<ArrayAttr>(kSymbolsAttrName)) {
    auto names = addSymbols(name, isShared, own, sizes);
    if (failed(names))
      return failure();
    renameSymbols(*model, entry, *names);
    if (auto assumed =
            (*model)->getAttrOfType<ArrayAttr>(kSizeAssumptionsAttrName))
      addAssumptions(name, *names, assumed, assumptions);
  }
  if (!whole) {
    whole = std::move(model);
  } else {
    SymbolTable known(*whole);
    for (auto function : (*model).getOps<func::FuncOp>())
      if (known.lookup(function.getName()) &&
          failed(function == entry
                     ? known.renameToUnique(known.lookup(name), {&symbols})
                     : symbols.renameToUnique(function, {&known})))
        return failure();
    whole->getBody()->getOperations().splice(whole->getBody()->end(),
                                             model->getBody()->getOperations());
  }
  if (!sizes.empty())
    (*whole)->setAttr(kSymbolsAttrName,
                      ArrayAttr::get(whole->getContext(), sizes));
  if (!assumptions.empty())
    (*whole)->setAttr(kSizeAssumptionsAttrName,
                      ArrayAttr::get(whole->getContext(), assumptions));
  return success();
}
