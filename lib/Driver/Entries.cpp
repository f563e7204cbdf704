// The models of several entries become one module, so that all that follows
// sees what they share: weights, kernels, states.

#include "Entries.h"

#include "ModelFile.h"
#include "SharedOptions.h"
#include "heddle/Driver/Model.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/SignatureAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace heddle;

/// Names that kernels and weights get: k0, w12.
static bool isOwnName(StringRef name) {
  return (name.consume_front("k") || name.consume_front("w")) &&
         !name.empty() &&
         name.find_first_not_of("0123456789") == StringRef::npos;
}

std::string heddle::parseEntry(const std::string &text, EntryModel &entry) {
  auto [name, path] = StringRef(text).split('=');
  auto [file, function] = path.rsplit(':');
  entry.name = name.str();
  entry.path = path.str();
  if (!function.empty() && !llvm::sys::fs::exists(path)) {
    entry.path = file.str();
    entry.function = function.str();
  }
  return entry.name.empty() || entry.path.empty()
             ? "\"" + text +
                   "\" is no entry: write NAME=MODEL or NAME=MODEL:FUNCTION"
             : "";
}

/// False after an error, which has been reported.
static bool checkNames(Session &session, ArrayRef<EntryModel> entries) {
  llvm::StringSet<> known;
  for (const EntryModel &entry : entries) {
    std::string wrong;
    if (entry.name.empty())
      wrong = "an entry has no name";
    else if (isOwnName(entry.name))
      wrong = "\"" + entry.name + "\" is a name that heddle gives itself";
    else if (!known.insert(entry.name).second)
      wrong = "two entries are called \"" + entry.name + "\"";
    if (wrong.empty())
      continue;
    session.diagnostics.report(ErrorCode::BadCommandLine, wrong);
    return false;
  }
  return true;
}

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

/// Whether the options of an entry call a size `name`. Such names are the
/// user's, and mean one size in all entries; a size that is known by its place
/// in an input is the entry's own.
static bool isNamed(const ModelOptions &options, StringRef name) {
  return llvm::any_of(options.dims, [&](StringRef dim) {
    return dim.rsplit('=').first == name;
  });
}

/// The numbers that the symbols of an entry, those in `own`, have among `all`,
/// which gains what it lacks. Nothing after an error, which has been reported.
static std::optional<SmallVector<int64_t>>
addSymbols(Session &session, StringRef entry, const ModelOptions &options,
           ArrayAttr own, SmallVectorImpl<Attribute> &all) {
  SmallVector<int64_t> numbers;
  for (auto symbol : own.getAsRange<DictionaryAttr>()) {
    auto name = symbol.getAs<StringAttr>("name");
    bool isShared = isNamed(options, name);
    if (!isShared) {
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
    } else if (!isShared || *known != symbol) {
      session.diagnostics.report(
          ErrorCode::OnnxShapeOption,
          isShared ? "\"" + name.getValue() + "\" is given several ranges"
                   : "two sizes are called \"" + name.getValue() +
                         "\": give an entry another name");
      return std::nullopt;
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

namespace {
/// The module that grows by the models of the entries.
class Joiner {
public:
  explicit Joiner(Session &session) : session(session) {}

  /// Adds the model of the entry `name`, which was read with `options`.
  bool add(StringRef name, const ModelOptions &options,
           OwningOpRef<ModuleOp> model);
  OwningOpRef<ModuleOp> take() { return std::move(whole); }

private:
  Session &session;
  OwningOpRef<ModuleOp> whole;
  SmallVector<Attribute> sizes;
};
} // namespace

bool Joiner::add(StringRef name, const ModelOptions &options,
                 OwningOpRef<ModuleOp> model) {
  SymbolTable symbols(*model);
  func::FuncOp entry = entryFunction(*model);
  dropUnused(*model, symbols, entry);
  // A function of the model's own may have the name.
  if (Operation *other = symbols.lookup(name); other && other != entry)
    if (failed(symbols.renameToUnique(other, {})))
      return false;
  if (entry.getName() != name && failed(symbols.rename(entry, name)))
    return false;
  if (auto own = (*model)->getAttrOfType<ArrayAttr>(kSymbolsAttrName)) {
    auto numbers = addSymbols(session, name, options, own, sizes);
    if (!numbers)
      return false;
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
        return false;
    whole->getBody()->getOperations().splice(whole->getBody()->end(),
                                             model->getBody()->getOperations());
  }
  if (!sizes.empty())
    (*whole)->setAttr(kSymbolsAttrName,
                      ArrayAttr::get(whole->getContext(), sizes));
  return true;
}

OwningOpRef<ModuleOp> heddle::importEntries(Session &session,
                                            const ModelOptions &options) {
  if (!checkNames(session, options.entries))
    return nullptr;
  std::vector<ModelFile> files;
  SharedOptions shared(options);
  for (const EntryModel &entry : options.entries) {
    ModelOptions one = options;
    one.entries.clear();
    one.path = entry.path;
    one.memory = entry.memory;
    one.function = entry.function;
    session.diagnostics.setFileName(entry.path);
    std::optional<ModelFile> file = ModelFile::read(session, std::move(one));
    if (!file || !shared.addEntry(session, *file))
      return nullptr;
    files.push_back(std::move(*file));
  }
  session.diagnostics.setFileName(options.path);
  if (!shared.check(session))
    return nullptr;
  Joiner joiner(session);
  for (auto [i, file] : llvm::enumerate(files)) {
    session.diagnostics.setFileName(options.entries[i].path);
    shared.restrict(i, file.options);
    OwningOpRef<ModuleOp> model = file.import(session);
    if (!model ||
        !joiner.add(options.entries[i].name, file.options, std::move(model)))
      return nullptr;
  }
  session.diagnostics.setFileName(options.path);
  return joiner.take();
}
