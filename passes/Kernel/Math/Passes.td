// Passes that make elementary functions and narrow floats plain arithmetic.

#ifndef HEDDLE_PASSES_KERNEL_MATH_PASSES_TD
#define HEDDLE_PASSES_KERNEL_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"heddle-expand-math"> {
  let summary = "elementary functions as polynomials, 16-bit floats through f32";
  let description = [{
    Replaces the functions of the math dialect that no processor has by
    arithmetic of known error, on scalars and vectors alike, so that numbers
    are the same on every target. Operations on bf16 and f16 become operations
    on f32, each rounded back; rounding to bf16 becomes integer arithmetic.

    ```mlir
    %0 = math.exp %x : vector<16xbf16>
    ==>
    %1 = arith.extf %x : vector<16xbf16> to vector<16xf32>
    %2 = ... polynomial of %1
    %0 = ... %2 rounded to bf16
    ```
  }];
  let options = [
    Option<"fma", "fma", "bool", "true",
           "The machine has fused multiply-add; else one that may be rounded twice "
           "(`fastmath<contract>`) is a product and a sum, others are left.">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
                           "mlir::vector::VectorDialect"];
}

#endif // HEDDLE_PASSES_KERNEL_MATH_PASSES_TD
