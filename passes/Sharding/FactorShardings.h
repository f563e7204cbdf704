// The shardings of an operation's tensors, seen by its factors.

#ifndef HEDDLE_PASSES_SHARDING_FACTORSHARDINGS_H
#define HEDDLE_PASSES_SHARDING_FACTORSHARDINGS_H

#include "dialects/Sdy/DevicePositions.h"
#include "dialects/Sharding/FactorRule.h"

#include "llvm/ADT/MapVector.h"

namespace heddle {

using Axes = llvm::SmallVector<sdy::AxisRefAttr>;

/// How a tensor is cut along one of its factors.
struct FactorSharding {
  Axes axes;
  /// Axes behind these that do not fit the factor; nothing can be added.
  Axes overflow;
  bool isClosed = false;
  /// No other factor of the dimension stands behind it.
  bool isMinorMost = true;
};

/// How a tensor is cut along all of its factors.
struct TensorProjection {
  llvm::MapVector<int64_t, FactorSharding> factors;
  Axes replicated, unreduced;
};

/// The sharding of a tensor by factors; one that is not known is open. Where a
/// dimension has several factors, an axis larger than one of them is split, if
/// that is allowed.
TensorProjection project(const sharding::TensorFactors &tensor,
                         sdy::TensorShardingAttr sharding,
                         const sharding::FactorRule &rule, sdy::MeshAttr mesh,
                         bool splitsAxes);

/// The sharding that a projection stands for; what is not of its factors is as
/// in `before`, or open where that is null.
sdy::TensorShardingAttr toSharding(const TensorProjection &projection,
                                   const sharding::TensorFactors &tensor,
                                   sdy::TensorShardingAttr before,
                                   mlir::Attribute meshOrRef,
                                   const sharding::FactorRule &rule,
                                   sdy::MeshAttr mesh);

/// What both lists begin with; an axis and a part of it begin with the part.
Axes commonPrefix(llvm::ArrayRef<sdy::AxisRefAttr> first,
                  llvm::ArrayRef<sdy::AxisRefAttr> second, sdy::MeshAttr mesh);

} // namespace heddle

#endif // HEDDLE_PASSES_SHARDING_FACTORSHARDINGS_H
