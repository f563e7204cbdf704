// What `heddle test` says of programs.

#ifndef HEDDLE_LIB_TESTING_TESTREPORT_H
#define HEDDLE_LIB_TESTING_TESTREPORT_H

#include "heddle/Driver/Session.h"
#include "heddle/Reference/Check.h"
#include "heddle/Testing/TestCommand.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <optional>

namespace heddle {

/// Prints outcomes in the order of the files, whatever order they come in.
class TestReport {
public:
  TestReport(Session &session, const TestCommand &command)
      : session(session), command(command), outcomes(command.files.size()) {}

  void add(size_t file, ProgramOutcome outcome) {
    outcomes[file] = std::move(outcome);
    for (; printed < outcomes.size() && outcomes[printed]; ++printed)
      print(command.files[printed], *outcomes[printed]);
  }

  /// Prints counts and reasons; the exit code.
  int finish();

private:
  /// Ends the command, with an error if a file failed.
  int end(llvm::json::Object document);
  void print(llvm::StringRef path, const ProgramOutcome &outcome);
  /// A line, and an entry of the JSON list.
  void say(llvm::StringRef path, llvm::StringRef kind, llvm::StringRef message,
           llvm::json::Array &list);

  Session &session;
  const TestCommand &command;
  std::vector<std::optional<ProgramOutcome>> outcomes;
  size_t printed = 0;
  unsigned passed = 0, failed = 0, skipped = 0, checks = 0;
  llvm::json::Array failures, skips, functions;
  std::map<std::string, unsigned> reasons;
};

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_TESTREPORT_H
