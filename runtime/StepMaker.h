// Commands of a plan become steps.

#ifndef HEDDLE_RUNTIME_STEPMAKER_H
#define HEDDLE_RUNTIME_STEPMAKER_H

#include "runtime/LoadedProgram.h"
#include "runtime/Steps.h"

namespace heddle::runtime {

/// The kernel that the call's extents select.
uint32_t chosenKernel(const format::Launch &launch,
                      const std::vector<int64_t> &values);

/// Evaluates the commands of a program, and adds slots, integers and reports of
/// each to `out`. Pointers to these are left to whoever knows that they grow no
/// more.
class StepMaker {
public:
  StepMaker(Steps &out, const format::Program &program,
            const LoadedProgram &loaded, const Values &all,
            const EntrySpec *entry, const std::vector<char *> &arenas)
      : out(out), program(program), loaded(loaded), values(all.plan),
        manifestValues(all.manifest), entry(entry), arenas(arenas),
        hasDevices(loaded.devices().size() > 1) {}

  /// The step of a command, which is number `number` of a block. `flag` is
  /// where the host finds what a branch or a loop asks for, if not in the
  /// buffer itself.
  Step make(const format::Command &command, uint32_t block, uint32_t number,
            int64_t *flag);
  /// A copy of what a branch or a loop asks for to where the host finds it.
  Step fetch(const format::Binding &flag, int64_t *target, uint32_t block,
             uint32_t number);

private:
  void launch(const format::Launch &launch, uint32_t device, Step &step,
              StepReport &report);
  uint32_t tensorOf(const format::Buffer &buffer) const;
  int64_t bind(const format::Binding &binding);
  int64_t bindFlag(const format::Binding &binding, int64_t *fetched);
  void addSlot(void *start, heddle_driver_use use);
  int64_t reported(uint32_t expression) const {
    return expression == format::none ? -1 : values[expression];
  }

  Steps &out;
  const format::Program &program;
  const LoadedProgram &loaded;
  const std::vector<int64_t> &values, &manifestValues;
  const EntrySpec *entry; ///< Null for init.
  const std::vector<char *> &arenas;
  bool hasDevices;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_STEPMAKER_H
