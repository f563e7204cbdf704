// Processes that a launcher started together, of which this is one.

#ifndef HEDDLE_RUNTIME_LAUNCHEDGROUP_H
#define HEDDLE_RUNTIME_LAUNCHEDGROUP_H

#include "runtime/Turn.h"
#include "runtime/collectives/MessageWorld.h"
#include "runtime/format/Layout.h"

#include <memory>

namespace heddle::runtime {

class LaunchedGroup {
public:
  static Error join(const heddle_group_options &options,
                    std::shared_ptr<LaunchedGroup> &joined);

  uint32_t rank() const { return transport->rank(); }
  uint32_t count() const { return transport->count(); }
  /// All ranks come here, and get the first error of one; that some have
  /// another artifact than the first, which `hash` tells, another of its
  /// entries, or other calls in mind is one, too.
  Error agree(const Error &own, const format::Hash &hash, uint64_t entry,
              bool hasOwnCalls);
  Error leave();

  /// Who exchanges messages takes a Turn; where there is none, the group is
  /// `inUse`.
  std::atomic<bool> busy{false};
  static Error inUse();

  /// Sends and receives.
  std::unique_ptr<Transport> transport;
  std::unique_ptr<MessageWorld> world;

private:
  /// What a rank says of itself.
  struct Vote {
    heddle_status status;
    uint64_t hash[2];
    uint64_t entry;
    uint64_t hasOwnCalls; ///< Whether each process calls, or the first.
  };
  Error verdict(const std::vector<Vote> &votes) const;
};

} // namespace heddle::runtime

/// What callers hold.
struct heddle_group {
  std::shared_ptr<heddle::runtime::LaunchedGroup> group;
};

#endif // HEDDLE_RUNTIME_LAUNCHEDGROUP_H
