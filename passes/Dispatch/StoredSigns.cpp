// Quantized bytes with the sign that instructions multiply.

#include "passes/Dispatch/StoredSigns.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Lower/Pointwise.h"
#include "passes/Lower/Scalar/LoweredTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

static IntegerType otherSign(IntegerType type) {
  return IntegerType::get(type.getContext(), type.getWidth(),
                          type.isUnsigned() ? IntegerType::Signless
                                            : IntegerType::Unsigned);
}

std::pair<IntegerType, IntegerType>
heddle::multipliedTypes(KernelFamily family, IntegerType lhs, IntegerType rhs,
                        const DispatchFacts &facts) {
  for (IntegerType left : {lhs, otherSign(lhs)})
    for (IntegerType right : {rhs, otherSign(rhs)})
      if (facts.multipliesStored(family, left, right))
        return {left, right};
  return {};
}

Value heddle::withHighestBitChanged(OpBuilder &inside, Location loc,
                                    Value value, IntegerType type) {
  Value bit = stablehlo::ConstantOp::create(
      inside, loc,
      DenseElementsAttr::get(typeOf(value),
                             APInt::getSignMask(type.getWidth())));
  value = stablehlo::XorOp::create(inside, loc, value, bit);
  return stablehlo::BitcastConvertOp::create(inside, loc,
                                             typeOf(value).clone(type), value);
}

/// `tensor` with the highest bit of each byte changed, which tensors without a
/// sign hold; `type` is the sign that they have then.
static Value flipped(OpBuilder &b, Location loc, WeightPrograms &weights,
                     Value tensor, IntegerType type) {
  if (kernel::WeightOp weight = weights.referredTo(tensor)) {
    kernel::WeightOp other = weights.derive(
        weight,
        [&](OpBuilder &inside, Value value) {
          return withHighestBitChanged(inside, loc, value, type);
        },
        /*packing=*/"");
    Value reference = weights.reference(b, other);
    reference.setType(loweredTensorType(reference.getType()));
    return reference;
  }
  Type held = typeOf(tensor).getElementType();
  auto number = dyn_cast_or_null<IntegerAttr>(constantOf(tensor));
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (!number) {
    inputs.push_back(tensor);
    maps.push_back(b.getMultiDimIdentityMap(typeOf(tensor).getRank()));
  }
  return createPointwise(
      b, loc, typeOf(tensor), inputs, maps,
      [&](OpBuilder &inner, Location at, ValueRange x) -> Value {
        if (number)
          return arith::ConstantOp::create(
              inner, at, IntegerAttr::get(held, number.getValue() ^ 128));
        Value bit = arith::ConstantOp::create(
            inner, at, IntegerAttr::get(held, APInt(8, 128)));
        return arith::XOrIOp::create(inner, at, x[0], bit);
      });
}

Stored heddle::withSign(OpBuilder &b, Location loc, WeightPrograms &weights,
                        Stored stored, IntegerType type) {
  if (stored.type == type)
    return stored;
  stored.integers = flipped(b, loc, weights, stored.integers, type);
  stored.zeroPoint.tensor =
      flipped(b, loc, weights, stored.zeroPoint.tensor, type);
  stored.type = type;
  return stored;
}
