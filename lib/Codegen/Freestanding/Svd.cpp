// svd: one-sided Jacobi. The columns of a tall matrix, kept as rows, are
// rotated against each other until all are orthogonal: their lengths are the
// singular values. Small values come out as accurate as large ones.

#include "Reflectors.h"

using namespace heddle::routine;

namespace {
constexpr int kSweeps = 40;

template <typename S> struct Svd {
  using T = PartOf<S>;

  /// The matrix is m x n; what is rotated has `length` rows and `count`
  /// columns, the fewer of the two.
  int64_t m, n, length, count;
  bool vectors, full;
  Matrix<S> g, r;
  T *norms;
  int64_t *order;
  /// The longer side's vectors, with what completes them.
  Matrix<S> sides;
  Row<S> taus;
  Pieces<T> rest;

  Svd(T *scratch, int64_t m, int64_t n, bool vectors, bool full)
      : m(m), n(n), length(m > n ? m : n), count(smaller(m, n)),
        vectors(vectors), full(full) {
    Pieces<T> pieces{scratch};
    norms = pieces.take(count);
    order = reinterpret_cast<int64_t *>(pieces.take(2 * count));
    g = pieces.template matrix<S>(count, length);
    r = pieces.template matrix<S>(count, count);
    if (vectors) {
      sides = pieces.template matrix<S>(length, full ? length : count);
      taus = rowOf(pieces.template matrix<S>(1, length), 0);
    }
    rest = pieces;
  }

  void run(Matrix<S> a, T *values, Matrix<S> u, Matrix<S> vh);

private:
  bool orthogonalize();
  void complete(int64_t rank, int64_t columns);
};
} // namespace

/// Sweeps over all pairs of columns until no pair has to be rotated; false if
/// that does not end.
template <typename S> bool Svd<S>::orthogonalize() {
  T unit = sizeof(T) == 4 ? T(0x1p-24) : T(0x1p-53);
  // What rounding leaves of an inner product.
  T limit = unit * (8 + squareRoot(T(length)));
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool rotated = false;
    for (int64_t i = 0; i < count; ++i)
      norms[i] = squares(rowOf(g, i), length);
    for (int64_t i = 0; i + 1 < count; ++i)
      for (int64_t j = i + 1; j < count; ++j) {
        T a = norms[i], b = norms[j];
        if (a == 0 || b == 0)
          continue;
        S inner = innerProduct(rowOf(g, i), rowOf(g, j), length);
        T strength = absolute(inner);
        if (!(strength > limit * squareRoot(a) * squareRoot(b)))
          continue;
        rotated = true;
        T zeta = (b - a) / (2 * strength);
        T t = magnitude(zeta) > T(0x1p40) // the square would overflow
                  ? 1 / (2 * magnitude(zeta))
                  : 1 / (magnitude(zeta) + squareRoot(1 + zeta * zeta));
        t = zeta < 0 ? -t : t;
        T c = 1 / squareRoot(1 + t * t), s = c * t;
        if constexpr (Number<S>::isComplex) {
          S phase = (1 / strength) * conjugate(inner);
          scaleRow(rowOf(g, j), phase, length);
          if (vectors)
            scaleRow(rowOf(r, j), phase, count);
        } else if (inner < 0) {
          t = -t;
          s = -s;
        }
        rotate(rowOf(g, i), rowOf(g, j), c, s, length);
        if (vectors)
          rotate(rowOf(r, i), rowOf(r, j), c, s, count);
        norms[i] = a - magnitude(t) * (zeta < 0 ? -strength : strength);
        norms[j] = b + magnitude(t) * (zeta < 0 ? -strength : strength);
        // Differences that cancel say little.
        if (!(norms[i] > a / 64))
          norms[i] = squares(rowOf(g, i), length);
        if (!(norms[j] > b / 64))
          norms[j] = squares(rowOf(g, j), length);
      }
    if (!rotated)
      return true;
  }
  return false;
}

/// Makes columns [rank, columns) of `sides` orthogonal to those before.
template <typename S> void Svd<S>::complete(int64_t rank, int64_t columns) {
  // The reflectors of the first columns take them to the unit vectors, up to
  // signs; what they make of the other unit vectors completes them.
  Pieces<T> pieces = rest;
  Matrix<S> packed = pieces.template matrix<S>(length, rank);
  copy(packed, sides, length, rank);
  factorizeQr(packed, length, rank, taus, pieces);
  Matrix<S> others = sides.from(0, rank);
  for (int64_t i = 0; i < length; ++i)
    for (int64_t j = 0; j < columns - rank; ++j)
      others.set(i, j, fromReal<S>(T(i == j + rank)));
  applyReflectors(packed, taus, rank, others, length, columns - rank, false,
                  pieces);
}

template <typename S>
void Svd<S>::run(Matrix<S> a, T *values, Matrix<S> u, Matrix<S> vh) {
  bool tall = m >= n;
  int64_t uColumns = full ? m : count, vRows = full ? n : count;
  T largest = largestPart(a, m, n);
  T scale = largest > 0 ? largest : T(1);
  bool done = isFinite(largest);
  if (done) {
    // Row i is column i of a, or of its adjoint.
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < length; ++j)
        g.set(i, j,
              fromReal<S>(1 / scale) *
                  (tall ? a.get(j, i) : conjugate(a.get(i, j))));
    setIdentity(r, count, count);
    done = orthogonalize();
  }
  if (!done) {
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
    norms[i] = squareRoot(squares(rowOf(g, i), length));
  int64_t rank = 0;
  for (int64_t i = 0; i < count; ++i) {
    rank += norms[i] > 0;
    int64_t at = i;
    for (; at > 0 && norms[order[at - 1]] < norms[i]; --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
  for (int64_t i = 0; i < count; ++i)
    values[i] = norms[order[i]] * scale;
  if (!vectors)
    return;
  for (int64_t j = 0; j < rank; ++j)
    for (int64_t i = 0; i < length; ++i)
      sides.set(i, j, fromReal<S>(1 / norms[order[j]]) * g.get(order[j], i));
  if (int64_t columns = full ? length : count; rank < columns)
    complete(rank, columns);
  // a = sides diag(s) rᴴ, or a = r diag(s) sidesᴴ.
  auto fromSides = [&](int64_t i, int64_t j) { return sides.get(i, j); };
  auto fromRotations = [&](int64_t i, int64_t j) { return r.get(order[j], i); };
  for (int64_t j = 0; j < uColumns; ++j) {
    for (int64_t i = 0; i < m; ++i)
      u.set(i, j, tall ? fromSides(i, j) : fromRotations(i, j));
    S factor = turnPositive(u, m, j);
    for (int64_t i = 0; j < count && i < n; ++i)
      vh.set(
          j, i,
          conjugate(factor * (tall ? fromRotations(i, j) : fromSides(i, j))));
  }
  for (int64_t j = count; j < vRows; ++j)
    for (int64_t i = 0; i < n; ++i)
      vh.set(j, i, conjugate(fromSides(i, j)));
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
