// The clock that calls and steps are timed by.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_CLOCK_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_CLOCK_H

#include <cstdint>
#include <ctime>

namespace heddle::runtime {

/// Nanoseconds of CLOCK_MONOTONIC.
inline uint64_t monotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<uint64_t>(now.tv_nsec);
}

/// The earlier of two times, of which 0 is never.
inline uint64_t earlier(uint64_t one, uint64_t other) {
  return !one || (other && other < one) ? other : one;
}

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_CLOCK_H
