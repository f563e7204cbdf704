// eigh: eigenvalues and vectors of a Hermitian matrix, by its tridiagonal form.
// Rotations are applied to rows, the vectors transposed, and the reflectors at
// the end.

#include "Rotations.h"
#include "Tridiagonal.h"

using namespace heddle::routine;

namespace {
template <typename S> struct Eigh {
  using T = PartOf<S>;

  int64_t n;
  bool lower;
  Matrix<S> a;
  /// Row j is eigenvector j of the tridiagonal matrix, which is real.
  Matrix<T> z;
  Row<S> taus, v, w;
  double *d, *e;
  T *cosines, *sines;
  int64_t *order;
  Pieces<T> rest;

  Eigh(T *scratch, int64_t n, bool lower) : n(n), lower(lower) {
    Pieces<T> pieces{scratch};
    d = reinterpret_cast<double *>(pieces.take(2 * n));
    e = reinterpret_cast<double *>(pieces.take(2 * n));
    order = reinterpret_cast<int64_t *>(pieces.take(2 * n));
    cosines = pieces.take(n);
    sines = pieces.take(n);
    a = pieces.template matrix<S>(n, n);
    z = rotatedMatrix(pieces, n, n);
    taus = rowOf(pieces.template matrix<S>(1, n), 0);
    v = rowOf(pieces.template matrix<S>(1, n), 0);
    w = rowOf(pieces.template matrix<S>(1, n), 0);
    rest = pieces;
  }

  void run(Matrix<S> given, Matrix<S> vectors, T *values);

private:
  bool compute(Matrix<S> given);
};
} // namespace

template <typename S> bool Eigh<S>::compute(Matrix<S> given) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      S value = lower ? given.get(i, j) : conjugate(given.get(j, i));
      if (i == j)
        value = fromReal<S>(realPart(value));
      a.set(i, j, value);
      a.set(j, i, conjugate(value));
    }
  T largest = largestPart(a, n, n);
  if (!isFinite(largest))
    return false;
  // Numbers near one: squares neither overflow nor vanish.
  T scale = largest > 0 ? largest : T(1);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      a.set(i, j, fromReal<S>(1 / scale) * a.get(i, j));
  makeTridiagonal(a, n, d, e, taus, v, w);
  setIdentity(z, n, n);
  Rotations<T> rotations(z, n, cosines, sines);
  bool done = diagonalize(
      d, e, n, sizeof(T) == 4 ? 0x1p-30 : 0x1p-53,
      [&](int64_t k, double c, double s) { rotations.add(k, T(c), T(-s)); });
  rotations.apply();
  for (int64_t i = 0; i < n; ++i)
    d[i] *= scale;
  return done;
}

template <typename S>
void Eigh<S>::run(Matrix<S> given, Matrix<S> vectors, T *values) {
  if (!compute(given)) {
    T nan = __builtin_nanf("");
    fill(vectors, n, n, fromReal<S>(nan));
    for (int64_t i = 0; i < n; ++i)
      values[i] = nan;
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = i;
    for (; at > 0 && d[order[at - 1]] > d[i]; --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
  for (int64_t j = 0; j < n; ++j) {
    values[j] = static_cast<T>(d[order[j]]);
    for (int64_t i = 0; i < n; ++i)
      vectors.set(i, j, fromReal<S>(z.get(order[j], i)));
  }
  // Reflector k starts at row k + 1: that is its own diagonal there.
  if (n > 1)
    applyReflectors(a.from(1, 0), taus, n - 1, vectors.from(1, 0), n - 1, n,
                    false, rest);
  for (int64_t j = 0; j < n; ++j)
    turnPositive(vectors, n, j);
}

template <typename S>
static void eigh(Batch<S> as, Batch<S> vs, PartOf<S> *ws, PartOf<S> *scratch,
                 int64_t n, int64_t lower, int64_t begin, int64_t end) {
  Eigh<S> work(scratch, n, lower != 0);
  for (int64_t number = begin; number < end; ++number)
    work.run(as.matrix(number, n, n), vs.matrix(number, n, n), ws + number * n);
}

#define HEDDLE_REAL(T, suffix)                                                 \
  extern "C" void heddle_eigh_##suffix(T *a, T *v, T *w, T *scratch,           \
                                       int64_t n, int64_t lower,               \
                                       int64_t begin, int64_t end) {           \
    eigh<T>({a}, {v}, w, scratch, n, lower, begin, end);                       \
  }
#define HEDDLE_COMPLEX(T, suffix)                                              \
  extern "C" void heddle_eigh_##suffix(T *aRe, T *aIm, T *vRe, T *vIm, T *w,   \
                                       T *scratch, int64_t n, int64_t lower,   \
                                       int64_t begin, int64_t end) {           \
    eigh<Complex<T>>({aRe, aIm}, {vRe, vIm}, w, scratch, n, lower, begin,      \
                     end);                                                     \
  }

HEDDLE_REAL(float, f32)
HEDDLE_REAL(double, f64)
HEDDLE_COMPLEX(float, c64)
HEDDLE_COMPLEX(double, c128)
