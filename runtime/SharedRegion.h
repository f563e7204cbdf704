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

/// Lies in shared memory: processes wait there until another wakes them.
class SharedSignal {
public:
  uint32_t value() const { return word.load(std::memory_order_seq_cst); }
  /// Returns when somebody has woken all since the value was `seen`, or when
  /// the deadline (CLOCK_MONOTONIC; 0: none) has passed, and now and then for
  /// nothing. Looks for `spinNs` before it sleeps.
  void wait(uint32_t seen, uint64_t spinNs, uint64_t deadlineNs);
  /// Wakes all that wait.
  void wake();

private:
  std::atomic<uint32_t> word{0};
  std::atomic<uint32_t> sleepers{0}; ///< Those that ended asleep stay counted.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_SHAREDREGION_H
