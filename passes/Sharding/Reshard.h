// How a tensor goes from one layout to another.

#ifndef HEDDLE_PASSES_SHARDING_RESHARD_H
#define HEDDLE_PASSES_SHARDING_RESHARD_H

#include "passes/Sharding/Collectives.h"

namespace heddle {

/// Writes the moves that take a device's part of a tensor of type `whole` from
/// one layout to another. Elements of parts beyond the whole tensor may be
/// anything before and after.
mlir::Value reshard(Collectives &collectives, mlir::Value part,
                    mlir::RankedTensorType whole, const Layout &from,
                    const Layout &to, sdy::MeshAttr mesh, mlir::Location loc);

} // namespace heddle

#endif // HEDDLE_PASSES_SHARDING_RESHARD_H
