// Similar matrices whose eigenvalues are easier to compute: rows and columns
// exchanged so that what is triangular already is so in place, and scaled by
// powers of two so that a row and its column are about as large.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_BALANCE_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_BALANCE_H

#include "PowerOfTwo.h"
#include "Rows.h"

namespace heddle::routine {

template <typename S> struct Balance {
  using T = PartOf<S>;

  Matrix<S> a = {};
  int64_t n = 0;
  /// Per row: what it was multiplied by and which it was exchanged with, from
  /// the outside in.
  T *scales = nullptr;
  int64_t *exchanges = nullptr;
  int64_t low = 0, high = n - 1;

  void run() {
    for (int64_t i = 0; i < n; ++i) {
      scales[i] = 1;
      exchanges[i] = i;
    }
    while (high > 0 && isolateRow())
      --high;
    while (low < high && isolateColumn())
      ++low;
    // Every round makes the sum of squares smaller; a few are enough.
    for (int round = 0; round < 32 && scaleOnce(); ++round)
      ;
  }

  /// Takes column vectors of the balanced matrix to those of the given one:
  /// right eigenvectors, or left ones.
  void undo(Matrix<Complex<T>> vectors, int64_t columns, bool left) const {
    for (int64_t i = low; i <= high; ++i)
      for (int64_t j = 0; j < columns; ++j)
        vectors.set(i, j,
                    (left ? 1 / scales[i] : scales[i]) * vectors.get(i, j));
    auto exchange = [&](int64_t i) {
      for (int64_t j = 0; j < columns && exchanges[i] != i; ++j) {
        Complex<T> value = vectors.get(i, j);
        vectors.set(i, j, vectors.get(exchanges[i], j));
        vectors.set(exchanges[i], j, value);
      }
    };
    for (int64_t i = low - 1; i >= 0; --i)
      exchange(i);
    for (int64_t i = high + 1; i < n; ++i)
      exchange(i);
  }

private:
  void swap(int64_t i, int64_t j) {
    exchanges[j] = i;
    if (i == j)
      return;
    for (int64_t k = 0; k < n; ++k) {
      S value = a.get(i, k);
      a.set(i, k, a.get(j, k));
      a.set(j, k, value);
    }
    for (int64_t k = 0; k < n; ++k) {
      S value = a.get(k, i);
      a.set(k, i, a.get(k, j));
      a.set(k, j, value);
    }
  }
  /// A row with nothing beside its diagonal goes to the end, such a column to
  /// the begin.
  bool isolateRow() {
    for (int64_t i = high; i >= 0; --i) {
      bool alone = true;
      for (int64_t j = 0; j <= high && alone; ++j)
        alone = i == j || size(a.get(i, j)) == 0;
      if (alone) {
        swap(i, high);
        return true;
      }
    }
    return false;
  }
  bool isolateColumn() {
    for (int64_t j = low; j <= high; ++j) {
      bool alone = true;
      for (int64_t i = low; i <= high && alone; ++i)
        alone = i == j || size(a.get(i, j)) == 0;
      if (alone) {
        swap(j, low);
        return true;
      }
    }
    return false;
  }
  bool scaleOnce() {
    // Far from where numbers end.
    constexpr T limit = sizeof(T) == 4 ? T(0x1p60) : T(0x1p500);
    bool changed = false;
    for (int64_t i = low; i <= high; ++i) {
      T row = 0, column = 0;
      for (int64_t j = low; j <= high; ++j) {
        row += i == j ? 0 : size(a.get(i, j));
        column += i == j ? 0 : size(a.get(j, i));
      }
      if (row == 0 || column == 0 || !isFinite(row) || !isFinite(column))
        continue;
      T sum = row + column, factor = powerOfTwo(squareRoot(row / column));
      if (factor == 1 && column >= 2 * row)
        factor = T(0.5);
      if (column * factor + row / factor >= T(0.95) * sum ||
          !(scales[i] * factor < limit && scales[i] * factor > 1 / limit))
        continue;
      scales[i] *= factor;
      for (int64_t j = 0; j < n; ++j)
        a.set(i, j, fromReal<S>(1 / factor) * a.get(i, j));
      for (int64_t j = 0; j < n; ++j)
        a.set(j, i, fromReal<S>(factor) * a.get(j, i));
      changed = true;
    }
    return changed;
  }
};

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_BALANCE_H
