// Square blocks of a matrix, transposed in registers.

#ifndef HEDDLE_PASSES_KERNEL_CPU_TRANSPOSEDBLOCK_H
#define HEDDLE_PASSES_KERNEL_CPU_TRANSPOSEDBLOCK_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Transposes `rows.size()` vectors of as many lanes, a power of two: as many
/// rounds of pairwise interleaving as the number has bits.
llvm::SmallVector<mlir::Value>
transposeRegisters(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::ArrayRef<mlir::Value> rows);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_TRANSPOSEDBLOCK_H
