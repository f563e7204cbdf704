// Commands that call programs, where a launcher has started several processes
// of them.

#ifndef HEDDLE_LIB_COMMANDS_LAUNCHEDCOMMAND_H
#define HEDDLE_LIB_COMMANDS_LAUNCHEDCOMMAND_H

#include "heddle/Commands/CallCommands.h"
#include "heddle/runtime.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// Runs the command by `call`, which returns its exit code. With `--engine mpi`
/// or `tcp` that is done by the first process of the group alone, which it is
/// given; the others serve its calls, and print nothing. Where it fails, all
/// end.
int runLaunched(const CallCommand &command,
                llvm::function_ref<int(heddle_group *group)> call);

} // namespace heddle

#endif // HEDDLE_LIB_COMMANDS_LAUNCHEDCOMMAND_H
