// Dense products in the types that the interpreter computes in.

#ifndef HEDDLE_LIB_REFERENCE_MATMUL_H
#define HEDDLE_LIB_REFERENCE_MATMUL_H

#include "Evaluator.h"

namespace heddle::reference {

/// c[m][n] += a[m][k] * b[k][n], all dense and row-major; every sum runs over k
/// in ascending order.
void multiplyMatrices(unsigned threads, int64_t m, int64_t n, int64_t k,
                      const double *a, const double *b, double *c);
void multiplyMatrices(unsigned threads, int64_t m, int64_t n, int64_t k,
                      const uint64_t *a, const uint64_t *b, uint64_t *c);
void multiplyMatrices(unsigned threads, int64_t m, int64_t n, int64_t k,
                      const Complex *a, const Complex *b, Complex *c);

/// Elements of a box of `tensor` (offset and strides in elements) as T, dense.
template <typename T>
void loadBox(const HostTensor &tensor, llvm::ArrayRef<int64_t> shape,
             int64_t offset, llvm::ArrayRef<int64_t> strides, T *values);

/// Stores sums; booleans are "any", not the low bit of a count.
template <typename T>
void storeSums(ElementKind kind, T *values, size_t count, char *bytes);

/// Calls `body` with a value of the type that products of `kind` are summed in:
/// double, uint64_t (integers wrap alike with and without sign) or Complex.
template <typename F>
llvm::LogicalResult withSumType(ElementKind kind, F body) {
  switch (elementClass(kind)) {
  case ElementClass::Float:
    return body(double());
  case ElementClass::Complex:
    return body(Complex());
  default:
    return body(uint64_t());
  }
}

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_MATMUL_H
