// Emits the way between narrow integers and bytes.

#include "passes/Lower/Scalar/NarrowIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace heddle;

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
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger())
    return arith::AndIOp::create(builder, loc, value,
                                 byteConstant(builder, loc, (1 << width) - 1));
  Value unused = byteConstant(builder, loc, 8 - width);
  Value high = arith::ShLIOp::create(builder, loc, value, unused);
  return arith::ShRSIOp::create(builder, loc, high, unused);
}

Value heddle::clampNarrowInteger(OpBuilder &builder, Location loc, Value value,
                                 Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger())
    return arith::MinUIOp::create(builder, loc, value,
                                  byteConstant(builder, loc, (1 << width) - 1));
  int64_t beyond = int64_t(1) << (width - 1);
  Value below = arith::MinSIOp::create(builder, loc, value,
                                       byteConstant(builder, loc, beyond - 1));
  return arith::MaxSIOp::create(builder, loc, below,
                                byteConstant(builder, loc, -beyond));
}
