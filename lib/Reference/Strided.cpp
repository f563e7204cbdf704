// Copies boxes of elements between strided places.

#include "Strided.h"

#include <cstring>

using namespace heddle::reference;

Extents heddle::reference::rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  Extents strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

int64_t heddle::reference::numElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

namespace {
struct Pair {
  uint64_t parts[2];
};
} // namespace

/// Calls `copy` with a value of the type that an element is moved as.
template <typename F> static void withWidth(unsigned width, F copy) {
  switch (width) {
  case 1:
    return copy(uint8_t());
  case 2:
    return copy(uint16_t());
  case 4:
    return copy(uint32_t());
  case 8:
    return copy(uint64_t());
  default:
    return copy(Pair());
  }
}

void heddle::reference::copyBox(unsigned width, llvm::ArrayRef<int64_t> shape,
                                const char *from, int64_t fromOffset,
                                llvm::ArrayRef<int64_t> fromStrides, char *to,
                                int64_t toOffset,
                                llvm::ArrayRef<int64_t> toStrides) {
  if (numElements(shape) == 0)
    return;
  int64_t inner = 1, fromStep = 1, toStep = 1;
  if (!shape.empty()) {
    inner = shape.back();
    fromStep = fromStrides.back();
    toStep = toStrides.back();
    shape = shape.drop_back();
    fromStrides = fromStrides.drop_back();
    toStrides = toStrides.drop_back();
  }
  int64_t rows = numElements(shape);
  IndexWalk source(shape, fromStrides, fromOffset);
  IndexWalk target(shape, toStrides, toOffset);
  withWidth(width, [&](auto element) {
    using T = decltype(element);
    for (int64_t row = 0; row < rows; ++row, source.next(), target.next()) {
      const char *in = from + source.offset() * int64_t(sizeof(T));
      char *out = to + target.offset() * int64_t(sizeof(T));
      if (fromStep == 1 && toStep == 1) {
        std::memcpy(out, in, inner * sizeof(T));
        continue;
      }
      for (int64_t i = 0; i < inner; ++i) {
        T value;
        std::memcpy(&value, in + i * fromStep * int64_t(sizeof(T)), sizeof(T));
        std::memcpy(out + i * toStep * int64_t(sizeof(T)), &value, sizeof(T));
      }
    }
  });
}

void heddle::reference::gatherElements(unsigned width, const char *from,
                                       const int64_t *offsets, size_t count,
                                       char *to) {
  withWidth(width, [&](auto element) {
    using T = decltype(element);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(to + i * sizeof(T), from + offsets[i] * int64_t(sizeof(T)),
                  sizeof(T));
  });
}
