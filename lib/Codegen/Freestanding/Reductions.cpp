// hessenberg, tridiagonal: what is zero below the first subdiagonal, by
// reflectors from both sides; tridiagonal_solve: elimination with exchanges.

#include "Hessenberg.h"
#include "Tridiagonal.h"

using namespace heddle::routine;

template <typename S> static Row<S> rowAt(Batch<S> batch, int64_t at) {
  return rowOf(batch.matrix(at, 1, 1), 0);
}

template <typename S>
static void hessenberg(Batch<S> as, Batch<S> packeds, Batch<S> taus,
                       PartOf<S> *scratch, int64_t n, int64_t begin,
                       int64_t end) {
  Pieces<PartOf<S>> pieces{scratch};
  Row<S> v = rowOf(pieces.template matrix<S>(1, n), 0);
  Row<S> w = rowOf(pieces.template matrix<S>(1, n), 0);
  for (int64_t number = begin; number < end; ++number) {
    Matrix<S> a = packeds.matrix(number, n, n);
    copy(a, as.matrix(number, n, n), n, n);
    makeHessenberg(a, n, rowAt(taus, number * (n - 1)), v, w);
  }
}

/// The elements in reverse order: of a matrix, both rows and columns.
template <typename S> static void reverse(Row<S> row, int64_t count) {
  for (int64_t i = 0; i < count / 2; ++i) {
    S value = row.get(i);
    row.set(i, row.get(count - 1 - i));
    row.set(count - 1 - i, value);
  }
}

template <typename S>
static void tridiagonal(Batch<S> as, Batch<S> packeds, PartOf<S> *ds,
                        PartOf<S> *es, Batch<S> taus, PartOf<S> *scratch,
                        int64_t n, bool lower, int64_t begin, int64_t end) {
  Pieces<PartOf<S>> pieces{scratch};
  double *d = reinterpret_cast<double *>(pieces.take(2 * n));
  double *e = reinterpret_cast<double *>(pieces.take(2 * n));
  Row<S> v = rowOf(pieces.template matrix<S>(1, n), 0);
  Row<S> w = rowOf(pieces.template matrix<S>(1, n), 0);
  for (int64_t number = begin; number < end; ++number) {
    Matrix<S> given = as.matrix(number, n, n), a = packeds.matrix(number, n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        // The upper triangle is the lower one, seen from the last element.
        S value = lower ? given.get(i, j) : given.get(n - 1 - i, n - 1 - j);
        a.set(i, j, i == j ? fromReal<S>(realPart(value)) : value);
        a.set(j, i, conjugate(a.get(i, j)));
      }
    makeTridiagonal(a, n, d, e, rowAt(taus, number * (n - 1)), v, w);
    for (int64_t i = 0; i < n; ++i)
      ds[number * n + i] = static_cast<PartOf<S>>(d[i]);
    for (int64_t i = 0; i + 1 < n; ++i)
      es[number * (n - 1) + i] = static_cast<PartOf<S>>(e[i]);
    // The other triangle says nothing.
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < n; ++j)
        a.set(i, j, S{});
    if (lower)
      continue;
    reverse(rowOf(a, 0), n * n);
    reverse(rowAt(taus, number * (n - 1)), n - 1);
    reverse<PartOf<S>>({ds + number * n}, n);
    reverse<PartOf<S>>({es + number * (n - 1)}, n - 1);
  }
}

