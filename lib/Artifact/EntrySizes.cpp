// Writes the symbols of a module, and of each entry how a call tells them and
// what it takes for granted.

#include "EntrySizes.h"

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Size/SizedTypes.h"
#include "heddle/Artifact/Compile.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryTypes.h"
#include "passes/Plan/EntryTensors.h"
#include "runtime/format/ManifestVerifier.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;
using heddle::size::Expression;

//===----------------------------------------------------------------------===//
// Attributes that somebody wrote
//===----------------------------------------------------------------------===//

/// An integer of a symbol's; `otherwise` where there is none.
static std::optional<int64_t> integer(DictionaryAttr symbol, StringRef name,
                                      std::optional<int64_t> otherwise) {
  Attribute attribute = symbol.get(name);
  if (!attribute)
    return otherwise;
  auto value = dyn_cast<IntegerAttr>(attribute);
  return value ? value.getValue().trySExtValue() : std::nullopt;
}

static bool isProperSymbol(DictionaryAttr symbol) {
  std::optional<int64_t> minimum = integer(symbol, "minimum", std::nullopt),
                         maximum = integer(symbol, "maximum", std::nullopt),
                         multiple = integer(symbol, "multiple", 1);
  return symbol.getAs<StringAttr>("name") && minimum && maximum && multiple &&
         *minimum >= 0 && *multiple >= 1 && *maximum <= format::maximumBytes &&
         *maximum / *multiple * *multiple >= *minimum;
}

/// The elements of a list of dictionaries that the module has; none for
/// anything else.
static std::optional<SmallVector<DictionaryAttr>> dictionaries(ModuleOp module,
                                                               StringRef name) {
  Attribute list = module->getAttr(name);
  SmallVector<DictionaryAttr> result;
  if (!list)
    return result;
  auto array = dyn_cast<ArrayAttr>(list);
  if (!array || !llvm::all_of(array, llvm::IsaPred<DictionaryAttr>))
    return std::nullopt;
  llvm::append_range(result, array.getAsRange<DictionaryAttr>());
  return result;
}

namespace {
/// Checks what a module says of sizes against the symbols that it has.
class SizeChecker {
public:
  explicit SizeChecker(ModuleOp module) : module(module) {}
  LogicalResult run();

private:
  InFlightDiagnostic error() {
    return emitError(module.getLoc(), ErrorCode::StableHloInvalid);
  }
  LogicalResult checkSymbols();
  LogicalResult checkAssumptions();
  LogicalResult checkEntry(func::FuncOp entry);
  LogicalResult checkOp(Operation *op);
  LogicalResult checkNames(Expression expression, const Twine &where) {
    for (StringRef name : expression.symbols())
      if (!symbols.contains(name))
        return error() << where << " names the size '" << name << "', which "
                       << kSymbolsAttrName << " does not have";
    return success();
  }
  LogicalResult checkShape(Attribute shape, Type type, const Twine &where);

  ModuleOp module;
  llvm::StringSet<> symbols;
};
} // namespace

LogicalResult SizeChecker::checkSymbols() {
  auto list = dictionaries(module, kSymbolsAttrName);
  if (!list)
    return error() << kSymbolsAttrName << " is no list of dictionaries";
  for (DictionaryAttr symbol : *list) {
    if (!isProperSymbol(symbol))
      return error() << kSymbolsAttrName << " has " << symbol
                     << ", which is no size with a range";
    StringRef name = symbol.getAs<StringAttr>("name");
    if (!symbols.insert(name).second)
      return error() << kSymbolsAttrName << " has the size '" << name
                     << "' twice";
  }
  return success();
}

