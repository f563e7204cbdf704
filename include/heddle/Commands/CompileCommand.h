// heddle check and heddle compile: options in, exit code out.

#ifndef HEDDLE_COMMANDS_COMPILECOMMAND_H
#define HEDDLE_COMMANDS_COMPILECOMMAND_H

#include "heddle/Driver/Options.h"

namespace heddle {

struct CheckCommand {
  CommonOptions common;
  ModelOptions model;
  BuildOptions build;
};

struct CompileCommand {
  CommonOptions common;
  ModelOptions model;
  BuildOptions build;
  /// The artifact, or the IR of `stopAfter`; "" is the model's stem with
  /// .heddle, or with the stage and .mlir.
  std::string output;
  bool force = false;
};

int runCheck(const CheckCommand &command);
int runCompile(const CompileCommand &command);

} // namespace heddle

#endif // HEDDLE_COMMANDS_COMPILECOMMAND_H
