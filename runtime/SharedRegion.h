// Memory that a process shares with those that it forks, and waiting there.

#ifndef HEDDLE_RUNTIME_SHAREDREGION_H
#define HEDDLE_RUNTIME_SHAREDREGION_H

#include "runtime/format/Error.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

using format::Error;

/// Zeroed memory at one address in this process and in those that it forks.
class SharedRegion {
public:
  SharedRegion() = default;
  SharedRegion(const SharedRegion &) = delete;
  SharedRegion &operator=(const SharedRegion &) = delete;
  ~SharedRegion();

  /// `what` is for the message.
  Error allocate(size_t bytes, const char *what);
  char *data() const { return start; }

private:
  char *start = nullptr;
  size_t bytes = 0;
};

/// Waits until somebody wakes who waits at `word`; returns at once where it is
/// not `seen` any more, and now and then for nothing. False when `nanoseconds`
/// have passed.
bool waitShared(std::atomic<uint32_t> &word, uint32_t seen,
                uint64_t nanoseconds);

/// Changes `word` and wakes all that wait there.
void wakeShared(std::atomic<uint32_t> &word);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_SHAREDREGION_H
