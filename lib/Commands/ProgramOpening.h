// What commands do before they call a program.

#ifndef HEDDLE_LIB_COMMANDS_PROGRAMOPENING_H
#define HEDDLE_LIB_COMMANDS_PROGRAMOPENING_H

#include "heddle/Commands/CallCommands.h"
#include "heddle/Driver/CustomCalls.h"
#include "heddle/Driver/Prepare.h"
#include "heddle/Driver/Program.h"

namespace heddle {

/// From the options of a command to a program that can be called. Functions
/// that fail have reported why.
class ProgramOpening {
public:
  /// `group`: the processes whose ranks run the program, or null.
  ProgramOpening(Session &session, const CallCommand &command,
                 heddle_group *group)
      : session(session), command(command), group(group) {}

  /// Finds the functions of custom calls, and compiles what is no artifact.
  bool open();
  /// Loads the artifact, which may be done several times; null after an error.
  std::unique_ptr<Program> load(uint32_t flags);
  /// Tells `program` sizes and threads, and fills its states.
  bool prepare(Program &program);

  /// What `prepare` has gathered, and a line for each tensor of it that nobody
  /// gave.
  llvm::SmallVector<HostTensor> inputs;
  std::vector<std::string> madeUp;

private:
  Session &session;
  const CallCommand &command;
  heddle_group *group;
  CustomCallLibraries customCalls;
  std::optional<PreparedArtifact> artifact;
};

} // namespace heddle

#endif // HEDDLE_LIB_COMMANDS_PROGRAMOPENING_H
