#include "passes/Dispatch/ScalarConversions.h"

#include "passes/Dispatch/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

static Value floatToFloat(OpBuilder &builder, Location loc, Value value,
                          Type to) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (from < width)
    return arith::ExtFOp::create(builder, loc, to, value);
  if (from > width)
    return arith::TruncFOp::create(builder, loc, to, value);
  // f16 and bf16, say: neither holds the other, both fit into f32.
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, to, wide);
}

Value heddle::convertScalar(OpBuilder &builder, Location loc, Value value,
                            Type from, Type to) {
  Type type = kernelElementType(to);
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (from == to)
    return value;
  if (to.isInteger(1)) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    if (isa<FloatType>(from))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                   value, zero);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return floatToFloat(builder, loc, value, type);
  if (isa<FloatType>(from)) {
    if (to.isUnsignedInteger())
      return arith::FPToUIOp::create(builder, loc, type, value);
    return arith::FPToSIOp::create(builder, loc, type, value);
  }
  if (isa<FloatType>(to)) {
    if (fromUnsigned)
      return arith::UIToFPOp::create(builder, loc, type, value);
    return arith::SIToFPOp::create(builder, loc, type, value);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return value;
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(builder, loc, type, value);
  if (fromUnsigned)
    return arith::ExtUIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}
