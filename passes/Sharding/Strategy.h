// How shardings of the tensors of one operation go to each other.

#ifndef HEDDLE_PASSES_SHARDING_STRATEGY_H
#define HEDDLE_PASSES_SHARDING_STRATEGY_H

#include "passes/Sharding/FactorShardings.h"

namespace heddle {

/// The tensors of one operation while shardings go along it.
struct OperationProjection {
  llvm::SmallVector<TensorProjection> operands, results;
};

/// What an operation lets through of one factor.
using DirectionOf = llvm::function_ref<sdy::Direction(int64_t factor)>;

/// Sizes of tensors decide where axes come from if two factors want them.
struct TensorSizes {
  llvm::SmallVector<int64_t> operands, results;
  /// All tensors have the same shape and factors.
  bool isElementwise = false;
};

/// Cuts further what can be, the same for all tensors: axes that two factors
/// want go nowhere.
bool propagateBasic(OperationProjection &projection,
                    const sharding::FactorRule &rule, sdy::MeshAttr mesh,
                    DirectionOf direction);

/// Cuts each tensor as far as it can be: axes that two factors want go to the
/// one that comes from the larger tensor.
bool propagateAggressive(OperationProjection &projection,
                         const sharding::FactorRule &rule, sdy::MeshAttr mesh,
                         const TensorSizes &sizes, DirectionOf direction);

} // namespace heddle

#endif // HEDDLE_PASSES_SHARDING_STRATEGY_H
