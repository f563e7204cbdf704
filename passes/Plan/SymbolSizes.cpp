// Reads what kernels and buffers are told of a call's sizes.

#include "passes/Plan/SymbolSizes.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;
using heddle::size::Expression;

FailureOr<size::ExpressionAttr> heddle::launchSize(func::FuncOp entry,
                                                   Value size) {
  MLIRContext *context = size.getContext();
  APInt number;
  if (matchPattern(size, m_ConstantInt(&number)))
    return Expression::constant(context, number.getSExtValue()).attribute();
  auto op = size.getDefiningOp<kernel::SizeOp>();
  if (!op)
    return emitError(size.getLoc()) << "is no size that is known before a call";
  // The names that its function has may be others than the program's.
  Expression function(op.getFunction());
  llvm::StringMap<Expression> symbols;
  for (auto [name, holder] :
       llvm::zip_equal(function.symbols(), op.getSymbols())) {
    auto argument = dyn_cast<BlockArgument>(holder);
    auto symbol = argument && argument.getOwner() == &entry.front()
                      ? entry.getArgAttrOfType<StringAttr>(
                            argument.getArgNumber(), kExtentAttrName)
                      : StringAttr();
    if (!symbol)
      return op.emitError() << "reads a symbol from what is no argument with '"
                            << kExtentAttrName << "'";
    symbols[name] = Expression::symbol(context, symbol.getValue());
  }
  return function
      .substituted([&](StringRef name) { return symbols.lookup(name); })
      .attribute();
}

size::ExpressionAttr heddle::chosenBytes(func::FuncOp entry,
                                         size::ExtentsAttr shape,
                                         int64_t largest) {
  if (!shape)
    return {};
  MLIRContext *context = shape.getContext();
  llvm::StringMap<int64_t> maxima;
  if (auto symbols =
          entry->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
              kSymbolsAttrName))
    for (auto symbol : symbols.getAsRange<DictionaryAttr>())
      maxima[symbol.getAs<StringAttr>("name").getValue()] =
          symbol.getAs<IntegerAttr>("maximum").getInt();
  Expression elements = Expression::constant(context, 1);
  for (size::ExpressionAttr extent : shape.getExtents())
    elements = elements * Expression(extent);
  std::optional<int64_t> most =
      elements.evaluated([&](StringRef name) -> std::optional<int64_t> {
        auto known = maxima.find(name);
        return known == maxima.end() ? std::nullopt
                                     : std::optional(known->second);
      });
  int64_t each = most && *most ? largest / *most : 0;
  return (elements * each).attribute();
}
