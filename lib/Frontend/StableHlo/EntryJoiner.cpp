// Brings the functions of several models together: none may be called as
// another one, and each speaks of the sizes that calls choose by its own
// numbers.

#include "heddle/Frontend/EntryJoiner.h"

#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/SignatureAttributes.h"

#include "mlir/IR/AffineMap.h"
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

/// The numbers that the symbols of an entry, those in `own`, have among `all`,
/// which gains what it lacks.
static FailureOr<SmallVector<int64_t>>
addSymbols(StringRef entry, llvm::function_ref<bool(StringRef)> isShared,
           ArrayAttr own, SmallVectorImpl<Attribute> &all) {
  SmallVector<int64_t> numbers;
  for (auto symbol : own.getAsRange<DictionaryAttr>()) {
    auto name = symbol.getAs<StringAttr>("name");
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
    numbers.push_back(known - all.begin());
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
  return numbers;
}

/// Makes the entry speak of symbols by other numbers.
static void renumberSymbols(func::FuncOp entry, ArrayRef<int64_t> numbers,
                            size_t count) {
  Builder builder(entry.getContext());
  SmallVector<AffineExpr> symbols = llvm::map_to_vector(
      numbers, [&](int64_t i) { return builder.getAffineSymbolExpr(i); });
  SignatureAttributes attributes(entry);
  auto renumber = [&](NamedAttrList &list) {
    if (auto shape = dyn_cast_or_null<AffineMapAttr>(list.get(kShapeAttrName)))
      list.set(kShapeAttrName,
               AffineMapAttr::get(shape.getValue().replaceDimsAndSymbols(
                   {}, symbols, 0, count)));
    if (auto extent = dyn_cast_or_null<IntegerAttr>(list.get(kExtentAttrName)))
      list.set(kExtentAttrName,
               builder.getI64IntegerAttr(numbers[extent.getInt()]));
  };
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    renumber(attributes.argument(i));
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    renumber(attributes.result(i));
  attributes.store();
  entry.walk([&](Operation *op) {
    if (auto sizes = op->getAttrOfType<AffineMapAttr>(kSizesAttrName))
      op->setAttr(kSizesAttrName,
                  AffineMapAttr::get(sizes.getValue().replaceDimsAndSymbols(
                      {}, symbols, 0, count)));
  });
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
    auto numbers = addSymbols(name, isShared, own, sizes);
    if (failed(numbers))
      return failure();
    renumberSymbols(entry, *numbers, sizes.size());
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
  return success();
}
