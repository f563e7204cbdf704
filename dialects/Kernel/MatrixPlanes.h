// Which convolutions are products of matrices of points by matrices of weights,
// tap by tap.

#ifndef HEDDLE_DIALECTS_KERNEL_MATRIXPLANES_H
#define HEDDLE_DIALECTS_KERNEL_MATRIXPLANES_H

#include "dialects/Kernel/Kernel.h"

namespace heddle::kernel {

/// What kernels of such convolutions take of a row of a window at once: the
/// channels of a point, or, where its taps are neighbours, of all of them.
struct TapRun {
  /// Steps of several terms each, and as many of them, of at most `most`, as
  /// products can be made of that take equally many.
  int64_t steps = 0, perProduct = 0;
  /// How many runs a row of a window has.
  int64_t perRow = 1;

  static TapRun of(ConvolutionOp op, int64_t most);
};

/// Whether results are at least `least` points of each image by as many
/// channels of each group, and sums of runs that fill a quarter of products of
/// `mostSteps` steps: images of known sizes, with one or two dimensions,
/// without zeros between their points, by a filter of quads or pairs.
bool hasMatrixPlanes(ConvolutionOp op, int64_t least, int64_t mostSteps);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_MATRIXPLANES_H
