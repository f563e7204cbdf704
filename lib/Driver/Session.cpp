// What one command holds from its start to its end, and how it ends.

#include "heddle/Driver/Session.h"

#include "heddle/Driver/Document.h"
#include "heddle/Driver/Limits.h"
#include "heddle/Pipeline/Registration.h"
#include "heddle/Support/Threads.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace mlir;
using namespace heddle;

Session::Session(const CommonOptions &options, StringRef fileName,
                 raw_ostream &errors, ContextKeeper *keeper,
                 TrialKeeper *trials)
    : diagnostics(errors, options.json, fileName),
      phases(options.json || options.quiet ? nullptr : &llvm::outs(),
             !options.json && !options.quiet && isatty(STDERR_FILENO)),
      options(options), keeper(keeper), sharedTrials(trials) {}

Session::~Session() {
  if (!keeper || !isLeft || !own.context)
    return;
  own.context->getDiagEngine().eraseHandler(handler);
  keeper->leave(std::move(own));
}

MLIRContext &Session::context() {
  if (own.context)
    return *own.context;
  if (keeper)
    own = keeper->take();
  if (!own.context) {
    DialectRegistry registry;
    registerAllDialects(registry);
    own.context = std::make_unique<MLIRContext>(registry);
  }
  // LLVM's own threads end the process where the system refuses them.
  if (!canStartThread())
    own.context->disableMultithreading();
  handler = diagnostics.attach(*own.context);
  return *own.context;
}

MLIRContext &Session::typeContext() {
  if (own.context)
    return *own.context;
  if (!lightContext)
    lightContext =
        std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  return *lightContext;
}

llvm::raw_ostream &Session::text() {
  return options.json ? llvm::nulls() : llvm::outs();
}

/// Reports that standard output cannot be written; false.
static bool refuseToPrint(DiagnosticPrinter &diagnostics, int error) {
  diagnostics.report(
      ErrorCode::FileUnwritable,
      StringRef("standard output: ") +
          (error == EBADF ? "it is closed" : std::strerror(error)));
  return false;
}

/// Hands over what was printed; false if it cannot be written, which has been
/// reported.
static bool flushText(DiagnosticPrinter &diagnostics) {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  if (!os.has_error())
    return true;
  int error = os.error().value();
  os.clear_error();
  return refuseToPrint(diagnostics, error);
}

/// The same for a document.
static bool printDocument(DiagnosticPrinter &diagnostics,
                          llvm::json::Object document) {
  return writeDocument(std::move(document)) ||
         refuseToPrint(diagnostics, errno);
}

int Session::finish(llvm::json::Object document, ExitCode code) {
  phases.end();
  bool written = true;
  if (options.json) {
    document["status"] = code == ExitCode::Ok ? "ok" : "failed";
    document["exit_code"] = int(code);
    if (code != ExitCode::Ok && diagnostics.firstError())
      document["error"] = diagnostics.failureDocument()["error"];
    written = printDocument(diagnostics, std::move(document));
  }
  // A check that failed is worse than what was said of it being lost.
  if (!flushText(diagnostics) || !written)
    return int(code == ExitCode::Ok ? diagnostics.failureCode() : code);
  return int(code);
}

int Session::fail() {
  phases.end();
  // Errors before the document, as with one that says that all is well.
  ExitCode code = diagnostics.failureCode();
  if (options.json)
    (void)printDocument(diagnostics, diagnostics.failureDocument());
  (void)flushText(diagnostics);
  return int(code);
}

int Session::fail(ErrorCode code, const Twine &message) {
  diagnostics.report(code, message);
  return fail();
}

void heddle::applyLimits(const CommonOptions &options) {
  setLimits(parseBytes(options.maxMemory).value_or(0), options.timeLimitSeconds,
            options.json);
}

int heddle::reportUsage(const CommonOptions &common,
                        const std::string &message) {
  DiagnosticPrinter printer(llvm::errs(), common.json, "");
  printer.report(ErrorCode::BadCommandLine, message);
  if (common.json)
    (void)printDocument(printer, printer.failureDocument());
  return int(ExitCode::Usage);
}
