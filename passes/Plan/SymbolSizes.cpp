// Reads what kernels and buffers are told of a call's sizes.

#include "passes/Plan/SymbolSizes.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/Weights.h"

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

size::ExpressionAttr heddle::trueBytes(Type type, const BoundedSizes &sizes) {
  if (!size::hasExtents(type))
    return {};
  auto tensor = cast<RankedTensorType>(type);
  size::ExpressionAttr bytes = chosenBytes(
      size::extentsAttr(type.getContext(), size::extentsOf(tensor)), type);
  if (!sizes.isComputed(Expression(bytes)))
    return bytes;
  // With the largest values of what the program computes.
  Expression most =
      sizes.ranges().withLargest(Expression(bytes), [&](StringRef name) {
        return sizes.isComputed(name);
      });
  return most && sizes.ranges().isNeverNegative(most - Expression(bytes))
             ? bytes
             : size::ExpressionAttr();
}

size::ExpressionAttr heddle::chosenBytes(size::ExtentsAttr shape,
                                         Type declared) {
  if (!shape)
    return {};
  auto element =
      RankedTensorType::get({}, cast<ShapedType>(declared).getElementType());
  Expression bytes =
      Expression::constant(shape.getContext(), *storedBytes(element));
  for (size::ExpressionAttr extent : shape.getExtents())
    bytes = bytes * Expression(extent);
  return bytes.attribute();
}
