// Rules that follow from what an operation is made of.

#ifndef HEDDLE_DIALECTS_SHARDING_COMPOSITERULE_H
#define HEDDLE_DIALECTS_SHARDING_COMPOSITERULE_H

#include "dialects/Sharding/FactorRule.h"

#include "dialects/StableHlo/StableHlo.h"

namespace heddle::sharding {

/// The rule of a composite, from the rules of the operations of its
/// decomposition; nothing where there is none.
std::optional<FactorRule> ruleOfComposite(stablehlo::CompositeOp op);

} // namespace heddle::sharding

#endif // HEDDLE_DIALECTS_SHARDING_COMPOSITERULE_H
