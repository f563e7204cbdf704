// What the taps of a tile read, gathered in a worker's scratch.

#ifndef HEDDLE_PASSES_KERNEL_CPU_TAPPATCH_H
#define HEDDLE_PASSES_KERNEL_CPU_TAPPATCH_H

#include "passes/Kernel/Cpu/ImagePoints.h"
#include "passes/Kernel/Cpu/RegisterTile.h"

namespace heddle {

/// Room for all taps of a tile's points, of an image of few channels: row by
/// row what lies next to each other in the image is one run.
class TapPatch {
public:
  /// One for `rows` points; nothing where taps are better read where they lie,
  /// since there are many channels, no runs, or too much for the first cache.
  static std::optional<TapPatch> create(KernelFrame &frame,
                                        const ConvolutionShape &shape,
                                        mlir::Value input, int64_t rows);

  /// Copies what the taps of `points` read.
  void gather(IndexBuilder &index, const PhasePoints &phase,
              llvm::ArrayRef<ImagePoint> points);
  /// The first `rows` points that were gathered, as rows of a product.
  TileLhs rows(IndexBuilder &index, int64_t rows) const;

private:
  /// Of a point, where its runs begin in a row of the image, and which elements
  /// of each of a run's vectors are there; null where all are.
  struct Run {
    mlir::Value start;
    llvm::SmallVector<mlir::Value> masks;
  };

  TapPatch(KernelFrame &frame, const ConvolutionShape &shape, mlir::Value input)
      : frame(frame), shape(shape), input(input) {}

  const SpatialDim &inner() const { return shape.spatial.back(); }
  /// Elements of a run, and vectors of it.
  int64_t length() const { return inner().kernel * shape.groupInput; }
  int64_t vectors() const;
  Run runOf(IndexBuilder &index, mlir::Value column) const;
  /// Copies `run`, which lies at `from` of the input if it is `inside`, to the
  /// place `to`.
  void copy(IndexBuilder &index, const Run &run, mlir::Value from,
            mlir::Value inside, mlir::Value to) const;

  KernelFrame &frame;
  const ConvolutionShape &shape;
  mlir::Value input, buffer;
  /// How many elements apart points are.
  int64_t pitch = 0;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_TAPPATCH_H
