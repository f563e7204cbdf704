// Loops over the taps of a convolution's outer spatial dimensions.

#ifndef HEDDLE_PASSES_KERNEL_CPU_TAPLOOPS_H
#define HEDDLE_PASSES_KERNEL_CPU_TAPLOOPS_H

#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"

namespace heddle {

/// Where a tap of the outer spatial dimensions reads: `input` is the offset of
/// its row from the image's start, `tap` its number, row-major.
struct TapPosition {
  mlir::Value input, tap;
};

/// A dimension whose taps are walked: its points in the input and how far apart
/// these are may be a call's.
struct TapDim {
  SpatialDim dim;
  Number input, inputStride;
  /// Whether no tap of any output lies in the padding.
  bool isInside;

  /// One of a known size.
  TapDim(const SpatialDim &dim)
      : dim(dim), input(dim.input), inputStride(dim.inputStride),
        isInside(dim.isInside()) {}
  /// One whose size a call says.
  TapDim(const SpatialDim &dim, Number input, Number inputStride)
      : dim(dim), input(input), inputStride(inputStride),
        isInside(dim.isNeverPadded) {}
};

/// Sums over the taps of `dims` that do not lie in the padding of the output
/// row at `row` (one index per dimension): `body` takes the carried values and
/// gives the next.
llvm::SmallVector<mlir::Value> emitTapLoops(
    IndexBuilder &index, llvm::ArrayRef<TapDim> dims,
    llvm::ArrayRef<mlir::Value> row, TapPosition position,
    mlir::ValueRange inits,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(TapPosition,
                                                      mlir::ValueRange)>
        body);
/// The same where all sizes are known.
llvm::SmallVector<mlir::Value> emitTapLoops(
    IndexBuilder &index, llvm::ArrayRef<SpatialDim> dims,
    llvm::ArrayRef<mlir::Value> row, TapPosition position,
    mlir::ValueRange inits,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(TapPosition,
                                                      mlir::ValueRange)>
        body);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_TAPLOOPS_H
