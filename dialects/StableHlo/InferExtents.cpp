// Walks a program in its order; what is carried around a loop has the extents
// that it begins with.

#include "dialects/StableHlo/InferExtents.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::size::Expression;

namespace heddle {
namespace {

class Walker {
public:
  Walker(stablehlo::ExtentRules &assumptions, bool checks)
      : assumptions(assumptions), checks(checks) {}

  LogicalResult visit(Block &block);

private:
  LogicalResult visit(Operation *op);
  LogicalResult visitWhile(WhileOp loop);
  LogicalResult visitBranches(Operation *op);
  /// Fails where the value's type says something else and that counts.
  LogicalResult setExtents(Value value, ArrayRef<Expression> extents);

  stablehlo::ExtentRules &assumptions;
  bool checks;
};

} // namespace

LogicalResult Walker::setExtents(Value value, ArrayRef<Expression> extents) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return success();
  if (checks)
    for (auto [i, extent] : llvm::enumerate(extents))
      if ((size::hasExtents(type) || extent.isConstant()) &&
          !assumptions.meet(size::extentOf(type, i), extent,
                            value.getDefiningOp()))
        return failure();
  // What follows was computed of these, not of others that equal them.
  if (checks && size::hasExtents(type))
    return success();
  value.setType(size::withExtents(type, extents));
  return success();
}

LogicalResult Walker::visitWhile(WhileOp loop) {
  for (auto [i, operand] : llvm::enumerate(loop->getOperands()))
    for (Value carried :
         {Value(loop.getCond().getArgument(i)),
          Value(loop.getBody().getArgument(i)), Value(loop->getResult(i))})
      carried.setType(operand.getType());
  if (failed(visit(loop.getCond().front())) ||
      failed(visit(loop.getBody().front())))
    return failure();
  Operation *end = loop.getBody().front().getTerminator();
  for (auto [begin, next] :
       llvm::zip_equal(loop->getOperands(), end->getOperands())) {
    auto from = dyn_cast<RankedTensorType>(begin.getType());
    auto to = dyn_cast<RankedTensorType>(next.getType());
    if (!from || !to)
      continue;
    for (int64_t i = 0; i < from.getRank(); ++i)
      if (!assumptions.meet(size::extentOf(from, i), size::extentOf(to, i),
                            loop))
        return failure();
  }
  return success();
}

/// All branches give results of one size.
LogicalResult Walker::visitBranches(Operation *op) {
  SmallVector<TrueShape> results;
  for (Region &region : op->getRegions()) {
    if (region.empty() || failed(visit(region.front())))
      return failure();
    Operation *end = region.front().getTerminator();
    for (auto [i, value] : llvm::enumerate(end->getOperands())) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      TrueShape shape = type ? TrueShape(size::extentsOf(type)) : TrueShape();
      if (i == results.size()) {
        results.push_back(std::move(shape));
        continue;
      }
      for (auto [extent, other] : llvm::zip_equal(results[i], shape))
        if (!(extent = assumptions.meet(extent, other, op)))
          return failure();
    }
  }
  for (auto [value, extents] : llvm::zip_equal(op->getResults(), results))
    if (failed(setExtents(value, extents)))
      return failure();
  return success();
}

LogicalResult Walker::visit(Operation *op) {
  if (auto loop = dyn_cast<WhileOp>(op))
    return visitWhile(loop);
  if (isa<IfOp, CaseOp>(op))
    return visitBranches(op);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  // Regions of other operations compute with elements.
  SmallVector<TrueShape> results;
  if (failed(stablehlo::inferExtents(op, assumptions, results)))
    return failure();
  for (auto [value, extents] : llvm::zip_equal(op->getResults(), results))
    if (failed(setExtents(value, extents)))
      return failure();
  return success();
}

