// Phases of a dimension whose input has zeros between its points, told apart
// while a kernel runs.

#ifndef HEDDLE_PASSES_KERNEL_CPU_TAPPHASES_H
#define HEDDLE_PASSES_KERNEL_CPU_TAPPHASES_H

#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"

namespace heddle {

/// The phases of `dim` if they are few enough to be told apart by constants
/// that their number chooses; none if they are more.
llvm::SmallVector<ColumnPhase> fewPhases(const SpatialDim &dim);

/// What differs between phases: how many taps a phase has and the first of
/// them, and the padding before its first column.
struct ChosenPhase {
  mlir::Value taps, firstTap, padding;
};

/// Of `phases` the one with this number.
ChosenPhase choosePhase(IndexBuilder &index, llvm::ArrayRef<ColumnPhase> phases,
                        mlir::Value number);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_TAPPHASES_H
