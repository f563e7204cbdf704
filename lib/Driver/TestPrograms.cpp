// heddle test: runs programs that check themselves, many files in one process.

#include "heddle/Driver/Session.h"
#include "heddle/Reference/Check.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace heddle;

/// The modules of a file: split where a line is `// -----`, as test files are.
static SmallVector<StringRef> splitModules(StringRef text) {
  SmallVector<StringRef> parts;
  constexpr StringLiteral kSeparator = "// -----";
  size_t begin = 0, from = 0;
  while (true) {
    size_t found = text.find(kSeparator, from);
    if (found == StringRef::npos)
      break;
    from = found + kSeparator.size();
    bool lineStart = found == 0 || text[found - 1] == '\n';
    bool lineEnd =
        from >= text.size() || text[from] == '\n' || text[from] == '\r';
    if (!lineStart || !lineEnd)
      continue;
    parts.push_back(text.slice(begin, found));
    begin = from;
  }
  parts.push_back(text.drop_front(begin));
  llvm::erase_if(parts, [](StringRef part) { return part.trim().empty(); });
  return parts;
}

/// Parses and interprets one module; errors of the parser are its outcome.
static ProgramOutcome testModule(MLIRContext &context, StringRef text,
                                 StringRef path) {
  ProgramOutcome outcome;
  std::vector<std::string> errors;
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors.push_back(diagnostic.str());
      return success();
    });
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, path),
                               llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  }
  if (!module) {
    outcome.kind = ProgramOutcome::Failed;
    outcome.messages = std::move(errors);
    if (outcome.messages.empty())
      outcome.messages = {"cannot be parsed"};
    return outcome;
  }
  return interpretProgram(*module);
}

int heddle::runTest(const TestCommand &command) {
  Session session(command.common, "");
  if (!command.interpret)
    return session.fail(ErrorCode::BadCommandLine,
                        "only --interpret runs tests so far");
  MLIRContext &context = session.context();
  // Checks may be written as operations of a dialect that nobody registers.
  context.allowUnregisteredDialects();

  unsigned passed = 0, failed = 0, skipped = 0;
  llvm::json::Array failures, skips;
  for (const std::string &path : command.files) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return session.fail(ErrorCode::FileUnreadable,
                          "cannot read '" + path +
                              "': " + buffer.getError().message());
    // A file is one test: it fails if one of its modules does.
    ProgramOutcome whole;
    whole.kind = ProgramOutcome::Skipped;
    std::string why = "no modules";
    for (StringRef text : splitModules((*buffer)->getBuffer())) {
      ProgramOutcome part = testModule(context, text, path);
      if (part.kind == ProgramOutcome::Skipped) {
        why = part.messages.front();
        continue;
      }
      if (whole.kind != ProgramOutcome::Failed)
        whole.kind = part.kind;
      llvm::append_range(whole.messages, part.messages);
    }
    switch (whole.kind) {
    case ProgramOutcome::Passed:
      ++passed;
      break;
    case ProgramOutcome::Skipped:
      ++skipped;
      skips.push_back(llvm::json::Object{{"file", path}, {"reason", why}});
      if (command.showSkipped)
        session.text() << path << ": skipped: " << why << "\n";
      break;
    case ProgramOutcome::Failed:
      ++failed;
      for (const std::string &message : whole.messages) {
        session.text() << path << ": " << message << "\n";
        failures.push_back(
            llvm::json::Object{{"file", path}, {"message", message}});
      }
      break;
    }
  }
  session.text() << llvm::formatv("{0} passed, {1} failed, {2} skipped\n",
                                  passed, failed, skipped);
  return session.finish(llvm::json::Object{{"passed", passed},
                                           {"failed", failed},
                                           {"skipped", skipped},
                                           {"failures", std::move(failures)},
                                           {"skips", std::move(skips)}},
                        failed ? ExitCode::CheckFailed : ExitCode::Ok);
}
