// Tall matrices to bidiagonal form and its singular values.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_BIDIAGONAL_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_BIDIAGONAL_H

#include "Tridiagonal.h"

namespace heddle::routine {

/// a (m x n, m >= n) = Q B Pᴴ with real B: diagonal d, superdiagonal e. Column
/// k of `a` keeps reflector k of Q below the diagonal, row k the one of P,
/// which starts at column k + 1. `v` and `w` are rows of n elements.
template <typename S>
__attribute__((noinline)) void
makeBidiagonal(Matrix<S> a, int64_t m, int64_t n, double *d, double *e,
               Row<S> leftTaus, Row<S> rightTaus, Row<S> v, Row<S> w) {
  using T = PartOf<S>;
  for (int64_t k = 0; k < n; ++k) {
    S left = makeReflector(a, k, m, k);
    leftTaus.set(k, left);
    d[k] = realPart(a.get(k, k));
    int64_t first = k + 1, count = n - first;
    if (count == 0)
      break;
    // w = vᴴ a, then a -= conj(tau) v w: row k at once, the others below.
    for (int64_t j = 0; j < count; ++j)
      w.set(j, a.get(k, first + j));
    for (int64_t i = first; i < m; ++i)
      addScaled(w, conjugate(a.get(i, k)), rowOf(a, i).from(first), count);
    addScaled(rowOf(a, k).from(first), -conjugate(left), w, count);
    // The reflector of the row's adjoint.
    for (int64_t j = first; j < n; ++j)
      a.set(k, j, conjugate(a.get(k, j)));
    S right = makeReflector(a.transposed(), first, n, k);
    rightTaus.set(k, right);
    e[k] = realPart(a.get(k, first));
    for (int64_t j = 0; j < count; ++j)
      v.set(j, conjugate(j ? a.get(k, first + j) : fromReal<S>(T(1))));
    // Both sides of what is left: a -= tau (a v) vᴴ, row by row.
    for (int64_t i = first; i < m; ++i) {
      Row<S> row = rowOf(a, i).from(first);
      addScaled(row, -(conjugate(left) * a.get(i, k)), w, count);
      addScaled(row, -(right * innerProduct(v, row, count)), v, count);
    }
  }
}

/// c x + s y = length, c y - s x = 0.
struct Turn {
  double c = 1, s = 0, length;
  Turn(double x, double y) : length(hypotenuse(x, y)) {
    if (length > 0) {
      c = x / length;
      s = y / length;
    }
  }
};

/// Diagonalizes the bidiagonal matrix by implicit QR steps, as Golub and Kahan
/// do; left(k, c, s) and right(k, c, s) get the rotations of rows and columns k
/// and k + 1: (x, y) becomes (c x + s y, c y - s x). False if it does not
/// converge. What is below `unit` times the largest element is nothing.
template <typename Left, typename Right>
bool diagonalizeBidiagonal(double *d, double *e, int64_t n, double unit,
                           Left left, Right right) {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    largest = magnitude(d[i]) > largest ? magnitude(d[i]) : largest;
    if (i + 1 < n)
      largest = magnitude(e[i]) > largest ? magnitude(e[i]) : largest;
  }
  double nothing = unit * largest / 64;
  auto isZero = [&](int64_t i) {
    double off = magnitude(e[i]);
    return off <= unit * (magnitude(d[i]) + magnitude(d[i + 1])) ||
           off <= nothing;
  };
  int64_t high = n - 1;
  for (int64_t steps = 0; high > 0; ++steps) {
    if (isZero(high - 1)) {
      e[--high] = 0;
      steps = -1;
      continue;
    }
    if (steps > 60)
      return false;
    int64_t low = high - 1;
    while (low > 0 && !isZero(low - 1))
      --low;
    if (low > 0)
      e[low - 1] = 0;
    // A zero on the diagonal comes to the end where nothing is shifted.
    bool singular = false;
    for (int64_t i = low; i <= high; ++i)
      if (magnitude(d[i]) <= nothing) {
        d[i] = 0;
        singular = true;
      }
    double x = d[low], z = e[low];
    if (!singular) {
      // The eigenvalue of the last two rows of BᵀB that is nearer to the last.
      double before = high - 1 > low ? e[high - 2] : 0;
      double a = d[high - 1] * d[high - 1] + before * before;
      double b = d[high] * d[high] + e[high - 1] * e[high - 1];
      double off = d[high - 1] * e[high - 1], gap = (a - b) / 2;
      double shift =
          b - off / (gap + (gap >= 0 ? 1 : -1) * hypotenuse(gap, off)) * off;
      double root = shift > 0 ? squareRoot(shift) : 0;
      x = (magnitude(d[low]) - root) * ((d[low] < 0 ? -1 : 1) + root / d[low]);
    }
    for (int64_t k = low; k < high; ++k) {
      Turn one(x, z);
      if (k > low)
        e[k - 1] = one.length;
      x = one.c * d[k] + one.s * e[k];
      e[k] = one.c * e[k] - one.s * d[k];
      z = one.s * d[k + 1];
      d[k + 1] *= one.c;
      right(k, one.c, one.s);
      Turn two(x, z);
      d[k] = two.length;
      x = two.c * e[k] + two.s * d[k + 1];
      d[k + 1] = two.c * d[k + 1] - two.s * e[k];
      if (k + 1 < high) {
        z = two.s * e[k + 1];
        e[k + 1] *= two.c;
      }
      left(k, two.c, two.s);
    }
    e[high - 1] = x;
  }
  return true;
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_BIDIAGONAL_H
