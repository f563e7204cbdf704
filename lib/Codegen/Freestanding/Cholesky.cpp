// cholesky: a = l lᴴ by halves; the upper factor is computed as the lower one
// of the conjugated matrix, seen through transposed strides.

#include "Triangle.h"

using namespace heddle::routine;

/// Row j of the small factor's transpose, conjugated, contiguous: u[j][i] is
/// l(i, j), in parts.
template <typename S>
static void factorizeSmall(Matrix<S> a, int64_t n, PartOf<S> *scratch) {
  using T = PartOf<S>;
  constexpr int64_t width = kTriangleRows;
  constexpr int64_t parts = Number<S>::isComplex ? 2 : 1;
  auto rowOf = [&](int64_t j) { return scratch + j * width * parts; };
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < width; ++i) {
      S value = i >= j && i < n ? a.get(i, j) : S{};
      rowOf(j)[i] = realPart(value);
      if constexpr (parts == 2)
        rowOf(j)[i + width] = imaginaryPart(value);
    }
  for (int64_t j = 0; j < n; ++j) {
    T *row = rowOf(j);
    // What is left on the diagonal is real.
    T pivot = squareRoot(row[j]);
    for (int64_t i = 0; i < width * parts; ++i)
      row[i] /= pivot;
    row[j] = pivot;
    if constexpr (parts == 2)
      row[j + width] = 0;
    for (int64_t k = j + 1; k < n; ++k) {
      T *other = rowOf(k);
      if constexpr (parts == 1) {
        T factor = row[k];
        for (int64_t i = 0; i < width; ++i)
          other[i] -= factor * row[i];
      } else {
        T re = row[k], im = -row[k + width];
        for (int64_t i = 0; i < width; ++i) {
          other[i] -= re * row[i] - im * row[i + width];
          other[i + width] -= re * row[i + width] + im * row[i];
        }
      }
    }
  }
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = j; i < n; ++i) {
      if constexpr (parts == 2)
        a.set(i, j, {rowOf(j)[i], rowOf(j)[i + width]});
      else
        a.set(i, j, rowOf(j)[i]);
    }
}

/// Replaces the lower triangle of a by its factor.
template <typename S>
static void factorize(Matrix<S> a, int64_t n, PartOf<S> *scratch) {
  if (n <= kTriangleRows)
    return factorizeSmall(a, n, scratch);
  int64_t half = smaller(roundUp(n / 2, kTriangleRows), n - 1);
  factorize(a, half, scratch);
  // conj(l11) l21ᵀ = a21ᵀ
  Matrix<S> below = a.from(half, 0), rest = a.from(half, half);
  int64_t left = n - half;
  solveTriangle<S>({a, true, false, true}, below.transposed(), half, left,
                   scratch);
  constexpr int64_t block = 128;
  for (int64_t j = 0; j < left; j += block)
    multiplySubtract(rest.from(j, j), below.from(j, 0), false,
                     below.from(j, 0).transposed(), true, left - j,
                     smaller(block, left - j), half,
                     scratch + triangleScratch());
  factorize(rest, left, scratch);
}

template <typename S>
static void cholesky(Batch<S> as, Batch<S> ls, PartOf<S> *scratch, int64_t n,
                     bool lower, int64_t begin, int64_t end) {
  for (int64_t number = begin; number < end; ++number) {
    Matrix<S> a = as.matrix(number, n, n), l = ls.matrix(number, n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        bool inside = lower ? j <= i : j >= i;
        S value = inside ? a.get(i, j) : S{};
        l.set(i, j, lower ? value : conjugate(value));
      }
    factorize(lower ? l : l.transposed(), n, scratch);
    // Products wrote beyond the diagonal; an upper factor was conjugated.
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = lower ? i + 1 : 0; j < (lower ? n : i); ++j)
        l.set(i, j, S{});
      if (Number<S>::isComplex && !lower)
        for (int64_t j = i; j < n; ++j)
          l.set(i, j, conjugate(l.get(i, j)));
    }
  }
}

#define HEDDLE_REAL(name, T)                                                   \
  extern "C" void name(T *a, T *l, T *scratch, int64_t n, int64_t lower,       \
                       int64_t begin, int64_t end) {                           \
    cholesky<T>({a}, {l}, scratch, n, lower != 0, begin, end);                 \
  }
#define HEDDLE_COMPLEX(name, T)                                                \
  extern "C" void name(T *aRe, T *aIm, T *lRe, T *lIm, T *scratch, int64_t n,  \
                       int64_t lower, int64_t begin, int64_t end) {            \
    cholesky<Complex<T>>({aRe, aIm}, {lRe, lIm}, scratch, n, lower != 0,       \
                         begin, end);                                          \
  }

HEDDLE_REAL(heddle_cholesky_f32, float)
HEDDLE_REAL(heddle_cholesky_f64, double)
HEDDLE_COMPLEX(heddle_cholesky_c64, float)
HEDDLE_COMPLEX(heddle_cholesky_c128, double)
