// Self-checking programs, compiled and run.

#ifndef HEDDLE_LIB_TESTING_COMPILEDTESTS_H
#define HEDDLE_LIB_TESTING_COMPILEDTESTS_H

#include "heddle/Driver/Session.h"
#include "heddle/Reference/Check.h"
#include "heddle/Target/Target.h"
#include "heddle/runtime.h"

namespace heddle {

/// Compiles every function of the module that checks itself for `target`, runs
/// it, and judges what its checks compare as the interpreter does.
///
/// The program that is compiled computes what the checks look at, and nothing
/// else; constants that stand for inputs are its arguments, so that nothing is
/// folded away. They and the expected values come from the interpreter.
///
/// What the compiler refuses makes the program skipped, with the refusal as
/// reason; every other error makes it fail. Diagnostics of the session's
/// context must go to `errors`.
ProgramOutcome compileAndRunProgram(
    Session &session, mlir::ModuleOp module,
    const std::shared_ptr<const Target> &target, llvm::StringRef path,
    llvm::ArrayRef<heddle_custom_call> customCalls, std::string &errors);

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_COMPILEDTESTS_H
