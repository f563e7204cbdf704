// Products of matrices whose bits do not depend on the processor.

#include "Matmul.h"

#include <cstring>

using namespace heddle;
using namespace heddle::reference;

#ifdef __clang__
#pragma clang fp contract(off)
#endif

// On x86-64 the loop over doubles is compiled for wide vectors too. Products
// and sums round separately everywhere, so that all versions give the same
// bits.
#if defined(__x86_64__) && defined(__clang__)
#define HEDDLE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HEDDLE_WIDE
#endif

/// Rows and columns of c that one call keeps in registers.
static constexpr int64_t kRows = 4, kColumns = 16;

#define HEDDLE_TILE(name, T)                                                   \
  HEDDLE_WIDE static void name(int64_t n, int64_t k, int64_t depth,            \
                               const T *a, const T *b, T *c) {                 \
    T sums[kRows][kColumns];                                                   \
    for (int64_t i = 0; i < kRows; ++i)                                        \
      for (int64_t j = 0; j < kColumns; ++j)                                   \
        sums[i][j] = c[i * n + j];                                             \
    for (int64_t l = 0; l < depth; ++l)                                        \
      for (int64_t i = 0; i < kRows; ++i)                                      \
        for (int64_t j = 0; j < kColumns; ++j)                                 \
          sums[i][j] += a[i * k + l] * b[l * n + j];                           \
    for (int64_t i = 0; i < kRows; ++i)                                        \
      for (int64_t j = 0; j < kColumns; ++j)                                   \
        c[i * n + j] = sums[i][j];                                             \
  }
// A macro, because the versions of a template's function cannot be chosen at
// load time.
HEDDLE_TILE(tile, double)
HEDDLE_TILE(tile, float)
#undef HEDDLE_TILE

/// The rows [begin, end) of c.
template <typename T>
static void plainRows(int64_t begin, int64_t end, int64_t from, int64_t n,
                      int64_t k, const T *a, const T *b, T *c) {
  for (int64_t i = begin; i < end; ++i)
    for (int64_t l = 0; l < k; ++l) {
      T factor = a[i * k + l];
      for (int64_t j = from; j < n; ++j)
        c[i * n + j] += factor * b[l * n + j];
    }
}

template <typename T>
static void multiplyTiled(unsigned threads, int64_t m, int64_t n, int64_t k,
                          const T *a, const T *b, T *c) {
  int64_t wide = n - n % kColumns;
  // Rows of b that stay in the cache while all rows of a pass.
  constexpr int64_t kDepth = 256;
  int64_t grain =
      std::max<int64_t>(kRows, (1 << 22) / std::max<int64_t>(n * k, 1));
  grain = (grain + kRows - 1) / kRows * kRows;
  parallelFor(threads, m, grain, [&](int64_t begin, int64_t end) {
    int64_t tall = begin + (end - begin) / kRows * kRows;
    for (int64_t l = 0; l < k; l += kDepth)
      for (int64_t j = 0; j < wide; j += kColumns)
        for (int64_t i = begin; i < tall; i += kRows)
          tile(n, k, std::min(kDepth, k - l), a + i * k + l, b + l * n + j,
               c + i * n + j);
    plainRows(begin, tall, wide, n, k, a, b, c);
    plainRows<T>(tall, end, 0, n, k, a, b, c);
  });
}

template <typename T>
static void multiplyPlainly(unsigned threads, int64_t m, int64_t n, int64_t k,
                            const T *a, const T *b, T *c) {
  parallelFor(threads, m, 64, [&](int64_t begin, int64_t end) {
    plainRows(begin, end, 0, n, k, a, b, c);
  });
}

void reference::multiplyMatrices(unsigned threads, int64_t m, int64_t n,
                                 int64_t k, const double *a, const double *b,
                                 double *c) {
  multiplyTiled(threads, m, n, k, a, b, c);
}
void reference::multiplyMatrices(unsigned threads, int64_t m, int64_t n,
                                 int64_t k, const float *a, const float *b,
                                 float *c) {
  multiplyTiled(threads, m, n, k, a, b, c);
}
void reference::multiplyMatrices(unsigned threads, int64_t m, int64_t n,
                                 int64_t k, const uint64_t *a,
                                 const uint64_t *b, uint64_t *c) {
  multiplyPlainly(threads, m, n, k, a, b, c);
}
void reference::multiplyMatrices(unsigned threads, int64_t m, int64_t n,
                                 int64_t k, const Complex *a, const Complex *b,
                                 Complex *c) {
  multiplyPlainly(threads, m, n, k, a, b, c);
}
void reference::multiplyMatrices(unsigned threads, int64_t m, int64_t n,
                                 int64_t k, const std::complex<float> *a,
                                 const std::complex<float> *b,
                                 std::complex<float> *c) {
  multiplyPlainly(threads, m, n, k, a, b, c);
}

template <typename T>
void reference::loadBox(const HostTensor &tensor, llvm::ArrayRef<int64_t> shape,
                        int64_t offset, llvm::ArrayRef<int64_t> strides,
                        T *values) {
  int64_t count = numElements(shape);
  if (count == 0)
    return;
  int64_t inner = shape.empty() ? 1 : shape.back();
  int64_t step = strides.empty() ? 1 : strides.back();
  if (!shape.empty()) {
    shape = shape.drop_back();
    strides = strides.drop_back();
  }
  IndexWalk rows(shape, strides, offset);
  int64_t offsets[256];
  char bytes[256 * sizeof(Complex)];
  for (int64_t row = 0; row < count / inner; ++row, rows.next()) {
    if (step == 1) {
      loadSummands(tensor.kind(), tensor.element(rows.offset()), inner, values);
      values += inner;
      continue;
    }
    for (int64_t i = 0; i < inner; i += 256) {
      size_t block = std::min<int64_t>(256, inner - i);
      for (size_t l = 0; l < block; ++l)
        offsets[l] = rows.offset() + (i + int64_t(l)) * step;
      gatherElements(tensor.elementBytes(), tensor.bytes().data(), offsets,
                     block, bytes);
      loadSummands(tensor.kind(), bytes, block, values);
      values += block;
    }
  }
}
template <typename T>
void reference::storeSums(ElementKind kind, T *values, size_t count,
                          char *bytes) {
  if constexpr (std::is_same_v<T, uint64_t>)
    if (kind == ElementKind::I1)
      for (size_t i = 0; i < count; ++i)
        values[i] = values[i] != 0;
  if constexpr (std::is_same_v<T, std::complex<float>>) {
    // The kind is this type: withSumType.
    std::memcpy(bytes, values, count * sizeof(T));
  } else if constexpr (std::is_same_v<T, float>) {
    if (kind == ElementKind::F32) {
      std::memcpy(bytes, values, count * sizeof(T));
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      double sum = values[i];
      storeElements(kind, &sum, 1, bytes + i * storedBytes(kind));
    }
  } else {
    storeElements(kind, values, count, bytes);
  }
}
#define HEDDLE_SUMS(T)                                                         \
  template void reference::loadBox(const HostTensor &,                         \
                                   llvm::ArrayRef<int64_t>, int64_t,           \
                                   llvm::ArrayRef<int64_t>, T *);              \
  template void reference::storeSums(ElementKind, T *, size_t, char *);
HEDDLE_SUMS(float)
HEDDLE_SUMS(double)
HEDDLE_SUMS(uint64_t)
HEDDLE_SUMS(Complex)
HEDDLE_SUMS(std::complex<float>)
#undef HEDDLE_SUMS
