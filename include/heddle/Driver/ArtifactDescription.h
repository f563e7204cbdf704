// What is in an artifact, read once: rendered as text and as JSON.

#ifndef HEDDLE_DRIVER_ARTIFACTDESCRIPTION_H
#define HEDDLE_DRIVER_ARTIFACTDESCRIPTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

namespace format {
class ArtifactReader;
} // namespace format

struct TensorDescription {
  std::string name, dtype;
  /// The least and the largest shape that a call may choose.
  std::vector<int64_t> least, shape;
  /// Of the tensor that ranks have parts of; empty where each has all of it.
  std::vector<int64_t> whole;
  /// The input or operand whose memory it takes.
  std::optional<uint32_t> alias;
};

struct StateDescription {
  std::string name, dtype;
  std::vector<int64_t> shape;
  /// Whether the entry changes it.
  bool isChanged = false;
  /// The size that is its length when a call starts, and the dimension that
  /// this counts; empty, and none, without a length.
  std::string length = {};
  std::optional<uint32_t> dimension = {};
};

/// A size that calls choose, or that the program computes.
struct SizeDescription {
  std::string name;
  int64_t least, largest, multiple;
  bool isComputed;
};

/// What an entry takes for granted of sizes, as "batch = 8".
struct AssumptionDescription {
  std::string text;
  /// Who wants it; may be empty.
  std::string node;
};

struct EntryDescription {
  std::string name;
  std::vector<TensorDescription> inputs, outputs;
  std::vector<StateDescription> states;
  /// Names of the sizes that a call has to give, as no input tells them.
  std::vector<std::string> given;
  std::vector<AssumptionDescription> assumptions;
};

struct WeightDescription {
  std::string symbol, dtype;
  std::vector<int64_t> shape;
  uint64_t bytes = 0;
  std::string packing, source;
  /// Targets that lay it out in another order at load.
  std::vector<std::string> laidOutBy;
  /// With a packing: the tensor that is stored.
  std::string format;
  std::vector<int64_t> logicalShape;
  /// Extents of the blocks that are scaled, and the symbols of the weights that
  /// hold scales and zero points; empty where there are none.
  std::vector<int64_t> block;
  std::string scale, zeroPoint;
};

struct CustomCallDescription {
  std::string target;
  std::vector<TensorDescription> operands, results;
  bool hasSideEffect = false;
  int64_t apiVersion = 0;
  llvm::json::Object attributes;
  std::string backendConfig;
  unsigned steps = 0;
};

/// A kernel that is code. It has a record for each kind of device that runs it.
struct KernelDescription {
  std::string name;
  /// What decides its code, as a hash in hexadecimal: equal in two artifacts
  /// where the kernel is the same.
  std::string identity;
  std::vector<std::string> devices;
  uint64_t codeBytes = 0, scratchBytes = 0;
  unsigned launches = 0;
  int64_t operations = 0, traffic = 0;
  /// Nodes of the model that launches of it compute, each once.
  std::vector<std::string> nodes = {};
  /// How it is made and why, where a compiler has said that.
  std::vector<std::string> design = {};
  /// Threads of a block; 0 on processors.
  uint64_t threads = 0;
};

/// The commands of an entry, a line each.
struct ProgramDescription {
  std::string entry; ///< Empty: what is run at load.
  /// Memory by device, where there are several: "1.0 KiB of sim:0".
  std::vector<std::string> memories;
  std::vector<std::vector<std::string>> blocks;
};

struct TargetDescription {
  std::string name;
  /// What this version of heddle does not know of it: nothing else is told
  /// then.
  std::string needs;
  std::vector<KernelDescription> kernels;
  /// Their names.
  std::vector<std::string> devices, queues;
  /// Each state and the device whose memory holds it.
  std::vector<std::pair<std::string, std::string>> stateHomes;
  uint64_t codeBytes = 0;
  /// Of all weights that it reads, and of those that no other target does.
  uint64_t weightBytes = 0, ownWeightBytes = 0;
  /// Symbols of the weights that it lays out in another order at load.
  std::vector<std::string> laidOut;
  unsigned launches = 0, copies = 0, fills = 0, branches = 0, loops = 0,
           collectives = 0;
  int64_t operations = 0, arenaBytes = 0, persistentBytes = 0;
  bool hasGpuCode = false;
  /// Its products of bf16 are those of an instruction that takes subnormal
  /// numbers for zero.
  bool pairsFlushSubnormals = false;
  std::vector<ProgramDescription> programs;
};

struct ArtifactDescription {
  std::string model;
  unsigned major = 0, minor = 0; ///< Of the format.
  uint64_t bytes = 0;
  bool flushesSubnormals = false;
  unsigned ranks = 1; ///< That run it together.
  /// With their ranges as they were declared.
  std::vector<SizeDescription> sizes;
  std::vector<EntryDescription> entries;
  /// Of the first target that is known.
  std::vector<CustomCallDescription> customCalls;
  std::vector<WeightDescription> weights;
  uint64_t weightBytes = 0, sharedWeightBytes = 0;
  std::vector<TargetDescription> targets;
  std::vector<std::string> nodes;
  std::vector<std::pair<std::string, std::string>> provenance, records;
};

/// Describes all entries or, if `entryName` is not empty, the one of that name;
/// their programs only if `withPrograms`.
ArtifactDescription describeArtifact(const format::ArtifactReader &artifact,
                                     llvm::StringRef entryName,
                                     bool withPrograms);

/// "8x128", or "scalar".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// "1..8x128" where a call chooses a size; `least` and `largest` have one
/// number per dimension.
std::string rangeText(llvm::ArrayRef<int64_t> least,
                      llvm::ArrayRef<int64_t> largest);

/// Begins the line of a tensor: "  input  x                        f32   ".
llvm::raw_ostream &printName(llvm::raw_ostream &os, llvm::StringRef kind,
                             llvm::StringRef name, llvm::StringRef dtype);

/// Prints of each target how the kernels are made that compute the node `node`,
/// or are called so; false if there are none.
bool printKernelDesigns(llvm::raw_ostream &os,
                        const ArtifactDescription &artifact,
                        llvm::StringRef node);

/// Prints a summary, or the part called `show` in full.
void printArtifact(llvm::raw_ostream &os, llvm::StringRef path,
                   const ArtifactDescription &artifact, llvm::StringRef show);

/// All of it but the commands.
llvm::json::Object toJson(const ArtifactDescription &artifact);

} // namespace heddle

#endif // HEDDLE_DRIVER_ARTIFACTDESCRIPTION_H
