// Any square matrix to Hessenberg form: zero below the first subdiagonal.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_HESSENBERG_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_HESSENBERG_H

#include "Reflectors.h"

namespace heddle::routine {

/// a = Q H Qᴴ in place. Column k keeps reflector k below the subdiagonal, it
/// starts at row k + 1; taus has n - 1 elements. `v` and `w` are rows of n.
template <typename S>
__attribute__((noinline)) void makeHessenberg(Matrix<S> a, int64_t n,
                                              Row<S> taus, Row<S> v, Row<S> w) {
  for (int64_t k = 0; k + 1 < n; ++k) {
    int64_t first = k + 1, count = n - first;
    S factor = makeReflector(a, first, n, k);
    taus.set(k, factor);
    for (int64_t i = 0; i < count; ++i) {
      v.set(i, i ? a.get(first + i, k) : fromReal<S>(PartOf<S>(1)));
      w.set(i, S{});
    }
    // a -= conj(tau) v (vᴴ a), from the left.
    for (int64_t i = 0; i < count; ++i)
      addScaled(w, conjugate(v.get(i)), rowOf(a, first + i).from(first), count);
    for (int64_t i = 0; i < count; ++i)
      addScaled(rowOf(a, first + i).from(first),
                -(conjugate(factor) * v.get(i)), w, count);
    // a -= tau (a v) vᴴ, from the right, row by row.
    for (int64_t i = 0; i < count; ++i)
      v.set(i, conjugate(v.get(i)));
    for (int64_t i = 0; i < n; ++i) {
      Row<S> row = rowOf(a, i).from(first);
      addScaled(row, -(factor * innerProduct(v, row, count)), v, count);
    }
  }
}

/// Makes of a reduced matrix H, with zeros below the subdiagonal, and of
/// `adjoint` Qᴴ.
template <typename S>
__attribute__((noinline)) void
separateHessenberg(Matrix<S> a, int64_t n, Row<S> taus, Matrix<S> adjoint,
                   Pieces<PartOf<S>> pieces) {
  setIdentity(adjoint, n, n);
  if (n > 1)
    applyReflectors(a.from(1, 0), taus, n - 1, adjoint.from(1, 1), n - 1, n - 1,
                    true, pieces);
  for (int64_t i = 0; i < n; ++i) {
    adjoint.set(i, i, conjugate(adjoint.get(i, i)));
    for (int64_t j = 0; j < i; ++j) {
      S value = adjoint.get(i, j);
      adjoint.set(i, j, conjugate(adjoint.get(j, i)));
      adjoint.set(j, i, conjugate(value));
      if (j + 1 < i)
        a.set(i, j, S{});
    }
  }
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_HESSENBERG_H
