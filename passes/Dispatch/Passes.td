// From roots and loops to the kernels of one target.

#ifndef HEDDLE_PASSES_DISPATCH_PASSES_TD
#define HEDDLE_PASSES_DISPATCH_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignTarget : Pass<"heddle-assign-target", "::mlir::ModuleOp"> {
  let summary = "says which target the module is dispatched for";
  let description = [{
    Where the ways of targets part: passes from here on ask the module's
    `heddle.target` what kernels take. The attribute is the name of a target, or
    a dictionary of all that is known of one.

    ```mlir
    module {
    ```
    ==> `target=NAME`
    ```mlir
    module attributes {heddle.target = "NAME"} {
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "The name of the target; without it the module must have one">,
    Option<"spelled", "spelled", "bool", "false",
           "Writes the dictionary in place of the name, so that it can be edited">
  ];
}

def SelectComposites : Pass<"heddle-select-composites", "::mlir::ModuleOp"> {
  let summary = "one root for a composite that the target has a kernel for, its operations for others";
  let description = [{
    ```mlir
    %0 = kernel.composite "heddle.attention"(%q, %k, %v) {...} : (...) -> tensor<2x4xf32> {...}
    ```
    ==>
    ```mlir
    %0 = kernel.attention(%q, %k, %v) {...}
    ```
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect", "::heddle::stablehlo::StableHloDialect", "::mlir::tensor::TensorDialect"];
}

def MultiplyStored : Pass<"heddle-multiply-stored", "::mlir::ModuleOp"> {
  let summary = "products of quantized tensors as products of the stored integers";
  let description = [{
    For targets that multiply these integers faster than f32 (`quantized_products`
    of their facts). Sums are exact in 32 bits; zero points are corrected by sums
    of the other side, and scales multiply what is left, in a loop that becomes
    the product's epilogue together with what follows: a bias, an activation, the
    quantization of the result. Weights are stored as their integers.

    ```mlir
    %x = prec.dequantize %q, %s, %zero {storage_type = ui8} : tensor<8x4xi8>, tensor<f32>, tensor<i8> -> tensor<8x4xf32>
    %w = kernel.weight_ref @w0 : tensor<4x16xf32>
    %y = kernel.contract %x, %w {...} : tensor<8x4xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
    ```
    ==>
    ```mlir
    %w = kernel.weight_ref @w1 : tensor<4x16xi8>
    %columns = kernel.weight_ref @sums_of_w1 : tensor<16xi32>
    %p = kernel.contract %q, %w {..., lhs_type = ui8} : tensor<8x4xi8>, tensor<4x16xi8> -> tensor<8x16xi32>
    %y = linalg.generic ins(%p, %columns, %scales) {...} -> tensor<8x16xf32>
    ```
  }];
  let dependentDialects = [
    "::heddle::kernel::KernelDialect", "::heddle::stablehlo::StableHloDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandQuantization : Pass<"heddle-expand-quantization", "::mlir::ModuleOp"> {
  let summary = "spells prec.quantize and prec.dequantize out in loops of arithmetic";
  let description = [{
    For targets without instructions for them: conversions, a product or
    quotient, rounding and a clamp, which fuse with what is around them. Integers
    of up to 16 bits go by way of f32, where all their differences are exact;
    wider ones by way of f64. Weights are left alone: the packer knows both
    operations.

    ```mlir
    %y = prec.dequantize %q, %scale, %zero : tensor<2xi8>, tensor<f32>, tensor<i8> -> tensor<2xf32>
    ```
    ==>
    ```mlir
    %a = linalg.generic ... ins(%q) { %r = arith.sitofp %in ... }
    %b = linalg.generic ... ins(%a) { %r = arith.subf %in, %zero ... }
    %y = linalg.generic ... ins(%b) { %r = arith.mulf %in, %scale ... }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"];
}

def SplitDilatedConvolution : Pass<"heddle-split-dilated-convolution", "::mlir::ModuleOp"> {
  let summary = "dense convolutions for one whose input has zeros between its points";
  let description = [{
    Output points that lie a multiple of the dilation apart meet the same taps:
    one convolution for each such phase, whose results alternate. From which size
    on that pays the target says.

    ```mlir
    %0 = kernel.convolution %x, %w {lhs_dilation = array<i64: 2>, ...} : tensor<1x5x300xf32>, tensor<4x300x200xf32> -> tensor<1x10x200xf32>
    ```
    ==>
    ```mlir
    %even = kernel.convolution %x, %w02 {lhs_dilation = array<i64: 1>, ...} : tensor<1x5x300xf32>, tensor<2x300x200xf32> -> tensor<1x5x200xf32>
    %odd = kernel.convolution %x, %w13 {...}
    %1 = kernel.concatenate %even, %odd {dimension = 2 : i64} : (...) -> tensor<1x5x2x200xf32>
    %0 = tensor.collapse_shape %1 ...
    ```
  }];
  let dependentDialects = [
    "::heddle::kernel::KernelDialect", "::heddle::stablehlo::StableHloDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def LegalizeRoots : Pass<"heddle-legalize-roots", "::mlir::ModuleOp"> {
  let summary = "gives contractions and convolutions operands of types that the target's kernels take";
  let description = [{
    Operands of a combination of types that no kernel takes are converted to the
    type that the products are summed in. Floats of two bytes that a kernel reads
    very often are widened once for all readers, if a kernel takes them so. Roots
    give their sums: what rounds these to a narrower result follows. A precision
    or an algorithm stays where the target's kernels differ in it; the two
    products of an attention only have a kernel that rounds if both ask for it.

    ```mlir
    %0 = kernel.contract %x, %w {...} : tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN> -> tensor<4x16xf32>
    ```
    ==>
    ```mlir
    %1 = linalg.generic ... ins(%x : tensor<4x8xf8E4M3FN>) { %r = arith.extf %in ... } -> tensor<4x8xf32>
    %2 = linalg.generic ... ins(%w : tensor<8x16xf8E4M3FN>) { %r = arith.extf %in ... } -> tensor<8x16xf32>
    %0 = kernel.contract %1, %2 {...} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"];
}

def LegalizeStorage : Pass<"heddle-legalize-storage", "::mlir::ModuleOp"> {
  let summary = "bytes for elements that the target's kernels do not hold";
  let description = [{
    Floats of a byte or less and integers of less than a byte become i8 with
    their bits, unless they are among the target's `narrow_elements`. Conversions
    to and from them become arithmetic on integers; roots that take such elements
    say in `lhs_type` and `rhs_type` what the bytes are, arguments and results of
    entries in `heddle.type`. Weights keep the model's type: each element of one
    is stored in a byte.

    ```mlir
    %0 = linalg.generic ... ins(%x : tensor<4xi4>) { %r = arith.extsi %in : i4 to i8 ... } -> tensor<4xi8>
    ```
    ==>
    ```mlir
    %0 = linalg.generic ... ins(%x : tensor<4xi8>) { %s = arith.shli %in, %c4  %r = arith.shrsi %s, %c4 ... } -> tensor<4xi8>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def SplitConcatenations : Pass<"heddle-split-concatenations", "::mlir::ModuleOp"> {
  let summary = "joins many parts in groups first";
  let description = [{
    A kernel grows with the parts that it joins: how many one may have the target
    says.

    ```mlir
    %0 = kernel.concatenate %a, %b, %c {dimension = 0 : i64} : (...) -> tensor<6xf32>
    ```
    ==> with at most two parts
    ```mlir
    %1 = kernel.concatenate %a, %b {dimension = 0 : i64} : (...) -> tensor<4xf32>
    %0 = kernel.concatenate %1, %c {dimension = 0 : i64} : (...) -> tensor<6xf32>
    ```
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def FuseElementwise : Pass<"heddle-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "fuses elementwise chains, and folds views into those who read through them";
  let description = [{
    A generic that only moves elements (a broadcast, a transpose, a slice), and
    a reshape that splits dimensions, become part of the indexing maps of their
    readers: generics, contractions, attention. An elementwise producer is
    computed inside its only reader; with several readers only what is cheaper
    than reading it from memory. A producer that can be the epilogue of a
    contraction or a convolution is left to it where its reader could not. How
    many inputs and how much arithmetic one op may have the target says.

    ```mlir
    %0 = linalg.generic ... ins(%x) { %e = math.exp %in ... }
    %1 = linalg.generic ... ins(%0, %y) { %s = arith.addf %in, %in_0 ... }
    ```
    ==>
    ```mlir
    %1 = linalg.generic ... ins(%x, %y) { %e = math.exp %in  %s = arith.addf %e, %in_0 ... }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect"];
}

def PackWeights : Pass<"heddle-pack-weights", "::mlir::ModuleOp"> {
  let summary = "gives weights the layout that contractions and convolutions read fastest";
  let description = [{
    The right-hand side of a contraction and the weights of a convolution are
    stored by a program that ends in the transpose that is needed. How they lie
    is the target's to say; in this example in panels of 32 columns.

    ```mlir
    %w = kernel.weight_ref @w0 : tensor<768x3072xf32>
    %0 = kernel.contract %x, %w {...}
    ```
    ==>
    ```mlir
    %w = kernel.weight_ref @w1 : tensor<96x768x32xf32>
    %0 = kernel.contract %x, %w {... rhs_packing = "* k n -> * n/32 k n%32"}
    ```
  }];
}

def FormDispatches : Pass<"heddle-form-dispatches", "::mlir::func::FuncOp"> {
  let summary = "groups ops into dispatches";
  let description = [{
    A contraction, convolution or attention with the elementwise generic that
    follows it; generics that share their rows (softmax, norms); everything
    else alone.
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def OutlineDispatches : Pass<"heddle-outline-dispatches", "::mlir::ModuleOp"> {
  let summary = "makes kernel functions of dispatches; equal ones become one";
  let description = [{
    Two dispatches are equal when they are without locations and without the
    numbers that their payloads compute with. Numbers in which equal dispatches
    differ become arguments of the kernel, the others stay in it. The launches
    keep the locations.

    ```mlir
    %0 = kernel.dispatch(%a = %x : tensor<4xf32>) -> tensor<4xf32> {... 2.0 ...}
    %1 = kernel.dispatch(%a = %0 : tensor<4xf32>) -> tensor<4xf32> {... 3.0 ...}
    ```
    ==>
    ```mlir
    func.func private @k0(%a: tensor<4xf32>, %b: f32) -> tensor<4xf32> attributes {kernel.entry} {... %b ...}
    %0 = kernel.launch @k0(%x) scalars [2.0 : f32] : (tensor<4xf32>) -> tensor<4xf32>
    %1 = kernel.launch @k0(%0) scalars [3.0 : f32] : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect", "::mlir::func::FuncDialect"];
}

def VerifyDispatched : Pass<"heddle-verify-dispatched", "::mlir::ModuleOp"> {
  let summary = "states what holds after heddle-dispatch: no tensor op outside a kernel";
  let description = [{
    Changes nothing. What is left outside of kernels, weights, launches and control flow is named, with its node, as not supported; so that
    later stages need not ask.
  }];
}

#endif // HEDDLE_PASSES_DISPATCH_PASSES_TD
