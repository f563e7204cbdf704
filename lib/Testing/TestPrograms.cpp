// heddle test: runs programs that check themselves, many files at once.

#include "CompiledTests.h"
#include "TestReport.h"
#include "TestWorkers.h"
#include "UncheckedTests.h"

#include "heddle/Driver/CustomCalls.h"
#include "heddle/Driver/Targets.h"
#include "heddle/Frontend/BooleanBytes.h"
#include "heddle/Frontend/CustomCallForms.h"
#include "heddle/Support/MappedFile.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <thread>

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

/// Parses one module; errors of the parser make `outcome` a failure.
static OwningOpRef<ModuleOp> parseModule(MLIRContext &context, StringRef text,
                                         StringRef path,
                                         ProgramOutcome &outcome) {
  std::vector<std::string> errors;
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors.push_back(diagnostic.str());
      return success();
    });
    std::optional<std::string> packed = packBooleanBytes(text);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(packed ? *packed : text, path),
        llvm::SMLoc());
    module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  }
  if (!module) {
    outcome.kind = ProgramOutcome::Failed;
    outcome.messages = std::move(errors);
    if (outcome.messages.empty())
      outcome.messages = {"cannot be parsed"};
  }
  return module;
}

/// Hands out the modules of a file. Failure: it cannot be read, as `outcome`
/// says.
static LogicalResult forEachModule(StringRef path, ProgramOutcome &outcome,
                                   function_ref<void(StringRef)> visit) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    outcome.kind = ProgramOutcome::Failed;
    outcome.messages = {"cannot be read: " + buffer.getError().message()};
    return failure();
  }
  for (StringRef text : splitModules((*buffer)->getBuffer()))
    visit(text);
  return success();
}

/// The functions that are compiled and run, one by one.
static SmallVector<func::FuncOp> testedFunctions(ModuleOp module) {
  std::string why;
  return hasChecks(module) ? checkedFunctions(module, why)
                           : comparedFunctions(module);
}

namespace {
/// Tests files, in a worker.
class FileTester {
public:
  FileTester(const TestCommand &command, std::shared_ptr<const Target> target,
             const CustomCallLibraries &customCalls)
      : command(command), target(target), customCalls(customCalls) {}

  /// A file is one test: it fails if one of its modules does, and passes if all
  /// that have checks do.
  ProgramOutcome test(StringRef path);
  /// The functions that `test` would run, a line each.
  ProgramOutcome list(StringRef path);

private:
  ProgramOutcome testModule(StringRef text, StringRef path);
  /// What the session's diagnostics print.
  std::string errors;

  const TestCommand &command;
  std::shared_ptr<const Target> target;
  const CustomCallLibraries &customCalls;
};
} // namespace

ProgramOutcome FileTester::testModule(StringRef text, StringRef path) {
  errors.clear();
  llvm::raw_string_ostream os(errors);
  CommonOptions quiet;
  quiet.quiet = true;
  // A context for each, so that constants do not pile up.
  Session session(quiet, path, os);
  MLIRContext &context = session.context();
  ProgramOutcome outcome;
  OwningOpRef<ModuleOp> module = parseModule(context, text, path, outcome);
  if (!module) {
    // Tests of the parser and of verifiers hold what they expect beside it.
    if (text.contains("expected-error")) {
      outcome.kind = ProgramOutcome::Skipped;
      outcome.messages = {"meant to be invalid"};
    }
    return outcome;
  }
  if (failed(markCustomCalls(*module, command.customCalls)) ||
      failed(modernizeCalls(*module))) {
    outcome.kind = ProgramOutcome::Failed;
    outcome.messages = {StringRef(errors).trim().str()};
    return outcome;
  }
  if (!command.interpret)
    return hasChecks(*module)
               ? compileAndRunProgram(session, *module, target, path,
                                      customCalls.functions(), errors)
               : compileAndCompareProgram(session, *module, target, path,
                                          customCalls, errors);
  InterpreterOptions options;
  options.threads = 1;
  options.onCustomCall = [&](Operation *op, ArrayRef<InterpreterValue> operands,
                             SmallVectorImpl<InterpreterValue> &results) {
    return customCalls.interpret(op, operands, results);
  };
  return interpretProgram(*module, options);
}

