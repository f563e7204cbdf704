// Where the sharding of a value stands, which its owner decides.

#ifndef HEDDLE_DIALECTS_SDY_VALUESHARDINGS_H
#define HEDDLE_DIALECTS_SDY_VALUESHARDINGS_H

#include "dialects/Sdy/Sdy.h"

namespace heddle::sdy {

/// The sharding of a value; null if nothing is said of it. For an argument of
/// a manual computation it is that of a part: without the manual axes. The
/// arguments of a loop's regions lie as its results.
TensorShardingAttr getSharding(mlir::Value value);

/// Says how a value lies. Whether it can be said: arguments of regions of
/// scalars have no place for it.
bool setSharding(mlir::Value value, TensorShardingAttr sharding);

/// The rank of a tensor; nothing for all else.
std::optional<int64_t> rankOf(mlir::Type type);

/// A sharding without the axes of a manual computation.
TensorShardingAttr withoutManualAxes(TensorShardingAttr sharding,
                                     ManualAxesAttr axes);

/// A sharding with its manual axes put back in front, as `before` has them.
TensorShardingAttr withManualAxes(TensorShardingAttr sharding,
                                  TensorShardingAttr before,
                                  ManualAxesAttr axes);

} // namespace heddle::sdy

#endif // HEDDLE_DIALECTS_SDY_VALUESHARDINGS_H
