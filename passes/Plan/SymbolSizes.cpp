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

bool heddle::areMostAtLargestCounts(ArrayRef<Expression> extents,
                                    const BoundedSizes &sizes) {
  return llvm::all_of(extents, [&](Expression extent) {
    if (!sizes.isComputed(extent))
      return true;
    Expression most = sizes.ranges().withLargest(
        extent, [&](StringRef name) { return sizes.isComputed(name); });
    return most && sizes.ranges().isNeverNegative(most - extent);
  });
}

/// An expression without sizes that the program computes, which `extent`, at
/// most `bound`, exceeds at no counts. Each such size takes that end of its
/// range at which the extent is proved to be the greatest; of one that neither
/// end is proved for (n * (8 - n)), the interval of the whole is left.
static Expression limitOf(Expression extent, int64_t bound,
                          const BoundedSizes &sizes) {
  MLIRContext *context = sizes.context();
  const size::Ranges &ranges = sizes.ranges();
  Expression limit = extent;
  bool isOpen = false;
  for (StringRef name : extent.symbols()) {
    if (!sizes.isComputed(name))
      continue;
    auto at = [&](int64_t value) {
      return limit.substituted([&](StringRef symbol) {
        return symbol == name ? Expression::constant(context, value)
                              : Expression::symbol(context, symbol);
      });
    };
    auto isGreatest = [&](Expression end) {
      return end && ranges.isNeverNegative(end - limit);
    };
    size::Interval values = ranges.interval(Expression::symbol(context, name));
    if (Expression most = at(values.high); isGreatest(most))
      limit = most;
    else if (Expression least = at(values.low); isGreatest(least))
      limit = least;
    else
      isOpen = true;
  }
  if (!isOpen && limit.asConstant().value_or(0) <= bound)
    return limit;
  return Expression::constant(context,
                              std::min(bound, ranges.interval(limit).high));
}

SmallVector<Expression> heddle::memoryShape(ArrayRef<Expression> extents,
                                            ArrayRef<int64_t> bounds,
                                            const BoundedSizes &sizes) {
  if (areMostAtLargestCounts(extents, sizes))
    return SmallVector<Expression>(extents);
  SmallVector<Expression> shape;
  for (auto [extent, bound] : llvm::zip_equal(extents, bounds))
    shape.push_back(limitOf(extent, bound, sizes));
  return shape;
}

size::ExpressionAttr heddle::trueBytes(Type type, const BoundedSizes &sizes) {
  if (!size::hasExtents(type))
    return {};
  auto tensor = cast<RankedTensorType>(type);
  return chosenBytes(
      size::extentsAttr(type.getContext(), size::extentsOf(tensor)), tensor,
      sizes);
}

size::ExpressionAttr heddle::chosenBytes(size::ExtentsAttr shape, Type declared,
                                         const BoundedSizes &sizes) {
  if (!shape)
    return {};
  auto type = cast<RankedTensorType>(declared);
  auto element = RankedTensorType::get({}, type.getElementType());
  Expression bytes =
      Expression::constant(shape.getContext(), *storedBytes(element));
  SmallVector<Expression> extents(shape.getExtents());
  SmallVector<Expression> memory = memoryShape(extents, type.getShape(), sizes);
  for (Expression extent : memory)
    bytes = bytes * extent;
  bool isBound = memory != extents && bytes.isConstant(*storedBytes(type));
  return isBound ? size::ExpressionAttr() : bytes.attribute();
}
