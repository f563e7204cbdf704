// lu: p a = l u with partial pivoting, by panels of columns.

#include "Rows.h"
#include "Triangle.h"

using namespace heddle::routine;

template <typename S>
static void swapRows(Matrix<S> a, int64_t one, int64_t two, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    S value = a.get(one, j);
    a.set(one, j, a.get(two, j));
    a.set(two, j, value);
  }
}

/// Columns [first, first + columns) of a, all rows from `first` on.
template <typename S>
static void factorizePanel(Matrix<S> a, int64_t m, int64_t n, int64_t first,
                           int64_t columns, int32_t *pivots) {
  for (int64_t j = first; j < first + columns; ++j) {
    int64_t pivot = j;
    PartOf<S> largest = size(a.get(j, j));
    for (int64_t i = j + 1; i < m; ++i)
      if (size(a.get(i, j)) > largest) {
        largest = size(a.get(i, j));
        pivot = i;
      }
    pivots[j] = static_cast<int32_t>(pivot);
    if (pivot != j)
      swapRows(a, j, pivot, n);
    S diagonal = a.get(j, j);
    if (largest == 0)
      continue;
    for (int64_t i = j + 1; i < m; ++i) {
      S factor = a.get(i, j) / diagonal;
      a.set(i, j, factor);
      addScaled(rowOf(a, i).from(j + 1), -factor, rowOf(a, j).from(j + 1),
                first + columns - j - 1);
    }
  }
}

template <typename S>
static void factorize(Matrix<S> a, int64_t m, int64_t n, int32_t *pivots,
                      PartOf<S> *scratch) {
  int64_t k = smaller(m, n);
  for (int64_t first = 0; first < k; first += kPanelColumns) {
    int64_t columns = smaller(kPanelColumns, k - first);
    factorizePanel(a, m, n, first, columns, pivots);
    int64_t next = first + columns, right = n - next, below = m - next;
    if (right == 0)
      continue;
    Matrix<S> u = a.from(first, next);
    solveTriangle<S>({a.from(first, first), true, true, false}, u, columns,
                     right, scratch);
    if (below)
      multiplySubtract(a.from(next, next), a.from(next, first), false, u, false,
                       below, right, columns, scratch + triangleScratch());
  }
}

template <typename S>
static void lu(Batch<S> as, Batch<S> lus, int32_t *pivots, int32_t *permutation,
               PartOf<S> *scratch, int64_t m, int64_t n, int64_t begin,
               int64_t end) {
  int64_t k = smaller(m, n);
  for (int64_t number = begin; number < end; ++number) {
    Matrix<S> a = lus.matrix(number, m, n);
    int32_t *exchanged = pivots + number * k, *rows = permutation + number * m;
    copy(a, as.matrix(number, m, n), m, n);
    factorize(a, m, n, exchanged, scratch);
    for (int64_t i = 0; i < m; ++i)
      rows[i] = static_cast<int32_t>(i);
    for (int64_t i = 0; i < k; ++i) {
      int32_t row = rows[i];
      rows[i] = rows[exchanged[i]];
      rows[exchanged[i]] = row;
    }
  }
}

#define HEDDLE_REAL(T, suffix)                                                 \
  extern "C" void heddle_lu_##suffix(                                          \
      T *a, T *lus, int32_t *pivots, int32_t *permutation, T *scratch,         \
      int64_t m, int64_t n, int64_t begin, int64_t end) {                      \
    lu<T>({a}, {lus}, pivots, permutation, scratch, m, n, begin, end);         \
  }
#define HEDDLE_COMPLEX(T, suffix)                                              \
  extern "C" void heddle_lu_##suffix(                                          \
      T *aRe, T *aIm, T *luRe, T *luIm, int32_t *pivots, int32_t *permutation, \
      T *scratch, int64_t m, int64_t n, int64_t begin, int64_t end) {          \
    lu<Complex<T>>({aRe, aIm}, {luRe, luIm}, pivots, permutation, scratch, m,  \
                   n, begin, end);                                             \
  }

HEDDLE_REAL(float, f32)
HEDDLE_REAL(double, f64)
HEDDLE_COMPLEX(float, c64)
HEDDLE_COMPLEX(double, c128)
