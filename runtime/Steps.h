//===- Steps.h - A plan, ready to be walked --------------------*- C++ -*-===//

#ifndef HEDDLE_RUNTIME_STEPS_H
#define HEDDLE_RUNTIME_STEPS_H

#include "runtime/CustomCalls.h"
#include "runtime/drivers/driver.h"
#include "runtime/format/Layout.h"

#include <memory>
#include <vector>

namespace heddle::runtime {

/// What kernels are, by their numbers: code, or functions that were registered.
struct Kernels {
  const std::vector<const heddle_driver_kernel *> &code;
  const std::vector<BoundCall> &customCalls;
};

/// The values of all expressions.
struct Values {
  const std::vector<int64_t> &plan;
  const std::vector<int64_t> &manifest;
};

/// Where the memories of a call start.
struct Memories {
  char *arena = nullptr;
  char *persistent = nullptr;
  const std::vector<const char *> *weights = nullptr;
};

/// One command with all expressions evaluated and all pointers made.
struct Step {
  enum class Kind : uint8_t { command, branch, loop, customCall };

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
  uint32_t call = 0;       ///< customCall: in Steps::calls.
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
    uint32_t tensor; ///< Inputs, then outputs.
    int64_t offset;
  };

  std::vector<Step> steps;
  std::vector<Block> blocks;
  std::vector<uint32_t> targets;
  std::vector<void *> slots;
  std::vector<int64_t> integers;
  std::vector<Patch> patches;
  std::vector<StepReport> reports;
  std::vector<const char *> nodes;
  std::vector<std::unique_ptr<CustomCallStep>> calls;
  uint32_t body = 0;

  /// Makes the steps of a verified program. `inputs` is how many inputs its
  /// entry has.
  void prepare(const format::Program &program, const format::Manifest &manifest,
               const format::Variant &variant, const Kernels &kernels,
               const Values &values, uint32_t inputs, const Memories &memories);

  /// The nodes of the model that a step computes.
  const char *const *nodesOf(const StepReport &report) const {
    return nodes.data() + report.firstNode;
  }
};

/// The bytes of the program's arena, a multiple of a page, when the plan's
/// expressions have these values. The cpu has one memory, so there is one arena
/// at most.
uint64_t arenaBytes(const format::Program &program,
                    const std::vector<int64_t> &values);

/// The most scratch that a kernel of `program` asks for per worker, a multiple
/// of a page so that workers share none.
uint64_t scratchBytes(const format::Program &program,
                      const format::Variant &variant);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_STEPS_H
