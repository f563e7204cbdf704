// Passes from kernel functions on tensors to loops of one thread, for devices
// with grids of blocks of threads.

#ifndef HEDDLE_PASSES_KERNEL_GPU_PASSES_TD
#define HEDDLE_PASSES_KERNEL_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerGpuKernels : Pass<"heddle-lower-gpu-kernels", "mlir::ModuleOp"> {
  let summary = "lower kernel functions to what one thread of a grid does";
  let description = [{
    Every function with `kernel.entry` becomes loops over flat buffers in the
    device's memory. A thread computes one element of the result by the
    definition of the kernel's operation, then the one that lies as many elements
    behind it as the grid has threads. The order of a sum is that of its
    elements, whatever the grid. The module's `heddle.target` says how many
    threads a block has.

    ```mlir
    func.func private @k(%a: tensor<64xf32>) -> tensor<64xf32> attributes {kernel.entry} {
      %0 = tensor.empty() : tensor<64xf32>
      %1 = linalg.generic ... ins(%a) outs(%0) { ... arith.negf ... }
      return %1
    }
    ==>
    func.func private @k(%a: memref<?xf32, #gpu.address_space<global>>, %out: memref<?xf32, #gpu.address_space<global>>)
        attributes {kernel.tiles = 64, kernel.threads = 256} {
      %first = ...  // block_id * block_dim + thread_id
      %step = ...   // grid_dim * block_dim
      scf.for %i = %first to %c64 step %step {
        %0 = memref.load %a[%i]
        %1 = arith.negf %0 : f32
        memref.store %1, %out[%i]
      }
    ```
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::func::FuncDialect", "mlir::gpu::GPUDialect",
    "mlir::math::MathDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"
  ];
}

#endif // HEDDLE_PASSES_KERNEL_GPU_PASSES_TD
