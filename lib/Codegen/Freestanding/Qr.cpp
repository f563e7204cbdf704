// qr: a = Q R by blocks of Householder reflectors; householder_product: the
// columns of Q.

#include "Reflectors.h"

using namespace heddle::routine;

template <typename S> static Row<S> rowAt(Batch<S> batch, int64_t at) {
  return rowOf(batch.matrix(at, 1, 1), 0);
}

template <typename S>
static void qr(Batch<S> as, Batch<S> packeds, Batch<S> taus, PartOf<S> *scratch,
               int64_t m, int64_t n, int64_t begin, int64_t end) {
  for (int64_t number = begin; number < end; ++number) {
    Matrix<S> packed = packeds.matrix(number, m, n);
    copy(packed, as.matrix(number, m, n), m, n);
    factorizeQr(packed, m, n, rowAt(taus, number * smaller(m, n)),
                Pieces<PartOf<S>>{scratch});
  }
}

template <typename S>
static void householderProduct(Batch<S> packeds, Batch<S> taus, Batch<S> qs,
                               PartOf<S> *scratch, int64_t m, int64_t n,
                               int64_t count, int64_t begin, int64_t end) {
  for (int64_t number = begin; number < end; ++number) {
    Matrix<S> q = qs.matrix(number, m, n);
    setIdentity(q, m, n);
    applyReflectors(packeds.matrix(number, m, n), rowAt(taus, number * count),
                    count, q, m, n, true, Pieces<PartOf<S>>{scratch});
  }
}

#define HEDDLE_REAL(T, suffix)                                                 \
  extern "C" void heddle_qr_##suffix(T *a, T *packed, T *taus, T *scratch,     \
                                     int64_t m, int64_t n, int64_t begin,      \
                                     int64_t end) {                            \
    qr<T>({a}, {packed}, {taus}, scratch, m, n, begin, end);                   \
  }                                                                            \
  extern "C" void heddle_householder_product_##suffix(                         \
      T *packed, T *taus, T *q, T *scratch, int64_t m, int64_t n,              \
      int64_t count, int64_t begin, int64_t end) {                             \
    householderProduct<T>({packed}, {taus}, {q}, scratch, m, n, count, begin,  \
                          end);                                                \
  }
#define HEDDLE_COMPLEX(T, suffix)                                              \
  extern "C" void heddle_qr_##suffix(                                          \
      T *aRe, T *aIm, T *packedRe, T *packedIm, T *tausRe, T *tausIm,          \
      T *scratch, int64_t m, int64_t n, int64_t begin, int64_t end) {          \
    qr<Complex<T>>({aRe, aIm}, {packedRe, packedIm}, {tausRe, tausIm},         \
                   scratch, m, n, begin, end);                                 \
  }                                                                            \
  extern "C" void heddle_householder_product_##suffix(                         \
      T *packedRe, T *packedIm, T *tausRe, T *tausIm, T *qRe, T *qIm,          \
      T *scratch, int64_t m, int64_t n, int64_t count, int64_t begin,          \
      int64_t end) {                                                           \
    householderProduct<Complex<T>>({packedRe, packedIm}, {tausRe, tausIm},     \
                                   {qRe, qIm}, scratch, m, n, count, begin,    \
                                   end);                                       \
  }

HEDDLE_REAL(float, f32)
HEDDLE_REAL(double, f64)
HEDDLE_COMPLEX(float, c64)
HEDDLE_COMPLEX(double, c128)
