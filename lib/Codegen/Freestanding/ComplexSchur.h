// The Schur form of complex matrices: single shifts.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_COMPLEXSCHUR_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_COMPLEXSCHUR_H

#include "SchurForm.h"

namespace heddle::routine {

/// The root in the right half plane.
template <typename T> Complex<T> squareRoot(Complex<T> a) {
  T length = absolute(a);
  if (length == 0)
    return {};
  T large = squareRoot((length + magnitude(a.re)) / 2);
  T small = magnitude(a.im) / (2 * large);
  T re = a.re >= 0 ? large : small, im = a.re >= 0 ? small : large;
  return {re, a.im < 0 ? -im : im};
}

/// The eigenvalue of rows and columns high - 1 and high that is nearer to the
/// last element: Wilkinson's shift.
template <typename T>
Complex<T> wilkinsonShift(Matrix<Complex<T>> h, int64_t high) {
  Complex<T> last = h.get(high, high);
  Complex<T> root =
      squareRoot(h.get(high - 1, high)) * squareRoot(h.get(high, high - 1));
  T scale = size(root);
  if (scale == 0)
    return last;
  Complex<T> half = T(0.5) * (h.get(high - 1, high - 1) - last);
  scale = larger(scale, size(half));
  Complex<T> x = (1 / scale) * half, u = (1 / scale) * root;
  Complex<T> y = scale * squareRoot(x * x + u * u);
  if (half.re * y.re + half.im * y.im < 0)
    y = -y;
  return last - root * (root / (half + y));
}

/// False if it does not converge.
template <typename T>
__attribute__((noinline)) bool makeSchurForm(Matrix<Complex<T>> h,
                                             Matrix<Complex<T>> w, int64_t n) {
  int64_t high = n - 1;
  for (int64_t step = 0; high > 0; ++step) {
    int64_t low = blockBegin(h, n, high);
    if (low == high) {
      --high;
      step = -1;
      continue;
    }
    if (step == kSchurSteps)
      return false;
    Complex<T> shift;
    if (step % 20 == 10)
      shift = h.get(low, low) +
              Complex<T>{T(0.75) * absolute(h.get(low + 1, low)), 0};
    else if (step % 20 == 19)
      shift = h.get(high, high) +
              Complex<T>{T(0.75) * absolute(h.get(high, high - 1)), 0};
    else
      shift = wilkinsonShift(h, high);

    Complex<T> x = h.get(low, low) - shift, z = h.get(low + 1, low);
    for (int64_t k = low; k < high; ++k) {
      if (k > low) {
        x = h.get(k, k - 1);
        z = h.get(k + 1, k - 1);
      }
      // c x + s z = r, c z - conj(s) x = 0.
      T lengthX = absolute(x), lengthZ = absolute(z);
      T length = absolute(Complex<T>{lengthX, lengthZ});
      T c = 1;
      Complex<T> s{}, r = x;
      if (lengthZ > 0) {
        Complex<T> phase = lengthX > 0 ? (1 / lengthX) * x : Complex<T>{1, 0};
        c = lengthX / length;
        s = phase * conjugate((1 / length) * z);
        r = length * phase;
      }
      if (k > low) {
        h.set(k, k - 1, r);
        h.set(k + 1, k - 1, {});
      }
      turnRows(rowOf(h, k).from(k), rowOf(h, k + 1).from(k), c, s, n - k);
      turnColumns(h, k, k + 1, c, s, smaller(k + 2, high) + 1);
      turnRows(rowOf(w, k), rowOf(w, k + 1), c, s, n);
    }
  }
  return true;
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_COMPLEXSCHUR_H