LogicalResult SizeChecker::checkAssumptions() {
  auto list = dictionaries(module, kSizeAssumptionsAttrName);
  if (!list)
    return error() << kSizeAssumptionsAttrName << " is no list of dictionaries";
  for (DictionaryAttr assumption : *list) {
    auto isText = [&](StringRef name, bool isOptional) {
      return assumption.get(name) ? bool(assumption.getAs<StringAttr>(name))
                                  : isOptional;
    };
    auto zero = assumption.getAs<size::ExpressionAttr>("zero");
    if (!zero || !isText("text", false) || !isText("node", true) ||
        !isText("entry", true))
      return error() << kSizeAssumptionsAttrName << " has " << assumption
                     << ", which is no assumption";
    if (failed(checkNames(Expression(zero), kSizeAssumptionsAttrName)))
      return failure();
  }
  return success();
}

LogicalResult SizeChecker::checkShape(Attribute shape, Type type,
                                      const Twine &where) {
  if (!shape)
    return success();
  auto extents = dyn_cast<size::ExtentsAttr>(shape);
  if (!extents || !isa<RankedTensorType>(type))
    return error() << where << " has " << kShapeAttrName << " = " << shape
                   << ", and is " << type;
  auto elements = Expression::constant(type.getContext(), 1);
  for (size::ExpressionAttr extent : extents.getExtents()) {
    if (failed(checkNames(Expression(extent), where)))
      return failure();
    elements = elements * Expression(extent);
  }
  if (size::hasExtents(type) &&
      elements != size::elementsOf(cast<RankedTensorType>(type)))
    return error() << where << " has " << kShapeAttrName << " = " << shape
                   << ", which are not the elements of " << type;
  return success();
}

LogicalResult SizeChecker::checkEntry(func::FuncOp entry) {
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    std::string where =
        ("argument " + Twine(i) + " of '" + entry.getName() + "'").str();
    if (failed(checkShape(entry.getArgAttr(i, kShapeAttrName),
                          entry.getArgumentTypes()[i], where)))
      return failure();
    Attribute extent = entry.getArgAttr(i, kExtentAttrName);
    auto name = dyn_cast_or_null<StringAttr>(extent);
    if (extent && (!name || !symbols.contains(name.getValue())))
      return error() << where << " has " << kExtentAttrName << " = " << extent
                     << ", which " << kSymbolsAttrName << " does not have";
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (failed(checkShape(
            entry.getResultAttr(i, kShapeAttrName), entry.getResultTypes()[i],
            ("result " + Twine(i) + " of '" + entry.getName() + "'").str())))
      return failure();
  return success(
      !entry.walk([&](Operation *op) -> WalkResult { return checkOp(op); })
           .wasInterrupted());
}

