// A convolution as code generation sees it: strides, and which taps touch which
// columns.

#ifndef HEDDLE_PASSES_KERNEL_CPU_CONVOLUTIONSHAPE_H
#define HEDDLE_PASSES_KERNEL_CPU_CONVOLUTIONSHAPE_H

#include "dialects/Kernel/Kernel.h"
#include "passes/Kernel/Cpu/Extent.h"
#include "passes/Kernel/Cpu/TileChoice.h"

namespace heddle {

/// One spatial dimension of a convolution.
struct SpatialDim {
  int64_t input = 1, output = 1, kernel = 1;
  int64_t stride = 1, dilation = 1, inputDilation = 1;
  int64_t padding = 0;
  /// Whether there is no padding, at either end, nor any zero between points.
  bool isNeverPadded = false;
  /// Elements between neighbours in the input.
  int64_t inputStride = 1;

  /// The input position of tap `tap` of output `at`, which may be padding.
  int64_t position(int64_t at, int64_t tap) const {
    return at * stride - padding + tap * dilation;
  }
  bool isValid(int64_t at, int64_t tap) const {
    int64_t in = position(at, tap);
    return in >= 0 && in < input;
  }
  /// No tap of any output lies in the padding.
  bool isInside() const {
    return padding == 0 && position(output - 1, kernel - 1) < input;
  }
};

/// Columns of the output, `spacing` apart from `first` on, that meet the same
/// taps of an input with zeros between its points: those `tapSpacing` apart
/// from `firstTap` on. All of both where there are no zeros.
struct ColumnPhase {
  int64_t first = 0, spacing = 1, firstTap = 0, tapSpacing = 1;
  /// These columns and taps alone, without zeros.
  SpatialDim dim;
};

/// How far apart columns of one phase are: 1 where there are no zeros.
int64_t columnSpacing(const SpatialDim &dim);

/// The phases of `dim`, of which none is empty; none has zeros between points.
llvm::SmallVector<ColumnPhase> columnPhases(const SpatialDim &dim);

struct ConvolutionShape {
  /// Fails with a diagnostic where the filter's packing has other steps than
  /// the sums.
  static mlir::FailureOr<ConvolutionShape> analyze(kernel::ConvolutionOp op,
                                                   int64_t panelColumns);

  /// How many there are, which a call may say.
  Extent images = 1;
  int64_t groups = 1;
  int64_t groupInput = 1, groupOutput = 1;
  /// Of dimensions whose size a call says, as they are at the bound.
  llvm::SmallVector<SpatialDim> spatial;
  /// The true extents of spatial dimensions, and how far apart neighbours in
  /// the input are.
  llvm::SmallVector<Extent> inputs, outputs, inputStrides;
  bool isPacked = false;
  /// Channels that one step of a sum takes of each point and each filter, next
  /// to each other: four bytes of filters in quads, two bf16 of pairs.
  int64_t perStep = 1;

  /// Steps of a sum over the channels of one tap.
  int64_t tapSteps() const { return groupInput / perStep; }
  int64_t inputChannels() const { return groups * groupInput; }
  int64_t outputChannels() const { return groups * groupOutput; }
  /// The images that work is divided for: as many as there are, or one where
  /// any number may come.
  int64_t expectedImages() const { return images.known().value_or(1); }
  /// Whether a call says how large images are.
  bool hasOpenImages() const {
    auto isSized = [](const Extent &extent) { return extent.isSized(); };
    return llvm::any_of(inputs, isSized) || llvm::any_of(outputs, isSized);
  }
  /// Whether the input has no zeros between its points.
  bool isDense() const {
    return llvm::all_of(
        spatial, [](const SpatialDim &dim) { return dim.inputDilation == 1; });
  }
  int64_t taps() const;
  int64_t inputImage() const;
  /// Results of one image and channel, without the innermost dimension.
  int64_t outputRows() const;

private:
  mlir::LogicalResult setTerms(kernel::ConvolutionOp op, int64_t panelColumns);
};

/// Taps [low, high) that touch the same rows of a tile.
struct TapRun {
  int64_t low = 0, high = 0;
  llvm::SmallVector<bool> rows;
};

/// `count` neighbouring tiles of `width` columns each, of which the same taps
/// touch the same columns.
struct ColumnRun {
  int64_t first = 0, width = 1, count = 1;
  llvm::SmallVector<TapRun> taps;
};

/// Cuts the columns of `dim` into tiles of at most `maxWidth` columns. What a
/// tile at the border does not need of a tap is known here, so that padding
/// costs nothing.
llvm::SmallVector<ColumnRun> splitColumns(const SpatialDim &dim,
                                          int64_t maxWidth);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_CONVOLUTIONSHAPE_H
