// Reads what kernels and buffers are told of a call's sizes.

#include "passes/Plan/SymbolSizes.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

FailureOr<AffineMap> heddle::launchSize(func::FuncOp entry, Value size) {
  APInt number;
  if (matchPattern(size, m_ConstantInt(&number)))
    return AffineMap::getConstantMap(number.getSExtValue(), size.getContext());
  auto op = size.getDefiningOp<kernel::SizeOp>();
  if (!op)
    return emitError(size.getLoc()) << "is no size that is known before a call";
  SmallVector<AffineExpr> symbols;
  unsigned count = 0;
  for (Value holder : op.getSymbols()) {
    auto argument = dyn_cast<BlockArgument>(holder);
    auto number = argument && argument.getOwner() == &entry.front()
                      ? entry.getArgAttrOfType<IntegerAttr>(
                            argument.getArgNumber(), kExtentAttrName)
                      : IntegerAttr();
    if (!number)
      return op.emitError() << "reads a symbol from what is no argument with '"
                            << kExtentAttrName << "'";
    symbols.push_back(getAffineSymbolExpr(number.getInt(), op.getContext()));
    count = std::max<unsigned>(count, number.getInt() + 1);
  }
  return op.getFunction().replaceDimsAndSymbols({}, symbols, 0, count);
}

AffineMapAttr heddle::chosenBytes(func::FuncOp entry, AffineMapAttr shape,
                                  int64_t largest) {
  if (!shape)
    return {};
  MLIRContext *context = shape.getContext();
  SmallVector<AffineExpr> maxima;
  if (auto symbols =
          entry->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
              kSymbolsAttrName))
    for (auto symbol : symbols.getAsRange<DictionaryAttr>())
      maxima.push_back(getAffineConstantExpr(
          symbol.getAs<IntegerAttr>("maximum").getInt(), context));
  AffineMap map = shape.getValue();
  AffineExpr elements = getAffineConstantExpr(1, context);
  for (AffineExpr extent : map.getResults())
    elements = elements * extent;
  auto most =
      dyn_cast<AffineConstantExpr>(elements.replaceDimsAndSymbols({}, maxima));
  int64_t each = most && most.getValue() ? largest / most.getValue() : 0;
  return AffineMapAttr::get(
      AffineMap::get(0, map.getNumSymbols(), elements * each, context));
}
