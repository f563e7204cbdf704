// What one run of a command holds: limits, context, diagnostics, its document.

#ifndef HEDDLE_DRIVER_SESSION_H
#define HEDDLE_DRIVER_SESSION_H

#include "heddle/Driver/ContextKeeper.h"
#include "heddle/Driver/DiagnosticPrinter.h"
#include "heddle/Driver/Options.h"
#include "heddle/Driver/PhaseLog.h"
#include "heddle/Frontend/TrialKeeper.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

#include <memory>

namespace heddle {

class Session {
public:
  /// `fileName` stands before errors that name no file of their own. The
  /// context comes from `keeper` and the process that files are tried in from
  /// `trials`, if there are such; they outlive the session.
  Session(const CommonOptions &options, llvm::StringRef fileName,
          llvm::raw_ostream &errors = llvm::errs(),
          ContextKeeper *keeper = nullptr, TrialKeeper *trials = nullptr);
  ~Session();

  /// A context with every dialect of heddle, made when first asked for.
  mlir::MLIRContext &context();

  /// After all went well: gives the context to the keeper when the session
  /// ends, by when its IR must be gone.
  void leaveContext() { isLeft = true; }

  /// A context for types alone, for commands that read no model: made in no
  /// time.
  mlir::MLIRContext &typeContext();

  TrialKeeper &trials() { return sharedTrials ? *sharedTrials : ownTrials; }

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
  ContextKeeper *keeper;
  TrialKeeper *sharedTrials;
  TrialKeeper ownTrials;
  ContextKeeper::Kept own;
  mlir::DiagnosticEngine::HandlerID handler = 0;
  bool isLeft = false;
  std::unique_ptr<mlir::MLIRContext> lightContext;
};

} // namespace heddle

#endif // HEDDLE_DRIVER_SESSION_H
