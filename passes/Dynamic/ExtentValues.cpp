// Makes values of extents where they are asked for.

#include "passes/Dynamic/ExtentValues.h"

#include "dialects/StableHlo/StableHlo.h"
#include "passes/Graph/Constants.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

Value ExtentValues::scalar(AffineExpr expr) {
  if (Value known = scalars.lookup(expr))
    return known;
  auto type = RankedTensorType::get({}, builder.getI32Type());
  Value value;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    value = symbols[symbol.getPosition()];
  } else if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    value = createSplat(builder, loc, type,
                        builder.getI32IntegerAttr(constant.getValue()));
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value lhs = scalar(binary.getLHS()), rhs = scalar(binary.getRHS());
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      value = AddOp::create(builder, loc, type, lhs, rhs);
      break;
    case AffineExprKind::Mul:
      value = MulOp::create(builder, loc, type, lhs, rhs);
      break;
    case AffineExprKind::Mod:
      value = RemOp::create(builder, loc, type, lhs, rhs);
      break;
    default:
      value = DivOp::create(builder, loc, type, lhs, rhs);
      break;
    }
  }
  return scalars[expr] = value;
}

Value ExtentValues::scalar(AffineExpr expr, Type element) {
  Value value = scalar(expr);
  if (element.isInteger(32) && element.isSignlessInteger())
    return value;
  Value &known = converted[{expr, element}];
  if (!known)
    known = ConvertOp::create(builder, loc, RankedTensorType::get({}, element),
                              value);
  return known;
}

Value ExtentValues::inside(AffineExpr extent, int64_t size) {
  if (Value known = masks.lookup({extent, size}))
    return known;
  Value limit = scalar(extent);
  auto type = RankedTensorType::get({size}, builder.getI32Type());
  Value positions = IotaOp::create(builder, loc, type, 0);
  Value limits = spread(builder, loc, limit, type);
  Value mask = CompareOp::create(
      builder, loc, RankedTensorType::get({size}, builder.getI1Type()),
      positions, limits, ComparisonDirection::LT, ComparisonTypeAttr());
  return masks[{extent, size}] = mask;
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
