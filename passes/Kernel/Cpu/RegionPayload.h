// The scalar regions of roots (reducers, comparators, updates), on lanes.

#ifndef HEDDLE_PASSES_KERNEL_CPU_REGIONPAYLOAD_H
#define HEDDLE_PASSES_KERNEL_CPU_REGIONPAYLOAD_H

#include "mlir/IR/Block.h"
#include "passes/Kernel/Cpu/Lanes.h"

namespace heddle {

/// Emits the ops of `region` with `arguments` for its arguments; gives what it
/// yields. Arguments that are all scalar give scalars.
mlir::FailureOr<llvm::SmallVector<LaneValue>>
emitRegion(LaneBuilder &lanes, mlir::Block &region,
           llvm::ArrayRef<LaneValue> arguments);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_REGIONPAYLOAD_H
