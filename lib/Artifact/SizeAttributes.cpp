// Checks what attributes that somebody may have written say of sizes.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Size/Ranges.h"
#include "dialects/Size/SizedTypes.h"
#include "heddle/Artifact/Compile.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryStates.h"
#include "passes/Dynamic/BoundedSizes.h"
#include "runtime/format/ManifestTables.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using heddle::size::Expression;

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
  /// One that entries call or launch.
  LogicalResult checkFunction(func::FuncOp function);
  LogicalResult checkOp(Operation *op);
  /// Who has an expression, and where that is told.
  struct Place {
    Location loc;
    std::string name;
  };
  LogicalResult checkExpression(Expression expression, const Place &place);
  LogicalResult checkExtents(size::ExtentsAttr extents, const Place &place);
  LogicalResult checkShape(Attribute shape, Type type, const Place &place);
  /// What is kept is as large as the most of the shape that `attributes` have
  /// by that name, or larger.
  LogicalResult checkStateShape(StringRef name, DictionaryAttr attributes,
                                Type type, const Place &place);
  /// Extents within the bounds, of which the product can be said.
  LogicalResult checkType(Type type, const Place &place);
  LogicalResult checkKeys(kernel::AttentionOp op, const Place &place);
  /// No extent of what a call gives may be negative.
  LogicalResult checkArgument(BlockArgument argument, const Place &place);

  ModuleOp module;
  llvm::StringSet<> symbols, computed;
  size::Ranges ranges;
  llvm::StringMap<int64_t> leastSizes;
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
    if (symbol.contains(kIsComputedName))
      computed.insert(name);
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
    if (failed(
            checkExpression(Expression(zero),
                            {module.getLoc(), kSizeAssumptionsAttrName.str()})))
      return failure();
  }
  return success();
}

LogicalResult SizeChecker::checkExpression(Expression expression,
                                           const Place &place) {
  for (StringRef name : expression.symbols())
    if (!symbols.contains(name))
      return error() << place.name << " names the size '" << name << "', which "
                     << kSymbolsAttrName << " does not have";
  if (size::SymbolAttr symbol = ranges.improperlyCounted(expression))
    return error() << place.name << " counts the size '" << symbol.getName()
                   << "' in units of " << symbol.getUnit() << ", but "
                   << kSymbolsAttrName << " has it in multiples of "
                   << ranges.facts(symbol.getName()).multiple;
  if (auto divisor = ranges.improperDivisor(expression))
    return emitError(place.loc, ErrorCode::StableHloDynamicShape)
           << place.name << " divides by " << divisor->text()
           << ", which may be less than 1";
  return success();
}

LogicalResult SizeChecker::checkExtents(size::ExtentsAttr extents,
                                        const Place &place) {
  for (size::ExpressionAttr extent : extents.getExtents())
    if (failed(checkExpression(Expression(extent), place)))
      return failure();
  return success();
}

LogicalResult SizeChecker::checkShape(Attribute shape, Type type,
                                      const Place &place) {
  if (!shape)
    return success();
  auto extents = dyn_cast<size::ExtentsAttr>(shape);
  if (!extents || !isa<RankedTensorType>(type))
    return error() << place.name << " has " << kShapeAttrName << " = " << shape
                   << ", and is " << type;
  if (failed(checkExtents(extents, place)))
    return failure();
  auto elements = Expression::constant(type.getContext(), 1);
  for (size::ExpressionAttr extent : extents.getExtents())
    elements = elements * Expression(extent);
  if (size::hasExtents(type) &&
      elements != size::elementsOf(cast<RankedTensorType>(type)))
    return error() << place.name << " has " << kShapeAttrName << " = " << shape
                   << ", which are not the elements of " << type;
  return success();
}

