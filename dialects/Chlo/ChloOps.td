// CHLO: what JAX writes beyond the StableHLO specification. Only read: the graph
// passes know StableHLO alone.

#ifndef HEDDLE_DIALECTS_CHLO_CHLOOPS_TD
#define HEDDLE_DIALECTS_CHLO_CHLOOPS_TD

include "dialects/Chlo/ChloAttributes.td"

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

def Chlo_RaggedDotOp : Chlo_Op<"ragged_dot"> {
  let summary = "a product whose groups of rows, or of summands, have sizes that are computed";
  let description = [{
    By where the ragged dimension of `lhs` is, of M rows, G groups and K summands:

    1. among the rows: rows of group g are multiplied with `rhs[g]`; rows beyond
       all groups are zero;
    2. among what is contracted: there is a result for each group, of its
       summands alone;
    3. among the batches: the product, group after group.

    ```mlir
    %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}
        : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<6x4xf32>
    ```
  }];
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, SH_IntTensor:$group_sizes,
                       Chlo_RaggedDotDimensionNumbersAttr:$ragged_dot_dimension_numbers, OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs SH_Tensor);
  let hasVerifier = 1;
}

def Chlo_ScanOp : Op<Chlo_Dialect, "scan", [AttrSizedOperandSegments, AttrSizedResultSegments, RecursiveMemoryEffects]> {
  let summary = "a loop over a dimension that carries values from step to step";
  let description = [{
    Step i gets slice i of each input (without the dimension) and the carried
    values, and gives slice i of each output and the next carried values. Without
    inputs, `scan_dim_size` counts the steps.

    ```mlir
    %sums, %last = chlo.scan(%x) inits (%zero) dimension=0 {
    ^bb0(%slice: tensor<3xf32>, %carry: tensor<3xf32>):
      %0 = stablehlo.add %slice, %carry : tensor<3xf32>
      stablehlo.return %0, %0 : tensor<3xf32>, tensor<3xf32>
    } : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
    ```
  }];
  let arguments = (ins Variadic<SH_Tensor>:$inputs, Variadic<SH_Tensor>:$inits, ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension,
                       OptionalAttr<I64Attr>:$scan_dim_size, OptionalAttr<BoolAttr>:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<SH_Tensor>:$outputs, Variadic<SH_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many steps there are; kDynamic if that is not known.
    int64_t getNumSteps();
  }];
}

include "dialects/Chlo/ChloBroadcastOps.td"

#endif // HEDDLE_DIALECTS_CHLO_CHLOOPS_TD
