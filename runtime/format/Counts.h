// Which numbers of launches follow from sizes that the program computes.

#ifndef HEDDLE_RUNTIME_FORMAT_COUNTS_H
#define HEDDLE_RUNTIME_FORMAT_COUNTS_H

#include "runtime/format/ManifestTables.h"

#include <map>
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

/// Goes along with a walk over the commands of a program in their order, and
/// knows which numbers launches are told for the counts that have been passed.
class PassedCounts {
public:
  PassedCounts() = default;
  PassedCounts(const Plan &plan, const Program &program)
      : plan(&plan), counted(symbolsOfCounts(program)),
        followsAny(follow(plan, counted)) {}

  /// `queue` has counted `symbol`. Whether it had not before.
  bool pass(uint32_t symbol, uint32_t queue);
  /// Whether expression `number` follows from a count of the program.
  bool follows(uint32_t number) const {
    return number < followsAny.size() && followsAny[number];
  }
  /// Whether it does, and `queue` has passed all counts that it follows from.
  /// Of the largest ones it may be anything, since the runtime checks it for
  /// those that there are.
  bool isTold(uint32_t number, uint32_t queue) const;

private:
  const Plan *plan = nullptr;
  std::set<int64_t> counted;
  std::vector<bool> followsAny;
  std::set<std::pair<uint32_t, uint32_t>> passed; ///< Symbols and queues.
  /// By queue, once it has counted: which expressions follow from counts that
  /// it has not passed.
  std::map<uint32_t, std::vector<bool>> followsLater;
};

/// The launches on `device` that are told counts, by the symbol of the last
/// count there before each: what they are told by then is what they run with.
/// Between two counts a number may be no proper one, since it follows from one
/// that is known and the largest that the other can be.
std::map<uint32_t, std::vector<const Launch *>>
launchesByLastCount(const Plan &plan, const Program &program, uint32_t device);

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
