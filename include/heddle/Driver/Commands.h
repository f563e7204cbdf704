// The commands of `heddle` as functions: options in, exit code out. The tool
// itself only parses its command line. Plain types throughout, because the tool
// is compiled with exceptions.

#ifndef HEDDLE_DRIVER_COMMANDS_H
#define HEDDLE_DRIVER_COMMANDS_H

#include "heddle/Target/Placement.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

class MappedFile;

/// Options of every command.
struct CommonOptions {
  /// One JSON document on standard output, diagnostics as JSON lines.
  bool json = false;
  /// Errors and results only.
  bool quiet = false;
  /// Bound on the process's own memory, "" for none; as "512M".
  std::string maxMemory;
  /// Bound on the time of the whole command, 0 for none.
  double timeLimitSeconds = 0;
};

/// How a model file is read.
struct ModelOptions {
  /// Of a model in memory: its name.
  std::string path;
  /// The bytes of a model in memory; null for one in a file.
  std::shared_ptr<MappedFile> memory;
  /// NAME=MODEL or NAME=MODEL:FUNCTION: the entries of one artifact, instead of
  /// the model at `path`.
  std::vector<std::string> entries;
  /// Of a StableHLO program: the function that is the model; empty for @main,
  /// or the only public one.
  std::string function;
  /// NAME=1x128: fixes an input's shape.
  std::vector<std::string> shapes;
  /// NAME=8: fixes a named dimension.
  std::vector<std::string> dims;
  /// NAME|INDEX=@FILE: turns StableHLO arguments into weights.
  std::vector<std::string> binds;
  /// NAME[=LIBRARY[:SYMBOL]]: functions that custom calls may call. What runs
  /// the program takes them from the libraries.
  std::vector<std::string> customCalls;
  /// INPUT=OUTPUT: what a call leaves in the output the next one finds in the
  /// input.
  std::vector<std::string> states;
  /// The program is compared with those of other sizes.
  bool isSample = false;
};

/// How a model is compiled.
struct BuildOptions {
  /// "native", or names from `heddle targets`; none is "native".
  std::vector<std::string> targets;
  /// Which devices run what.
  Placement placement;
  /// Programs take subnormal numbers for zeros.
  bool flushSubnormals = false;
  /// Stages after which the IR is written, as STAGE or STAGE=FILE.
  std::vector<std::string> dumpAfter;
  std::string stopAfter;
  /// The file of that IR; "" is the model's stem with the stage and .mlir.
  std::string stopFile;
  std::string startFrom;
  /// Ends the build after this stage as a fault of heddle's own does: for tests
  /// of what is left then.
  std::string failAfter;
  /// Called when a phase begins, with its name. May be null.
  std::function<void(const char *phase)> onPhase;
  /// Whether to give up; asked between passes, weights and kernels, by any
  /// thread. May be null.
  std::function<bool()> isCancelled;
};

/// Where the inputs of a call come from.
struct FeedOptions {
  /// NAME|INDEX=@FILE.npy, =random:SEED, =zeros, =ones or =NUMBER.
  std::vector<std::string> inputs;
  /// .npz, .safetensors, a folder of .npy, or an ONNX test data folder.
  std::vector<std::string> collections;
};

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

struct RunCommand {
  CommonOptions common;
  ModelOptions model;
  BuildOptions build;
  FeedOptions feed;
  std::string entry;
  /// Folder for <output name>.npy; "" prints a summary of each output.
  std::string output;
  unsigned threads = 0;
  std::string variant;
};

struct CompareCommand {
  CommonOptions common;
  ModelOptions model;
  BuildOptions build;
  FeedOptions feed;
  /// The compiled model; "" compiles.
  std::string artifact;
  /// "reference", "onnxruntime" or a file of expected tensors.
  std::string against = "reference";
  double relativeTolerance = 1e-3;
  double absoluteTolerance = 1e-4;
  /// Interprets the program after every stage on tensors, to find the one that
  /// changed the numbers.
  bool stages = false;
  /// The same after every pass.
  bool bisect = false;
  /// Files that stand in for what stages make, as STAGE=FILE.
  std::vector<std::string> stageFiles;
  /// Finds the first node whose value differs.
  bool layers = false;
  /// Writes the smallest piece that differs to `reduced`; "" is the model's
  /// stem with .reduced.mlir.
  bool reduce = false;
  std::string reduced;
  unsigned threads = 0;
};

struct BenchCommand {
  CommonOptions common;
  ModelOptions model;
  BuildOptions build;
  FeedOptions feed;
  std::string entry;
  unsigned threads = 0;
  std::string variant;
  /// Calls are repeated for this long, at least ten times.
  double seconds = 3;
};

struct InspectCommand {
  CommonOptions common;
  ModelOptions model;
  /// Parts to show, "" for a summary: weights, kernels, plan, nodes, records.
  std::string show;
  /// Of an artifact; "" shows all.
  std::string entry;
};

struct VerifyCommand {
  CommonOptions common;
  std::string path;
};

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

struct ExplainCommand {
  CommonOptions common;
  /// "" lists all.
  std::string code;
};

int runCheck(const CheckCommand &command);
int runCompile(const CompileCommand &command);
int runRun(const RunCommand &command);
int runCompare(const CompareCommand &command);
int runBench(const BenchCommand &command);
int runInspect(const InspectCommand &command);
int runVerify(const VerifyCommand &command);
int runTest(const TestCommand &command);
int runExplain(const ExplainCommand &command);
int runTargets(const CommonOptions &common);
int runDevices(const CommonOptions &common);
int runVersion(const CommonOptions &common);
/// Shows `help`, the text about `command` or, if that is empty, about all.
int runHelp(const CommonOptions &common, const std::string &command,
            const std::string &help);

/// Bounds this process as the options say.
void applyLimits(const CommonOptions &options);

/// Prints a mistake in the command line; returns the exit code for it.
int reportUsage(const CommonOptions &common, const std::string &message);

} // namespace heddle

#endif // HEDDLE_DRIVER_COMMANDS_H
