// Which convolutions are products of matrices of points by matrices of weights,
// tap by tap.

#ifndef HEDDLE_DIALECTS_KERNEL_MATRIXPLANES_H
#define HEDDLE_DIALECTS_KERNEL_MATRIXPLANES_H

#include "dialects/Kernel/Kernel.h"

namespace heddle::kernel {

/// The terms of a window that products take one after another: the channels of
/// one point, or, where the points of a row of the window are neighbours, those
/// of the whole row.
struct WindowRun {
  /// Steps of several terms each; none where channels are no quads or pairs.
  int64_t steps = 0;
  /// Those of one product: the most that divide `steps`, so that all products
  /// take equally many.
  int64_t perProduct = 0;
  /// How many runs a row of the window has.
  int64_t perRow = 1;

  /// Of `op`, where a product takes at most `most` steps.
  static WindowRun of(ConvolutionOp op, int64_t most);
};

/// Whether products of matrices, of at most `mostSteps` steps each, are worth
/// while for `op`: they are filled to a quarter at least, and the result has at
/// least `least` points of each image and as many channels of each group.
/// Images are of known sizes, with one or two dimensions and no zeros between
/// their points, by a stored filter.
bool hasMatrixPlanes(ConvolutionOp op, int64_t least, int64_t mostSteps);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_MATRIXPLANES_H
