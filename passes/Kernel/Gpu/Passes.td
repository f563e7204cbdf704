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
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::NVVM::NVVMDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
    "heddle::ws::WsDialect"
  ];
}

def TileContractions : Pass<"heddle-tile-contractions", "mlir::ModuleOp"> {
  let summary = "make contractions for tensor cores roles with a channel";
  let description = [{
    A kernel function that is a contraction of f16 or bf16 into f32, with at most
    one elementwise operation behind it, becomes blocks that each compute a tile
    of the result. What is no such function stays as it is.

    ```mlir
    func.func private @k(%x: tensor<256x64xf16>, %y: tensor<64x256xf16>) -> tensor<256x256xf32> attributes {kernel.entry} {
      %0 = kernel.contract %x, %y ...
      return %0
    }
    ==>
    func.func private @k(%x: memref<?xf16, ...>, %y: memref<?xf16, ...>, %out: memref<?xf32, ...>)
        attributes {kernel.tiles = 1024, kernel.threads = 256} {
      %channel = ws.channel : !ws.channel<3 x ...>
      scf.for %block = ... {
        %sum = ws.roles %c2 init %zero produce { ... ws.copy %x ... ws.copy %y ... } consume { ... ws.mma ... }
        ws.epilogue %sum { ... memref.store ... }
      }
    ```
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::func::FuncDialect", "mlir::gpu::GPUDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "heddle::ws::WsDialect"
  ];
}

def TileAttention : Pass<"heddle-tile-attention", "mlir::ModuleOp"> {
  let summary = "make attention for tensor cores roles with a channel";
  let description = [{
    A kernel function that is an attention of f16 or bf16, with at most one
    elementwise operation behind it, becomes blocks that each have a tile of
    queries. Its consumer carries sums of values, and of each row the largest
    score and the sum of weights. What is no such function stays as it is.

    ```mlir
    func.func private @k(%q: tensor<8x512x64xbf16>, %k: tensor<8x512x64xbf16>, %v: tensor<8x512x64xbf16>) -> tensor<8x512x64xbf16> attributes {kernel.entry} {
      %0 = kernel.attention %q, %k, %v ...
      return %0
    }
    ==>
    func.func private @k(%q: memref<?xbf16, ...>, ...) attributes {kernel.tiles = 8192, kernel.threads = 256} {
      %channel = ws.channel : !ws.channel<4 x ...>
      scf.for %block = ... {
        %queries = ws.load %q ...
        %sums:3 = ws.roles %steps init %zero, %top, %total produce { ... ws.copy %k ... ws.copy %v ... } consume {
          ... ws.mma %queries ... ws.reduce ... ws.map ... ws.narrow ... ws.mma ...
        }
        ws.epilogue %quotients { ... memref.store ... }
      }
    ```
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::func::FuncDialect", "mlir::gpu::GPUDialect",
    "mlir::LLVM::LLVMDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect", "heddle::ws::WsDialect"
  ];
}

def LowerRoles : Pass<"heddle-lower-roles", "mlir::ModuleOp"> {
  let summary = "lower roles and channels to instructions and barriers";
  let description = [{
    Where the producer copies boxes, roles get warpgroups of their own: one thread
    of the first starts copies, the others multiply by `wgmma`; each slot has two
    mbarriers that say when it is full and when it is empty.

    Else every warp does both roles: it starts the copies of the step that lies
    `depth - 1` ahead, then multiplies what has come. A slot is full once this
    thread's copies have ended (`cp.async.wait_group`) and all threads have met at
    a barrier; the same barrier says that the slot before it is empty.

    ```mlir
    %sum = ws.roles %steps init %zero produce { ... } consume { ... }
    ==>
    // depth - 1 slots are started
    scf.for %step = %c0 to %steps iter_args(...) {
      nvvm.cp.async.wait.group 1
      nvvm.barrier0
      scf.if ... { nvvm.cp.async.shared.global ... }
      nvvm.cp.async.commit.group
      nvvm.ldmatrix ... nvvm.mma.sync ...
    }
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::gpu::GPUDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::NVVM::NVVMDialect", "mlir::scf::SCFDialect"
  ];
}

def VerifyProtocol : Pass<"heddle-verify-protocol", "mlir::ModuleOp"> {
  let summary = "find roles that wait for ever, or touch slots of others";
  let description = [{
    Of each kernel that makes barriers in shared memory, what a thread of each
    warp does with barriers, copies and products is read from the code, over so
    many steps that all parities occur; then every order in which these, and the
    ends of copies, can happen is gone through. Nothing is changed.
  }];
}

#endif // HEDDLE_PASSES_KERNEL_GPU_PASSES_TD
