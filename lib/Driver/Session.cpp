#include "heddle/Driver/Session.h"

#include "heddle/Driver/Limits.h"
#include "heddle/Pipeline/Registration.h"

#include "llvm/Support/FormatVariadic.h"

#include <unistd.h>

using namespace mlir;
using namespace heddle;

Session::Session(const CommonOptions &options, StringRef fileName)
    : diagnostics(llvm::errs(), options.json, fileName),
      phases(options.json || options.quiet ? nullptr : &llvm::outs(),
             !options.json && !options.quiet && isatty(STDERR_FILENO)),
      options(options) {
  uint64_t memoryBytes = 0;
  if (!options.maxMemory.empty())
    memoryBytes = parseBytes(options.maxMemory).value_or(0);
  setLimits(memoryBytes, options.timeLimitSeconds, options.json);
}

MLIRContext &Session::context() {
  if (ownedContext)
    return *ownedContext;
  DialectRegistry registry;
  registerAllDialects(registry);
  ownedContext = std::make_unique<MLIRContext>(registry);
  diagnostics.attach(*ownedContext);
  return *ownedContext;
}

llvm::raw_ostream &Session::text() {
  return options.json ? llvm::nulls() : llvm::outs();
}

int Session::finish(llvm::json::Object document, ExitCode code) {
  phases.end();
  if (options.json)
    llvm::outs() << llvm::formatv("{0:2}",
                                  llvm::json::Value(std::move(document)))
                 << "\n";
  llvm::outs().flush();
  return int(code);
}

int Session::fail() {
  phases.end();
  llvm::outs().flush();
  return int(diagnostics.failureCode());
}

int Session::fail(ErrorCode code, const Twine &message) {
  diagnostics.report(code, message);
  return fail();
}

int heddle::reportUsage(const CommonOptions &common,
                        const std::string &message) {
  DiagnosticPrinter printer(llvm::errs(), common.json, "");
  printer.report(ErrorCode::BadCommandLine, message);
  return int(ExitCode::Usage);
}
