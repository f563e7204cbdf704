// Passes from kernel functions on tensors to scf, vector and memref, for CPUs.

#ifndef HEDDLE_PASSES_KERNEL_CPU_PASSES_TD
#define HEDDLE_PASSES_KERNEL_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerKernels : Pass<"heddle-lower-kernels", "mlir::ModuleOp"> {
  let summary = "lower kernel functions to vectors, loops and flat buffers";
  let description = [{
    Every function with `kernel.entry` gets the form that code generation takes:
    flat buffers in place of tensors, worker's scratch memory, and a range of
    tiles to compute. The module's `heddle.target` decides shapes of tiles and
    vectors.

    ```mlir
    func.func private @k(%a: tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry} {
      %0 = tensor.empty() : tensor<64xf32>
      %1 = linalg.generic ... ins(%a) outs(%0) { ... arith.negf ... }
      return %1
    }
    ==>
    func.func private @k(%a: memref<?xf32>, %out: memref<?xf32>, %scratch: memref<?xi8>,
                         %worker: index, %begin: index, %end: index)
        attributes {kernel.tiles = 1, kernel.chunk = 1, kernel.scratch = 0} {
      scf.for %tile = %begin to %end step %c1 {
        %0 = vector.load %a[%c0] : memref<?xf32>, vector<16xf32>
        ...
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"",
           "The target to compile for; the module's own by default.">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
    "mlir::LLVM::LLVMDialect"
  ];
}

#endif // HEDDLE_PASSES_KERNEL_CPU_PASSES_TD
