// Eigenvectors of a triangular or quasi-triangular matrix, by back
// substitution.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_TRIANGULARVECTORS_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_TRIANGULARVECTORS_H

#include "SchurForm.h"

namespace heddle::routine {

/// The sum of x y, without conjugation: y complex, x as the matrix is.
template <typename T>
inline Complex<T> plainProduct(Row<T> x, Row<Complex<T>> y, int64_t n) {
  return {product<T>(x.values, y.re, n), product<T>(x.values, y.im, n)};
}
template <typename T>
inline Complex<T> plainProduct(Row<Complex<T>> x, Row<Complex<T>> y,
                               int64_t n) {
  return {product<T>(x.re, y.re, n) - product<T>(x.im, y.im, n),
          product<T>(x.re, y.im, n) + product<T>(x.im, y.re, n)};
}
template <typename T> inline Complex<T> toComplex(T a) { return {a, 0}; }
template <typename T> inline Complex<T> toComplex(Complex<T> a) { return a; }

/// One eigenvector of the leading rows of t. Numbers stay below a limit: a
/// vector that grows is made smaller as a whole.
template <typename S> struct TriangularVector {
  using T = PartOf<S>;
  using C = Complex<T>;
  static constexpr T kLimit = sizeof(T) == 4 ? T(0x1p40) : T(0x1p300);

  Matrix<S> t;
  int64_t n;
  C value;
  Row<C> x;
  /// Elements of x from here to `end` are known.
  int64_t known, end;

  /// Solves (t - value) x = 0 for what is not known, and makes the largest
  /// element about one.
  void run() {
    while (known > 0) {
      int64_t j = known - 1;
      if (j > 0 && !Number<S>::isComplex && size(t.get(j, j - 1)) != 0)
        solveTwo(j - 1);
      else
        solveOne(j);
    }
    T largest = 0;
    for (int64_t i = 0; i < end; ++i)
      largest = larger(largest, size(x.get(i)));
    shrink(1 / largest);
    for (int64_t i = end; i < n; ++i)
      x.set(i, {});
  }

private:
  void shrink(T factor) {
    for (int64_t i = known; i < end; ++i)
      x.set(i, factor * x.get(i));
  }
  C missing(int64_t row) const {
    return -plainProduct(rowOf(t, row).from(known), x.from(known), end - known);
  }
  /// Numbers that are no smaller than what the eigenvalue is known to.
  C notZero(C divisor) const {
    T smallest =
        larger(kSpacing<T> * size(value), kTiny<T> * (T(n) / kSpacing<T>));
    return size(divisor) < smallest ? C{smallest, 0} : divisor;
  }
  /// How much smaller things must be before this is divided.
  static T factorFor(C dividend, C divisor) {
    T large = size(dividend), limit = kLimit * size(divisor);
    return large > limit ? limit / large : T(1);
  }
  void solveOne(int64_t j) {
    C divisor = notZero(toComplex(t.get(j, j)) - value), rest = missing(j);
    T factor = factorFor(rest, divisor);
    if (factor != 1)
      shrink(factor);
    known = j;
    x.set(j, (factor * rest) / divisor);
  }
  /// Rows i and i + 1 together, by elimination with the larger pivot.
  void solveTwo(int64_t i) {
    C a = toComplex(t.get(i, i)) - value, b = toComplex(t.get(i, i + 1));
    C c = toComplex(t.get(i + 1, i));
    C d = toComplex(t.get(i + 1, i + 1)) - value;
    C one = missing(i), two = missing(i + 1);
    if (size(a) < size(c)) {
      C row[] = {a, b, one};
      a = c, b = d, one = two;
      c = row[0], d = row[1], two = row[2];
    }
    C ratio = c / a, divisor = notZero(d - ratio * b);
    two = two - ratio * one;
    T factor = factorFor(two, divisor);
    C second = (factor * two) / divisor, first = factor * one - b * second;
    a = notZero(a);
    T more = factorFor(first, a);
    if (factor * more != 1)
      shrink(factor * more);
    known = i;
    x.set(i + 1, more * second);
    x.set(i, (more * first) / a);
  }
};

/// All of them: row k of `vectors` belongs to `values` of k.
template <typename T>
__attribute__((noinline)) void
triangularVectors(Matrix<Complex<T>> t, int64_t n, Matrix<Complex<T>> vectors) {
  for (int64_t k = 0; k < n; ++k) {
    Row<Complex<T>> x = rowOf(vectors, k);
    x.set(k, {1, 0});
    TriangularVector<Complex<T>>{t, n, t.get(k, k), x, k, k + 1}.run();
  }
}
template <typename T>
__attribute__((noinline)) void triangularVectors(Matrix<T> t, int64_t n,
                                                 Matrix<Complex<T>> vectors) {
  for (int64_t k = 0; k < n; ++k) {
    Row<Complex<T>> x = rowOf(vectors, k);
    if (k + 1 == n || t.get(k + 1, k) == 0) {
      x.set(k, {1, 0});
      TriangularVector<T>{t, n, {t.get(k, k), 0}, x, k, k + 1}.run();
      continue;
    }
    // A pair: [0 - i w, b; c, 0 - i w] has the vector (b, i w), or (i w, c).
    T b = t.get(k, k + 1), c = t.get(k + 1, k);
    T w = squareRoot(magnitude(b)) * squareRoot(magnitude(c));
    bool upper = magnitude(b) >= magnitude(c);
    x.set(k, upper ? Complex<T>{1, 0} : Complex<T>{0, w / c});
    x.set(k + 1, upper ? Complex<T>{0, w / b} : Complex<T>{1, 0});
    TriangularVector<T>{t, n, {t.get(k, k), w}, x, k, k + 2}.run();
    for (int64_t i = 0; i < n; ++i)
      vectors.set(k + 1, i, conjugate(x.get(i)));
    ++k;
  }
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_TRIANGULARVECTORS_H
