// Scratch memory of routines.
//
// What the functions of lib/Codegen/Freestanding ask of their caller: read by
// these functions and by the compiler, so that both mean the same.

#ifndef HEDDLE_DIALECTS_KERNEL_ROUTINESCRATCH_H
#define HEDDLE_DIALECTS_KERNEL_ROUTINESCRATCH_H

#include <stdint.h>

namespace heddle::routine {

/// Blocks of matrix products: depth, rows and columns packed at a time.
inline constexpr int64_t kProductDepth = 256;
inline constexpr int64_t kProductRows = 96;
inline constexpr int64_t kProductColumns = 512;
/// Triangles of at most so many rows are solved element by element, for so many
/// columns at a time.
inline constexpr int64_t kTriangleRows = 32;
inline constexpr int64_t kTriangleColumns = 64;
/// Columns of a triangular system that are a tile.
inline constexpr int64_t kSolveColumns = 128;

/// Columns that LU and QR factorizations take at a time.
inline constexpr int64_t kPanelColumns = 32;

constexpr int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t roundUp(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

/// Elements for packing the operands of products of at most m x n x k.
constexpr int64_t productScratch(int64_t m, int64_t n, int64_t k) {
  int64_t depth = smaller(k, kProductDepth);
  // Panels are filled up to a multiple of what a register tile takes.
  return roundUp(smaller(m, kProductRows) + 16, 16) * depth +
         roundUp(smaller(n, kProductColumns) + 32, 16) * depth;
}

/// Elements for a triangle that is solved for some columns.
constexpr int64_t triangleScratch() {
  return 2 * kTriangleRows * kTriangleColumns;
}

/// Elements of scratch memory, whatever their type.
constexpr int64_t choleskyScratch(int64_t n) {
  return productScratch(n, n, n) + triangleScratch();
}
constexpr int64_t triangularSolveScratch(int64_t n, int64_t columns) {
  // The sides of a product may change places.
  return productScratch(n, columns, n) + productScratch(columns, n, n) +
         triangleScratch();
}
constexpr int64_t luScratch(int64_t m, int64_t n) {
  return triangleScratch() + productScratch(m, n, kPanelColumns) +
         productScratch(n, m, kPanelColumns);
}
/// Blocks of reflectors on a matrix of m x n, complex ones included.
constexpr int64_t reflectorScratch(int64_t m, int64_t n) {
  return 2 * kPanelColumns * (m + kPanelColumns + 2 * n) + 128 +
         productScratch(kPanelColumns, n, m) +
         productScratch(n, kPanelColumns, m) +
         productScratch(m, n, kPanelColumns) +
         productScratch(n, m, kPanelColumns);
}
constexpr int64_t eighScratch(int64_t n) {
  return 3 * n * n + 48 * n + 288 + reflectorScratch(n, n);
}
constexpr int64_t reductionScratch(int64_t n) { return 10 * n + 128; }
constexpr int64_t schurScratch(int64_t n) {
  return 6 * n + 128 + reflectorScratch(n, n);
}
/// In doubles, also for single precision.
constexpr int64_t eigScratch(int64_t n) {
  return 10 * n * n + 11 * n + 288 + reflectorScratch(n, n) +
         productScratch(n, n, n);
}
constexpr int64_t svdScratch(int64_t m, int64_t n, bool vectors, bool full) {
  int64_t length = m > n ? m : n, count = smaller(m, n);
  int64_t columns = full ? length : count;
  int64_t values = 2 * length * count + 18 * count + 512;
  return vectors ? values + count * (4 * count + 64) + 2 * length * columns +
                       reflectorScratch(length, columns) +
                       reflectorScratch(count, count)
                 : values;
}

} // namespace heddle::routine

#endif // HEDDLE_DIALECTS_KERNEL_ROUTINESCRATCH_H
