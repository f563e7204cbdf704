// Householder reflectors, alone and in blocks: H = 1 - tau v vᴴ with v[0] = 1,
// and H_0 H_1 ... = 1 - V T Vᴴ.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_REFLECTORS_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_REFLECTORS_H

#include "Product.h"
#include "Rows.h"

namespace heddle::routine {

/// Makes of a column (alpha, x) the reflector with Hᴴ (alpha, x) = (beta, 0):
/// x becomes v, alpha becomes beta, tau is returned. Column j of `a` from row
/// `first` on.
template <typename S>
S makeReflector(Matrix<S> a, int64_t first, int64_t end, int64_t j) {
  using T = PartOf<S>;
  S alpha = a.get(first, j);
  T largest = 0, sum = 0;
  for (int64_t i = first + 1; i < end; ++i) {
    T value = size(a.get(i, j));
    largest = value > largest ? value : largest;
    sum += value;
  }
  if (sum == 0 && imaginaryPart(alpha) == 0)
    return S{};
  T whole = size(alpha);
  largest = whole > largest ? whole : largest;
  T scaled = 0;
  for (int64_t i = first; i < end; ++i) {
    S value = a.get(i, j);
    T re = realPart(value) / largest, im = imaginaryPart(value) / largest;
    scaled += re * re + im * im;
  }
  T beta = largest * squareRoot(scaled);
  beta = realPart(alpha) >= 0 ? -beta : beta;
  S divisor = alpha - fromReal<S>(beta);
  for (int64_t i = first + 1; i < end; ++i)
    a.set(i, j, a.get(i, j) / divisor);
  a.set(first, j, fromReal<S>(beta));
  if constexpr (Number<S>::isComplex)
    return {(beta - alpha.re) / beta, -alpha.im / beta};
  else
    return (beta - alpha) / beta;
}

/// Columns of a panel.
inline constexpr int64_t kPanel = kPanelColumns;

/// Factorizes a panel of `columns` columns in contiguous rows of kPanel:
/// reflector j starts at row j.
template <typename S>
__attribute__((noinline)) void factorizePanel(Matrix<S> p, int64_t rows,
                                              int64_t columns, S *taus) {
  using T = PartOf<S>;
  T space[2 * kPanel];
  Matrix<S> sums = Pieces<T>{space}.template matrix<S>(1, kPanel);
  Row<S> w = rowOf(sums, 0);
  for (int64_t j = 0; j < columns; ++j) {
    if (j >= rows) {
      taus[j] = S{};
      continue;
    }
    taus[j] = makeReflector(p, j, rows, j);
    int64_t right = columns - j - 1;
    if (right == 0)
      continue;
    for (int64_t c = 0; c < right; ++c)
      w.set(c, p.get(j, j + 1 + c));
    for (int64_t i = j + 1; i < rows; ++i)
      addScaled(w, conjugate(p.get(i, j)), rowOf(p, i).from(j + 1), right);
    S tau = conjugate(taus[j]);
    addScaled(rowOf(p, j).from(j + 1), -tau, w, right);
    for (int64_t i = j + 1; i < rows; ++i)
      addScaled(rowOf(p, i).from(j + 1), -(tau * p.get(i, j)), w, right);
  }
}

/// Makes V of a factorized panel (ones on the diagonal, zeros above), and T.
template <typename S>
__attribute__((noinline)) void makeBlock(Matrix<S> v, int64_t rows,
                                         int64_t columns, const S *taus,
                                         Matrix<S> t) {
  for (int64_t i = 0; i < rows && i < columns; ++i) {
    v.set(i, i, fromReal<S>(PartOf<S>(1)));
    for (int64_t j = i + 1; j < columns; ++j)
      v.set(i, j, S{});
  }
  // t becomes Vᴴ V, then T, column by column.
  fill(t, columns, columns, S{});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      addScaled(rowOf(t, j), conjugate(v.get(i, j)), rowOf(v, i), columns);
  for (int64_t j = 0; j < columns; ++j) {
    // t[0..j, j] = -tau_j T[0..j, 0..j] (Vᴴ V)[0..j, j], from the top: what is
    // still needed lies below.
    for (int64_t i = 0; i < j; ++i) {
      S sum{};
      for (int64_t k = i; k < j; ++k)
        sum = sum + t.get(i, k) * t.get(k, j);
      t.set(i, j, -(taus[j] * sum));
    }
    t.set(j, j, taus[j]);
    for (int64_t i = j + 1; i < columns; ++i)
      t.set(i, j, S{});
  }
}

/// a (rows x n) becomes (1 - V T Vᴴ) a, or with `adjoint` (1 - V Tᴴ Vᴴ) a.
/// `w` is kPanel x n twice.
template <typename S>
__attribute__((noinline)) void
applyBlock(Matrix<S> v, Matrix<S> t, int64_t rows, int64_t columns, Matrix<S> a,
           int64_t n, bool adjoint, Matrix<S> w, Matrix<S> turned,
           PartOf<S> *product) {
  fill(w, columns, n, S{});
  fill(turned, columns, n, S{});
  // w = -Vᴴ a; turned = T w; a += V turned.
  multiplySubtract(w, v.transposed(), true, a, false, columns, n, rows,
                   product);
  for (int64_t i = 0; i < columns; ++i)
    for (int64_t k = adjoint ? 0 : i; k < (adjoint ? i + 1 : columns); ++k)
      addScaled(rowOf(turned, i),
                -(adjoint ? conjugate(t.get(k, i)) : t.get(i, k)), rowOf(w, k),
                n);
  multiplySubtract(a, v, false, turned, false, rows, n, columns, product);
}

/// Memory for blocks of a matrix with `rows` rows and `columns` columns.
template <typename S> struct BlockSpace {
  Matrix<S> v, t, w, turned;
  PartOf<S> *product;
  S taus[kPanel];

  BlockSpace(Pieces<PartOf<S>> &pieces, int64_t rows, int64_t columns)
      : v(pieces.template matrix<S>(rows, kPanel)),
        t(pieces.template matrix<S>(kPanel, kPanel)),
        w(pieces.template matrix<S>(kPanel, columns)),
        turned(pieces.template matrix<S>(kPanel, columns)), product(pieces.at) {
  }
};

/// a = Q R in packed form; taus as a row.
template <typename S>
__attribute__((noinline)) void factorizeQr(Matrix<S> a, int64_t m, int64_t n,
                                           Row<S> taus,
                                           Pieces<PartOf<S>> pieces) {
  BlockSpace<S> space(pieces, m, n);
  int64_t k = smaller(m, n);
  for (int64_t first = 0; first < k; first += kPanel) {
    int64_t columns = smaller(kPanel, k - first), rows = m - first;
    copy(space.v, a.from(first, first), rows, columns);
    factorizePanel(space.v, rows, columns, space.taus);
    copy(a.from(first, first), space.v, rows, columns);
    for (int64_t j = 0; j < columns; ++j)
      taus.set(first + j, space.taus[j]);
    int64_t right = n - first - columns;
    if (right == 0)
      continue;
    makeBlock(space.v, rows, columns, space.taus, space.t);
    applyBlock(space.v, space.t, rows, columns, a.from(first, first + columns),
               right, true, space.w, space.turned, space.product);
  }
}

/// q (m x n) becomes H_0 ... H_(count-1) q, of vectors packed below the
/// diagonal of `packed`. With `structured`, q is the first columns of 1.
template <typename S>
__attribute__((noinline)) void
applyReflectors(Matrix<S> packed, Row<S> taus, int64_t count, Matrix<S> q,
                int64_t m, int64_t n, bool structured,
                Pieces<PartOf<S>> pieces) {
  BlockSpace<S> space(pieces, m, n);
  for (int64_t end = count; end > 0;) {
    int64_t first = (end - 1) / kPanel * kPanel, columns = end - first;
    int64_t rows = m - first, skipped = structured ? smaller(first, n) : 0;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        space.v.set(i, j, i > j ? packed.get(first + i, first + j) : S{});
    for (int64_t j = 0; j < columns; ++j)
      space.taus[j] = taus.get(first + j);
    makeBlock(space.v, rows, columns, space.taus, space.t);
    applyBlock(space.v, space.t, rows, columns, q.from(first, skipped),
               n - skipped, false, space.w, space.turned, space.product);
    end = first;
  }
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_REFLECTORS_H
