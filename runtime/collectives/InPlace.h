// Collectives of ranks that can read each other's memory.

#ifndef HEDDLE_RUNTIME_COLLECTIVES_INPLACE_H
#define HEDDLE_RUNTIME_COLLECTIVES_INPLACE_H

#include "runtime/collectives/engine.h"

namespace heddle::runtime {

/// Where a rank's tensors of a collective lie: all that read them have them at
/// this address.
struct InPlaceRank {
  const char *source;
  char *target;
};

/// One rank's part in a collective, as an engine is given it.
struct CollectivePart {
  uint32_t rank;
  const heddle_collective &collective;
  const void *source;
  void *target;
  uint64_t deadlineNs;   ///< CLOCK_MONOTONIC; 0: none.
  const int32_t *cancel; ///< Not 0: waits end; may be null.
  heddle_status *why;
};

/// How a rank waits for the others of its group in a collective.
class Meeting {
public:
  /// Returns when all members have come to this phase, or with an error's code.
  virtual int32_t meet(const CollectivePart &part, uint32_t phase) = 0;

protected:
  ~Meeting() = default;
};

/// One rank's part in a collective: writes its tensors to `ranks`, where all of
/// the group find them, and moves and joins what lies there. Meets the others
/// at each phase.
int32_t runInPlace(InPlaceRank *ranks, const CollectivePart &part,
                   Meeting &meeting);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COLLECTIVES_INPLACE_H
