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
                      const float *a, const float *b, float *c);
void multiplyMatrices(unsigned threads, int64_t m, int64_t n, int64_t k,
                      const uint64_t *a, const uint64_t *b, uint64_t *c);
void multiplyMatrices(unsigned threads, int64_t m, int64_t n, int64_t k,
                      const Complex *a, const Complex *b, Complex *c);
void multiplyMatrices(unsigned threads, int64_t m, int64_t n, int64_t k,
                      const std::complex<float> *a,
                      const std::complex<float> *b, std::complex<float> *c);

/// Elements as the types that sums are taken in; the narrow ones by way of the
/// wide ones.
template <typename T>
void loadSummands(ElementKind kind, const char *bytes, size_t count,
                  T *values) {
  if constexpr (std::is_same_v<T, float> ||
                std::is_same_v<T, std::complex<float>>) {
    using Wide = std::conditional_t<std::is_same_v<T, float>, double, Complex>;
    Wide block[128];
    for (size_t i = 0; i < count; i += 128) {
      size_t part = std::min<size_t>(128, count - i);
      loadElements(kind, bytes + i * storedBytes(kind), part, block);
      for (size_t l = 0; l < part; ++l)
        values[i + l] = T(block[l]);
    }
  } else {
    loadElements(kind, bytes, count, values);
  }
}

/// Elements of a box of `tensor` (offset and strides in elements) as T, dense.
template <typename T>
void loadBox(const HostTensor &tensor, llvm::ArrayRef<int64_t> shape,
             int64_t offset, llvm::ArrayRef<int64_t> strides, T *values);

/// Stores sums; booleans are "any", not the low bit of a count.
template <typename T>
void storeSums(ElementKind kind, T *values, size_t count, char *bytes);

/// Calls `body` with a value of the type that products of `kind` are summed in:
/// f32 and complex<f32> in themselves, other floats in double, and integers,
/// which wrap alike with and without sign, in uint64_t.
template <typename F>
llvm::LogicalResult withSumType(ElementKind kind, F body) {
  switch (elementClass(kind)) {
  case ElementClass::Float:
    return kind == ElementKind::F32 ? body(float()) : body(double());
  case ElementClass::Complex:
    return kind == ElementKind::C64 ? body(std::complex<float>())
                                    : body(Complex());
  default:
    return body(uint64_t());
  }
}

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_MATMUL_H
