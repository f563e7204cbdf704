// CHLO for writers that do not make shapes equal themselves: operations that broadcast, and a few that need no operation of their own.

#ifndef HEDDLE_DIALECTS_CHLO_CHLOBROADCASTOPS_TD
#define HEDDLE_DIALECTS_CHLO_CHLOBROADCASTOPS_TD

include "dialects/Chlo/ChloAttributes.td"

/// `broadcast_dimensions` says which dimension of the operand of higher rank each of the other's is; without it the last ones belong together.
/// Then dimensions of size 1 are repeated.
class Chlo_BroadcastOp<string mnemonic, string words, TypeConstraint operandType, TypeConstraint resultType = operandType>
    : Chlo_Op<mnemonic> {
  let summary = words # ", of operands that are broadcast to one shape";
  let arguments = (ins operandType:$lhs, operandType:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)";
  let hasVerifier = 1;
}

def Chlo_BroadcastAddOp : Chlo_BroadcastOp<"broadcast_add", "sum; of bools or", SH_Tensor>;
def Chlo_BroadcastAndOp : Chlo_BroadcastOp<"broadcast_and", "and, bit by bit", SH_IntOrBoolTensor>;
def Chlo_BroadcastAtan2Op : Chlo_BroadcastOp<"broadcast_atan2", "angle of (rhs, lhs)", SH_FloatOrComplexTensor>;
def Chlo_BroadcastDivideOp : Chlo_BroadcastOp<"broadcast_divide", "quotient", SH_NumberTensor>;
def Chlo_BroadcastMaximumOp : Chlo_BroadcastOp<"broadcast_maximum", "the larger", SH_Tensor>;
def Chlo_BroadcastMinimumOp : Chlo_BroadcastOp<"broadcast_minimum", "the smaller", SH_Tensor>;
def Chlo_BroadcastMultiplyOp : Chlo_BroadcastOp<"broadcast_multiply", "product; of bools and", SH_Tensor>;
def Chlo_BroadcastNextAfterOp : Chlo_BroadcastOp<"broadcast_next_after", "neighbour of lhs in the direction of rhs", SH_FloatTensor>;
def Chlo_BroadcastOrOp : Chlo_BroadcastOp<"broadcast_or", "or, bit by bit", SH_IntOrBoolTensor>;
def Chlo_BroadcastPolygammaOp : Chlo_BroadcastOp<"broadcast_polygamma", "derivative number lhs of digamma at rhs", SH_FloatTensor>;
def Chlo_BroadcastPowerOp : Chlo_BroadcastOp<"broadcast_power", "lhs to the power of rhs", SH_NumberTensor>;
def Chlo_BroadcastRemainderOp : Chlo_BroadcastOp<"broadcast_remainder", "remainder, with the sign of lhs", SH_NumberTensor>;
def Chlo_BroadcastShiftLeftOp : Chlo_BroadcastOp<"broadcast_shift_left", "lhs shifted to the left", SH_IntTensor>;
def Chlo_BroadcastShiftRightArithmeticOp : Chlo_BroadcastOp<"broadcast_shift_right_arithmetic", "lhs shifted to the right, with its sign", SH_IntTensor>;
def Chlo_BroadcastShiftRightLogicalOp : Chlo_BroadcastOp<"broadcast_shift_right_logical", "lhs shifted to the right, with zeros", SH_IntTensor>;
def Chlo_BroadcastSubtractOp : Chlo_BroadcastOp<"broadcast_subtract", "difference", SH_NumberTensor>;
def Chlo_BroadcastXorOp : Chlo_BroadcastOp<"broadcast_xor", "exclusive or, bit by bit", SH_IntOrBoolTensor>;
def Chlo_BroadcastZetaOp : Chlo_BroadcastOp<"broadcast_zeta", "Hurwitz's zeta function", SH_FloatTensor>;
def Chlo_BroadcastComplexOp : Chlo_BroadcastOp<"broadcast_complex", "complex number of two parts", SH_F32Or64Tensor, SH_ComplexTensor>;
def Chlo_BroadcastCompareOp : Chlo_BroadcastOp<"broadcast_compare", "comparison", SH_Tensor, SH_BoolTensor> {
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       Chlo_ComparisonDirectionAttr:$comparison_direction, OptionalAttr<Chlo_ComparisonTypeAttr>:$compare_type);
}

def Chlo_BroadcastSelectOp : Chlo_Op<"broadcast_select"> {
  let summary = "choice between two tensors, element by element; all three are broadcast to one shape";
  let arguments = (ins SH_BoolTensor:$pred, SH_Tensor:$on_true, SH_Tensor:$on_false);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

class Chlo_PredicateOp<string mnemonic, string words> : Chlo_Op<mnemonic, [Elementwise, SameOperandsAndResultShape]> {
  let summary = words;
  let arguments = (ins SH_FloatTensor:$operand);
  let results = (outs SH_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
def Chlo_IsInfOp : Chlo_PredicateOp<"is_inf", "whether elements are infinite">;
def Chlo_IsNegInfOp : Chlo_PredicateOp<"is_neg_inf", "whether elements are minus infinity">;
def Chlo_IsPosInfOp : Chlo_PredicateOp<"is_pos_inf", "whether elements are plus infinity">;

def Chlo_ConstantOp : Chlo_Op<"constant", [AllTypesMatch<["value", "output"]>]> {
  let summary = "a constant";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs SH_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
}

def Chlo_ConstantLikeOp : Chlo_Op<"constant_like", [SameOperandsAndResultShape]> {
  let summary = "one number in every element of a tensor of the operand's shape";
  let description = [{
    ```mlir
    %0 = "chlo.constant_like"(%x) {value = 1.0 : f32} : (tensor<2x3xi32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value, SH_Tensor:$operand);
  let results = (outs SH_Tensor:$result);
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECTS_CHLO_CHLOBROADCASTOPS_TD
