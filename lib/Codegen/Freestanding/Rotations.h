// Rotations of neighbouring rows, collected while they come in order and
// applied together: a row stays in registers until the next one is done.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_ROTATIONS_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_ROTATIONS_H

#include "Rows.h"
#include "dialects/Kernel/RoutineScratch.h"

namespace heddle::routine {

/// Rows k and k + 1 become c x + s y and c y - s x, for rotations k, k + 1, ...
/// of `count`; `Width` vectors of columns from `at` on.
template <int Width, typename T>
inline void turnChain(T *at, int64_t rowStride, const T *c, const T *s,
                      int64_t count) {
  constexpr int64_t lanes = Lanes<T>::count;
  Vector<T> held[Width];
#pragma clang loop unroll(full)
  for (int i = 0; i < Width; ++i)
    held[i] = load(at + i * lanes);
  for (int64_t k = 0; k < count; ++k, at += rowStride) {
    Vector<T> cosine = splat(c[k]), sine = splat(s[k]);
#pragma clang loop unroll(full)
    for (int i = 0; i < Width; ++i) {
      Vector<T> next = load(at + rowStride + i * lanes);
      store(at + i * lanes, cosine * held[i] + sine * next);
      held[i] = cosine * next - sine * held[i];
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < Width; ++i)
    store(at + i * lanes, held[i]);
}

/// Elements from row to row: walking down a column of blocks, rows must not all
/// meet in the same few sets of the cache.
constexpr int64_t rotatedStride(int64_t columns) {
  return roundUp(columns, 16) + 16;
}
template <typename T>
inline Matrix<T> rotatedMatrix(Pieces<T> &pieces, int64_t rows,
                               int64_t columns) {
  int64_t stride = rotatedStride(columns);
  return {pieces.take(rows * stride), stride, 1};
}

template <typename T> class Rotations {
public:
  /// Of rows of `rows`, `columns` each; `c` and `s` have `capacity` elements.
  Rotations(Matrix<T> rows, int64_t columns, T *c, T *s)
      : rows(rows), columns(columns), c(c), s(s) {}

  void add(int64_t row, T cosine, T sine) {
    if (count && row != first + count)
      apply();
    if (!count)
      first = row;
    c[count] = cosine;
    s[count++] = sine;
  }

  __attribute__((noinline)) void apply() {
    constexpr int64_t lanes = Lanes<T>::count;
    T *at = rows.values + first * rows.rowStride;
    int64_t column = 0;
    for (; column + 8 * lanes <= columns; column += 8 * lanes)
      turnChain<8>(at + column, rows.rowStride, c, s, count);
    for (; column + 2 * lanes <= columns; column += 2 * lanes)
      turnChain<2>(at + column, rows.rowStride, c, s, count);
    for (; column + lanes <= columns; column += lanes)
      turnChain<1>(at + column, rows.rowStride, c, s, count);
    for (int64_t k = 0; k < count; ++k) {
      T *x = at + k * rows.rowStride, *y = x + rows.rowStride;
      for (int64_t i = column; i < columns; ++i) {
        T a = x[i], b = y[i];
        x[i] = c[k] * a + s[k] * b;
        y[i] = c[k] * b - s[k] * a;
      }
    }
    count = 0;
  }

private:
  Matrix<T> rows;
  int64_t columns;
  T *c, *s;
  int64_t first = 0, count = 0;
};

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_ROTATIONS_H
