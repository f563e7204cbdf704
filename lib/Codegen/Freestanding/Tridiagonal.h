// Hermitian matrices to tridiagonal form and its eigenvalues.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_TRIDIAGONAL_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_TRIDIAGONAL_H

#include "Reflectors.h"

namespace heddle::routine {

/// a (whole, n x n) = Q T Qᴴ with real T: diagonal d, subdiagonal e. Column k
/// of `a` keeps reflector k, which starts at row k + 1; taus has n - 1
/// elements. `v` and `w` are rows of n elements.
template <typename S>
__attribute__((noinline)) void
makeTridiagonal(Matrix<S> a, int64_t n, double *d, double *e, Row<S> taus,
                Row<S> v, Row<S> w) {
  using T = PartOf<S>;
  for (int64_t k = 0; k + 1 < n; ++k) {
    d[k] = realPart(a.get(k, k));
    int64_t first = k + 1, count = n - first;
    S tau = makeReflector(a, first, n, k);
    taus.set(k, tau);
    e[k] = realPart(a.get(first, k));
    if (realPart(tau) == 0 && imaginaryPart(tau) == 0)
      continue;
    for (int64_t i = 0; i < count; ++i) {
      v.set(i, i ? a.get(first + i, k) : fromReal<S>(T(1)));
      w.set(i, S{});
    }
    // w = tau a v: a's columns are its rows, conjugated. What is summed is
    // conj(w).
    for (int64_t i = 0; i < count; ++i)
      addScaled(w, conjugate(v.get(i)), rowOf(a, first + i).from(first), count);
    for (int64_t i = 0; i < count; ++i)
      w.set(i, tau * conjugate(w.get(i)));
    S half = fromReal<S>(T(-0.5)) * (tau * innerProduct(w, v, count));
    addScaled(w, half, v, count);
    // a -= w vᴴ + v wᴴ, by rows; both conjugated for that.
    for (int64_t i = 0; i < count; ++i) {
      v.set(i, conjugate(v.get(i)));
      w.set(i, conjugate(w.get(i)));
    }
    for (int64_t i = 0; i < count; ++i) {
      Row<S> row = rowOf(a, first + i).from(first);
      addScaled(row, -conjugate(w.get(i)), v, count);
      addScaled(row, -conjugate(v.get(i)), w, count);
    }
  }
  if (n > 0)
    d[n - 1] = realPart(a.get(n - 1, n - 1));
}

inline double hypotenuse(double x, double y) {
  double a = magnitude(x), b = magnitude(y);
  double large = a > b ? a : b, small = a > b ? b : a;
  if (large == 0)
    return 0;
  double ratio = small / large;
  return large * squareRoot(1 + ratio * ratio);
}

/// Diagonalizes the tridiagonal matrix by implicit QR steps with Wilkinson's
/// shift; turned(k, c, s) gets every rotation of columns k and k + 1: (x, y)
/// becomes (c x - s y, s x + c y). False if it does not converge.
template <typename Turned>
bool diagonalize(double *d, double *e, int64_t n, double unit, Turned turned) {
  int64_t high = n - 1;
  int64_t steps = 0;
  auto isZero = [&](int64_t i) {
    return magnitude(e[i]) <= unit * (magnitude(d[i]) + magnitude(d[i + 1]));
  };
  while (high > 0) {
    if (isZero(high - 1)) {
      e[high - 1] = 0;
      --high;
      steps = 0;
      continue;
    }
    if (++steps > 60)
      return false;
    int64_t low = high - 1;
    while (low > 0 && !isZero(low - 1))
      --low;
    if (low > 0)
      e[low - 1] = 0;
    // The eigenvalue of the last two rows that is nearer to the last.
    double gap = (d[high - 1] - d[high]) / 2, off = e[high - 1];
    double shift =
        d[high] -
        off / (gap + (gap >= 0 ? 1 : -1) * hypotenuse(gap, off)) * off;
    double x = d[low] - shift, z = e[low];
    for (int64_t k = low; k < high; ++k) {
      double length = hypotenuse(x, z), c = 1, s = 0;
      if (length > 0) { // with c >= 0
        length = x < 0 ? -length : length;
        c = x / length;
        s = -z / length;
      }
      if (k > low)
        e[k - 1] = length;
      double a = d[k], b = d[k + 1], f = e[k];
      d[k] = c * c * a - 2 * c * s * f + s * s * b;
      d[k + 1] = s * s * a + 2 * c * s * f + c * c * b;
      e[k] = c * s * (a - b) + (c * c - s * s) * f;
      if (k + 1 < high) {
        x = e[k];
        z = -s * e[k + 1];
        e[k + 1] *= c;
      }
      turned(k, c, s);
    }
  }
  return true;
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_TRIDIAGONAL_H
