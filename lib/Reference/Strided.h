// Boxes of elements with strides: most of what moves data is one copy of such a
// box.

#ifndef HEDDLE_LIB_REFERENCE_STRIDED_H
#define HEDDLE_LIB_REFERENCE_STRIDED_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace heddle::reference {

using Extents = llvm::SmallVector<int64_t, 6>;

/// Elements from one index to the next, per dimension.
Extents rowMajorStrides(llvm::ArrayRef<int64_t> shape);
int64_t numElements(llvm::ArrayRef<int64_t> shape);

/// Walks all indices of a shape in row-major order, with the linear offset that
/// `strides` gives each.
class IndexWalk {
public:
  IndexWalk(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
            int64_t start = 0)
      : shape(shape.begin(), shape.end()),
        strides(strides.begin(), strides.end()), index(shape.size(), 0),
        linear(start) {}

  int64_t offset() const { return linear; }
  llvm::ArrayRef<int64_t> indices() const { return index; }
  void next() {
    for (size_t d = shape.size(); d-- > 0;) {
      linear += strides[d];
      if (++index[d] < shape[d])
        return;
      linear -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  /// Jumps to the index with this row-major position.
  void seek(int64_t position, int64_t start = 0) {
    linear = start;
    for (size_t d = shape.size(); d-- > 0;) {
      index[d] = position % shape[d];
      position /= shape[d];
      linear += index[d] * strides[d];
    }
  }

private:
  Extents shape, strides, index;
  int64_t linear;
};

/// Copies the elements of `shape` from `from + fromOffset` to `to + toOffset`,
/// offsets and strides in elements of `width` bytes; strides may be 0 or
/// negative.
void copyBox(unsigned width, llvm::ArrayRef<int64_t> shape, const char *from,
             int64_t fromOffset, llvm::ArrayRef<int64_t> fromStrides, char *to,
             int64_t toOffset, llvm::ArrayRef<int64_t> toStrides);

/// Gathers `count` elements of `width` bytes at `offsets` (in elements).
void gatherElements(unsigned width, const char *from, const int64_t *offsets,
                    size_t count, char *to);

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_STRIDED_H
