// One call of a module that is compiled for nothing else.

#ifndef HEDDLE_LIB_TESTING_COMPILEDRUN_H
#define HEDDLE_LIB_TESTING_COMPILEDRUN_H

#include "heddle/Driver/Session.h"
#include "heddle/Reference/Check.h"
#include "heddle/Support/HostTensor.h"
#include "heddle/Target/Target.h"
#include "heddle/runtime.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Compiles the model `module` for `target`, runs it on one thread, and gives
/// its outputs; nothing after an error, which the session has seen. Nothing is
/// left on the disk.
std::optional<llvm::SmallVector<HostTensor>>
compileAndRun(Session &session, mlir::ModuleOp module,
              const std::shared_ptr<const Target> &target,
              llvm::ArrayRef<heddle_custom_call> customCalls,
              llvm::ArrayRef<HostTensor> inputs);

/// The first error in printed diagnostics, as "[HDL-0501] text", and whether it
/// says that something is not supported.
std::string firstError(llvm::StringRef printed, bool &refused);

/// Gives a program whose functions have been tried its kind: failed if there
/// are messages, skipped if something was refused, or if nothing was checked,
/// which `nothing` explains.
void settle(ProgramOutcome &outcome, std::vector<std::string> refusals,
            llvm::StringRef nothing);

/// Erases the public functions that `kept` does not use.
void dropOtherFunctions(mlir::ModuleOp module, mlir::Operation *kept);

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_COMPILEDRUN_H
