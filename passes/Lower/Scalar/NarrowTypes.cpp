// Tells narrow types, and emits the way between narrow integers and bytes.

#include "passes/Lower/Scalar/NarrowTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace heddle;

bool heddle::isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8;
}

bool heddle::isNarrowInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && (integer.getWidth() == 2 || integer.getWidth() == 4);
}

Type heddle::byteType(Type type) {
  if (!isNarrowInteger(type))
    return type;
  return IntegerType::get(type.getContext(), 8,
                          cast<IntegerType>(type).getSignedness());
}

static Value byteConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI8IntegerAttr(value));
}

Value heddle::extendNarrowInteger(OpBuilder &builder, Location loc, Value value,
                                  Type type) {
  if (type.isUnsignedInteger())
    return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
  return arith::ExtSIOp::create(builder, loc, builder.getI8Type(), value);
}

/// The low bits of a byte, as many as `type` has.
static Value truncated(OpBuilder &builder, Location loc, Value value, Type type,
                       arith::IntegerOverflowFlags flags) {
  return arith::TruncIOp::create(
      builder, loc, builder.getIntegerType(type.getIntOrFloatBitWidth()), value,
      flags);
}

Value heddle::wrapNarrowInteger(OpBuilder &builder, Location loc, Value value,
                                Type type) {
  if (!type.isUnsignedInteger())
    return truncated(builder, loc, value, type,
                     arith::IntegerOverflowFlags::none);
  int64_t mask = (1 << type.getIntOrFloatBitWidth()) - 1;
  Value low = arith::AndIOp::create(builder, loc, value,
                                    byteConstant(builder, loc, mask));
  return truncated(builder, loc, low, type, arith::IntegerOverflowFlags::nuw);
}

Value heddle::clampNarrowInteger(OpBuilder &builder, Location loc, Value value,
                                 Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger()) {
    Value below = arith::MinUIOp::create(
        builder, loc, value, byteConstant(builder, loc, (1 << width) - 1));
    return truncated(builder, loc, below, type,
                     arith::IntegerOverflowFlags::nuw);
  }
  int64_t beyond = int64_t(1) << (width - 1);
  Value below = arith::MinSIOp::create(builder, loc, value,
                                       byteConstant(builder, loc, beyond - 1));
  Value inside = arith::MaxSIOp::create(builder, loc, below,
                                        byteConstant(builder, loc, -beyond));
  return truncated(builder, loc, inside, type,
                   arith::IntegerOverflowFlags::nsw);
}
