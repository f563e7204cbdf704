// What `heddle test` says of programs: a line each, reasons in groups, and a
// document.

#include "TestReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace heddle;

/// A reason without what differs from program to program: shapes and numbers
/// of arguments.
static std::string reasonGroup(StringRef why) {
  std::string group;
  while (!why.empty()) {
    if (why.consume_front("tensor<")) {
      group += "tensor<";
      while (true) {
        size_t digits = why.find_first_not_of("0123456789?");
        if (digits == 0 || digits == StringRef::npos || why[digits] != 'x')
          break;
        why = why.drop_front(digits + 1);
      }
      // Scales of quantized types are data.
      if (why.consume_front("!quant.uniform<")) {
        group += "!quant.uniform<";
        why = why.drop_until([](char c) { return c == '>'; });
      }
      continue;
    }
    for (StringRef kind : {"'arg", "'out"})
      if (why.consume_front(kind)) {
        group += kind;
        why = why.drop_while(llvm::isDigit);
      }
    if (why.empty())
      break;
    group += why.front();
    why = why.drop_front();
  }
  return group;
}

void TestReport::say(StringRef path, StringRef kind, StringRef message,
                     llvm::json::Array &list) {
  session.text() << path << ": " << message << "\n";
  list.push_back(
      llvm::json::Object{{"file", path.str()}, {kind, message.str()}});
}

void TestReport::print(StringRef path, const ProgramOutcome &outcome) {
  checks += outcome.checks;
  switch (outcome.kind) {
  case ProgramOutcome::Passed:
    ++passed;
    // Only --list has something to say of these.
    for (StringRef message : outcome.messages)
      say(path, "function", message, functions);
    break;
  case ProgramOutcome::Skipped: {
    ++skipped;
    StringRef why = outcome.messages.front();
    ++reasons[reasonGroup(why)];
    skips.push_back(
        llvm::json::Object{{"file", path.str()}, {"reason", why.str()}});
    if (command.showSkipped)
      session.text() << path << ": skipped: " << why << "\n";
    break;
  }
  case ProgramOutcome::Failed:
    ++failed;
    for (StringRef message : outcome.messages)
      say(path, "message", message, failures);
    break;
  }
  session.text().flush();
}

int TestReport::end(llvm::json::Object document) {
  if (!failed)
    return session.finish(std::move(document));
  // The list stands before what follows from it.
  session.text().flush();
  session.diagnostics.report(ErrorCode::ProgramsFailed,
                             Twine(failed) + " of " +
                                 Twine(command.files.size()) + " files failed");
  return session.finish(std::move(document), ExitCode::CheckFailed);
}

int TestReport::finish() {
  if (command.list)
    return end(llvm::json::Object{{"functions", std::move(functions)},
                                  {"failures", std::move(failures)}});
  std::vector<std::pair<std::string, unsigned>> byCount(reasons.begin(),
                                                        reasons.end());
  llvm::sort(byCount, [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto &[why, count] : byCount)
    session.text() << llvm::formatv("skipped {0}: {1}\n", count, why);
  session.text() << llvm::formatv("{0} passed, {1} failed, {2} skipped\n",
                                  passed, failed, skipped);
  return end(llvm::json::Object{{"passed", passed},
                                {"failed", failed},
                                {"skipped", skipped},
                                {"checks", checks},
                                {"failures", std::move(failures)},
                                {"skips", std::move(skips)}});
}
