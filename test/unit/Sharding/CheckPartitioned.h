// Holds what a partitioned program computes against the program itself.

#ifndef HEDDLE_TEST_UNIT_SHARDING_CHECKPARTITIONED_H
#define HEDDLE_TEST_UNIT_SHARDING_CHECKPARTITIONED_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace heddle::sharding {

/// What partitioning did to programs, to show that something was tried.
struct PartitionCounts {
  int64_t operations = 0;
  /// Operations that compute on less than the whole of their results.
  int64_t onParts = 0;
  int64_t collectives = 0;
};

/// Partitions a sharded module, with propagation before that if it is asked
/// for, and runs function @f of both on the same numbers. Empty where results
/// are equal: bit by bit if `isExact`, else within the error of sums in another
/// order; otherwise what differs. `partitioned` is left as it was run.
std::string checkPartitioned(mlir::ModuleOp whole, mlir::ModuleOp partitioned,
                             bool propagates, bool isExact,
                             PartitionCounts &counts);

} // namespace heddle::sharding

#endif // HEDDLE_TEST_UNIT_SHARDING_CHECKPARTITIONED_H
