// Kernels over extents that each call chooses, compared with the kernels made
// for just those sizes.

#ifndef HEDDLE_TEST_UNIT_KERNELCPU_SIZEDKERNELS_H
#define HEDDLE_TEST_UNIT_KERNELCPU_SIZEDKERNELS_H

#include "KernelHarness.h"
#include "gtest/gtest.h"

namespace heddle::test {

using Sizes = std::map<std::string, int64_t>;

/// All pairs of the symbols `batch` and `sequence`.
std::vector<Sizes> grid(llvm::ArrayRef<int64_t> batches,
                        llvm::ArrayRef<int64_t> sequences);

/// Runs the kernel of `text` at each of `choices`, on every machine that this
/// host runs, its grid in several ways. What lies beyond the true extents is
/// spoiled before and looked at after. Floats may differ by `tolerance` of
/// their size or of 1, whichever is more. What is right says `text`, made for
/// those sizes, or `reference` if that cannot be.
void checkSized(const std::string &text, llvm::ArrayRef<Sizes> choices,
                double tolerance = 0, const std::string &reference = "");

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_KERNELCPU_SIZEDKERNELS_H
