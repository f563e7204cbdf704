// Passes from kernel functions on tensors to scf, vector and memref, for CPUs.

#ifndef HEDDLE_PASSES_KERNEL_CPU_PASSES_H
#define HEDDLE_PASSES_KERNEL_CPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>
#include <string>

namespace heddle {

struct Machine;

/// Lowers the kernel functions of `module` for `machine`: what the pass does.
/// Modules may be lowered on several threads at once.
mlir::LogicalResult lowerKernelFunctions(mlir::ModuleOp module,
                                         const Machine &machine);

#define GEN_PASS_DECL
#include "passes/Kernel/Cpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Kernel/Cpu/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_PASSES_H
