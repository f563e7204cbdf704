// How a Fourier transform is computed.
//
// Made by the compiler, read by the routine in lib/Codegen/Freestanding.

#ifndef HEDDLE_DIALECTS_KERNEL_FOURIERPLAN_H
#define HEDDLE_DIALECTS_KERNEL_FOURIERPLAN_H

#include <stdint.h>

namespace heddle::routine {

/// A transform of small factors: Stockham's, one stage per factor. The twiddles
/// of a stage with radix r and m = (what is left of the length) / r are
/// w^(p k), for p below m and k from 1 to r - 1, from `table` on, re before im.
struct FourierStages {
  int64_t length, count, table;
  int64_t radix[20];
};

/// A transform of `length` points: of `first` by rows of a matrix [first,
/// second], turned by w^(row column), of `second` by columns. Without a second
/// factor it is 1. All positions are in the table of constants, in elements.
struct FourierPlan {
  int64_t length;
  FourierStages first, second;
  /// w^t = high[t >> bits] low[t & mask], for the turn between the two.
  int64_t turnHigh, turnLow, turnBits;
  /// Bluestein's algorithm, where the length has large prime factors: the plan
  /// is that of a convolution of `convolution` points (else 0), the chirp
  /// exp(-i pi k^2 / n) has the length n of the transform, and its spectrum,
  /// divided by the number of points, that of the convolution.
  int64_t convolution, chirp, spectrum;
  /// Of real transforms of even length, computed as complex ones of half the
  /// length: w^k of the whole length, for k up to half of it. Else -1.
  int64_t unzip;
};

/// What a transform is of and how its lines lie: lines of `points` (of the
/// result or operand that is whole) at stride `inner`, in `outer` x `inner`
/// lines; `group` lines are transformed side by side.
enum class FourierKind : int64_t { Forward, Inverse, RealForward, RealInverse };

/// Elements of scratch memory: two arrays of pairs of parts, and one more for
/// the convolution.
constexpr int64_t fourierScratch(int64_t longest, int64_t group) {
  return 4 * longest * group + 64;
}

} // namespace heddle::routine

#endif // HEDDLE_DIALECTS_KERNEL_FOURIERPLAN_H
