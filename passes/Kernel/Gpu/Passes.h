// Passes from kernel functions to loops of one thread, for devices with grids.

#ifndef HEDDLE_PASSES_KERNEL_GPU_PASSES_H
#define HEDDLE_PASSES_KERNEL_GPU_PASSES_H

#include "dialects/Ws/Ws.h"
#include "heddle/Target/GpuMachine.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>
#include <string>

namespace heddle {

#define GEN_PASS_DECL
#include "passes/Kernel/Gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Kernel/Gpu/Passes.h.inc"

/// Why there is no kernel for graphics processors that does what `function`
/// does; empty if there is one.
std::string lackOfGpuKernel(mlir::func::FuncOp function);

class ProtocolVerifier;

/// What `heddle-lower-gpu-kernels` does, for `machine`. `verifier` has checked
/// the kernels of other modules.
mlir::LogicalResult lowerGpuKernelFunctions(mlir::ModuleOp module,
                                            const GpuMachine &machine,
                                            ProtocolVerifier &verifier);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_PASSES_H
