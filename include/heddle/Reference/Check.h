// Programs that check themselves: `check.*` custom calls compare what was
// computed with what is expected.

#ifndef HEDDLE_REFERENCE_CHECK_H
#define HEDDLE_REFERENCE_CHECK_H

#include "heddle/Reference/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace heddle {

/// Whether the operation is a check: a custom call of `check.eq`,
/// `check.expect_eq`, `check.expect_close` or `check.expect_almost_eq`, or an
/// operation of that name (also `..._const`, with the expected value as
/// attribute `value`).
bool isCheck(mlir::Operation *op);

/// Whether some operation of the module is a check.
bool hasChecks(mlir::ModuleOp module);

/// Compares as the check says; empty where it holds, otherwise what differs:
/// the first differing index and both values. `operands` are the check's.
///
/// - expect_eq, check.eq on integers: equal element by element (NaN equals NaN,
///   0 equals -0);
/// - expect_close: at least `min_ulp_difference` and at most
///   `max_ulp_difference` values apart (attributes; 0 and 3);
/// - expect_almost_eq, check.eq on floats: |a - b| <= tolerance (attribute;
///   1e-4); NaN equals NaN, an infinity only itself.
std::string runCheck(mlir::Operation *op, llvm::ArrayRef<HostTensor> operands);

/// The functions of a module that check themselves: `@main`, or where there is
/// none every public function without arguments. None where there are no checks
/// or `@main` takes arguments; then `why` says so.
llvm::SmallVector<mlir::func::FuncOp> checkedFunctions(mlir::ModuleOp module,
                                                       std::string &why);

/// "check.expect_close at [0, 1] ...": what the check found, as a line for the
/// user; empty where it holds.
std::string describeCheck(mlir::Operation *op,
                          llvm::ArrayRef<HostTensor> operands);

/// What became of one program.
struct ProgramOutcome {
  enum Kind { Passed, Failed, Skipped } kind = Passed;
  unsigned checks = 0;
  /// Skipped, because something in it is not supported.
  bool refused = false;
  /// One line per failed check or per error; for a skipped program why.
  std::vector<std::string> messages;
};

/// Interprets the functions of a module that check themselves; a module without
/// such functions is skipped.
ProgramOutcome interpretProgram(mlir::ModuleOp module,
                                const InterpreterOptions &options = {});

} // namespace heddle

#endif // HEDDLE_REFERENCE_CHECK_H
