// prec.quantize and prec.dequantize in plain StableHLO, for machines that have
// no instruction for them.
//
// Stored integers of up to 16 bits are exact in f32, and so are their
// differences to a zero point. Wider ones and f64 are computed in f64.

#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Precision/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_EXPANDQUANTIZATION
#include "passes/Precision/Passes.h.inc"

namespace {

/// What a scale or zero point says, in `type`, rounded as a conversion rounds.
FloatAttr number(SplatElementsAttr constant, FloatType type) {
  auto nearest = llvm::APFloat::rmNearestTiesToEven;
  if (auto integer = dyn_cast<IntegerType>(constant.getElementType())) {
    llvm::APFloat value(type.getFloatSemantics());
    value.convertFromAPInt(constant.getSplatValue<llvm::APInt>(),
                           !integer.isUnsigned(), nearest);
    return FloatAttr::get(type, value);
  }
  auto value = constant.getSplatValue<llvm::APFloat>();
  bool losesInfo = false;
  value.convert(type.getFloatSemantics(), nearest, &losesInfo);
  return FloatAttr::get(type, value);
}

class Expander {
public:
  Expander(Operation *op, std::optional<uint64_t> axis)
      : builder(op), loc(op->getLoc()) {
    if (axis)
      dims.push_back(*axis);
  }

  Value convert(Value value, Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() == element)
      return value;
    return stablehlo::ConvertOp::create(builder, loc, type.clone(element),
                                        value);
  }
  /// A scale or zero point in `type`, repeated for each element that it is for.
  /// One that is constant becomes a constant at once, so that equal layers are
  /// equal in all but numbers.
  Value parameter(Value value, RankedTensorType type) {
    SplatElementsAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return splat(type,
                   number(constant, cast<FloatType>(type.getElementType())));
    return stablehlo::BroadcastInDimOp::create(
        builder, loc, type, convert(value, type.getElementType()),
        builder.getDenseI64ArrayAttr(dims));
  }
  Value splat(RankedTensorType type, double value) {
    return splat(type, builder.getFloatAttr(type.getElementType(), value));
  }
  Value splat(RankedTensorType type, Attribute value) {
    return stablehlo::ConstantOp::create(builder, loc,
                                         DenseElementsAttr::get(type, value));
  }
  template <typename Op, typename... Arguments>
  Value make(Arguments &&...arguments) {
    return Op::create(builder, loc, std::forward<Arguments>(arguments)...);
  }

  OpBuilder builder;
  Location loc;

private:
  SmallVector<int64_t> dims;
};

/// Where differences of stored integers are exact.
Type exactElement(Type real, IntegerType storage) {
  Builder builder(real.getContext());
  return real.isF64() || storage.getWidth() > 16 ? Type(builder.getF64Type())
                                                 : Type(builder.getF32Type());
}

/// Stored integers, and the same numbers as they were before they became
/// integers.
using ExactValues = DenseMap<Value, Value>;

void expand(prec::DequantizeOp op, const ExactValues &exactValues) {
  Expander e(op, op.getAxis());
  auto type = cast<RankedTensorType>(op.getType());
  auto storage =
      cast<IntegerType>(getElementTypeOrSelf(op.getInput().getType()));
  RankedTensorType exact =
      type.clone(exactElement(type.getElementType(), storage));
  // What has just been quantized is one of the range's integers, never -0: it
  // need not become an integer in between.
  Value value = exactValues.lookup(op.getInput());
  if (!value || value.getType() != exact)
    value = e.convert(op.getInput(), exact.getElementType());
  value = e.make<stablehlo::SubtractOp>(value,
                                        e.parameter(op.getZeroPoint(), exact));
  value = e.make<stablehlo::MulOp>(value, e.parameter(op.getScale(), exact));
  op.replaceAllUsesWith(e.convert(value, type.getElementType()));
  op.erase();
}

void expand(prec::QuantizeOp op, ExactValues &exactValues) {
  Expander e(op, op.getAxis());
  auto type = cast<RankedTensorType>(op.getInput().getType());
  auto storage = cast<IntegerType>(op.getType().getElementType());
  // The quotient is rounded to the input's type before it becomes an integer.
  Value value =
      e.make<stablehlo::DivOp>(op.getInput(), e.parameter(op.getScale(), type));
  RankedTensorType exact =
      type.clone(exactElement(type.getElementType(), storage));
  value = e.convert(value, exact.getElementType());
  switch (op.getRounding()) {
  case prec::Rounding::NearestEven:
    value = e.make<stablehlo::RoundNearestEvenOp>(value);
    break;
  case prec::Rounding::NearestAway:
    value = e.make<stablehlo::RoundOp>(value);
    break;
  case prec::Rounding::TowardZero: {
    Value magnitude =
        e.make<stablehlo::FloorOp>(e.make<stablehlo::AbsOp>(value));
    value =
        e.make<stablehlo::MulOp>(e.make<stablehlo::SignOp>(value), magnitude);
    break;
  }
  }
  // Before the zero point is added, a quotient far outside must be brought
  // near: there f32 has no integers. Twice the width of the range is far.
  int64_t minimum = op.getMinimum(), maximum = op.getMaximum();
  double reach = 2.0 * (double(maximum) - double(minimum)) + 1;
  value = e.make<stablehlo::ClampOp>(e.splat(exact, -reach), value,
                                     e.splat(exact, reach));
  value =
      e.make<stablehlo::AddOp>(value, e.parameter(op.getZeroPoint(), exact));
  value = e.make<stablehlo::ClampOp>(e.splat(exact, minimum), value,
                                     e.splat(exact, maximum));
  Value isNan = e.make<stablehlo::CompareOp>(
      value, value, stablehlo::ComparisonDirection::NE);
  value = e.make<stablehlo::SelectOp>(
      isNan, e.splat(exact, std::clamp<int64_t>(0, minimum, maximum)), value);
  Value stored = e.convert(value, storage);
  exactValues[stored] = value;
  op.replaceAllUsesWith(stored);
  op.erase();
}

struct ExpandQuantization : impl::ExpandQuantizationBase<ExpandQuantization> {
  void runOnOperation() override {
    ExactValues exactValues;
    getOperation().walk([&](Operation *op) {
      if (auto quantize = dyn_cast<prec::QuantizeOp>(op))
        expand(quantize, exactValues);
      else if (auto dequantize = dyn_cast<prec::DequantizeOp>(op))
        expand(dequantize, exactValues);
    });
  }
};

} // namespace
} // namespace heddle
