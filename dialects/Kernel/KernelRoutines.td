// Roots that are functions of ours, written in C++.

#ifndef HEDDLE_DIALECTS_KERNEL_KERNELROUTINES_TD
#define HEDDLE_DIALECTS_KERNEL_KERNELROUTINES_TD

include "dialects/Kernel/KernelDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_RoutineOp : Kernel_Op<"routine", [Pure]> {
  let summary = "a factorization, a solution, a transform: by name";
  let description = [{
    Operands, results and parameters are those of the composite `heddle.<name>`
    (docs/decisions/routines.md), on real tensors: a complex tensor is two, the
    real parts and the imaginary ones. Whether matrices are complex follows
    from the number of operands.

    ```mlir
    %l = kernel.routine "cholesky"(%a) {parameters = {lower = true}} : (tensor<3x64x64xf32>) -> tensor<3x64x64xf32>
    ```
  }];
  let arguments = (ins
    StrAttr:$name,
    Variadic<AnyRankedTensor>:$inputs,
    DefaultValuedAttr<DictionaryAttr, "{}">:$parameters);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat =
      "$name `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

def Kernel_CallOp : Kernel_Op<"call"> {
  let summary = "calls a freestanding function";
  let description = [{
    In lowered kernels. The callee is one of lib/Codegen/Freestanding, linked
    into the image; it gets a buffer as a pointer to its first element and an
    index as a 64-bit integer.

    ```mlir
    kernel.call "heddle_cholesky_f32"(%a, %l, %scratch, %n, %begin, %end) : memref<?xf32>, memref<?xf32>, memref<?xi8>, index, index, index
    ```
  }];
  let arguments = (ins StrAttr:$callee, Variadic<AnyType>:$arguments);
  let assemblyFormat =
      "$callee `(` $arguments `)` attr-dict `:` type($arguments)";
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECTS_KERNEL_KERNELROUTINES_TD
