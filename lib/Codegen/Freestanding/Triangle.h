// Triangular systems: halves down to small triangles, which are solved for many
// columns at once; what lies between is products.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_TRIANGLE_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_TRIANGLE_H

#include "Product.h"

namespace heddle::routine {

/// A triangle and how it is read.
template <typename S> struct Triangle {
  Matrix<S> matrix;
  bool lower, unit, conjugated;

  S get(int64_t i, int64_t j) const {
    S value = matrix.get(i, j);
    return conjugated ? conjugate(value) : value;
  }
  Triangle from(int64_t i) const {
    return {matrix.from(i, i), lower, unit, conjugated};
  }
};

/// row[...] -= factor * other[...], kTriangleColumns numbers, re and im apart.
template <typename T>
inline void subtractRow(T *row, T factor, const T *other) {
  for (int64_t c = 0; c < kTriangleColumns; ++c)
    row[c] -= factor * other[c];
}
template <typename T>
inline void subtractRow(T *row, Complex<T> factor, const T *other) {
  T *rowIm = row + kTriangleColumns;
  const T *otherIm = other + kTriangleColumns;
  for (int64_t c = 0; c < kTriangleColumns; ++c) {
    T re = other[c], im = otherIm[c];
    row[c] -= factor.re * re - factor.im * im;
    rowIm[c] -= factor.re * im + factor.im * re;
  }
}
template <typename T> inline void divideRow(T *row, T divisor) {
  for (int64_t c = 0; c < kTriangleColumns; ++c)
    row[c] /= divisor;
}
template <typename T> inline void divideRow(T *row, Complex<T> divisor) {
  for (int64_t c = 0; c < kTriangleColumns; ++c) {
    Complex<T> q = Complex<T>{row[c], row[c + kTriangleColumns]} / divisor;
    row[c] = q.re;
    row[c + kTriangleColumns] = q.im;
  }
}

/// A row of the block in scratch memory, as a matrix of one row.
template <typename T> inline Matrix<T> blockRow(T *row, T) {
  return {row, 0, 1};
}
template <typename T> inline Matrix<Complex<T>> blockRow(T *row, Complex<T>) {
  return {row, row + kTriangleColumns, 0, 1};
}

template <typename S>
__attribute__((noinline)) void solveSmallTriangle(Triangle<S> a, Matrix<S> x,
                                                  int64_t n, int64_t columns,
                                                  PartOf<S> *scratch) {
  constexpr int64_t width = kTriangleColumns * (Number<S>::isComplex ? 2 : 1);
  for (int64_t first = 0; first < columns; first += kTriangleColumns) {
    int64_t count = smaller(kTriangleColumns, columns - first);
    for (int64_t i = 0; i < n; ++i) {
      auto row = blockRow(scratch + i * width, S{});
      for (int64_t c = 0; c < count; ++c)
        row.set(0, c, x.get(i, first + c));
      for (int64_t c = count; c < kTriangleColumns; ++c)
        row.set(0, c, S{});
    }
    for (int64_t step = 0; step < n; ++step) {
      int64_t i = a.lower ? step : n - 1 - step;
      int64_t begin = a.lower ? 0 : i + 1, end = a.lower ? i : n;
      PartOf<S> *row = scratch + i * width;
      for (int64_t j = begin; j < end; ++j)
        subtractRow(row, a.get(i, j), scratch + j * width);
      if (!a.unit)
        divideRow(row, a.get(i, i));
    }
    for (int64_t i = 0; i < n; ++i) {
      auto row = blockRow(scratch + i * width, S{});
      for (int64_t c = 0; c < count; ++c)
        x.set(i, first + c, row.get(0, c));
    }
  }
}

/// Replaces x (n x columns) by the solution of a x = x. `scratch` has
/// triangleScratch elements and those of the products behind them.
template <typename S>
__attribute__((noinline)) void solveTriangle(Triangle<S> a, Matrix<S> x,
                                             int64_t n, int64_t columns,
                                             PartOf<S> *scratch) {
  if (n <= kTriangleRows)
    return solveSmallTriangle(a, x, n, columns, scratch);
  int64_t half = smaller(roundUp(n / 2, kTriangleRows), n - 1);
  PartOf<S> *product = scratch + triangleScratch();
  Matrix<S> rest = x.from(half, 0);
  if (a.lower) {
    solveTriangle(a, x, half, columns, scratch);
    multiplySubtract(rest, a.matrix.from(half, 0), a.conjugated, x, false,
                     n - half, columns, half, product);
    return solveTriangle(a.from(half), rest, n - half, columns, scratch);
  }
  solveTriangle(a.from(half), rest, n - half, columns, scratch);
  multiplySubtract(x, a.matrix.from(0, half), a.conjugated, rest, false, half,
                   columns, n - half, product);
  solveTriangle(a, x, half, columns, scratch);
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_TRIANGLE_H
