// Sums of integers that are computed in f32 without an error: f32 holds every
// integer of at most 2^24, and products of differences of bytes are at most
// 255 * 255.

#include "passes/Dispatch/SumsInFloats.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/StoredSums.h"
#include "passes/Lower/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// The differences of an operand as f32. Those of a weight are a weight; others
/// are written as dequantized by a scale of one, which whatever quantized them
/// can give without making bytes of them.
static Value differences(OpBuilder &b, Location loc, WeightPrograms &weights,
                         Value operand, const Stored &stored) {
  if (kernel::WeightOp weight = weights.referredTo(operand)) {
    kernel::WeightOp real = weights.derive(
        weight,
        [&](OpBuilder &inside, Value value) -> Value {
          return stablehlo::ConvertOp::create(
              inside, loc, typeOf(value).clone(inside.getF32Type()), value);
        },
        /*packing=*/"");
    return weights.reference(b, real);
  }
  const QuantizationParameter &zeroPoint = stored.zeroPoint;
  Value one = createPointwise(
      b, loc, typeOf(zeroPoint.tensor).clone(b.getF32Type()), {}, {},
      [](OpBuilder &inner, Location at, ValueRange) -> Value {
        return arith::ConstantOp::create(inner, at, inner.getF32FloatAttr(1));
      });
  return prec::DequantizeOp::create(
      b, loc, typeOf(operand).clone(b.getF32Type()), stored.integers, one,
      zeroPoint.tensor,
      zeroPoint.dim ? b.getI64IntegerAttr(*zeroPoint.dim) : IntegerAttr(),
      /*block=*/IntegerAttr(), modelType(stored.type));
}

Value heddle::sumInFloats(OpBuilder &b, Operation *root,
                          StoredOperands &operands, WeightPrograms &weights,
                          int64_t count) {
  constexpr int64_t largestInteger = int64_t(1) << 24;
  RankedTensorType type = typeOf(root->getResult(0));
  if (!type.getElementType().isInteger(32) ||
      count > largestInteger / (255 * 255))
    return {};
  Location loc = root->getLoc();
  SmallVector<Value> factors;
  for (Value operand : root->getOperands().take_front(2)) {
    std::optional<Stored> stored = operands.find(b, operand);
    if (!stored || !stored->scale.isOne())
      return {};
    factors.push_back(differences(b, loc, weights, operand, *stored));
  }
  Operation *real = b.clone(*root);
  real->setOperand(0, factors[0]);
  real->setOperand(1, factors[1]);
  real->getResult(0).setType(type.clone(b.getF32Type()));
  return createPointwise(
      b, loc, type, real->getResult(0),
      b.getMultiDimIdentityMap(type.getRank()),
      [&](OpBuilder &inner, Location at, ValueRange x) -> Value {
        return arith::FPToSIOp::create(inner, at, type.getElementType(), x[0]);
      });
}
