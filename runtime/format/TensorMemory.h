// The memory that a call has for tensors whose sizes the program computes.

#ifndef HEDDLE_RUNTIME_FORMAT_TENSORMEMORY_H
#define HEDDLE_RUNTIME_FORMAT_TENSORMEMORY_H

#include "runtime/format/artifact_generated.h"

namespace heddle::format {

/// Of an artifact with outputs whose memory has another shape than they have at
/// the largest counts.
inline constexpr const char *memoryFeature = "output-memory";

/// Expressions of the shape of the memory that a call has for `tensor`, before
/// the program has counted.
inline const flatbuffers::Vector<uint32_t> *memoryShape(const Tensor &tensor) {
  return tensor.memory() ? tensor.memory() : tensor.shape();
}

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_TENSORMEMORY_H
