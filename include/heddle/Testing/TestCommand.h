// heddle test: options in, exit code out.

#ifndef HEDDLE_TESTING_TESTCOMMAND_H
#define HEDDLE_TESTING_TESTCOMMAND_H

#include "heddle/Driver/Options.h"

namespace heddle {

struct TestCommand {
  CommonOptions common;
  /// StableHLO files that check themselves.
  std::vector<std::string> files;
  /// Runs them in the reference interpreter.
  bool interpret = false;
  /// The best of these is compiled for; none is "native".
  std::vector<std::string> targets;
  /// Processes that work on files at once; 0: one per processor.
  unsigned jobs = 0;
  /// What takes longer has failed; 0: no bound.
  double secondsPerFile = 60;
  /// NAME=LIBRARY[:SYMBOL]: functions that the programs' custom calls call.
  std::vector<std::string> customCalls;
  /// Names the functions that would run.
  bool list = false;
  /// A line per skipped file, too.
  bool showSkipped = false;
};

int runTest(const TestCommand &command);

} // namespace heddle

#endif // HEDDLE_TESTING_TESTCOMMAND_H
