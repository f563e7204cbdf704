// Reads which sizes calls choose.

#include "passes/Dynamic/BoundedSizes.h"

#include "dialects/Size/DeclaredRanges.h"
#include "heddle/Support/EntrySizes.h"

using namespace mlir;

namespace heddle {

BoundedSizes::BoundedSizes(ModuleOp module) : mlirContext(module.getContext()) {
  auto declared = module->getAttrOfType<ArrayAttr>(kSymbolsAttrName);
  if (!declared)
    return;
  symbolRanges = size::declaredRanges(module);
  for (auto each : declared.getAsRange<DictionaryAttr>()) {
    BoundedSymbol symbol{each.getAs<StringAttr>("name").str(),
                         each.getAs<IntegerAttr>("minimum").getInt(),
                         each.getAs<IntegerAttr>("maximum").getInt()};
    if (auto multiple = each.getAs<IntegerAttr>("multiple"))
      symbol.multiple = multiple.getInt();
    symbol.isComputed = each.contains(kIsComputedName);
    symbolList.push_back(std::move(symbol));
  }
  // What every call is checked for helps to prove; not what one entry of
  // several wants.
  withAssumptions = symbolRanges;
  auto assumed = module->getAttrOfType<ArrayAttr>(kSizeAssumptionsAttrName);
  for (Attribute each : assumed ? assumed.getValue() : ArrayRef<Attribute>()) {
    auto assumption = cast<DictionaryAttr>(each);
    size::Expression zero(assumption.getAs<size::ExpressionAttr>("zero"));
    if (!zero || assumption.contains("entry"))
      continue;
    withAssumptions.assumeNotNegative(zero);
    withAssumptions.assumeNotNegative(-zero);
    if (std::optional<size::Expression> gap = size::notNegativeIfZero(zero))
      withAssumptions.assumeNotNegative(*gap);
  }
}

bool BoundedSizes::isComputed(StringRef name) const {
  return llvm::any_of(symbolList, [&](const BoundedSymbol &symbol) {
    return symbol.isComputed && symbol.name == name;
  });
}

bool BoundedSizes::isComputed(size::Expression expression) const {
  return llvm::any_of(expression.symbols(),
                      [&](StringRef name) { return isComputed(name); });
}

bool BoundedSizes::isComputed(RankedTensorType type) const {
  return size::hasExtents(type) &&
         llvm::any_of(size::extentsOf(type),
                      [&](size::Expression each) { return isComputed(each); });
}

std::string BoundedSizes::remedy() const {
  std::string chosen, computed;
  for (const BoundedSymbol &symbol : symbolList)
    if (symbol.isComputed)
      computed += (computed.empty() ? "" : ", ") + symbol.name;
    else
      chosen += (chosen.empty() ? "" : ", ") + symbol.name + " = " +
                std::to_string(symbol.minimum) + ".." +
                std::to_string(symbol.maximum);
  if (computed.empty())
    return "give one size in place of a range (" + chosen + ")";
  std::string text = "the data decides of " + computed +
                     ": --bind NAME=@FILE.npy fixes an input that it follows "
                     "from";
  return chosen.empty()
             ? text
             : text + "; or give one size in place of a range (" + chosen + ")";
}

} // namespace heddle
