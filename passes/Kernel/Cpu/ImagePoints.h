// Points of images whose size a call says, and what their taps read.

#ifndef HEDDLE_PASSES_KERNEL_CPU_IMAGEPOINTS_H
#define HEDDLE_PASSES_KERNEL_CPU_IMAGEPOINTS_H

#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "passes/Kernel/Cpu/KernelFrame.h"
#include "passes/Kernel/Cpu/TapPhases.h"

namespace heddle {

/// A point of a convolution's result: the image, and one index per spatial
/// dimension.
using ImagePoint = llvm::SmallVector<mlir::Value>;

/// A spatial dimension of the points of a phase, and what the phase has there.
struct PhaseDim : ChosenPhase {
  /// The columns and taps of a phase, as far as all phases agree. Its input has
  /// zeros between its points only where there are too many phases to tell
  /// them apart: then all points are one phase.
  ColumnPhase all;
  /// The first column of the phase.
  mlir::Value first;
};

/// The points of all images that meet the same taps: of an input with zeros
/// between its points those of one phase, of any other all.
struct PhasePoints {
  /// The images, and the points along each spatial dimension.
  llvm::SmallVector<Number> extents;
  llvm::SmallVector<PhaseDim> dims;

  /// The point `first` of these, row-major, and those that follow it, as
  /// indices among them; those of any further one than the last mean nothing.
  /// Of `existing` points, if it is any, the last one stands for one more.
  llvm::SmallVector<ImagePoint> from(IndexBuilder &index, mlir::Value first,
                                     int64_t count,
                                     mlir::Value existing = {}) const;
  /// Where a point is in the result.
  ImagePoint placeOf(IndexBuilder &index,
                     llvm::ArrayRef<mlir::Value> point) const;
};

/// The phases of a convolution of images whose size a call says.
class PointPhases {
public:
  PointPhases(KernelFrame &frame, const ConvolutionShape &shape);

  /// How many phases there are along each spatial dimension.
  llvm::SmallVector<Extent> counts() const;
  int64_t count() const;
  /// How many points a phase has at most and at least, and a number that all
  /// phases' numbers of points are multiples of.
  Extent mostPoints() const;
  int64_t leastPoints() const;
  int64_t divisor() const;
  /// The phase of these numbers, one per spatial dimension.
  PhasePoints at(IndexBuilder &index,
                 llvm::ArrayRef<mlir::Value> numbers) const;
  /// How many points `phase` has; null where it is all of them.
  mlir::Value countOf(IndexBuilder &index, const PhasePoints &phase) const;

private:
  KernelFrame &frame;
  const ConvolutionShape &shape;
  /// Of each spatial dimension.
  llvm::SmallVector<llvm::SmallVector<ColumnPhase>> dims;
};

/// A tap (its number, row-major) of some points: for each the element of the
/// input where its channels begin, and whether that is no padding; null where
/// it never is.
struct PointTap {
  mlir::Value tap;
  llvm::SmallVector<mlir::Value> offsets, inside;
};

/// Carries values through all taps of `points` of `phase`, none of which is
/// left out; of the first `numDims` dimensions alone, those of the others read
/// as tap 0 of an image without padding does.
llvm::SmallVector<mlir::Value> emitPointTaps(
    KernelFrame &frame, IndexBuilder &index, const ConvolutionShape &shape,
    const PhasePoints &phase, llvm::ArrayRef<ImagePoint> points,
    unsigned numDims, mlir::ValueRange inits,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(const PointTap &,
                                                      mlir::ValueRange)>
        body);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_IMAGEPOINTS_H
