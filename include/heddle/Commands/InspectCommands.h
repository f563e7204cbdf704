// heddle inspect and heddle verify: options in, exit code out.

#ifndef HEDDLE_COMMANDS_INSPECTCOMMANDS_H
#define HEDDLE_COMMANDS_INSPECTCOMMANDS_H

#include "heddle/Driver/Options.h"

namespace heddle {

struct InspectCommand {
  CommonOptions common;
  ModelOptions model;
  /// Parts to show, "" for a summary: weights, kernels, plan, nodes, records;
  /// sharding and precision are shown alone.
  std::string show;
  /// Of an artifact; "" shows all.
  std::string entry;
  /// The node, or the kernel, of an artifact of which it is shown how its
  /// kernels are made; "" for none.
  std::string kernel;
};

struct VerifyCommand {
  CommonOptions common;
  std::string path;
};

int runInspect(const InspectCommand &command);
int runVerify(const VerifyCommand &command);

} // namespace heddle

#endif // HEDDLE_COMMANDS_INSPECTCOMMANDS_H