LogicalResult Walker::visit(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

static LogicalResult walk(func::FuncOp function, Walker walker) {
  Block &body = function.getBody().front();
  if (failed(walker.visit(body)))
    return failure();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  return success();
}

LogicalResult inferExtents(func::FuncOp function,
                           SizeAssumptions &assumptions) {
  return walk(function, Walker(assumptions, /*checks=*/false));
}

LogicalResult checkExtents(func::FuncOp function,
                           stablehlo::ExtentRules &rules) {
  return walk(function, Walker(rules, /*checks=*/true));
}

//===----------------------------------------------------------------------===//
// One choice of sizes
//===----------------------------------------------------------------------===//

namespace {

using SizeOf = llvm::function_ref<std::optional<int64_t>(StringRef)>;
using IsLeftOpen = llvm::function_ref<bool(StringRef)>;

class Fixer {
public:
  Fixer(SizeOf of, IsLeftOpen isLeftOpen) : of(of), isLeftOpen(isLeftOpen) {}

  LogicalResult fix(Operation *op);
  /// Null if the type has extents without a value. Extents that stay open keep
  /// their bound.
  Type fixed(Type type);

private:
  LogicalResult fixAttributes(Operation *op);
  LogicalResult fixNumbers(size::TensorOp op);
  void fixCut(SetDimensionSizeOp op);
  /// A number, or what is left of sizes that stay open; null without a value.
  Expression fixed(Expression expression);
  SmallVector<Expression> fixed(ArrayRef<size::ExpressionAttr> expressions) {
    return llvm::map_to_vector(expressions, [&](size::ExpressionAttr each) {
      return fixed(Expression(each));
    });
  }

  SizeOf of;
  IsLeftOpen isLeftOpen;
};

} // namespace

Expression Fixer::fixed(Expression expression) {
  MLIRContext *context = expression.context();
  if (std::optional<int64_t> value = expression.evaluated(of))
    return Expression::constant(context, *value);
  if (!isLeftOpen || llvm::none_of(expression.symbols(), isLeftOpen))
    return {};
  return expression.substituted([&](StringRef name) {
    if (std::optional<int64_t> value = of(name))
      return Expression::constant(context, *value);
    return isLeftOpen(name) ? Expression::symbol(context, name) : Expression();
  });
}

Type Fixer::fixed(Type type) {
  if (!size::hasExtents(type))
    return type;
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape;
  SmallVector<Expression> extents;
  for (auto [bound, extent] :
       llvm::zip_equal(tensor.getShape(), size::extentsOf(tensor))) {
    extents.push_back(fixed(extent));
    if (!extents.back())
      return {};
    shape.push_back(extents.back().asConstant().value_or(bound));
    if (shape.back() < 0 || shape.back() > bound)
      return {};
  }
  return size::withExtents(
      RankedTensorType::get(shape, tensor.getElementType()), extents);
}

LogicalResult Fixer::fixAttributes(Operation *op) {
  SmallVector<NamedAttribute> sized = llvm::filter_to_vector(
      op->getDiscardableAttrs(), [](NamedAttribute attribute) {
        return isa<size::ExtentsAttr>(attribute.getValue());
      });
  for (NamedAttribute attribute : sized) {
    SmallVector<Expression> fixedValues =
        fixed(cast<size::ExtentsAttr>(attribute.getValue()).getExtents());
    SmallVector<int64_t> values;
    for (Expression each : fixedValues) {
      if (!each)
        return failure();
      if (std::optional<int64_t> value = each.asConstant())
        values.push_back(*value);
    }
    if (values.size() != fixedValues.size()) {
      op->setAttr(attribute.getName(),
                  size::extentsAttr(op->getContext(), fixedValues));
      continue;
    }
    StringRef name = attribute.getName().strref();
    name.consume_front("size.");
    Attribute atBound = op->getAttr(name);
    if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(atBound))
      op->setAttr(name, DenseIntElementsAttr::get(
                            cast<ShapedType>(dense.getType()), values));
    else
      op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), values));
    op->removeDiscardableAttr(attribute.getName());
  }
  return success();
}

/// Where the size is known, what is kept of the operand is a slice of it.
void Fixer::fixCut(SetDimensionSizeOp op) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  OpBuilder builder(op);
  auto all = [&](int64_t value) {
    return builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(shape.size(), value));
  };
  op.replaceAllUsesWith(
      SliceOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                      all(0), builder.getDenseI64ArrayAttr(shape), all(1))
          .getResult());
  op.erase();
}

/// Sizes as data are a constant.
LogicalResult Fixer::fixNumbers(size::TensorOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  OpBuilder builder(op);
  SmallVector<Expression> numbers = fixed(op.getElements().getExtents());
  for (auto [number, each] :
       llvm::zip_equal(numbers, op.getElements().getExtents()))
    if (!number)
      return emitError(op.getLoc(), ErrorCode::StableHloDynamicShape)
             << "these sizes do not give the number "
             << Expression(each).text();
  if (!llvm::all_of(numbers,
                    [](Expression each) { return each.isConstant(); })) {
    op.setElementsAttr(size::extentsAttr(op.getContext(), numbers));
    return success();
  }
  SmallVector<Attribute> elements;
  for (Expression number : numbers) {
    std::optional<int64_t> value = number.asConstant();
    Type element = type.getElementType();
    elements.push_back(
        isa<FloatType>(element)
            ? Attribute(builder.getFloatAttr(element, double(*value)))
            : Attribute(builder.getIntegerAttr(element, *value)));
  }
  op->replaceAllUsesWith(ConstantOp::create(
      builder, op.getLoc(), DenseElementsAttr::get(type, elements)));
  op->erase();
  return success();
}

LogicalResult Fixer::fix(Operation *op) {
  if (auto numbers = dyn_cast<size::TensorOp>(op))
    return fixNumbers(numbers);
  auto fixTypes = [&](auto values) -> LogicalResult {
    for (Value value : values) {
      Type type = fixed(value.getType());
      if (!type)
        return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
               << "'" << op->getName() << "' has a size of " << value.getType()
               << " that these sizes do not give, or not within its bound";
      value.setType(type);
    }
    return success();
  };
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(fixTypes(block.getArguments())))
        return failure();
  if (failed(fixTypes(op->getResults())) || failed(fixAttributes(op)))
    return failure();
  if (auto cut = dyn_cast<SetDimensionSizeOp>(op);
      cut && !size::hasExtents(cut.getType())) {
    fixCut(cut);
    return success();
  }
  // A constant of a size that is chosen is one number everywhere.
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto type = cast<ShapedType>(constant.getType());
    auto splat = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (splat && splat.getType() != type) {
      if (!splat.isSplat())
        return emitError(op->getLoc(), ErrorCode::InternalError)
               << "a constant of a chosen size has different elements";
      constant.setValueAttr(splat.resizeSplat(type));
    }
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : llvm::make_early_inc_range(block))
        if (failed(fix(&inner)))
          return failure();
  if (auto function = dyn_cast<func::FuncOp>(op);
      function && !function.isExternal())
    function.setType(
        FunctionType::get(op->getContext(), function.front().getArgumentTypes(),
                          function.front().getTerminator()->getOperandTypes()));
  return success();
}

LogicalResult fixSizes(ModuleOp module, SizeOf of, IsLeftOpen isLeftOpen) {
  return Fixer(of, isLeftOpen).fix(module);
}

} // namespace heddle
