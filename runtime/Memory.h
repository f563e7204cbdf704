// Memory mapped from the system, its kind and its release.

#ifndef HEDDLE_RUNTIME_MEMORY_H
#define HEDDLE_RUNTIME_MEMORY_H

#include "runtime/format/Error.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace heddle::runtime {

using format::Error;

/// Anonymous memory of its own, in huge pages when that is worth it.
class Region {
public:
  Region() = default;
  Region(Region &&other) noexcept { swap(other); }
  Region &operator=(Region &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Region();

  /// Zeroed memory, aligned to a page, or to a huge page if it fills some.
  /// With `touch` its pages are there at once, so that no later access faults.
  /// HEDDLE_OUT_OF_MEMORY for more than system and control groups have left,
  /// before any of it is touched.
  Error allocate(size_t bytes, bool touch, const char *what);

  char *data() const { return start; }
  size_t size() const { return bytes; }

private:
  void swap(Region &other) {
    std::swap(mapping, other.mapping);
    std::swap(mappedBytes, other.mappedBytes);
    std::swap(start, other.start);
    std::swap(bytes, other.bytes);
  }

  void *mapping = nullptr;
  size_t mappedBytes = 0;
  char *start = nullptr;
  size_t bytes = 0;
};

/// Maps the pages of [data, data + bytes) now, or says that there is no memory
/// for them, which their first use could not. `what` is for the message.
Error prefault(const void *data, size_t bytes, bool forWriting,
               const char *what);

/// Maps those pages of a mapped file that are in memory already, so that no
/// later access faults for them; reads nothing from a disk. Where the system
/// does not tell which are (files that the process could not write), all are
/// mapped.
void prefaultCached(const void *data, size_t bytes);

/// Bytes of a page of this system.
size_t systemPageBytes();

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_MEMORY_H
