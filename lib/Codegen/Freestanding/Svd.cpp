// svd: by the bidiagonal form. Rotations are applied to rows, the vectors
// transposed, and the reflectors at the end.

#include "Bidiagonal.h"
#include "Rotations.h"

using namespace heddle::routine;

namespace {
template <typename S> struct Svd {
  using T = PartOf<S>;

  /// The matrix is m x n; what is computed with, it or its adjoint, has
  /// `length` rows and `count` columns, the fewer of the two.
  int64_t m, n, length, count;
  bool vectors, full;
  Matrix<S> b;
  double *d, *e;
  T *rotations;
  int64_t *order;
  Row<S> leftTaus, rightTaus, v, w;
  /// Row j is singular vector j of the bidiagonal matrix, which is real.
  Matrix<T> lefts, rights;
  /// The singular vectors of b.
  Matrix<S> sides, others;
  Pieces<T> rest;

  Svd(T *scratch, int64_t m, int64_t n, bool vectors, bool full)
      : m(m), n(n), length(m > n ? m : n), count(smaller(m, n)),
        vectors(vectors), full(full) {
    Pieces<T> pieces{scratch};
    d = reinterpret_cast<double *>(pieces.take(2 * count));
    e = reinterpret_cast<double *>(pieces.take(2 * count));
    order = reinterpret_cast<int64_t *>(pieces.take(2 * count));
    rotations = pieces.take(4 * count);
    b = pieces.template matrix<S>(length, count);
    auto row = [&] { return rowOf(pieces.template matrix<S>(1, count), 0); };
    leftTaus = row();
    rightTaus = row();
    v = row();
    w = row();
    if (vectors) {
      lefts = rotatedMatrix(pieces, count, count);
      rights = rotatedMatrix(pieces, count, count);
      sides = pieces.template matrix<S>(length, full ? length : count);
      others = pieces.template matrix<S>(count, count);
    }
    rest = pieces;
  }

  void run(Matrix<S> a, T *values, Matrix<S> u, Matrix<S> vh);

private:
  bool computeValues(Matrix<S> a);
  void computeVectors();
};
} // namespace

