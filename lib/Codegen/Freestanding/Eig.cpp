// eig: eigenvalues and eigenvectors of any square matrix, by its Schur form.

#include "Balance.h"
#include "ComplexSchur.h"
#include "Hessenberg.h"
#include "RealSchur.h"
#include "TriangularVectors.h"

using namespace heddle::routine;

namespace {
template <typename S> struct Eig {
  using T = PartOf<S>;
  using C = Complex<T>;

  int64_t n;
  bool left, right;
  Matrix<S> t, w, turned;
  /// Row k is the eigenvector of t for eigenvalue k.
  Matrix<C> x;
  Row<S> taus, one, two;
  T *scales;
  int64_t *exchanges;
  Pieces<T> rest;

  Eig(T *scratch, int64_t n, bool left, bool right)
      : n(n), left(left), right(right) {
    Pieces<T> pieces{scratch};
    exchanges = reinterpret_cast<int64_t *>(pieces.take(2 * n));
    scales = pieces.take(n);
    t = pieces.template matrix<S>(n, n);
    w = pieces.template matrix<S>(n, n);
    turned = pieces.template matrix<S>(n, n);
    x = pieces.template matrix<C>(n, n);
    taus = rowOf(pieces.template matrix<S>(1, n), 0);
    one = rowOf(pieces.template matrix<S>(1, n), 0);
    two = rowOf(pieces.template matrix<S>(1, n), 0);
    rest = pieces;
  }

  void run(Matrix<S> a, Row<C> values, Matrix<C> vl, Matrix<C> vr) {
    if (compute(a, values, vl, vr))
      return;
    C nan{__builtin_nanf(""), __builtin_nanf("")};
    for (int64_t i = 0; i < n; ++i)
      values.set(i, nan);
    if (left)
      fill(vl, n, n, nan);
    if (right)
      fill(vr, n, n, nan);
  }

private:
  bool compute(Matrix<S> a, Row<C> values, Matrix<C> vl, Matrix<C> vr);
  void setValues(Row<C> values, T scale) const;
  void takeBack(Matrix<S> basis, Matrix<C> vectors);
  void normalize(Matrix<C> vectors, Row<C> values) const;
};
} // namespace

template <typename S> void Eig<S>::setValues(Row<C> values, T scale) const {
  for (int64_t k = 0; k < n; ++k) {
    values.set(k, scale * toComplex(t.get(k, k)));
    if (Number<S>::isComplex || k + 1 == n || size(t.get(k + 1, k)) == 0)
      continue;
    T re = realPart(t.get(k, k));
    T im = squareRoot(magnitude(realPart(t.get(k, k + 1)))) *
           squareRoot(magnitude(realPart(t.get(k + 1, k))));
    values.set(k, {scale * re, scale * im});
    values.set(++k, {scale * re, -(scale * im)});
  }
}

/// Column k of `vectors` becomes basisᴴ times row k of x.
template <typename S>
void Eig<S>::takeBack(Matrix<S> basis, Matrix<C> vectors) {
  fill(vectors, n, n, C{});
  if constexpr (Number<S>::isComplex) {
    multiplySubtract(vectors.transposed(), x, false, basis, true, n, n, n,
                     rest.at);
  } else {
    multiply(T(1), vectors.reals().transposed(), x.reals(), basis, n, n, n,
             rest.at);
    multiply(T(1), vectors.imaginaries().transposed(), x.imaginaries(), basis,
             n, n, n, rest.at);
  }
}

