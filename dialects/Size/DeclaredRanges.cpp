// Reads the ranges of symbols from a module.

#include "dialects/Size/DeclaredRanges.h"

#include "heddle/Support/EntrySizes.h"

using namespace mlir;

heddle::size::Ranges heddle::size::declaredRanges(ModuleOp module) {
  Ranges ranges;
  auto declared = module->getAttrOfType<ArrayAttr>(kSymbolsAttrName);
  if (!declared)
    return ranges;
  for (auto symbol : declared.getAsRange<DictionaryAttr>()) {
    auto multiple = symbol.getAs<IntegerAttr>("multiple");
    ranges.declare(symbol.getAs<StringAttr>("name").getValue(),
                   {symbol.getAs<IntegerAttr>("minimum").getInt(),
                    symbol.getAs<IntegerAttr>("maximum").getInt(),
                    multiple ? multiple.getInt() : 1});
  }
  return ranges;
}
