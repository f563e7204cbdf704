// Shardings in XLA's words from before sdy: lists of devices by tiles.

#ifndef HEDDLE_PASSES_SHARDING_OLDERSHARDINGS_H
#define HEDDLE_PASSES_SHARDING_OLDERSHARDINGS_H

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Where such a text stands on values.
inline constexpr llvm::StringLiteral kOlderShardingAttr = "mhlo.sharding";

/// Whether anything of the module has one.
bool hasOlderShardings(mlir::ModuleOp module);

/// The text of an `mhlo.sharding`: `{devices=[2,1,4]<=[8]
/// last_tile_dim_replicate}`, `{replicated}`, `{manual}`.
struct OlderSharding {
  enum class Kind { Replicated, Manual, Tiled };
  Kind kind = Kind::Replicated;
  /// Of a tiled one: into how many tiles each dimension is cut. Devices along
  /// the last `subgroups` of these have the same part.
  llvm::SmallVector<int64_t> tiles;
  size_t subgroups = 0;
  /// The device of each tile, the last dimension counting fastest.
  llvm::SmallVector<int64_t> devices;
};

/// Reads such a text. None, with what is wrong in `problem`, for others.
std::optional<OlderSharding> parseOlderSharding(llvm::StringRef text,
                                                std::string &problem);

/// The same in the words of sdy, for a tensor of `rank` dimensions: all closed.
/// Null, with what is wrong in `problem`, where the axes of the mesh, whose
/// devices are numbered in order, cannot say it.
sdy::TensorShardingAttr translate(const OlderSharding &sharding, int64_t rank,
                                  sdy::MeshOp mesh, std::string &problem);

} // namespace heddle

#endif // HEDDLE_PASSES_SHARDING_OLDERSHARDINGS_H
