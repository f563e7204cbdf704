// Programs without checks: compiled, run on made-up inputs, and compared with
// the interpreter.

#ifndef HEDDLE_LIB_TESTING_UNCHECKEDTESTS_H
#define HEDDLE_LIB_TESTING_UNCHECKEDTESTS_H

#include "heddle/Driver/CustomCalls.h"
#include "heddle/Driver/Session.h"
#include "heddle/Reference/Check.h"
#include "heddle/Target/Target.h"

namespace heddle {

/// `@main`, or where there is none every public function.
llvm::SmallVector<mlir::func::FuncOp> comparedFunctions(mlir::ModuleOp module);

/// Compiles each of `comparedFunctions`, runs it on the inputs that `heddle
/// run` makes up, and compares each result with what the interpreter makes of
/// the program as it is written.
///
/// Open sizes of arguments are fixed at 3 each; an argument that sizes are
/// computed from is that number.
///
/// What the compiler refuses makes the program skipped, as with programs that
/// check themselves. Diagnostics of the session's context must go to `errors`.
ProgramOutcome compileAndCompareProgram(
    Session &session, mlir::ModuleOp module,
    const std::shared_ptr<const Target> &target, llvm::StringRef path,
    const CustomCallLibraries &customCalls, std::string &errors);

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_UNCHECKEDTESTS_H
