// What heddle says of itself and of this machine: options in, exit code out.

#ifndef HEDDLE_COMMANDS_INFORMATIONCOMMANDS_H
#define HEDDLE_COMMANDS_INFORMATIONCOMMANDS_H

#include "heddle/Driver/Options.h"

namespace heddle {

struct ExplainCommand {
  CommonOptions common;
  /// "" lists all.
  std::string code;
};

int runExplain(const ExplainCommand &command);
int runTargets(const CommonOptions &common);
int runDevices(const CommonOptions &common);
int runVersion(const CommonOptions &common);
/// Shows `help`, the text about `command` or, if that is empty, about all.
int runHelp(const CommonOptions &common, const std::string &command,
            const std::string &help);

} // namespace heddle

#endif // HEDDLE_COMMANDS_INFORMATIONCOMMANDS_H
