// The ranks that run one program together, whatever they are.

#ifndef HEDDLE_RUNTIME_RANKGROUP_H
#define HEDDLE_RUNTIME_RANKGROUP_H

#include "runtime/RankParts.h"
#include "runtime/RankTensors.h"
#include "runtime/Turn.h"
#include "runtime/collectives/SlowRanks.h"

#include <memory>

namespace heddle::runtime {

/// All ranks of an entry. Only one call is made at a time.
class RankGroup {
public:
  RankGroup(std::shared_ptr<LoadedProgram> program, size_t entry);
  virtual ~RankGroup() = default;
  RankGroup(const RankGroup &) = delete;
  RankGroup &operator=(const RankGroup &) = delete;

  /// Those of the engine that the options name.
  static Error make(std::shared_ptr<LoadedProgram> program, size_t entry,
                    const heddle_ranks_options &options,
                    std::unique_ptr<RankGroup> &group);

  /// Of a rank that others call: does so until they call no more.
  virtual Error serveCalls();

  Error call(const RankTensorList &inputs, const RankTensorList &outputs,
             const heddle_call_options &options);
  /// Of the ranks of a group: all call, each with its own parts.
  Error callOwn(const heddle_tensor *const *inputs, size_t inputCount,
                const heddle_tensor *const *outputs, size_t outputCount,
                const heddle_call_options &options);
  /// How many threads each rank has.
  virtual size_t threads() const = 0;

protected:
  /// Makes the ranks, each with so many threads.
  virtual Error create(uint32_t threads) = 0;
  /// Before a call is looked at: whether there can be one.
  virtual Error checkReady(const heddle_call_options &options) = 0;
  /// Lets all ranks run, with `tensors`.
  virtual Error run(const heddle_call_options &options) = 0;
  /// Lets the one of this process run.
  virtual Error runOwn(const heddle_tensor *const *inputs, size_t inputCount,
                       const heddle_tensor *const *outputs, size_t outputCount,
                       const heddle_call_options &options);

  /// Calls `body` where there is no other call.
  template <typename Body>
  Error callOnce(const heddle_call_options &options, Body body) {
    Turn turn(busy);
    if (!turn)
      return {HEDDLE_CONTEXT_BUSY, "the ranks are in another call"};
    if (options.state_count || options.size_count)
      return {HEDDLE_ARGUMENT_INVALID, "ranks take no states and no sizes"};
    return body();
  }

  /// That of the rank that failed, not of those that waited for it.
  /// `outcomeOf(rank)` is a heddle_status.
  template <typename Outcome> Error outcomeOfAll(Outcome outcomeOf) const {
    const heddle_status *failed = nullptr;
    uint32_t who = 0;
    for (uint32_t rank = 0; rank < parts.ranks(); ++rank) {
      const heddle_status &outcome = outcomeOf(rank);
      if (outcome.code && (!failed || (failed->code == HEDDLE_RANK_FAILED &&
                                       outcome.code != HEDDLE_RANK_FAILED))) {
        failed = &outcome;
        who = rank;
      }
    }
    if (!failed)
      return {};
    auto code = static_cast<heddle_code>(failed->code);
    return {code, code == HEDDLE_RANK_FAILED
                      ? failed->message
                      : "rank " + std::to_string(who) + ": " + failed->message};
  }

  std::shared_ptr<LoadedProgram> program;
  size_t entryIndex;
  const EntrySpec &entry;
  RankParts parts;
  RankTensors tensors; ///< Of a call.
  SlowReport slow;     ///< Set before the ranks are created.
  std::atomic<bool> busy{false};
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_RANKGROUP_H
