// Contractions that tensor cores do: which, and as what tiles.

#ifndef HEDDLE_PASSES_KERNEL_GPU_TILECONTRACTIONS_H
#define HEDDLE_PASSES_KERNEL_GPU_TILECONTRACTIONS_H

#include "heddle/Target/GpuMachine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Whether `kernel` is a contraction that `tileContraction` has a kernel for:
/// of f16 or bf16 into f32, by known sizes that fill tiles, with at most one
/// elementwise operation behind it.
bool isTiledContraction(mlir::func::FuncOp kernel);

/// Replaces `kernel` by a function of the same name with the roles and the
/// channel of the ws dialect, and returns it. Fails with a diagnostic.
mlir::FailureOr<mlir::func::FuncOp> tileContraction(mlir::func::FuncOp kernel,
                                                    const GpuMachine &machine);

/// Lowers the roles of `function`: to warpgroups with a role each where boxes
/// are copied (cp.async.bulk.tensor, mbarrier, wgmma), else to one role of all
/// warps (cp.async, ldmatrix, mma.sync). Fails with a diagnostic.
mlir::LogicalResult lowerRoles(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_TILECONTRACTIONS_H
