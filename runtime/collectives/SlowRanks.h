// When a rank is slow: it has not ended, and others wait for it.

#ifndef HEDDLE_RUNTIME_COLLECTIVES_SLOWRANKS_H
#define HEDDLE_RUNTIME_COLLECTIVES_SLOWRANKS_H

#include "runtime/format/Error.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace heddle::runtime {

/// Whom a call tells of ranks that are slow, as heddle_ranks_options says it.
struct SlowReport {
  uint64_t leastNs = 0; ///< Shorter waits are none.
  /// Null: nobody is told.
  void (*tell)(void *user, uint32_t rank, uint64_t waitedNs) = nullptr;
  void *user = nullptr;
};

/// How long others have waited for a rank when it counts as slow. They took
/// `workedNs` themselves to come to where they wait, so that it takes ten times
/// as long then.
inline uint64_t slowAfterNs(uint64_t leastNs, uint64_t workedNs) {
  return std::max(leastNs, 9 * workedNs);
}

/// The end of a wait, and that it was one for `rank`.
inline format::Error whileWaitingFor(uint32_t rank, const format::Error &over) {
  return {over.code(),
          over.message() + " while it waited for rank " + std::to_string(rank)};
}

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COLLECTIVES_SLOWRANKS_H