/// d becomes the singular values, positive ones, and `order` their order.
template <typename S> bool Svd<S>::computeValues(Matrix<S> a) {
  T largest = largestPart(a, m, n);
  if (!isFinite(largest))
    return false;
  T scale = largest > 0 ? largest : T(1);
  for (int64_t i = 0; i < length; ++i)
    for (int64_t j = 0; j < count; ++j)
      b.set(i, j,
            fromReal<S>(1 / scale) *
                (m >= n ? a.get(i, j) : conjugate(a.get(j, i))));
  makeBidiagonal(b, length, count, d, e, leftTaus, rightTaus, v, w);
  double unit = sizeof(T) == 4 ? 0x1p-30 : 0x1p-53;
  bool done;
  if (vectors) {
    setIdentity(lefts, count, count);
    setIdentity(rights, count, count);
    Rotations<T> left(lefts, count, rotations, rotations + count);
    Rotations<T> right(rights, count, rotations + 2 * count,
                       rotations + 3 * count);
    done = diagonalizeBidiagonal(
        d, e, count, unit,
        [&](int64_t k, double c, double s) { left.add(k, T(c), T(s)); },
        [&](int64_t k, double c, double s) { right.add(k, T(c), T(s)); });
    left.apply();
    right.apply();
  } else {
    auto nobody = [](int64_t, double, double) {};
    done = diagonalizeBidiagonal(d, e, count, unit, nobody, nobody);
  }
  for (int64_t i = 0; i < count; ++i) {
    if (vectors && d[i] < 0)
      scaleRow(rowOf(rights, i), T(-1), count);
    d[i] = magnitude(d[i]) * scale;
    int64_t at = i;
    for (; at > 0 && d[order[at - 1]] < d[i]; --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return done;
}

/// sides = Q lefts, others = P rights, in their order.
template <typename S> void Svd<S>::computeVectors() {
  int64_t columns = full ? length : count;
  for (int64_t i = 0; i < length; ++i)
    for (int64_t j = 0; j < columns; ++j)
      sides.set(i, j,
                fromReal<S>(i < count && j < count ? lefts.get(order[j], i)
                                                   : T(i == j)));
  applyReflectors(b, leftTaus, count, sides, length, columns, false, rest);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < count; ++j)
      others.set(i, j, fromReal<S>(rights.get(order[j], i)));
  // Reflector k starts at row k + 1: that is its own diagonal there.
  if (count > 1)
    applyReflectors(b.transposed().from(1, 0), rightTaus, count - 1,
                    others.from(1, 0), count - 1, count, false, rest);
}

template <typename S>
void Svd<S>::run(Matrix<S> a, T *values, Matrix<S> u, Matrix<S> vh) {
  int64_t uColumns = full ? m : count, vRows = full ? n : count;
  if (!computeValues(a)) {
    T nan = __builtin_nanf("");
    for (int64_t i = 0; i < count; ++i)
      values[i] = nan;
    if (vectors) {
      fill(u, m, uColumns, fromReal<S>(nan));
      fill(vh, vRows, n, fromReal<S>(nan));
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(d[order[i]]);
  if (!vectors)
    return;
  computeVectors();
  // a = sides diag(s) othersᴴ, or a = others diag(s) sidesᴴ.
  bool tall = m >= n;
  Matrix<S> left = tall ? sides : others, right = tall ? others : sides;
  copy(u, left, m, uColumns);
  for (int64_t j = 0; j < uColumns || j < vRows; ++j) {
    S factor = j < uColumns ? turnPositive(u, m, j) : fromReal<S>(T(1));
    if (j >= count)
      factor = fromReal<S>(T(1));
    for (int64_t i = 0; j < vRows && i < n; ++i)
      vh.set(j, i, conjugate(factor * right.get(i, j)));
  }
}

template <typename S>
static void svd(Batch<S> as, PartOf<S> *ss, Batch<S> us, Batch<S> vhs,
                PartOf<S> *scratch, int64_t m, int64_t n, bool vectors,
                bool full, int64_t begin, int64_t end) {
  Svd<S> work(scratch, m, n, vectors, full);
  int64_t k = smaller(m, n), uColumns = full ? m : k, vRows = full ? n : k;
  for (int64_t number = begin; number < end; ++number)
    work.run(as.matrix(number, m, n), ss + number * k,
             vectors ? us.matrix(number, m, uColumns) : Matrix<S>{},
             vectors ? vhs.matrix(number, vRows, n) : Matrix<S>{});
}

#define HEDDLE_REAL(T, suffix)                                                 \
  extern "C" void heddle_svd_##suffix(T *a, T *s, T *u, T *vh, T *scratch,     \
                                      int64_t m, int64_t n, int64_t full,      \
                                      int64_t begin, int64_t end) {            \
    svd<T>({a}, s, {u}, {vh}, scratch, m, n, true, full != 0, begin, end);     \
  }                                                                            \
  extern "C" void heddle_svd_values_##suffix(T *a, T *s, T *scratch,           \
                                             int64_t m, int64_t n,             \
                                             int64_t begin, int64_t end) {     \
    svd<T>({a}, s, {}, {}, scratch, m, n, false, false, begin, end);           \
  }
#define HEDDLE_COMPLEX(T, suffix)                                              \
  extern "C" void heddle_svd_##suffix(                                         \
      T *aRe, T *aIm, T *s, T *uRe, T *uIm, T *vhRe, T *vhIm, T *scratch,      \
      int64_t m, int64_t n, int64_t full, int64_t begin, int64_t end) {        \
    svd<Complex<T>>({aRe, aIm}, s, {uRe, uIm}, {vhRe, vhIm}, scratch, m, n,    \
                    true, full != 0, begin, end);                              \
  }                                                                            \
  extern "C" void heddle_svd_values_##suffix(T *aRe, T *aIm, T *s, T *scratch, \
                                             int64_t m, int64_t n,             \
                                             int64_t begin, int64_t end) {     \
    svd<Complex<T>>({aRe, aIm}, s, {}, {}, scratch, m, n, false, false, begin, \
                    end);                                                      \
  }

HEDDLE_REAL(float, f32)
HEDDLE_REAL(double, f64)
HEDDLE_COMPLEX(float, c64)
HEDDLE_COMPLEX(double, c128)
