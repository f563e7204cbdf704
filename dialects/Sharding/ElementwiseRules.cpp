// Rules of operations that compute element by element.

#include "dialects/Sharding/RuleRegistration.h"
#include "dialects/Sharding/Samples.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sharding {

/// Every dimension passes through; scalars among the operands are whole.
template <typename Op> static FactorRule pointwiseOf(Op op) {
  return RuleBuilder(op).addPointwise().build();
}

template <typename Op>
static void addPointwise(RuleRegistration &rules, unsigned operands,
                         StringRef element, StringRef resultElement = {},
                         StringRef attributes = {}) {
  rules.add<Op, pointwiseOf<Op>>(pointwiseSample(
      Op::getOperationName(), operands, element, resultElement, attributes));
}

template <typename... Ops>
static void addAlike(RuleRegistration &rules, unsigned operands,
                     StringRef element) {
  (addPointwise<Ops>(rules, operands, element), ...);
}

void addStableHloElementwiseRules(RuleRegistration &rules) {
  addAlike<CbrtOp, CosineOp, ExpOp, Expm1Op, LogOp, Log1pOp, LogisticOp,
           RsqrtOp, SineOp, SqrtOp, TanOp, TanhOp, CeilOp, FloorOp, RoundOp,
           RoundNearestEvenOp, NegOp, SignOp, AbsOp>(rules, 1, "f32");
  addAlike<ClzOp, PopulationCountOp, NotOp>(rules, 1, "i32");
  addAlike<AddOp, Atan2Op, DivOp, MaxOp, MinOp, MulOp, PowOp, RemOp,
           SubtractOp>(rules, 2, "f32");
  addAlike<ShiftLeftOp, ShiftRightArithmeticOp, ShiftRightLogicalOp, AndOp,
           OrOp, XorOp>(rules, 2, "i32");
  addPointwise<RealOp>(rules, 1, "complex<f32>", "f32");
  addPointwise<ImagOp>(rules, 1, "complex<f32>", "f32");
  addPointwise<IsFiniteOp>(rules, 1, "f32", "i1");
  addPointwise<ConvertOp>(rules, 1, "i32", "f32");
  addPointwise<UniformQuantizeOp>(rules, 1, "f32",
                                  "!quant.uniform<i8:f32, 0.5>");
  addPointwise<UniformDequantizeOp>(rules, 1, "!quant.uniform<i8:f32, 0.5>",
                                    "f32");
  addPointwise<ReducePrecisionOp>(
      rules, 1, "f32", {},
      "{exponent_bits = 5 : i32, mantissa_bits = 2 : i32}");
  addPointwise<ComplexOp>(rules, 2, "f32", "complex<f32>");
  addPointwise<CompareOp>(
      rules, 2, "f32", "i1",
      "{comparison_direction = #stablehlo<comparison_direction LT>}");
  rules.add<ClampOp, pointwiseOf<ClampOp>>(
      pointwiseSample("stablehlo.clamp", 3, "f32"),
      sample({"tensor<f32>", "tensor<4x6xf32>", "tensor<f32>"},
             "%r = stablehlo.clamp %a, %b, %c : (tensor<f32>, "
             "tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>",
             "tensor<4x6xf32>"));
  rules.add<SelectOp, pointwiseOf<SelectOp>>(
      sample({"tensor<4x6xi1>", "tensor<4x6xf32>", "tensor<4x6xf32>"},
             "%r = stablehlo.select %a, %b, %c : tensor<4x6xi1>, "
             "tensor<4x6xf32>",
             "tensor<4x6xf32>"),
      sample({"tensor<i1>", "tensor<4x6xf32>", "tensor<4x6xf32>"},
             "%r = stablehlo.select %a, %b, %c : tensor<i1>, tensor<4x6xf32>",
             "tensor<4x6xf32>"));
  rules.add<MapOp, pointwiseOf<MapOp>>(
      sample({"tensor<4x6xf32>", "tensor<4x6xf32>"},
             R"(%r = "stablehlo.map"(%a, %b) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.multiply %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>)",
             "tensor<4x6xf32>"));
}

} // namespace heddle::sharding
