// Which taps of a convolution meet which points, where its input has zeros
// between its points.

#ifndef HEDDLE_PASSES_DISPATCH_CONVOLUTIONPHASES_H
#define HEDDLE_PASSES_DISPATCH_CONVOLUTIONPHASES_H

#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <numeric>
#include <optional>

namespace heddle {

/// One phase of one spatial dimension: the taps start, start + step, ... that
/// meet points of the input, and the dense window that they are.
struct ConvolutionPhase {
  int64_t start = 0, step = 1, count = 0;
  int64_t dilation = 1, low = 0, high = 0;
};

/// A spatial dimension with `lhsDilation`, and its phases.
struct DilatedDimension {
  int64_t input, kernel, output, stride, lhsDilation, rhsDilation, low;
  /// Points of each phase; the last one of some is too much.
  int64_t points() const { return llvm::divideCeil(output, lhsDilation); }

  /// Nothing where the window lies far outside of the input.
  std::optional<ConvolutionPhase> phase(int64_t number) const {
    ConvolutionPhase phase;
    int64_t offset = number * stride - low;
    phase.step = lhsDilation / std::gcd(rhsDilation, lhsDilation);
    phase.dilation = phase.step * rhsDilation / lhsDilation;
    while (phase.start < kernel &&
           (offset + phase.start * rhsDilation) % lhsDilation != 0)
      ++phase.start;
    if (phase.start >= kernel)
      return phase;
    phase.count = llvm::divideCeil(kernel - phase.start, phase.step);
    phase.low = -(offset + phase.start * rhsDilation) / lhsDilation;
    phase.high = (points() - 1) * stride + (phase.count - 1) * phase.dilation +
                 1 - phase.low - input;
    if (phase.low <= -input || phase.high <= -input)
      return std::nullopt;
    return phase;
  }
};

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_CONVOLUTIONPHASES_H
