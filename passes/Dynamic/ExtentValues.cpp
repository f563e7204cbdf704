// Makes values of extents where they are asked for.

#include "passes/Dynamic/ExtentValues.h"

#include "dialects/StableHlo/StableHlo.h"
#include "passes/Graph/Constants.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

Value ExtentValues::number(int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return createSplat(builder, loc, type, builder.getI64IntegerAttr(value));
}

void ExtentValues::goTo(size::Expression expr) {
  Operation *latest = anchor;
  for (StringRef name : expr.symbols())
    if (Operation *own = anchors.lookup(name);
        own && latest->isBeforeInBlock(own))
      latest = own;
  builder.setInsertionPoint(latest);
}

/// A symbol, or a function of expressions.
Value ExtentValues::factor(Attribute factor) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  if (auto symbol = dyn_cast<size::SymbolAttr>(factor)) {
    Value size = widenedSymbol(symbol.getName());
    // Nothing is left of what is a multiple, nor is it negative.
    return symbol.getUnit() == 1
               ? size
               : DivOp::create(builder, loc, type, size,
                               number(symbol.getUnit()));
  }
  auto atom = cast<size::AtomAttr>(factor);
  Value lhs = wide(size::Expression(atom.getLhs()));
  Value rhs = wide(size::Expression(atom.getRhs()));
  auto holds = [&](Value left, ComparisonDirection direction, Value right) {
    Value truth = CompareOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI1Type()), left,
        right, direction, ComparisonTypeAttr());
    return ConvertOp::create(builder, loc, type, truth).getResult();
  };
  switch (atom.getFunction()) {
  case size::Function::FloorDiv: {
    // StableHLO rounds to zero: one less where something negative is left.
    Value quotient = DivOp::create(builder, loc, type, lhs, rhs);
    Value rest = RemOp::create(builder, loc, type, lhs, rhs);
    return SubtractOp::create(builder, loc, type, quotient,
                              holds(rest, ComparisonDirection::LT, number(0)));
  }
  case size::Function::Minimum:
    return MinOp::create(builder, loc, type, lhs, rhs);
  case size::Function::IsPositive:
    return holds(lhs, ComparisonDirection::GT, rhs);
  case size::Function::IsZero:
    return holds(lhs, ComparisonDirection::EQ, rhs);
  }
  llvm_unreachable("four functions");
}

Value ExtentValues::widenedSymbol(StringRef name) {
  Value &known = widened[name];
  OpBuilder::InsertionGuard guard(builder);
  goTo(size::Expression::symbol(builder.getContext(), name));
  if (!known)
    known = ConvertOp::create(builder, loc,
                              RankedTensorType::get({}, builder.getI64Type()),
                              symbols.at(name));
  return known;
}

Value ExtentValues::wide(size::Expression expr) {
  if (Value known = scalars.lookup(expr.attribute()))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  goTo(expr);
  auto type = RankedTensorType::get({}, builder.getI64Type());
  Value sum;
  for (auto [whole, monomial] :
       llvm::zip_equal(expr.attribute().getCoefficients(),
                       expr.attribute().getMonomials())) {
    auto [coefficient, factors] = size::withReducedUnits(whole, monomial);
    Value term;
    for (Attribute each : factors) {
      Value value = factor(each);
      term = term ? MulOp::create(builder, loc, type, term, value).getResult()
                  : value;
    }
    if (!term)
      term = number(coefficient);
    else if (coefficient != 1)
      term = MulOp::create(builder, loc, type, term, number(coefficient));
    sum = sum ? AddOp::create(builder, loc, type, sum, term).getResult() : term;
  }
  return scalars[expr.attribute()] = sum ? sum : number(0);
}

Value ExtentValues::scalar(size::Expression expr) {
  return scalar(expr, builder.getI32Type());
}

Value ExtentValues::scalar(size::Expression expr, Type element) {
  Value value = wide(expr);
  if (element.isSignlessInteger(64))
    return value;
  Value &known = converted[{expr.attribute(), element}];
  OpBuilder::InsertionGuard guard(builder);
  goTo(expr);
  if (!known)
    known = ConvertOp::create(builder, loc, RankedTensorType::get({}, element),
                              value);
  return known;
}

Value ExtentValues::inside(size::Expression extent, int64_t size) {
  if (Value known = masks.lookup({extent.attribute(), size}))
    return known;
  Value limit = scalar(extent);
  OpBuilder::InsertionGuard guard(builder);
  goTo(extent);
  auto type = RankedTensorType::get({size}, builder.getI32Type());
  Value positions = IotaOp::create(builder, loc, type, 0);
  Value limits = spread(builder, loc, limit, type);
  Value mask = CompareOp::create(
      builder, loc, RankedTensorType::get({size}, builder.getI1Type()),
      positions, limits, ComparisonDirection::LT, ComparisonTypeAttr());
  return masks[{extent.attribute(), size}] = mask;
}

Value numberEverywhere(OpBuilder &builder, Location loc, RankedTensorType type,
                       double number) {
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    Type part = complex.getElementType();
    return createSplat(builder, loc, type,
                       builder.getArrayAttr({builder.getFloatAttr(part, number),
                                             builder.getFloatAttr(part, 0)}));
  }
  if (isa<FloatType>(element))
    return createSplat(builder, loc, type,
                       builder.getFloatAttr(element, number));
  if (isa<IntegerType>(element))
    return createSplat(
        builder, loc, type,
        builder.getIntegerAttr(element, static_cast<int64_t>(number)));
  return nullptr;
}

Value spread(OpBuilder &builder, Location loc, Value scalar,
             RankedTensorType type) {
  return BroadcastInDimOp::create(builder, loc, type, scalar,
                                  builder.getDenseI64ArrayAttr({}));
}

} // namespace heddle
