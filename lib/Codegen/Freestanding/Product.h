// Products of blocks: c += sign a b. Both operands are packed into panels as
// wide as a register tile, so that any strides cost the same.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_PRODUCT_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_PRODUCT_H

#include "Numbers.h"
#include "Vectors.h"
#include "dialects/Kernel/RoutineScratch.h"

namespace heddle::routine {

/// Columns of a register tile: two vectors.
template <typename T>
inline constexpr int64_t kTileColumns = 2 * Lanes<T>::count;

/// Packs `lines` lines of length `depth` into panels of `width`, the last one
/// filled with zeros. at(line, k) = source[line * lineStride + k *
/// depthStride].
template <typename T>
void packPanels(const T *source, int64_t lineStride, int64_t depthStride,
                int64_t lines, int64_t depth, int64_t width, T *to) {
  for (int64_t first = 0; first < lines; first += width) {
    int64_t count = smaller(width, lines - first);
    const T *from = source + first * lineStride;
    if (lineStride == 1 && count == width) {
      for (int64_t k = 0; k < depth; ++k, to += width)
        for (int64_t i = 0; i < width; ++i)
          to[i] = from[k * depthStride + i];
      continue;
    }
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < depth; ++k)
        to[k * width + i] = from[i * lineStride + k * depthStride];
    for (int64_t i = count; i < width; ++i)
      for (int64_t k = 0; k < depth; ++k)
        to[k * width + i] = 0;
    to += depth * width;
  }
}

/// One register tile: all of the depth, then into c, of which `rows` x
/// `columns` are there.
template <typename T>
void multiplyTile(T sign, const T *a, const T *b, int64_t depth, Matrix<T> c,
                  int64_t rows, int64_t columns) {
  constexpr int64_t lanes = Lanes<T>::count;
  Vector<T> sums[kTileRows][2] = {};
  for (int64_t k = 0; k < depth; ++k) {
    Vector<T> left = load(b), right = load(b + lanes);
#pragma clang loop unroll(full)
    for (int i = 0; i < kTileRows; ++i) {
      Vector<T> factor = splat(a[i]);
      sums[i][0] += factor * left;
      sums[i][1] += factor * right;
    }
    a += kTileRows;
    b += kTileColumns<T>;
  }
  Vector<T> signs = splat(sign);
  if (rows == kTileRows && columns == kTileColumns<T> && c.columnStride == 1) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kTileRows; ++i) {
      T *row = c.values + i * c.rowStride;
      store(row, load(row) + signs * sums[i][0]);
      store(row + lanes, load(row + lanes) + signs * sums[i][1]);
    }
    return;
  }
  T part[kTileRows * kTileColumns<T>];
#pragma clang loop unroll(full)
  for (int i = 0; i < kTileRows; ++i) {
    store(part + i * kTileColumns<T>, signs * sums[i][0]);
    store(part + i * kTileColumns<T> + lanes, signs * sums[i][1]);
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      c.values[c.offset(i, j)] += part[i * kTileColumns<T> + j];
}

/// c (m x n) += sign a (m x k) b (k x n); `scratch` has productScratch
/// elements.
template <typename T>
__attribute__((noinline)) void multiply(T sign, Matrix<T> c, Matrix<T> a,
                                        Matrix<T> b, int64_t m, int64_t n,
                                        int64_t k, T *scratch) {
  if (c.columnStride != 1 && c.rowStride == 1) {
    // The transposed product has rows of vectors.
    Matrix<T> left = b.transposed();
    b = a.transposed();
    a = left;
    c = c.transposed();
    int64_t rows = n;
    n = m;
    m = rows;
  }
  int64_t depthLimit = smaller(k, kProductDepth);
  T *packedA = scratch;
  T *packedB =
      scratch + roundUp(smaller(m, kProductRows) + 16, 16) * depthLimit;
  for (int64_t column = 0; column < n; column += kProductColumns) {
    int64_t columns = smaller(kProductColumns, n - column);
    for (int64_t from = 0; from < k; from += kProductDepth) {
      int64_t depth = smaller(kProductDepth, k - from);
      packPanels(b.values + b.offset(from, column), b.columnStride, b.rowStride,
                 columns, depth, kTileColumns<T>, packedB);
      for (int64_t row = 0; row < m; row += kProductRows) {
        int64_t rows = smaller(kProductRows, m - row);
        packPanels(a.values + a.offset(row, from), a.rowStride, a.columnStride,
                   rows, depth, kTileRows, packedA);
        for (int64_t j = 0; j < columns; j += kTileColumns<T>)
          for (int64_t i = 0; i < rows; i += kTileRows)
            multiplyTile(sign, packedA + i * depth, packedB + j * depth, depth,
                         c.from(row + i, column + j),
                         smaller(kTileRows, rows - i),
                         smaller(kTileColumns<T>, columns - j));
      }
    }
  }
}

/// c -= a b, of which either may be conjugated.
template <typename T>
void multiplySubtract(Matrix<T> c, Matrix<T> a, bool, Matrix<T> b, bool,
                      int64_t m, int64_t n, int64_t k, T *scratch) {
  multiply(T(-1), c, a, b, m, n, k, scratch);
}
template <typename T>
void multiplySubtract(Matrix<Complex<T>> c, Matrix<Complex<T>> a,
                      bool conjugateA, Matrix<Complex<T>> b, bool conjugateB,
                      int64_t m, int64_t n, int64_t k, T *scratch) {
  T signA = conjugateA ? -1 : 1, signB = conjugateB ? -1 : 1;
  multiply(T(-1), c.reals(), a.reals(), b.reals(), m, n, k, scratch);
  multiply(signA * signB, c.reals(), a.imaginaries(), b.imaginaries(), m, n, k,
           scratch);
  multiply(-signB, c.imaginaries(), a.reals(), b.imaginaries(), m, n, k,
           scratch);
  multiply(-signA, c.imaginaries(), a.imaginaries(), b.reals(), m, n, k,
           scratch);
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_PRODUCT_H
