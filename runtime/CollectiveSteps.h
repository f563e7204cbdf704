// Collectives of a plan, as one rank runs them.

#ifndef HEDDLE_RUNTIME_COLLECTIVESTEPS_H
#define HEDDLE_RUNTIME_COLLECTIVESTEPS_H

#include "runtime/collectives/engine.h"
#include "runtime/format/artifact_generated.h"

#include <vector>

namespace heddle::runtime {

/// Which of several ranks somebody is, and how it meets the others. Without a
/// world there is one rank alone.
struct RankSeat {
  const heddle_collective_engine *engine = nullptr;
  heddle_collective_world *world = nullptr;
  uint32_t rank = 0;
  uint32_t count = 1;
};

/// What an engine is told of a collective. Stays where it is: `command` points
/// into it.
struct CollectiveStep {
  /// `values` are those of the plan's expressions, `site` is the command's
  /// number in the program. The plan verifier has accepted the table.
  CollectiveStep(const format::Collective &collective,
                 const std::vector<int64_t> &values, const RankSeat &seat,
                 int64_t sourceBytes, uint32_t site);
  CollectiveStep(const CollectiveStep &) = delete;
  CollectiveStep &operator=(const CollectiveStep &) = delete;

  heddle_collective command = {};
  std::vector<uint32_t> members;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COLLECTIVESTEPS_H
