// Hessenberg matrices to Schur form, by implicit QR steps with shifts. Whatever
// turns rows of h turns those of w, too: w = Qᴴ becomes Zᴴ.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_SCHURFORM_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_SCHURFORM_H

#include "Rows.h"
#include "dialects/Kernel/RoutineScratch.h"

namespace heddle::routine {

/// The spacing of numbers near one, and the smallest number whose inverse is
/// one.
template <typename T> inline constexpr T kSpacing = 0x1p-52;
template <> inline constexpr float kSpacing<float> = 0x1p-23f;
template <typename T> inline constexpr T kTiny = 0x1p-1022;
template <> inline constexpr float kTiny<float> = 0x1p-126f;

/// QR steps for one eigenvalue; the 10th and 20th of them, and so on, take
/// another shift, should the usual one turn in circles.
inline constexpr int64_t kSchurSteps = 60;

template <typename T> inline T larger(T a, T b) { return a > b ? a : b; }
template <typename T> inline T lesser(T a, T b) { return a > b ? b : a; }

/// (x, y) becomes (c x + s y, c y - conj(s) x).
template <typename T>
inline void turnRows(Row<T> x, Row<T> y, T c, T s, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T a = x.values[i], b = y.values[i];
    x.values[i] = c * a + s * b;
    y.values[i] = c * b - s * a;
  }
}
template <typename T>
inline void turnRows(Row<Complex<T>> x, Row<Complex<T>> y, T c, Complex<T> s,
                     int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T aRe = x.re[i], aIm = x.im[i], bRe = y.re[i], bIm = y.im[i];
    x.re[i] = c * aRe + (s.re * bRe - s.im * bIm);
    x.im[i] = c * aIm + (s.re * bIm + s.im * bRe);
    y.re[i] = c * bRe - (s.re * aRe + s.im * aIm);
    y.im[i] = c * bIm - (s.re * aIm - s.im * aRe);
  }
}
/// The same from the other side: columns (p, q) of the first `rows` rows become
/// (c p + conj(s) q, c q - s p).
template <typename S>
inline void turnColumns(Matrix<S> h, int64_t p, int64_t q, PartOf<S> c, S s,
                        int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    S a = h.get(i, p), b = h.get(i, q);
    h.set(i, p, c * a + conjugate(s) * b);
    h.set(i, q, c * b - s * a);
  }
}

/// Whether h(k, k - 1) is nothing beside its neighbours: the product with its
/// counterpart is compared with that of the diagonal, as Ahues and Tisseur do.
template <typename S> bool isDecoupled(Matrix<S> h, int64_t n, int64_t k) {
  using T = PartOf<S>;
  T below = size(h.get(k, k - 1));
  T tiny = kTiny<T> * (T(n) / kSpacing<T>);
  if (below <= tiny)
    return true;
  S before = h.get(k - 1, k - 1), here = h.get(k, k);
  T scale = size(before) + size(here);
  if (scale == 0) {
    if (k >= 2)
      scale += size(h.get(k - 1, k - 2));
    if (k + 1 < n)
      scale += size(h.get(k + 1, k));
  }
  if (below > kSpacing<T> * scale)
    return false;
  T above = size(h.get(k - 1, k)), gap = size(before - here);
  T off = larger(below, above), smallOff = lesser(below, above);
  T diagonal = larger(size(here), gap), smallDiagonal = lesser(size(here), gap);
  T sum = diagonal + off;
  return smallOff * (off / sum) <=
         larger(tiny, kSpacing<T> * (smallDiagonal * (diagonal / sum)));
}

/// The first row of the block that ends with row `high` and does not decouple.
template <typename S> int64_t blockBegin(Matrix<S> h, int64_t n, int64_t high) {
  int64_t low = high;
  while (low > 0 && !isDecoupled(h, n, low))
    --low;
  if (low > 0)
    h.set(low, low - 1, S{});
  return low;
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_SCHURFORM_H