LogicalResult SizeChecker::checkStateShape(StringRef name,
                                           DictionaryAttr attributes, Type type,
                                           const Place &place) {
  Attribute shape = attributes ? attributes.get(name) : Attribute();
  if (!shape)
    return success();
  auto extents = dyn_cast<size::ExtentsAttr>(shape);
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool isRight = extents && tensor && !size::hasExtents(tensor) &&
                 int64_t(extents.getExtents().size()) == tensor.getRank();
  if (isRight && failed(checkExtents(extents, place)))
    return failure();
  for (unsigned i = 0; isRight && i < extents.getExtents().size(); ++i) {
    Expression extent(extents.getExtents()[i]);
    isRight = ranges.isNeverNegative(extent) &&
              ranges.isNeverNegative(tensor.getDimSize(i) - extent);
  }
  if (isRight)
    return success();
  return error() << place.name << " has " << name << " = " << shape
                 << ", which may not fit into " << type;
}

LogicalResult SizeChecker::checkType(Type type, const Place &place) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto extents = tensor
                     ? dyn_cast_or_null<size::ExtentsAttr>(tensor.getEncoding())
                     : size::ExtentsAttr();
  if (!extents)
    return success();
  if (failed(checkExtents(extents, place)))
    return failure();
  Expression elements = Expression::constant(module.getContext(), 1);
  for (auto [size, attribute] :
       llvm::zip_equal(tensor.getShape(), extents.getExtents())) {
    Expression extent(attribute);
    elements = elements * extent;
    if (extent.isConstant() && !extent.isConstant(size))
      return emitError(place.loc, ErrorCode::StableHloInvalid)
             << place.name << " has the extent " << extent.text()
             << " in a dimension of " << size;
    if (!ranges.isNeverNegative(size - extent))
      return emitError(place.loc, ErrorCode::StableHloInvalid)
             << place.name << " has the extent " << extent.text()
             << ", which may be up to " << ranges.interval(extent).high
             << ", in a dimension of " << size;
  }
  for (size::ExpressionAttr extent : extents.getExtents()) {
    auto least = Expression(extent).evaluated(
        [&](StringRef name) { return std::optional(leastSizes.lookup(name)); });
    if (least && *least < 0)
      return emitError(place.loc, ErrorCode::StableHloDynamicShape)
             << place.name << " has the extent " << Expression(extent).text()
             << ", which is " << *least << " where each size is at its least";
  }
  if (!elements)
    return emitError(place.loc, ErrorCode::StableHloDynamicShape)
           << place.name << " is a " << type
           << ", whose number of elements is too long an expression";
  return success();
}

LogicalResult SizeChecker::checkArgument(BlockArgument argument,
                                         const Place &place) {
  if (!size::hasExtents(argument.getType()))
    return success();
  for (Expression extent :
       size::extentsOf(cast<RankedTensorType>(argument.getType())))
    if (!ranges.isNeverNegative(extent))
      return emitError(place.loc, ErrorCode::StableHloInvalid)
             << place.name << " has the extent " << extent.text()
             << ", which may be negative";
  return success();
}

LogicalResult SizeChecker::checkFunction(func::FuncOp function) {
  Place place{function.getLoc(), ("'" + function.getName() + "'").str()};
  for (Type type : function.getArgumentTypes())
    if (failed(checkType(type, place)))
      return failure();
  return success(
      !function.walk([&](Operation *op) -> WalkResult { return checkOp(op); })
           .wasInterrupted());
}

