// Which numbers of launches follow from sizes that the program computes.

#ifndef HEDDLE_RUNTIME_FORMAT_COUNTS_H
#define HEDDLE_RUNTIME_FORMAT_COUNTS_H

#include "runtime/format/ManifestTables.h"

#include <set>
#include <vector>

namespace heddle::format {

/// Of a variant with counts in queues of other devices than the cpu.
inline constexpr char deviceCountsFeature[] = "device-counts";

/// Of each expression of the plan whether it looks at a symbol that a command
/// of the outermost block of `program` counts. Empty where there is no such
/// command.
std::vector<bool> followFromCounts(const Plan &plan, const Program &program);

/// The same of symbols that are given by their numbers.
std::vector<bool> follow(const Plan &plan, const std::set<int64_t> &symbols);

/// The symbols that commands of the outermost block of `program` count.
std::set<int64_t> symbolsOfCounts(const Program &program);

/// The device whose queue a command is in.
inline uint32_t deviceOf(const Plan &plan, const Command &command) {
  return plan.queues()->Get(command.queue())->device();
}

/// Calls `visit` for the expressions of a launch that may follow from counts:
/// those of its buffers may not.
template <typename Visit>
void forEachNumber(const Launch &launch, Visit visit) {
  for (uint32_t i = 0; i < length(launch.integers()); ++i)
    visit(launch.integers()->Get(i));
  for (uint32_t number :
       {launch.tiles(), launch.chunk(), launch.selector(), launch.scratch(),
        launch.operations(), launch.traffic()})
    if (number != none)
      visit(number);
}

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_COUNTS_H
