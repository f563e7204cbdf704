// Inputs and outputs of a model that are states, as --state says.

#ifndef HEDDLE_DRIVER_STATES_H
#define HEDDLE_DRIVER_STATES_H

#include "heddle/Driver/Session.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// `--state past=present`: what a call leaves in `present` the next one finds
/// in `past`, which gives the state its name. A `*` in both stands for any
/// text, the same in both: `past_*=present_*` are many states.
struct StateOption {
  std::string past, present;

  /// The output that keeps what the input of this name reads; none if the
  /// option does not mean it.
  std::optional<std::string> presentOf(llvm::StringRef name) const;
};

/// The states of the options; none after an error, which has been reported.
std::optional<std::vector<StateOption>> readStates(Session &session,
                                                   const ModelOptions &options);

/// Marks the arguments and results of the module's entries that are states.
/// Each state is read by one of them and written by one, and has one type.
/// False after an error, which has been reported.
bool markStates(Session &session, mlir::ModuleOp module,
                const std::vector<StateOption> &options);

} // namespace heddle

#endif // HEDDLE_DRIVER_STATES_H