/// Columns become of length one, with a largest element that is real. Those of
/// real eigenvalues of real matrices are real.
template <typename S>
void Eig<S>::normalize(Matrix<C> vectors, Row<C> values) const {
  for (int64_t j = 0; j < n; ++j) {
    T sum = 0, largest = 0;
    int64_t there = 0;
    for (int64_t i = 0; i < n; ++i) {
      C value = vectors.get(i, j);
      T square = value.re * value.re + value.im * value.im;
      sum += square;
      there = square > largest ? i : there;
      largest = larger(largest, square);
    }
    C factor{1 / squareRoot(sum), 0};
    bool turns = Number<S>::isComplex || values.get(j).im != 0;
    if (turns)
      factor =
          (factor.re / squareRoot(largest)) * conjugate(vectors.get(there, j));
    for (int64_t i = 0; i < n; ++i)
      vectors.set(i, j, factor * vectors.get(i, j));
    if (turns)
      vectors.set(there, j, {vectors.get(there, j).re, 0});
  }
}

template <typename S>
bool Eig<S>::compute(Matrix<S> a, Row<C> values, Matrix<C> vl, Matrix<C> vr) {
  T largest = largestPart(a, n, n);
  if (!isFinite(largest))
    return false;
  T scale = powerOfTwo(largest);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      t.set(i, j, fromReal<S>(1 / scale) * a.get(i, j));
  Balance<S> balance{t, n, scales, exchanges};
  balance.run();
  makeHessenberg(t, n, taus, one, two);
  separateHessenberg(t, n, taus, w, rest);
  if (!makeSchurForm(t, w, n))
    return false;
  setValues(values, scale);
  auto finish = [&](Matrix<S> basis, Matrix<C> vectors, bool isLeft) {
    takeBack(basis, vectors);
    balance.undo(vectors, n, isLeft);
    normalize(vectors, values);
  };
  if (right) {
    triangularVectors(t, n, x);
    finish(w, vr, false);
  }
  if (left) {
    // Right eigenvectors of the adjoint, which is triangular with its rows and
    // columns in reverse order.
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        turned.set(i, j, conjugate(t.get(n - 1 - j, n - 1 - i)));
    Matrix<C> reversed = x.from(n - 1, 0);
    reversed.rowStride = -x.rowStride;
    triangularVectors(turned, n, reversed);
    Matrix<S> basis = w.from(n - 1, 0);
    basis.rowStride = -w.rowStride;
    finish(basis, vl, true);
  }
  return true;
}

template <typename S>
static void eig(Batch<S> as, Batch<Complex<PartOf<S>>> ws,
                Batch<Complex<PartOf<S>>> vls, Batch<Complex<PartOf<S>>> vrs,
                PartOf<S> *scratch, int64_t n, bool left, bool right,
                int64_t begin, int64_t end) {
  Eig<S> work(scratch, n, left, right);
  for (int64_t number = begin; number < end; ++number)
    work.run(as.matrix(number, n, n), rowOf(ws.matrix(number, 1, n), 0),
             vls.matrix(number, n, n), vrs.matrix(number, n, n));
}

#define HEDDLE_REAL(T, suffix)                                                 \
  extern "C" void heddle_eig_##suffix(                                         \
      T *a, T *wRe, T *wIm, T *vlRe, T *vlIm, T *vrRe, T *vrIm, T *scratch,    \
      int64_t n, int64_t left, int64_t right, int64_t begin, int64_t end) {    \
    eig<T>({a}, {wRe, wIm}, {vlRe, vlIm}, {vrRe, vrIm}, scratch, n, left != 0, \
           right != 0, begin, end);                                            \
  }
#define HEDDLE_COMPLEX(T, suffix)                                              \
  extern "C" void heddle_eig_##suffix(T *aRe, T *aIm, T *wRe, T *wIm, T *vlRe, \
                                      T *vlIm, T *vrRe, T *vrIm, T *scratch,   \
                                      int64_t n, int64_t left, int64_t right,  \
                                      int64_t begin, int64_t end) {            \
    eig<Complex<T>>({aRe, aIm}, {wRe, wIm}, {vlRe, vlIm}, {vrRe, vrIm},        \
                    scratch, n, left != 0, right != 0, begin, end);            \
  }

HEDDLE_REAL(float, f32)
HEDDLE_REAL(double, f64)
HEDDLE_COMPLEX(float, c64)
HEDDLE_COMPLEX(double, c128)
