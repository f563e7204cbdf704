// Writes the symbols of a module, and of each entry how a call tells them and
// what it takes for granted.

#include "EntrySizes.h"

#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryStates.h"
#include "heddle/Support/EntryTypes.h"
#include "passes/Plan/EntryTensors.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;
using heddle::size::Expression;

/// The dictionaries of a list that was checked; the module may have none.
static SmallVector<DictionaryAttr> dictionaries(ModuleOp module,
                                                StringRef name) {
  auto list = module->getAttrOfType<ArrayAttr>(name);
  return list ? llvm::to_vector(list.getAsRange<DictionaryAttr>())
              : SmallVector<DictionaryAttr>();
}

static int64_t integer(DictionaryAttr symbol, StringRef name) {
  return symbol.getAs<IntegerAttr>(name).getValue().getSExtValue();
}

void heddle::addSymbols(ModuleOp module, format::ManifestT &manifest) {
  for (DictionaryAttr known : dictionaries(module, kSymbolsAttrName)) {
    auto symbol = std::make_unique<format::SymbolT>();
    symbol->name = known.getAs<StringAttr>("name").str();
    symbol->minimum = integer(known, "minimum");
    symbol->maximum = integer(known, "maximum");
    if (known.contains("multiple"))
      symbol->multiple = integer(known, "multiple");
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

  /// Whether a state or an input has the symbol for an extent, or there is a
  /// solution.
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

Solver::Solver(func::FuncOp function, const format::EntryT &entry,
               const format::ManifestT &manifest)
    : context(function.getContext()) {
  for (const auto &symbol : manifest.symbols) {
    if (symbol->source == format::SymbolSource::state)
      bare.insert(symbol->name);
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
      if (std::optional<StringRef> name = extent.asSymbol())
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
  int64_t factor = 0, unit = 1;
  for (auto [coefficient, monomial] :
       llvm::zip_equal(extent.expression.attribute().getCoefficients(),
                       extent.expression.attribute().getMonomials()))
    if (monomial.getFactors().size() == 1)
      if (auto size = dyn_cast<size::SymbolAttr>(monomial.getFactors().front());
          size && size.getName() == *unknown) {
        factor = coefficient;
        unit = size.getUnit();
      }
  Expression rest =
      extent.expression - Expression::units(context, *unknown, unit) * factor;
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
  value = value.floorDiv(factor) * unit;
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
  ExpressionTable constant(entry.solving, std::move(numbers));
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
    for (StringRef name : {kShapeAttrName, kStateShapeAttrName})
      if (auto shape = attributes.getAs<size::ExtentsAttr>(name))
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

/// The dimension that the length of a state counts, by its true shape when a
/// call starts; none if it is no such shape.
static std::optional<unsigned> growingDimension(size::ExtentsAttr shape,
                                                RankedTensorType type) {
  std::optional<unsigned> dimension;
  if (!shape || !type || int64_t(shape.getExtents().size()) != type.getRank())
    return std::nullopt;
  for (auto [i, extent] : llvm::enumerate(shape.getExtents())) {
    Expression expression(extent);
    if (expression.isConstant(type.getDimSize(i)))
      continue;
    if (dimension || !expression.asSymbol())
      return std::nullopt;
    dimension = i;
  }
  return dimension;
}

LogicalResult
heddle::addStateLengths(func::FuncOp function,
                        const llvm::DenseMap<StringAttr, uint32_t> &numbers,
                        format::ManifestT &manifest) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    StringAttr name = stateOfArgument(function, i);
    Attribute given = function.getArgAttr(i, kStateShapeAttrName);
    if (!given)
      continue;
    auto shape = dyn_cast<size::ExtentsAttr>(given);
    auto dimension = growingDimension(
        shape, dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]));
    auto fail = [&] {
      return emitError(function.getLoc(), ErrorCode::StableHloInvalid)
             << "argument " << i << " of '" << function.getName() << "' has "
             << kStateShapeAttrName << " = " << given;
    };
    if (!name || !dimension)
      return fail() << ", which is no state's shape with one size for a length";
    StringRef length = *Expression(shape.getExtents()[*dimension]).asSymbol();
    uint32_t number = numbers.at(name), symbol = 0;
    while (symbol < manifest.symbols.size() &&
           manifest.symbols[symbol]->name != length)
      ++symbol;
    if (symbol == manifest.symbols.size())
      return fail() << ", whose size " << kSymbolsAttrName << " does not have";
    format::StateT &state = *manifest.states[number];
    if ((state.length != format::none && state.length != symbol) ||
        (state.dimension != format::none && state.dimension != *dimension))
      return fail() << ", and another entry counts its length otherwise";
    state.length = symbol;
    state.dimension = *dimension;
    if (manifest.symbols[symbol]->source == format::SymbolSource::state)
      continue;
    manifest.symbols[symbol]->source = format::SymbolSource::state;
    manifest.symbols[symbol]->index = number;
  }
  return success();
}

std::optional<Expression> heddle::lengthAfter(func::FuncOp function,
                                              unsigned result,
                                              const format::StateT &state) {
  auto shape = function.getResultAttrOfType<size::ExtentsAttr>(
      result, kStateShapeAttrName);
  if (!shape || state.dimension >= shape.getExtents().size())
    return std::nullopt;
  return Expression(shape.getExtents()[state.dimension]);
}

void heddle::addEntrySizes(func::FuncOp function, format::EntryT &entry,
                           format::ManifestT &manifest,
                           ExpressionTable &constant, NodeTable &nodes) {
  if (manifest.symbols.empty())
    return;
  llvm::SetVector<StringRef> used = usedSymbols(function);
  auto module = function->getParentOfType<ModuleOp>();
  for (DictionaryAttr known : dictionaries(module, kSizeAssumptionsAttrName)) {
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
  for (auto [i, output] : llvm::enumerate(outputNumbers(function)))
    if (auto name =
            function.getResultAttrOfType<StringAttr>(i, kExtentAttrName))
      for (auto &symbol : manifest.symbols)
        if (symbol->name == name.getValue()) {
          symbol->source = format::SymbolSource::device;
          symbol->index = *output;
        }
  Solver solver(function, entry, manifest);
  for (auto [i, symbol] : llvm::enumerate(manifest.symbols))
    if (symbol->source != format::SymbolSource::device &&
        symbol->source != format::SymbolSource::state &&
        used.contains(symbol->name) && !solver.tells(symbol->name)) {
      symbol->source = format::SymbolSource::caller;
      entry.given.push_back(i);
    }
  solver.writeTo(entry);
}
