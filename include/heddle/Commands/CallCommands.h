// heddle run and heddle bench: options in, exit code out.

#ifndef HEDDLE_COMMANDS_CALLCOMMANDS_H
#define HEDDLE_COMMANDS_CALLCOMMANDS_H

#include "heddle/Driver/Options.h"

#include <optional>

namespace heddle {

/// What a command that calls a program takes.
struct CallCommand {
  CommonOptions common;
  ModelOptions model;
  BuildOptions build;
  FeedOptions feed;
  std::string entry;
  unsigned threads = 0;
  std::string variant;
  /// Kinds of devices by commas, the one wanted most first.
  std::string devices;
  /// How many devices run the program together; 0: as many as it is for.
  unsigned ranks = 0;
  /// What these are: "threads", "processes", or those that a launcher has
  /// started, of which this is one: "mpi" or "tcp"; "" is threads.
  std::string engine = {};
  /// Of "mpi", as heddle_group_options says it; "" is the launcher's.
  std::string mpiLibrary = {};
  /// Of "tcp": which of `ranks` processes this one is, where the first waits
  /// for the others (HOST:PORT) and what holds the secret of all. What is not
  /// set is said by the launcher's variables.
  std::optional<unsigned> rank = {};
  std::string rendezvous = {};
  std::string secretFile = {};
};

struct RunCommand : CallCommand {
  /// Folder for <output name>.npy; "" prints a summary of each output.
  std::string output;
};

struct BenchCommand : CallCommand {
  /// Calls are repeated for this long, at least ten times; each of several
  /// programs for this long, in at least thirty rounds.
  double seconds = 3;
  /// Runtimes that are measured by turns with the program.
  std::vector<std::string> peers;
  /// The ONNX model that these run; "" is the one that heddle runs.
  std::string peerModel;
  /// Where a picture of the times goes; "" draws none.
  std::string plot;
};

int runRun(const RunCommand &command);
int runBench(const BenchCommand &command);

} // namespace heddle

#endif // HEDDLE_COMMANDS_CALLCOMMANDS_H