LogicalResult SizeChecker::checkEntry(func::FuncOp entry) {
  std::string of = (" of '" + entry.getName() + "'").str();
  for (BlockArgument argument : entry.getArguments()) {
    unsigned i = argument.getArgNumber();
    Place place{argument.getLoc(), "argument " + std::to_string(i) + of};
    if (failed(checkShape(entry.getArgAttr(i, kShapeAttrName),
                          argument.getType(), place)) ||
        failed(checkStateShape(kStateShapeAttrName, entry.getArgAttrDict(i),
                               argument.getType(), place)) ||
        failed(checkStateShape(kStatePartAttrName, entry.getArgAttrDict(i),
                               argument.getType(), place)) ||
        failed(checkArgument(argument, place)) ||
        failed(checkType(argument.getType(), place)))
      return failure();
    Attribute extent = entry.getArgAttr(i, kExtentAttrName);
    auto name = dyn_cast_or_null<StringAttr>(extent);
    if (extent && (!name || !symbols.contains(name.getValue())))
      return error() << place.name << " has " << kExtentAttrName << " = "
                     << extent << ", which " << kSymbolsAttrName
                     << " does not have";
  }
  llvm::StringSet<> counted;
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    Place place{entry.getLoc(), "result " + std::to_string(i) + of};
    if (failed(checkShape(entry.getResultAttr(i, kShapeAttrName),
                          entry.getResultTypes()[i], place)) ||
        failed(checkStateShape(kStateShapeAttrName, entry.getResultAttrDict(i),
                               entry.getResultTypes()[i], place)))
      return failure();
    Attribute extent = entry.getResultAttr(i, kExtentAttrName);
    if (!extent)
      continue;
    auto name = dyn_cast<StringAttr>(extent);
    auto type = dyn_cast<RankedTensorType>(entry.getResultTypes()[i]);
    if (!name || !computed.contains(name.getValue()) || !type ||
        type.getRank() != 0 || !type.getElementType().isSignlessInteger(32) ||
        !counted.insert(name.getValue()).second)
      return error() << place.name << " has " << kExtentAttrName << " = "
                     << extent
                     << ", and is not the one count of a computed size";
  }
  for (const auto &symbol : computed)
    if (!counted.contains(symbol.getKey()))
      return error() << "no result" << of << " counts the computed size '"
                     << symbol.getKey() << "'";
  return success(
      !entry.walk([&](Operation *op) -> WalkResult { return checkOp(op); })
           .wasInterrupted());
}

/// An attention reads as many keys as there is room for, at most.
LogicalResult SizeChecker::checkKeys(kernel::AttentionOp op,
                                     const Place &place) {
  if (!op.getKeysAttr())
    return success();
  Expression keys(op.getKeysAttr());
  if (failed(checkExpression(keys, place)))
    return failure();
  int64_t most = op.getExtents()[op.getNumBatchDims() + 1];
  if (ranges.isNeverNegative(keys) && ranges.isNeverNegative(most - keys))
    return success();
  return emitError(place.loc, ErrorCode::StableHloInvalid)
         << place.name << " has " << keys.text() << " keys of " << most;
}

LogicalResult SizeChecker::checkOp(Operation *op) {
  Place place{op->getLoc(), "'" + op->getName().getStringRef().str() + "'"};
  auto checkTypes = [&](TypeRange types) {
    return llvm::all_of(
        types, [&](Type type) { return succeeded(checkType(type, place)); });
  };
  bool isRight = checkTypes(op->getResultTypes());
  // An entry's arguments have places of their own.
  if (!isa<func::FuncOp>(op))
    for (Region &region : op->getRegions())
      for (Block &block : region)
        isRight = isRight && checkTypes(block.getArgumentTypes());
  if (auto numbers = dyn_cast<size::TensorOp>(op))
    isRight = isRight && succeeded(checkExtents(numbers.getElements(), place));
  if (auto attention = dyn_cast<kernel::AttentionOp>(op))
    isRight = isRight && succeeded(checkKeys(attention, place));
  for (NamedAttribute each : op->getDiscardableAttrs()) {
    auto extents = dyn_cast<size::ExtentsAttr>(each.getValue());
    isRight = isRight && (!extents || succeeded(checkExtents(extents, place)));
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
  // What is checked is proper enough to be read.
  if (failed(checkSymbols()))
    return failure();
  ranges = BoundedSizes(module).ranges();
  if (failed(checkAssumptions()))
    return failure();
  BoundedSizes sizes(module);
  ranges = sizes.checkedRanges();
  for (const BoundedSymbol &symbol : sizes.symbols())
    leastSizes[symbol.name] =
        llvm::divideCeilSigned(symbol.minimum, symbol.multiple) *
        symbol.multiple;
  SmallVector<func::FuncOp> entries = kernel::entryFunctions(module);
  for (func::FuncOp entry : entries)
    if (failed(checkEntry(entry)))
      return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (!llvm::is_contained(entries, function) &&
        failed(checkFunction(function)))
      return failure();
  return success();
}

LogicalResult heddle::checkSizeAttributes(ModuleOp module) {
  return SizeChecker(module).run();
}