ProgramOutcome FileTester::test(StringRef path) {
  bool passed = false;
  std::vector<std::string> reasons, refusals;
  ProgramOutcome whole;
  LogicalResult read = forEachModule(path, whole, [&](StringRef text) {
    ProgramOutcome part = testModule(text, path);
    whole.checks += part.checks;
    switch (part.kind) {
    case ProgramOutcome::Passed:
      passed = true;
      break;
    case ProgramOutcome::Failed:
      llvm::append_range(whole.messages, part.messages);
      break;
    case ProgramOutcome::Skipped:
      llvm::append_range(part.refused ? refusals : reasons, part.messages);
      break;
    }
  });
  if (failed(read))
    return whole;
  if (!whole.messages.empty()) {
    whole.kind = ProgramOutcome::Failed;
  } else if (!refusals.empty()) {
    whole.kind = ProgramOutcome::Skipped;
    whole.messages = std::move(refusals);
  } else if (!passed) {
    whole.kind = ProgramOutcome::Skipped;
    whole.messages = std::move(reasons);
    if (whole.messages.empty())
      whole.messages = {"no modules"};
  }
  return whole;
}

ProgramOutcome FileTester::list(StringRef path) {
  ProgramOutcome whole;
  (void)forEachModule(path, whole, [&](StringRef text) {
    llvm::raw_string_ostream os(errors);
    Session session(CommonOptions(), path, os);
    ProgramOutcome part;
    OwningOpRef<ModuleOp> module =
        parseModule(session.context(), text, path, part);
    if (!module) {
      whole.kind = ProgramOutcome::Failed;
      llvm::append_range(whole.messages, part.messages);
      return;
    }
    for (func::FuncOp function : testedFunctions(*module))
      whole.messages.push_back("@" + function.getName().str());
  });
  return whole;
}

//===--- Between processes ------------------------------------------------===//

static std::string toText(const ProgramOutcome &outcome) {
  llvm::json::Array messages;
  for (const std::string &message : outcome.messages)
    messages.push_back(llvm::json::fixUTF8(message));
  return llvm::formatv("{0}", llvm::json::Value(llvm::json::Object{
                                  {"kind", int(outcome.kind)},
                                  {"checks", outcome.checks},
                                  {"refused", outcome.refused},
                                  {"messages", std::move(messages)}}));
}

static ProgramOutcome fromText(StringRef text) {
  ProgramOutcome outcome;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object) {
    llvm::consumeError(value.takeError());
    outcome.kind = ProgramOutcome::Failed;
    outcome.messages = {"a worker's answer cannot be read"};
    return outcome;
  }
  outcome.kind = ProgramOutcome::Kind(object->getInteger("kind").value_or(0));
  outcome.refused = object->getBoolean("refused").value_or(false);
  outcome.checks = object->getInteger("checks").value_or(0);
  if (const llvm::json::Array *messages = object->getArray("messages"))
    for (const llvm::json::Value &message : *messages)
      outcome.messages.push_back(message.getAsString().value_or("").str());
  return outcome;
}

int heddle::runTest(const TestCommand &command) {
  Session session(command.common, "");
  std::shared_ptr<const Target> target;
  if (!command.interpret && !command.list) {
    auto targets = resolveTargets(command.targets, session.diagnostics);
    if (!targets)
      return session.fail();
    // The best; the others would only run if asked for by name.
    target = targets->back();
  }
  CustomCallLibraries customCalls;
  if (!customCalls.open(session, command.customCalls))
    return session.fail();
  for (const std::string &path : command.files) {
    bool exists = llvm::sys::fs::exists(path);
    // Opening a pipe would wait for its other end.
    if (!exists || isNoFile(path))
      return session.fail(ErrorCode::FileUnreadable,
                          "cannot read '" + path + "': " +
                              (exists ? "it is no file" : "no such file"));
  }

  unsigned jobs = command.jobs
                      ? command.jobs
                      : std::max(1u, std::thread::hardware_concurrency());
  jobs = std::min<size_t>(jobs, command.files.size());
  TestReport report(session, command);
  runInProcesses(
      command.files.size(), jobs, command.secondsPerFile,
      [&](size_t file) {
        FileTester tester(command, target, customCalls);
        const std::string &path = command.files[file];
        return toText(command.list ? tester.list(path) : tester.test(path));
      },
      [&](size_t file, StringRef answer) {
        report.add(file, fromText(answer));
      },
      [&](size_t file, std::string why) {
        ProgramOutcome outcome;
        outcome.kind = ProgramOutcome::Failed;
        outcome.messages = {std::move(why)};
        report.add(file, std::move(outcome));
      });
  return report.finish();
}
