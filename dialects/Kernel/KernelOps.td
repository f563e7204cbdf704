// Dispatches, launches and weights; the roots are in their own files.

#ifndef HEDDLE_DIALECTS_KERNEL_KERNELOPS_TD
#define HEDDLE_DIALECTS_KERNEL_KERNELOPS_TD

include "dialects/Kernel/KernelDialect.td"
include "dialects/Kernel/KernelRoots.td"
include "dialects/Kernel/KernelDataRoots.td"
include "dialects/Kernel/KernelRoutines.td"
include "dialects/Kernel/KernelCollectives.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_DispatchOp : Kernel_Op<"dispatch", [
    IsolatedFromAbove, Pure, SingleBlock, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a group of tensor ops that becomes one kernel";
  let description = [{
    The body is a kernel function's, before outlining. Block arguments stand
    for the operands, of the same types. Sizes come after the tensors.

    ```mlir
    %0 = kernel.dispatch(%a = %x : tensor<4xf32>, %b = %y : tensor<4xf32>) -> tensor<4xf32> {
      ...
      kernel.yield %1 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[AnyRankedTensor, Index]>>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Kernel_CompositeOp : Kernel_Op<"composite", [
    RecursiveMemoryEffects, SingleBlock, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "tensor ops that together mean something a target may have a kernel for";
  let description = [{
    A composite of StableHLO whose name a target claims, with its inputs and
    parameters: `heddle.attention` (docs/decisions/attention.md). The region
    computes the results from values around it, as the region of a loop does;
    `inputs` are what a kernel for the whole would read. After the fork each
    target takes one or the other.

    ```mlir
    %0 = kernel.composite "heddle.attention"(%q, %k, %v) {scale = 1.0 : f32} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> {
      ...
      kernel.yield %3 : tensor<2x4xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$kind, DictionaryAttr:$parameters, Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      "$kind `(` $inputs `)` $parameters attr-dict `:` functional-type($inputs, $outputs) $body";
  let hasRegionVerifier = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["CompositeOp", "DispatchOp", "WeightOp", "ReduceWindowOp", "ScatterOp", "SortOp"]>]> {
  let summary = "the values of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Kernel_LaunchOp : Kernel_Op<"launch", [
    Pure, AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel function";
  let description = [{
    Its location names the model's nodes that this launch computes: the kernel
    function itself, shared by many launches, has none. `sizes` are for the
    function's arguments after the tensors: numbers that each call chooses
    (`kernel.size`). `scalars` are numbers for its last arguments, of their types.

    ```mlir
    %0 = kernel.launch @k3(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = kernel.launch @k4(%x) scalars [2.5 : f32] : (tensor<4xf32>) -> tensor<4xf32>
    %2 = kernel.launch @k5(%x) sizes(%n) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyRankedTensor>:$inputs, Variadic<Index>:$sizes,
                       DefaultValuedOptionalAttr<TypedArrayAttrBase<TypedAttrInterface, "array of numbers">, "{}">:$scalars);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` (`sizes` `(` $sizes^ `)`)? (`scalars` $scalars^)? attr-dict `:` functional-type($inputs, $outputs)
  }];
}

def Kernel_WeightOp : Kernel_Op<"weight", [
    IsolatedFromAbove, Symbol, SingleBlock,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a constant of the model, and how it is made";
  let description = [{
    The region is a tensor program over handles (`stablehlo.constant` and
    index or elementwise ops of StableHLO); the packer evaluates it piece by
    piece, so that no large tensor is ever whole in memory. `value_type` is
    the type of what the region yields; `packing` says how it is stored, in the
    grammar of `runtime/format/WeightLayout.h`, row-major without it:

    | packing | stored |
    | --- | --- |
    | `* k n -> * n/32 k n%32` | panels of 32 columns, each row after row |
    | `* k n -> * n/16 k/2 n%16 k%2` | panels of 16 columns, with pairs of rows side by side |
    | `* i (g=2 o) -> g o/32 * i o%32` | for each of two groups, panels of 32 channels |
    | `* k n -> * n/32 k/2 n%32 k%2 in u8` | panels, with two elements of 4 bits in a byte |

    What the last panel lacks is zero.

    Where numbers are scaled block by block, `block` says how large one is, and
    `scale` and `zero_point` name the weights that have an element for each.

    ```mlir
    kernel.weight @w0 : tensor<768x3072xf32> packing "* k n -> * n/32 k n%32" {
      ...
      kernel.yield %1 : tensor<768x3072xf32>
    }
    kernel.weight @w1 : tensor<768x3072xi4> block [32, 1] scale @w2 zero_point @w3 {
      ...
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<AnyRankedTensor>:$value_type,
    OptionalAttr<StrAttr>:$packing,
    OptionalAttr<DenseI64ArrayAttr>:$block,
    OptionalAttr<FlatSymbolRefAttr>:$scale,
    OptionalAttr<FlatSymbolRefAttr>:$zero_point);
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$name, "::mlir::Type":$type), [{
    $_state.addAttribute(getSymNameAttrName($_state.name), name);
    $_state.addAttribute(getValueTypeAttrName($_state.name), ::mlir::TypeAttr::get(type));
    $_state.addRegion();
  }]>];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      "$sym_name `:` $value_type (`packing` $packing^)? (`block` $block^)? (`scale` $scale^)? (`zero_point` $zero_point^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The type of what `kernel.weight_ref` gives: the packed one.
    ::mlir::RankedTensorType getStoredType();
  }];
}

def Kernel_WeightRefOp : Kernel_Op<"weight_ref", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a weight as it is stored";
  let description = [{
    ```mlir
    %w = kernel.weight_ref @w0 : tensor<96x768x32xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}

def Kernel_TransferOp : Kernel_Op<"transfer", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "a value in the memory of another device";
  let description = [{
    One of both sides is the process, called "cpu". What a kernel gives lies on
    the device that `kernel.place` names at its launch, everything else in the
    memory of the process.

    ```mlir
    %a = kernel.transfer %x to "sim:0" : tensor<4xf32>
    %b = kernel.launch @k3(%a) {kernel.place = "sim:0"} : (tensor<4xf32>) -> tensor<4xf32>
    %c = kernel.transfer %b to "cpu" : tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, StrAttr:$device);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `to` $device attr-dict `:` type($source)";
}

#endif // HEDDLE_DIALECTS_KERNEL_KERNELOPS_TD
