// Which parts of dimensions a reshape leaves as they are.

#ifndef HEDDLE_DIALECTS_SHARDING_RESHAPEFACTORS_H
#define HEDDLE_DIALECTS_SHARDING_RESHAPEFACTORS_H

#include "dialects/Sharding/FactorRule.h"

namespace heddle::sharding {

/// The rule of an operation of one operand and one result that have the same
/// elements in the same order.
FactorRule reshapeRule(mlir::Operation *op);

} // namespace heddle::sharding

#endif // HEDDLE_DIALECTS_SHARDING_RESHAPEFACTORS_H
