// Options that several commands share. Plain types throughout, because the tool
// is compiled with exceptions.

#ifndef HEDDLE_DRIVER_OPTIONS_H
#define HEDDLE_DRIVER_OPTIONS_H

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

/// One of several models that are the entries of an artifact.
struct EntryModel {
  std::string name;
  /// As in ModelOptions.
  std::string path;
  std::shared_ptr<MappedFile> memory = nullptr;
  std::string function = {};
};

/// Reads NAME=MODEL or NAME=MODEL:FUNCTION; what is wrong with it, or "".
std::string parseEntry(const std::string &text, EntryModel &entry);

/// How a model file is read.
struct ModelOptions {
  /// Of a model in memory: its name.
  std::string path;
  /// The bytes of a model in memory; null for one in a file.
  std::shared_ptr<MappedFile> memory;
  /// The entries of one artifact, instead of the model at `path`.
  std::vector<EntryModel> entries;
  /// Of a StableHLO program: the function that is the model; empty for @main,
  /// or the only public one.
  std::string function;
  /// NAME=1x128: fixes an input's shape.
  std::vector<std::string> shapes;
  /// NAME=8: fixes a named dimension.
  std::vector<std::string> dims;
  /// Whether a model with ranges is imported at some sizes besides, and refused
  /// where these have other shapes.
  bool checksSizes = false;
  /// NAME|INDEX=@FILE[:TENSOR][^T]: turns inputs into weights.
  std::vector<std::string> binds;
  /// NAME[=LIBRARY[:SYMBOL]]: functions that custom calls may call. What runs
  /// the program takes them from the libraries.
  std::vector<std::string> customCalls;
  /// INPUT=OUTPUT: what a call leaves in the output the next one finds in the
  /// input.
  std::vector<std::string> states;
  /// data=4,model=2: the program is partitioned over its mesh of these axes; ""
  /// compiles it for one device.
  std::string mesh = {};
  /// Of an ONNX model, NAME=SHARDING or a file of such lines: how values lie
  /// over the mesh.
  std::vector<std::string> shards = {};
};

/// What the precision "auto" may cost, and how that is found out.
struct ErrorBudget {
  /// Above 0; 0: none was given.
  double maxError = 0;
  /// "rel-l2", "max-abs", "cosine", "kl" or "top1"; "" is rel-l2.
  std::string metric = {};
  /// A file or folder of inputs of calls.
  std::string calibration = {};
  /// A file of rules for single products; "" for none.
  std::string policy = {};
};

/// How a model is compiled.
struct BuildOptions {
  /// "native", or names from `heddle targets`; none is "native".
  std::vector<std::string> targets;
  /// Which devices run what.
  Placement placement;
  /// What a target's devices have no kernel for is refused.
  bool noHost = false;
  /// What contractions and convolutions of f32 multiply, "bf16" or "f16", or
  /// how weights of such contractions are stored, "w8a16" or "w4a16"; "f32" and
  /// "" leave the model as it is. "auto" chooses for each within `budget`.
  std::string precision;
  ErrorBudget budget;
  /// Programs take subnormal numbers for zeros.
  bool flushSubnormals = false;
  /// Stages after which the IR is written, as STAGE or STAGE=FILE.
  std::vector<std::string> dumpAfter;
  /// Where the artifact goes; empty: to a file without a name.
  std::string output;
  std::string stopAfter;
  /// The file of that IR; "" is the model's stem with the stage and .mlir.
  std::string stopFile;
  /// Whether files that are no artifacts may be replaced: by the artifact, by
  /// that IR, and by the same of further targets, STOPFILE.1.mlir and so on.
  bool replacesFiles = false;
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

/// Bounds this process as the options say.
void applyLimits(const CommonOptions &options);

/// Prints a mistake in the command line; returns the exit code for it.
int reportUsage(const CommonOptions &common, const std::string &message);

} // namespace heddle

#endif // HEDDLE_DRIVER_OPTIONS_H
