// Steps at another choice of sizes.

#ifndef HEDDLE_RUNTIME_SIZEDSTEPS_H
#define HEDDLE_RUNTIME_SIZEDSTEPS_H

#include "runtime/format/artifact_generated.h"

#include <vector>

namespace heddle::runtime {

class LoadedProgram;
struct Step;
struct StepReport;
struct Steps;

/// What of a program's steps follows from a call's sizes: the places of buffers
/// in arenas, and numbers.
class SizedSteps {
public:
  /// Of the steps of `program`, which takes whole buffers, on the host alone.
  void find(const format::Program &program, const LoadedProgram &loaded,
            const std::vector<char *> &arenas, Steps &steps);
  /// Of the launches on a device only what follows from counts: `counted` says
  /// of each expression whether it does.
  void findCounted(const format::Program &program, const LoadedProgram &loaded,
                   uint32_t device, std::vector<bool> counted, Steps &steps);
  /// Gives them the values that the plan's expressions have now. Allocates
  /// nothing.
  void update(const std::vector<int64_t> &values) const;
  /// As `runtime::scratchBytes` of the program.
  uint64_t scratchBytes(const std::vector<int64_t> &values) const;

private:
  struct Address {
    void **slot;
    char *start;
    uint32_t offset;
  };
  struct Number {
    int64_t *place;
    int64_t factor;
    uint32_t expression;
  };
  struct Choice {
    Step *step;
    StepReport *report;
    const format::Launch *launch;
  };

  bool changes(uint32_t expression) const;
  void number(uint32_t expression, int64_t &place, int64_t factor = 1);
  void launch(const format::Launch &launch, Step &step, Steps &steps);
  void command(const format::Command &command, Step &step, Steps &steps);
  void choose(const Choice &choice, const std::vector<int64_t> &values) const;

  const format::Program *program = nullptr;
  const LoadedProgram *loaded = nullptr;
  uint32_t device = 0; ///< Whose steps these are.
  const std::vector<char *> *arenas = nullptr;
  /// Of each expression whether a step is told when it changes; empty: all are
  /// but constants.
  std::vector<bool> followed;
  std::vector<Address> addresses;
  std::vector<Number> numbers;
  std::vector<Choice> choices;
  /// Launches that need as much scratch as sizes say, and the most that another
  /// needs.
  std::vector<const format::Launch *> scratches;
  uint64_t fixedScratch = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_SIZEDSTEPS_H
