// schur: a = Z T Zᴴ with T triangular; of real matrices quasi-triangular, with
// blocks of two rows for pairs of complex eigenvalues.

#include "ComplexSchur.h"
#include "Hessenberg.h"
#include "PowerOfTwo.h"
#include "RealSchur.h"

using namespace heddle::routine;

template <typename S>
static bool compute(Matrix<S> a, Matrix<S> t, Matrix<S> z, int64_t n,
                    Pieces<PartOf<S>> pieces) {
  using T = PartOf<S>;
  T largest = largestPart(a, n, n);
  if (!isFinite(largest))
    return false;
  T scale = powerOfTwo(largest);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      t.set(i, j, fromReal<S>(1 / scale) * a.get(i, j));
  Row<S> taus = rowOf(pieces.template matrix<S>(1, n), 0);
  Row<S> v = rowOf(pieces.template matrix<S>(1, n), 0);
  Row<S> w = rowOf(pieces.template matrix<S>(1, n), 0);
  makeHessenberg(t, n, taus, v, w);
  separateHessenberg(t, n, taus, z, pieces);
  if (!makeSchurForm(t, z, n))
    return false;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      // What the last rotations leave below the diagonal is nothing.
      bool below = j + (Number<S>::isComplex ? 0 : 1) < i;
      t.set(i, j, below ? S{} : fromReal<S>(scale) * t.get(i, j));
      if (j > i)
        continue;
      S value = z.get(i, j);
      z.set(i, j, conjugate(z.get(j, i)));
      z.set(j, i, conjugate(value));
    }
  return true;
}

template <typename S>
static void schur(Batch<S> as, Batch<S> ts, Batch<S> zs, PartOf<S> *scratch,
                  int64_t n, int64_t begin, int64_t end) {
  for (int64_t number = begin; number < end; ++number) {
    Matrix<S> t = ts.matrix(number, n, n), z = zs.matrix(number, n, n);
    if (compute(as.matrix(number, n, n), t, z, n, {scratch}))
      continue;
    PartOf<S> nan = __builtin_nanf("");
    fill(t, n, n, fromReal<S>(nan));
    fill(z, n, n, fromReal<S>(nan));
  }
}

#define HEDDLE_REAL(T, suffix)                                                 \
  extern "C" void heddle_schur_##suffix(                                       \
      T *a, T *t, T *z, T *scratch, int64_t n, int64_t begin, int64_t end) {   \
    schur<T>({a}, {t}, {z}, scratch, n, begin, end);                           \
  }
#define HEDDLE_COMPLEX(T, suffix)                                              \
  extern "C" void heddle_schur_##suffix(T *aRe, T *aIm, T *tRe, T *tIm,        \
                                        T *zRe, T *zIm, T *scratch, int64_t n, \
                                        int64_t begin, int64_t end) {          \
    schur<Complex<T>>({aRe, aIm}, {tRe, tIm}, {zRe, zIm}, scratch, n, begin,   \
                      end);                                                    \
  }

HEDDLE_REAL(float, f32)
HEDDLE_REAL(double, f64)
HEDDLE_COMPLEX(float, c64)
HEDDLE_COMPLEX(double, c128)
