// How the tensors of an artifact lie over its mesh, and what its ranks give
// each other: read once, rendered as text and as JSON.

#ifndef HEDDLE_LIB_DRIVER_SHARDINGDESCRIPTION_H
#define HEDDLE_LIB_DRIVER_SHARDINGDESCRIPTION_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

namespace format {
class ArtifactReader;
} // namespace format

/// A tensor that each rank has a part of, or all of.
struct ShardedTensor {
  std::string kind; ///< input, output or weight.
  std::string name, dtype;
  std::vector<int64_t> whole, part;
  /// The axes of the mesh that cut each dimension, the major one first.
  std::vector<std::vector<std::string>> axes;
  /// Of all parts that differ, and of that of one rank.
  uint64_t wholeBytes = 0, partBytes = 0;
};

/// A command that ranks do together.
struct ShardedCollective {
  std::string entry, kind, reduction, dtype;
  /// Those that tell the ranks of a group apart.
  std::vector<std::string> axes;
  unsigned groupSize = 1;
  bool isNested = false; ///< In a loop or a branch.
  int64_t sourceBytes = 0;
  /// What a rank sends if each does the same (a ring); what the rank that sends
  /// most does, of a permute or a broadcast.
  int64_t sentBytes = 0;
  std::vector<std::string> nodes; ///< Of the model.
};

struct ShardingDescription {
  unsigned ranks = 1;
  std::vector<std::pair<std::string, unsigned>> mesh;
  std::vector<ShardedTensor> tensors;
  std::vector<ShardedCollective> collectives;
  /// Of the weights that each rank reads.
  std::vector<uint64_t> weightBytes;
};

/// Describes the first variant that this version knows.
ShardingDescription describeSharding(const format::ArtifactReader &artifact);

void printSharding(llvm::raw_ostream &os,
                   const ShardingDescription &description);
llvm::json::Object toJson(const ShardingDescription &description);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_SHARDINGDESCRIPTION_H
