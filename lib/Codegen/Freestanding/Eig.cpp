// eig: eigenvalues and eigenvectors of any square matrix, by its Schur form.
// Single precision is computed in double: eigenvalues of matrices without
// symmetry lose many digits.

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
  /// Row k of x is the eigenvector of t for eigenvalue k; column k of v that of
  /// the given matrix.
  Matrix<C> x, v;
  Row<C> values;
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
    v = pieces.template matrix<C>(n, n);
    values = rowOf(pieces.template matrix<C>(1, n), 0);
    taus = rowOf(pieces.template matrix<S>(1, n), 0);
    one = rowOf(pieces.template matrix<S>(1, n), 0);
    two = rowOf(pieces.template matrix<S>(1, n), 0);
    rest = pieces;
  }

  /// Of a matrix with elements G, into arrays with parts P. What is not wanted
  /// is not written.
  template <typename G, typename P>
  void run(Matrix<G> a, Row<Complex<P>> w, Matrix<Complex<P>> vl,
           Matrix<Complex<P>> vr) {
    bool done = computeValues(a);
    C nan{__builtin_nanf(""), __builtin_nanf("")};
    auto narrow = [&](C value) -> Complex<P> {
      value = done ? value : nan;
      return {static_cast<P>(value.re), static_cast<P>(value.im)};
    };
    for (int64_t i = 0; i < n; ++i)
      w.set(i, narrow(values.get(i)));
    for (int side = 0; side < 2; ++side) {
      bool isLeft = side == 0;
      if (!(isLeft ? left : right))
        continue;
      if (done)
        computeVectors(isLeft);
      Matrix<Complex<P>> out = isLeft ? vl : vr;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
          out.set(i, j, narrow(v.get(i, j)));
    }
  }

private:
  template <typename G> bool computeValues(Matrix<G> a);
  void computeVectors(bool isLeft);
  void setValues(T scale);
  void takeBack(Matrix<S> basis);
  void normalize();

  Balance<S> balance;
};

template <typename T> double widened(T value) { return value; }
template <typename T> Complex<double> widened(Complex<T> value) {
  return {value.re, value.im};
}
} // namespace

template <typename S> void Eig<S>::setValues(T scale) {
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

/// Column k of v becomes basisᴴ times row k of x.
template <typename S> void Eig<S>::takeBack(Matrix<S> basis) {
  fill(v, n, n, C{});
  if constexpr (Number<S>::isComplex) {
    multiplySubtract(v.transposed(), x, false, basis, true, n, n, n, rest.at);
  } else {
    multiply(T(1), v.reals().transposed(), x.reals(), basis, n, n, n, rest.at);
    multiply(T(1), v.imaginaries().transposed(), x.imaginaries(), basis, n, n,
             n, rest.at);
  }
}

/// Columns become of length one, with a largest element that is real. Those of
/// real eigenvalues of real matrices are real.
template <typename S> void Eig<S>::normalize() {
  for (int64_t j = 0; j < n; ++j) {
    T sum = 0, largest = 0;
    int64_t there = 0;
    for (int64_t i = 0; i < n; ++i) {
      C value = v.get(i, j);
      T square = value.re * value.re + value.im * value.im;
      sum += square;
      there = square > largest ? i : there;
      largest = larger(largest, square);
    }
    C factor{1 / squareRoot(sum), 0};
    bool turns = Number<S>::isComplex || values.get(j).im != 0;
    if (turns)
      factor = (factor.re / squareRoot(largest)) * conjugate(v.get(there, j));
    for (int64_t i = 0; i < n; ++i)
      v.set(i, j, factor * v.get(i, j));
    if (turns)
      v.set(there, j, {v.get(there, j).re, 0});
  }
}

template <typename S>
template <typename G>
bool Eig<S>::computeValues(Matrix<G> a) {
  T largest = largestPart(a, n, n);
  if (!isFinite(largest))
    return false;
  T scale = powerOfTwo(largest);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      t.set(i, j, fromReal<S>(1 / scale) * widened(a.get(i, j)));
  balance = {t, n, scales, exchanges};
  balance.run();
  makeHessenberg(t, n, taus, one, two);
  separateHessenberg(t, n, taus, w, rest);
  if (!makeSchurForm(t, w, n))
    return false;
  setValues(scale);
  return true;
}

template <typename S> void Eig<S>::computeVectors(bool isLeft) {
  if (isLeft) {
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
    takeBack(basis);
  } else {
    triangularVectors(t, n, x);
    takeBack(w);
  }
  balance.undo(v, n, isLeft);
  normalize();
}

template <typename S, typename G, typename P>
static void eig(Batch<G> as, Batch<Complex<P>> ws, Batch<Complex<P>> vls,
                Batch<Complex<P>> vrs, P *scratch, int64_t n, bool left,
                bool right, int64_t begin, int64_t end) {
  Eig<S> work(reinterpret_cast<double *>(scratch), n, left, right);
  for (int64_t number = begin; number < end; ++number)
    work.run(as.matrix(number, n, n), rowOf(ws.matrix(number, 1, n), 0),
             vls.matrix(number, n, n), vrs.matrix(number, n, n));
}

#define HEDDLE_REAL(T, suffix)                                                 \
  extern "C" void heddle_eig_##suffix(                                         \
      T *a, T *wRe, T *wIm, T *vlRe, T *vlIm, T *vrRe, T *vrIm, T *scratch,    \
      int64_t n, int64_t left, int64_t right, int64_t begin, int64_t end) {    \
    eig<double, T, T>({a}, {wRe, wIm}, {vlRe, vlIm}, {vrRe, vrIm}, scratch, n, \
                      left != 0, right != 0, begin, end);                      \
  }
#define HEDDLE_COMPLEX(T, suffix)                                              \
  extern "C" void heddle_eig_##suffix(T *aRe, T *aIm, T *wRe, T *wIm, T *vlRe, \
                                      T *vlIm, T *vrRe, T *vrIm, T *scratch,   \
                                      int64_t n, int64_t left, int64_t right,  \
                                      int64_t begin, int64_t end) {            \
    eig<Complex<double>, Complex<T>, T>({aRe, aIm}, {wRe, wIm}, {vlRe, vlIm},  \
                                        {vrRe, vrIm}, scratch, n, left != 0,   \
                                        right != 0, begin, end);               \
  }

HEDDLE_REAL(float, f32)
HEDDLE_REAL(double, f64)
HEDDLE_COMPLEX(float, c64)
HEDDLE_COMPLEX(double, c128)
