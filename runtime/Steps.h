// A plan, ready to be walked.

#ifndef HEDDLE_RUNTIME_STEPS_H
#define HEDDLE_RUNTIME_STEPS_H

#include "runtime/CollectiveSteps.h"
#include "runtime/CountedSteps.h"
#include "runtime/CustomCalls.h"
#include "runtime/Submission.h"

namespace heddle::runtime {

class LoadedProgram;
struct EntrySpec;

/// The values of all expressions.
struct Values {
  const std::vector<int64_t> &plan;
  const std::vector<int64_t> &manifest;
};

/// One command with all expressions evaluated and all pointers made, or what
/// the host does for the devices at this place.
struct Step {
  enum class Kind : uint8_t {
    command,
    customCall,
    branch,
    loop,
    submission, ///< Gives commands to a device's queue.
    eventWait,  ///< Waits for one of a device's events,
    queueWait,  ///< or for all that a queue was given.
    collective, ///< Does something together with other ranks.
    count       ///< Reads a size for the launches that follow.
  };

  Kind kind;
  uint8_t selectorBytes = 0; ///< branch; 0: without a selector.
  uint32_t slots = 0;        ///< The first of its buffers in Steps::slots.
  uint32_t integers = 0;     ///< The first of its integers in Steps::integers.
  /// What its driver is told; `tiles` are trips, or -1, of a loop, and the
  /// value of a branch without a selector.
  heddle_driver_command command = {};
  uint32_t firstBlock = 0; ///< branch: in Steps::targets; loop: its body.
  uint32_t blockCount = 0; ///< branch.
  uint32_t condition = 0;  ///< loop without trips.
  uint32_t call = 0;       ///< customCall: in Steps::calls; collective: in
                           ///< Steps::collectives.
  uint32_t target = 0;     ///< submission, eventWait: in Steps::submissions and
                           ///< Steps::events; queueWait: of the plan's
                           ///< queues; count: of the manifest's symbols.
  uint32_t report = 0;     ///< In Steps::reports.
};

/// What is told about a step, apart because a call does not need it.
struct StepReport {
  const char *name;
  int64_t operations;
  int64_t traffic;
  uint32_t firstNode; ///< In Steps::nodes.
  uint32_t nodeCount;
  uint32_t block;
  uint32_t command;
};

/// A program of the plan for given extents.
struct Steps {
  struct Block {
    uint32_t first; ///< In `steps`.
    uint32_t count;
  };
  /// A slot that is set by each call.
  struct Patch {
    uint32_t slot;
    uint32_t tensor; ///< Inputs, then outputs, then states.
    int64_t offset;
  };

  std::vector<Step> steps;
  std::vector<Block> blocks;
  std::vector<uint32_t> targets;
  std::vector<void *> slots;
  std::vector<heddle_driver_use> uses; ///< Of the slots, if there are devices.
  std::vector<int64_t> integers;
  std::vector<Patch> patches;
  std::vector<StepReport> reports;
  std::vector<const char *> nodes;
  std::vector<std::unique_ptr<CustomCallStep>> calls;
  std::vector<std::unique_ptr<CollectiveStep>> collectives;
  /// By device; null where its queues count nothing.
  std::vector<std::unique_ptr<CountedSteps>> counts;
  /// Of the counts in queues of other devices than the host.
  std::vector<std::unique_ptr<QueueCount>> queueCounts;
  RankSeat seat; ///< Whose steps these are.
  uint32_t body = 0;

  const DeviceQueues *queues = nullptr;
  std::vector<DeviceEvent> events;
  std::vector<std::unique_ptr<Submission>> submissions;
  std::vector<Step> submitted; ///< The steps of all submissions in turn;
  std::vector<uint32_t> firstSubmitted; ///< the first one's place of each.
  /// Where the host reads flags that lie in a device's own memory.
  std::vector<std::unique_ptr<int64_t>> flags;

  /// Makes the steps of a verified program. `arenas` are where its arenas
  /// start; `entry` is null for init.
  Error prepare(const format::Program &program, const LoadedProgram &loaded,
                const Values &values, const EntrySpec *entry,
                const std::vector<char *> &arenas, const DeviceQueues &queues,
                const RankSeat &seat = {});

  /// The nodes of the model that a step computes.
  const char *const *nodesOf(const StepReport &report) const {
    return nodes.data() + report.firstNode;
  }
};

/// The most scratch that a launch of `program` asks for per worker of the host
/// when the plan's expressions have these values, a multiple of a page so that
/// workers share none. A number that the verifier would reject counts as the
/// kernel's.
uint64_t scratchBytes(const format::Program &program,
                      const format::Variant &variant,
                      const std::vector<int64_t> &values);
/// The same of one launch, in bytes.
uint64_t scratchBytes(const format::Launch &launch,
                      const format::Variant &variant,
                      const std::vector<int64_t> &values);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_STEPS_H
