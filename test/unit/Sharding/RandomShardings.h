// Meshes and shardings by chance.

#ifndef HEDDLE_TEST_UNIT_SHARDING_RANDOMSHARDINGS_H
#define HEDDLE_TEST_UNIT_SHARDING_RANDOMSHARDINGS_H

#include "dialects/Sdy/Sdy.h"

#include <random>

namespace heddle::sharding {

using Random = std::mt19937_64;

inline int64_t below(Random &random, int64_t limit) { return random() % limit; }

/// A mesh of one to three axes and at most eight devices, sometimes with the
/// devices in another order.
sdy::MeshAttr randomMesh(mlir::MLIRContext *context, Random &random);

/// Names the mesh @mesh, and says of arguments, of results and of about half of
/// all values within how they lie, with axes and parts of axes. What cannot be
/// cut into parts of unequal size is cut evenly.
void shardByChance(mlir::ModuleOp module, sdy::MeshAttr mesh, Random &random);

} // namespace heddle::sharding

#endif // HEDDLE_TEST_UNIT_SHARDING_RANDOMSHARDINGS_H
