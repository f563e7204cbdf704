// Points of images whose size a call says, and what their taps read.

#ifndef HEDDLE_PASSES_KERNEL_CPU_IMAGEPOINTS_H
#define HEDDLE_PASSES_KERNEL_CPU_IMAGEPOINTS_H

#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// A point of a convolution's result: the image, and one index per spatial
/// dimension.
using ImagePoint = llvm::SmallVector<mlir::Value>;

/// How many points the results of all images have.
Extent pointsOf(const ConvolutionShape &shape);

/// The point `first` of all, row-major, and those that follow it; coordinates
/// of any further one than the last mean nothing. Of `existing` points, if it
/// is any, the last one stands for one more.
llvm::SmallVector<ImagePoint> pointsFrom(KernelFrame &frame,
                                         IndexBuilder &index,
                                         const ConvolutionShape &shape,
                                         mlir::Value first, int64_t count,
                                         mlir::Value existing = {});

/// A tap (its number, row-major) of some points: for each the element of the
/// input where its channels begin, and whether that is no padding; null where
/// it never is.
struct PointTap {
  mlir::Value tap;
  llvm::SmallVector<mlir::Value> offsets, inside;
};

/// Carries values through all taps of `points`, none of which is left out; of
/// the first `numDims` dimensions alone, those of the others read as tap 0 of
/// an image without padding does.
llvm::SmallVector<mlir::Value> emitPointTaps(
    KernelFrame &frame, IndexBuilder &index, const ConvolutionShape &shape,
    llvm::ArrayRef<ImagePoint> points, unsigned numDims, mlir::ValueRange inits,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(const PointTap &,
                                                      mlir::ValueRange)>
        body);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_IMAGEPOINTS_H