/// Rows i and i + 1 have at most the columns i to i + 2.
template <typename S>
static void tridiagonalSolve(Batch<S> lowers, Batch<S> diagonals,
                             Batch<S> uppers, Batch<S> bs, Batch<S> xs,
                             PartOf<S> *scratch, int64_t n, int64_t columns,
                             int64_t begin, int64_t end) {
  Pieces<PartOf<S>> pieces{scratch};
  Row<S> d = rowOf(pieces.template matrix<S>(1, n), 0);
  Row<S> u = rowOf(pieces.template matrix<S>(1, n), 0);
  Row<S> far = rowOf(pieces.template matrix<S>(1, n), 0);
  for (int64_t number = begin; number < end; ++number) {
    Matrix<S> x = xs.matrix(number, n, columns);
    copy(x, bs.matrix(number, n, columns), n, columns);
    Row<S> lower = rowAt(lowers, number * n);
    for (int64_t i = 0; i < n; ++i) {
      d.set(i, rowAt(diagonals, number * n).get(i));
      u.set(i, i + 1 < n ? rowAt(uppers, number * n).get(i) : S{});
      far.set(i, S{});
    }
    for (int64_t i = 0; i + 1 < n; ++i) {
      S below = lower.get(i + 1);
      if (size(below) > size(d.get(i))) {
        S diagonal = d.get(i), upper = u.get(i);
        d.set(i, below);
        u.set(i, d.get(i + 1));
        far.set(i, u.get(i + 1));
        S factor = diagonal / below;
        d.set(i + 1, upper - factor * u.get(i));
        u.set(i + 1, -(factor * far.get(i)));
        for (int64_t c = 0; c < columns; ++c) {
          S one = x.get(i, c), two = x.get(i + 1, c);
          x.set(i, c, two);
          x.set(i + 1, c, one - factor * two);
        }
      } else {
        S factor = below / d.get(i);
        d.set(i + 1, d.get(i + 1) - factor * u.get(i));
        addScaled(rowOf(x, i + 1), -factor, rowOf(x, i), columns);
      }
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      if (i + 1 < n)
        addScaled(rowOf(x, i), -u.get(i), rowOf(x, i + 1), columns);
      if (i + 2 < n)
        addScaled(rowOf(x, i), -far.get(i), rowOf(x, i + 2), columns);
      for (int64_t c = 0; c < columns; ++c)
        x.set(i, c, x.get(i, c) / d.get(i));
    }
  }
}

#define HEDDLE_REAL(T, suffix)                                                 \
  extern "C" void heddle_hessenberg_##suffix(T *a, T *packed, T *taus,         \
                                             T *scratch, int64_t n,            \
                                             int64_t begin, int64_t end) {     \
    hessenberg<T>({a}, {packed}, {taus}, scratch, n, begin, end);              \
  }                                                                            \
  extern "C" void heddle_tridiagonal_##suffix(                                 \
      T *a, T *packed, T *d, T *e, T *taus, T *scratch, int64_t n,             \
      int64_t lower, int64_t begin, int64_t end) {                             \
    tridiagonal<T>({a}, {packed}, d, e, {taus}, scratch, n, lower != 0, begin, \
                   end);                                                       \
  }                                                                            \
  extern "C" void heddle_tridiagonal_solve_##suffix(                           \
      T *lower, T *diagonal, T *upper, T *b, T *x, T *scratch, int64_t n,      \
      int64_t columns, int64_t begin, int64_t end) {                           \
    tridiagonalSolve<T>({lower}, {diagonal}, {upper}, {b}, {x}, scratch, n,    \
                        columns, begin, end);                                  \
  }
#define HEDDLE_COMPLEX(T, suffix)                                              \
  extern "C" void heddle_hessenberg_##suffix(                                  \
      T *aRe, T *aIm, T *packedRe, T *packedIm, T *tausRe, T *tausIm,          \
      T *scratch, int64_t n, int64_t begin, int64_t end) {                     \
    hessenberg<Complex<T>>({aRe, aIm}, {packedRe, packedIm}, {tausRe, tausIm}, \
                           scratch, n, begin, end);                            \
  }                                                                            \
  extern "C" void heddle_tridiagonal_##suffix(                                 \
      T *aRe, T *aIm, T *packedRe, T *packedIm, T *d, T *e, T *tausRe,         \
      T *tausIm, T *scratch, int64_t n, int64_t lower, int64_t begin,          \
      int64_t end) {                                                           \
    tridiagonal<Complex<T>>({aRe, aIm}, {packedRe, packedIm}, d, e,            \
                            {tausRe, tausIm}, scratch, n, lower != 0, begin,   \
                            end);                                              \
  }                                                                            \
  extern "C" void heddle_tridiagonal_solve_##suffix(                           \
      T *lowerRe, T *lowerIm, T *diagonalRe, T *diagonalIm, T *upperRe,        \
      T *upperIm, T *bRe, T *bIm, T *xRe, T *xIm, T *scratch, int64_t n,       \
      int64_t columns, int64_t begin, int64_t end) {                           \
    tridiagonalSolve<Complex<T>>({lowerRe, lowerIm}, {diagonalRe, diagonalIm}, \
                                 {upperRe, upperIm}, {bRe, bIm}, {xRe, xIm},   \
                                 scratch, n, columns, begin, end);             \
  }

HEDDLE_REAL(float, f32)
HEDDLE_REAL(double, f64)
HEDDLE_COMPLEX(float, c64)
HEDDLE_COMPLEX(double, c128)
