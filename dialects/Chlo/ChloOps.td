// CHLO: what JAX writes beyond the StableHLO specification. Only read: the graph
// passes know StableHLO alone.

#ifndef HEDDLE_DIALECTS_CHLO_CHLOOPS_TD
#define HEDDLE_DIALECTS_CHLO_CHLOOPS_TD

include "dialects/StableHlo/StableHloBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::heddle::chlo";
  let summary = "special functions that StableHLO lacks, as JAX writes them";
  let description = [{
    Compatible in text with OpenXLA's dialect of this name, as far as JAX emits
    it in text form. In portable artifacts the same operations come as
    composites `chlo.<name>` with a decomposition.
  }];
}

class Chlo_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, !listconcat([Pure], traits)>;

class Chlo_UnaryOp<string mnemonic, string words, TypeConstraint operandType>
    : Chlo_Op<mnemonic, [Elementwise, SameOperandsAndResultType]> {
  let summary = words;
  let arguments = (ins operandType:$operand);
  let results = (outs operandType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

class Chlo_BinaryOp<string mnemonic, string words, TypeConstraint operandType>
    : Chlo_Op<mnemonic, [Elementwise, SameOperandsAndResultType]> {
  let summary = words;
  let arguments = (ins operandType:$lhs, operandType:$rhs);
  let results = (outs operandType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def Chlo_AcosOp : Chlo_UnaryOp<"acos", "inverse cosine", SH_FloatOrComplexTensor>;
def Chlo_AcoshOp : Chlo_UnaryOp<"acosh", "inverse hyperbolic cosine", SH_FloatOrComplexTensor>;
def Chlo_AsinOp : Chlo_UnaryOp<"asin", "inverse sine", SH_FloatOrComplexTensor>;
def Chlo_AsinhOp : Chlo_UnaryOp<"asinh", "inverse hyperbolic sine", SH_FloatOrComplexTensor>;
def Chlo_AtanOp : Chlo_UnaryOp<"atan", "inverse tangent", SH_FloatOrComplexTensor>;
def Chlo_AtanhOp : Chlo_UnaryOp<"atanh", "inverse hyperbolic tangent", SH_FloatOrComplexTensor>;
def Chlo_BesselI1eOp : Chlo_UnaryOp<"bessel_i1e", "exp(-|x|) times the modified Bessel function of order 1", SH_FloatTensor>;
def Chlo_ConjOp : Chlo_UnaryOp<"conj", "complex conjugate", SH_FloatOrComplexTensor>;
def Chlo_CoshOp : Chlo_UnaryOp<"cosh", "hyperbolic cosine", SH_FloatOrComplexTensor>;
def Chlo_DigammaOp : Chlo_UnaryOp<"digamma", "derivative of the logarithm of gamma", SH_FloatTensor>;
def Chlo_ErfOp : Chlo_UnaryOp<"erf", "error function", SH_FloatTensor>;
def Chlo_ErfInvOp : Chlo_UnaryOp<"erf_inv", "inverse of the error function", SH_FloatTensor>;
def Chlo_ErfcOp : Chlo_UnaryOp<"erfc", "1 - erf(x), exact for large x", SH_FloatTensor>;
def Chlo_LgammaOp : Chlo_UnaryOp<"lgamma", "logarithm of |gamma(x)|", SH_FloatTensor>;
def Chlo_SinhOp : Chlo_UnaryOp<"sinh", "hyperbolic sine", SH_FloatOrComplexTensor>;
def Chlo_SquareOp : Chlo_UnaryOp<"square", "product with itself", SH_NumberTensor>;
def Chlo_TanOp : Chlo_UnaryOp<"tan", "tangent", SH_FloatOrComplexTensor>;

def Chlo_MulhiOp : Chlo_BinaryOp<"mulhi", "upper half of the product of twice the width", SH_IntTensor>;
def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", "neighbour of lhs in the direction of rhs", SH_FloatTensor>;
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", "derivative number lhs of digamma at rhs", SH_FloatTensor>;
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", "Hurwitz's zeta function", SH_FloatTensor>;

def Chlo_TopKOp : Chlo_Op<"top_k"> {
  let summary = "the k largest elements of the last dimension, in falling order, and where they are";
  let description = [{
    Of equal elements the first comes first; NaN counts as largest.

    ```mlir
    %values, %indices = chlo.top_k(%x, k = 2) : tensor<5x3xf32> -> (tensor<5x2xf32>, tensor<5x2xi32>)
    ```
  }];
  let arguments = (ins SH_Tensor:$operand, ConfinedAttr<I64Attr, [IntNonNegative]>:$k);
  let results = (outs SH_Tensor:$values, SH_IntTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECTS_CHLO_CHLOOPS_TD
