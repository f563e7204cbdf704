// Element-wise operations.

#ifndef HEDDLE_STABLEHLO_ELEMENTWISE_OPS
#define HEDDLE_STABLEHLO_ELEMENTWISE_OPS

include "dialects/StableHlo/StableHloAttributes.td"

/// Operands and result have one shape; the result is as specific as all operands together. The result's element
/// type is that of the first operand unless the op says otherwise in `inferReturnTypes`.
class StableHlo_ElementwiseOp<string mnemonic, list<Trait> traits, string agree = "haveSameBaseline">
    : StableHlo_InferredOp<mnemonic, !listconcat([Pure, Elementwise, SameOperandsAndResultShape], traits), agree>;

class StableHlo_SameTypeOp<string mnemonic, list<Trait> traits = []> : StableHlo_ElementwiseOp<mnemonic, traits> {
  let extraClassDefinition = compatibility # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location> location, Adaptor adaptor,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferred) {
      return inferSameType(location, adaptor.getOperands().getTypes(), inferred);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

class StableHlo_UnaryOp<string mnemonic, string words, TypeConstraint operandType, list<Trait> traits = []>
    : StableHlo_SameTypeOp<mnemonic, traits> {
  let summary = words;
  let arguments = (ins operandType:$operand);
  let results = (outs operandType:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

/// An elementary function whose error may be bounded by the program.
class StableHlo_FunctionOp<string mnemonic, string words> : StableHlo_SameTypeOp<mnemonic> {
  let summary = words;
  let arguments = (ins SH_FloatComplexOrQuantTensor:$operand,
                       OptionalAttr<StableHlo_ResultAccuracyAttr>:$result_accuracy);
  let results = (outs SH_FloatComplexOrQuantTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

def StableHlo_CbrtOp : StableHlo_FunctionOp<"cbrt", "cube root">;
def StableHlo_CosineOp : StableHlo_FunctionOp<"cosine", "cosine">;
def StableHlo_ExpOp : StableHlo_FunctionOp<"exponential", "e to the power of the operand">;
def StableHlo_Expm1Op : StableHlo_FunctionOp<"exponential_minus_one", "exp(x) - 1, exact near 0">;
def StableHlo_LogOp : StableHlo_FunctionOp<"log", "natural logarithm">;
def StableHlo_Log1pOp : StableHlo_FunctionOp<"log_plus_one", "log(1 + x), exact near 0">;
def StableHlo_LogisticOp : StableHlo_FunctionOp<"logistic", "1 / (1 + exp(-x))">;
def StableHlo_RsqrtOp : StableHlo_FunctionOp<"rsqrt", "1 / sqrt(x)">;
def StableHlo_SineOp : StableHlo_FunctionOp<"sine", "sine">;
def StableHlo_SqrtOp : StableHlo_FunctionOp<"sqrt", "square root">;
def StableHlo_TanOp : StableHlo_FunctionOp<"tan", "tangent">;
def StableHlo_TanhOp : StableHlo_FunctionOp<"tanh", "hyperbolic tangent">;

def StableHlo_CeilOp : StableHlo_UnaryOp<"ceil", "rounding up", SH_FloatOrQuantTensor>;
def StableHlo_FloorOp : StableHlo_UnaryOp<"floor", "rounding down", SH_FloatOrQuantTensor>;
def StableHlo_RoundOp : StableHlo_UnaryOp<"round_nearest_afz", "rounding to the nearest, ties away from zero",
                                          SH_FloatOrQuantTensor>;
def StableHlo_RoundNearestEvenOp : StableHlo_UnaryOp<"round_nearest_even", "rounding to the nearest, ties to even",
                                                     SH_FloatOrQuantTensor>;
def StableHlo_ClzOp : StableHlo_UnaryOp<"count_leading_zeros", "number of leading zero bits", SH_IntTensor>;
def StableHlo_PopulationCountOp : StableHlo_UnaryOp<"popcnt", "number of bits that are one", SH_IntTensor>;
def StableHlo_NotOp : StableHlo_UnaryOp<"not", "logical or bitwise negation", SH_IntOrBoolTensor>;
def StableHlo_NegOp : StableHlo_UnaryOp<"negate", "negation", SH_NumberTensor>;
def StableHlo_SignOp : StableHlo_UnaryOp<"sign", "sign: -1, 0 or 1, or x / |x|", SH_NumberTensor>;

def StableHlo_AbsOp : StableHlo_ElementwiseOp<"abs", []> {
  let summary = "absolute value; real for complex operands";
  let arguments = (ins SH_NumberTensor:$operand);
  let results = (outs SH_NumberTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

def StableHlo_RealOp : StableHlo_ElementwiseOp<"real", []> {
  let summary = "real part";
  let arguments = (ins SH_FloatOrComplexTensor:$operand);
  let results = (outs SH_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

def StableHlo_ImagOp : StableHlo_ElementwiseOp<"imag", []> {
  let summary = "imaginary part, 0 for real operands";
  let arguments = (ins SH_FloatOrComplexTensor:$operand);
  let results = (outs SH_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

def StableHlo_IsFiniteOp : StableHlo_ElementwiseOp<"is_finite", []> {
  let summary = "true where neither infinite nor NaN";
  let arguments = (ins SH_FloatOrQuantTensor:$x);
  let results = (outs SH_BoolTensor:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def StableHlo_ConvertOp : StableHlo_Op<"convert", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "conversion of the element type";
  let arguments = (ins SH_AnyTensor:$operand);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$elementType)>];
  let hasVerifier = 1;
}

def StableHlo_UniformQuantizeOp : StableHlo_Op<"uniform_quantize", [Pure, Elementwise, SameOperandsAndResultShape]> {
  let summary = "real or quantized values to a quantized type";
  let arguments = (ins SH_FloatOrAnyQuantTensor:$operand);
  let results = (outs SH_QuantTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
  let hasVerifier = 1;
}

def StableHlo_UniformDequantizeOp : StableHlo_ElementwiseOp<"uniform_dequantize", []> {
  let summary = "quantized values to the type that they express";
  let arguments = (ins SH_QuantTensor:$operand);
  let results = (outs SH_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))";
}

def StableHlo_ReducePrecisionOp : StableHlo_SameTypeOp<"reduce_precision"> {
  let summary = "rounding to a smaller floating-point format and back";
  let arguments = (ins SH_FloatOrQuantTensor:$operand, SH_I32Attr:$exponent_bits, SH_I32Attr:$mantissa_bits);
  let results = (outs SH_FloatOrQuantTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict `:`
      custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

class StableHlo_BinaryOp<string mnemonic, string words, TypeConstraint operandType, list<Trait> traits = []>
    : StableHlo_SameTypeOp<mnemonic, traits> {
  let summary = words;
  let arguments = (ins operandType:$lhs, operandType:$rhs);
  let results = (outs operandType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
}

/// Alone of all in taking scales along an axis: its own rules for quantized types are in its verifier.
def StableHlo_AddOp : StableHlo_ElementwiseOp<"add", [Commutative], "expressTheSame"> {
  let summary = "sum; logical or for bool";
  let arguments = (ins SH_AnyTensor:$lhs, SH_AnyTensor:$rhs);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
  let hasVerifier = 1;
}

def StableHlo_Atan2Op : StableHlo_BinaryOp<"atan2", "angle of the point (rhs, lhs)", SH_FloatComplexOrQuantTensor>;
def StableHlo_DivOp : StableHlo_BinaryOp<"divide", "quotient, towards zero for integers", SH_NumberTensor>;
def StableHlo_MaxOp : StableHlo_BinaryOp<"maximum", "larger value; NaN wins", SH_Tensor, [Commutative]>;
def StableHlo_MinOp : StableHlo_BinaryOp<"minimum", "smaller value; NaN wins", SH_Tensor, [Commutative]>;
def StableHlo_MulOp : StableHlo_BinaryOp<"multiply", "product; logical and for bool", SH_Tensor, [Commutative]>;
def StableHlo_PowOp : StableHlo_BinaryOp<"power", "lhs to the power of rhs", SH_NumberTensor>;
def StableHlo_RemOp : StableHlo_BinaryOp<"remainder", "remainder with the sign of the dividend", SH_NumberTensor>;
def StableHlo_ShiftLeftOp : StableHlo_BinaryOp<"shift_left", "left shift; 0 past the width", SH_IntTensor>;
def StableHlo_ShiftRightArithmeticOp :
  StableHlo_BinaryOp<"shift_right_arithmetic", "right shift that keeps the sign", SH_IntTensor>;
def StableHlo_ShiftRightLogicalOp :
  StableHlo_BinaryOp<"shift_right_logical", "right shift that fills with zeros", SH_IntTensor>;
def StableHlo_SubtractOp : StableHlo_BinaryOp<"subtract", "difference", SH_NumberTensor>;
def StableHlo_AndOp : StableHlo_BinaryOp<"and", "logical or bitwise and", SH_IntOrBoolTensor, [Commutative]>;
def StableHlo_OrOp : StableHlo_BinaryOp<"or", "logical or bitwise or", SH_IntOrBoolTensor, [Commutative]>;
def StableHlo_XorOp : StableHlo_BinaryOp<"xor", "logical or bitwise exclusive or", SH_IntOrBoolTensor, [Commutative]>;

def StableHlo_ComplexOp : StableHlo_ElementwiseOp<"complex", []> {
  let summary = "complex number from its parts";
  let arguments = (ins SH_F32Or64Tensor:$lhs, SH_F32Or64Tensor:$rhs);
  let results = (outs SH_ComplexTensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))";
}

def StableHlo_CompareOp : StableHlo_ElementwiseOp<"compare", []> {
  let summary = "comparison; false for NaN unless NE or in the total order";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, StableHlo_ComparisonDirectionAttr:$comparison_direction,
                       OptionalAttr<StableHlo_ComparisonTypeAttr>:$compare_type);
  let results = (outs SH_BoolTensor:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "ComparisonDirection":$direction,
                                 CArg<"ComparisonType", "ComparisonType::NOTYPE">:$type)>];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Ternary
//===----------------------------------------------------------------------===//

def StableHlo_ClampOp : StableHlo_BaselineInferredOp<"clamp", [Pure]> {
  let summary = "operand held between two bounds, which may be scalars";
  let arguments = (ins SH_Tensor:$min, SH_Tensor:$operand, SH_Tensor:$max);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
      custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
}

def StableHlo_SelectOp : StableHlo_BaselineInferredOp<"select", [Pure]> {
  let summary = "on_true where pred, else on_false; pred may be a scalar";
  let arguments = (ins SH_BoolTensor:$pred, SH_Tensor:$on_true, SH_Tensor:$on_false);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
}

#endif // HEDDLE_STABLEHLO_ELEMENTWISE_OPS