LogicalResult SizeChecker::checkOp(Operation *op) {
  auto checkAll = [&](size::ExtentsAttr extents) {
    return !extents ||
           llvm::all_of(extents.getExtents(), [&](size::ExpressionAttr extent) {
             return succeeded(checkNames(
                 Expression(extent), "'" + op->getName().getStringRef() + "'"));
           });
  };
  auto checkTypes = [&](TypeRange types) {
    return llvm::all_of(types, [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return !tensor || checkAll(dyn_cast_or_null<size::ExtentsAttr>(
                            tensor.getEncoding()));
    });
  };
  bool isRight = checkTypes(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      isRight = isRight && checkTypes(block.getArgumentTypes());
  if (auto numbers = dyn_cast<size::TensorOp>(op))
    isRight = isRight && checkAll(numbers.getElements());
  for (NamedAttribute each : op->getDiscardableAttrs()) {
    auto extents = dyn_cast<size::ExtentsAttr>(each.getValue());
    isRight = isRight && checkAll(extents);
    StringRef name = each.getName().strref();
    if (!isRight || !name.consume_front("size."))
      continue;
    // Beside an attribute stands one expression for each of its integers.
    Attribute beside = op->getAttr(name);
    auto list = dyn_cast_or_null<DenseI64ArrayAttr>(beside);
    auto dense = dyn_cast_or_null<DenseIntElementsAttr>(beside);
    int64_t wanted = list    ? list.size()
                     : dense ? dense.getNumElements()
                             : int64_t(isa_and_nonnull<IntegerAttr>(beside));
    if (!extents || wanted == 0 ||
        int64_t(extents.getExtents().size()) != wanted)
      return emitError(op->getLoc(), ErrorCode::StableHloInvalid)
             << "'" << op->getName() << "' has " << each.getName() << " = "
             << each.getValue() << ", which is no list of expressions for '"
             << name << "'";
  }
  return success(isRight);
}

LogicalResult SizeChecker::run() {
  if (failed(checkSymbols()) || failed(checkAssumptions()))
    return failure();
  for (func::FuncOp entry : kernel::entryFunctions(module))
    if (failed(checkEntry(entry)))
      return failure();
  return success();
}

LogicalResult heddle::checkSizes(ModuleOp module) {
  return SizeChecker(module).run();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void heddle::addSymbols(ModuleOp module, format::ManifestT &manifest) {
  auto list = dictionaries(module, kSymbolsAttrName);
  for (DictionaryAttr known : *list) {
    auto symbol = std::make_unique<format::SymbolT>();
    symbol->name = known.getAs<StringAttr>("name").str();
    symbol->minimum = *integer(known, "minimum", std::nullopt);
    symbol->maximum = *integer(known, "maximum", std::nullopt);
    symbol->multiple = *integer(known, "multiple", 1);
    manifest.symbols.push_back(std::move(symbol));
  }
}

namespace {
/// Finds how the extents of an entry's inputs tell its symbols: one by one,
/// each by an extent in which only it is not known yet, and only multiplied by
/// a number.
class Solver {
public:
  Solver(func::FuncOp function, const format::EntryT &entry,
         const format::ManifestT &manifest);

  /// Whether an input has the symbol for an extent, or there is a solution.
  bool tells(StringRef symbol) const {
    return bare.contains(symbol) || solved.contains(symbol);
  }
  void writeTo(format::EntryT &entry);

private:
  struct Extent {
    Expression expression;
    uint32_t input, dimension;
  };

  void solve();
  /// Whether the extent tells a symbol, which then is solved.
  bool solve(const Extent &extent);
  /// The name that stands for an extent in solutions: no size's, as it is
  /// longer than all of these.
  std::string nameOf(const Extent &extent) const {
    return prefix + std::to_string(&extent - extents.data());
  }

  MLIRContext *context;
  std::vector<Extent> extents;
  std::string prefix = "extent ";
  llvm::StringMap<uint32_t> numbers;
  llvm::StringSet<> bare;
  llvm::StringMap<Expression> solved;
  /// In the order in which they were found.
  SmallVector<std::pair<std::string, const Extent *>> order;
};
} // namespace

/// The only symbol, if the expression is nothing else.
static std::optional<StringRef> asSymbol(Expression expression) {
  SmallVector<StringRef> names = expression.symbols();
  if (names.size() == 1 &&
      expression == Expression::symbol(expression.context(), names.front()))
    return names.front();
  return std::nullopt;
}

Solver::Solver(func::FuncOp function, const format::EntryT &entry,
               const format::ManifestT &manifest)
    : context(function.getContext()) {
  for (const auto &symbol : manifest.symbols) {
    numbers.try_emplace(symbol->name, numbers.size());
    prefix.resize(std::max(prefix.size(), symbol->name.size() + 1), ' ');
  }
  for (auto [i, number] : llvm::enumerate(inputNumbers(function))) {
    if (!number)
      continue;
    SmallVector<Expression> shape = shapeForCallers(
        function.getArgAttrDict(i),
        cast<RankedTensorType>(declaredArgumentType(function, i)));
    for (auto [j, extent] : llvm::enumerate(shape)) {
      extents.push_back({extent, *number, uint32_t(j)});
      if (std::optional<StringRef> name = asSymbol(extent))
        bare.insert(*name);
    }
  }
  for (const Extent &extent : extents)
    numbers.try_emplace(nameOf(extent), numbers.size());
  solve();
}

bool Solver::solve(const Extent &extent) {
  std::optional<StringRef> unknown;
  for (StringRef name : extent.expression.symbols()) {
    if (tells(name))
      continue;
    if (unknown)
      return false;
    unknown = name;
  }
  if (!unknown)
    return false;
  int64_t factor = 0;
  for (auto [coefficient, monomial] :
       llvm::zip_equal(extent.expression.attribute().getCoefficients(),
                       extent.expression.attribute().getMonomials()))
    if (ArrayRef<Attribute> factors = monomial.getFactors();
        factors.size() == 1 &&
        factors.front() == size::SymbolAttr::get(context, *unknown))
      factor = coefficient;
  Expression rest =
      extent.expression - Expression::symbol(context, *unknown) * factor;
  if (!factor || !rest || llvm::is_contained(rest.symbols(), *unknown))
    return false;
  Expression value = Expression::symbol(context, nameOf(extent)) -
                     rest.substituted([&](StringRef name) {
                       auto known = solved.find(name);
                       return known == solved.end()
                                  ? Expression::symbol(context, name)
                                  : known->second;
                     });
  // The least number has no opposite, and no size is so large.
  if (factor < 0 && factor != INT64_MIN) {
    value = -value;
    factor = -factor;
  }
  value = value.floorDiv(factor);
  if (!value)
    return false;
  order.emplace_back(unknown->str(), &extent);
  solved[*unknown] = value;
  return true;
}

void Solver::solve() {
  bool changed = true;
  while (std::exchange(changed, false))
    for (const Extent &extent : extents)
      changed |= solve(extent);
}

void Solver::writeTo(format::EntryT &entry) {
  ConstantTable constant(entry.solving, std::move(numbers));
  for (auto &[name, extent] : order)
    entry.solutions.emplace_back(constant.numberOf(name),
                                 constant(solved.lookup(name)), extent->input,
                                 extent->dimension);
}

/// The symbols that the entry has values of, or from which the sizes of its
/// tensors follow.
static llvm::SetVector<StringRef> usedSymbols(func::FuncOp function) {
  llvm::SetVector<StringRef> used;
  auto add = [&](DictionaryAttr attributes) {
    if (!attributes)
      return;
    if (auto name = attributes.getAs<StringAttr>(kExtentAttrName))
      used.insert(name.getValue());
    if (auto shape = attributes.getAs<size::ExtentsAttr>(kShapeAttrName))
      for (size::ExpressionAttr extent : shape.getExtents())
        used.insert_range(Expression(extent).symbols());
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    add(function.getArgAttrDict(i));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    add(function.getResultAttrDict(i));
  auto addType = [&](Type type) {
    if (size::hasExtents(type))
      for (Expression extent : size::extentsOf(cast<RankedTensorType>(type)))
        used.insert_range(extent.symbols());
  };
  llvm::for_each(function.getArgumentTypes(), addType);
  function.walk(
      [&](Operation *op) { llvm::for_each(op->getResultTypes(), addType); });
  return used;
}

void heddle::addEntrySizes(func::FuncOp function, format::EntryT &entry,
                           format::ManifestT &manifest, ConstantTable &constant,
                           NodeTable &nodes) {
  if (manifest.symbols.empty())
    return;
  llvm::SetVector<StringRef> used = usedSymbols(function);
  auto module = function->getParentOfType<ModuleOp>();
  auto list = dictionaries(module, kSizeAssumptionsAttrName);
  for (DictionaryAttr known : *list) {
    auto only = known.getAs<StringAttr>("entry");
    if (only && only != function.getName())
      continue;
    Expression zero(known.getAs<size::ExpressionAttr>("zero"));
    used.insert_range(zero.symbols());
    auto assumption = std::make_unique<format::AssumptionT>();
    assumption->zero = constant(zero);
    assumption->text = known.getAs<StringAttr>("text").str();
    if (auto node = known.getAs<StringAttr>("node"))
      assumption->node = nodes(node);
    entry.assumptions.push_back(std::move(assumption));
  }
  Solver solver(function, entry, manifest);
  for (auto [i, symbol] : llvm::enumerate(manifest.symbols))
    if (used.contains(symbol->name) && !solver.tells(symbol->name)) {
      symbol->source = format::SymbolSource::caller;
      entry.given.push_back(i);
    }
  solver.writeTo(entry);
}
