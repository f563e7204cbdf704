// What one run of a command holds: limits, context, diagnostics, its document.

#ifndef HEDDLE_DRIVER_SESSION_H
#define HEDDLE_DRIVER_SESSION_H

#include "heddle/Driver/Commands.h"
#include "heddle/Driver/DiagnosticPrinter.h"
#include "heddle/Driver/PhaseLog.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

#include <memory>

namespace heddle {

class Session {
public:
  /// `fileName` stands before errors that name no file of their own.
  Session(const CommonOptions &options, llvm::StringRef fileName,
          llvm::raw_ostream &errors = llvm::errs());

  /// A context with every dialect of heddle, made when first asked for.
  mlir::MLIRContext &context();

  /// A context for types alone, for commands that read no model: made in no
  /// time.
  mlir::MLIRContext &typeContext();

  /// Text for the user; swallowed when a document is printed instead.
  llvm::raw_ostream &text();
  bool json() const { return options.json; }

  /// Ends the command: prints `document` if --json was given, with "status",
  /// "exit_code" and, after an error, "error".
  int finish(llvm::json::Object document, ExitCode code = ExitCode::Ok);
  /// Ends it with the exit code of the error that was reported; with --json the
  /// document says that and how it failed.
  int fail();
  int fail(ErrorCode code, const llvm::Twine &message);

  DiagnosticPrinter diagnostics;
  PhaseLog phases;

private:
  CommonOptions options;
  std::unique_ptr<mlir::MLIRContext> ownedContext, lightContext;
};

} // namespace heddle

#endif // HEDDLE_DRIVER_SESSION_H
