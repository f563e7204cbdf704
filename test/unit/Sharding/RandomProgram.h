// Programs of StableHLO by chance, as text.

#ifndef HEDDLE_TEST_UNIT_SHARDING_RANDOMPROGRAM_H
#define HEDDLE_TEST_UNIT_SHARDING_RANDOMPROGRAM_H

#include "test/unit/Sharding/RandomShardings.h"

#include <string>

namespace heddle::sharding {

/// The text of a function @f of a few operations on small tensors. With
/// `isExact` its elements are i32, whose sums do not depend on their order,
/// else f32 and bounded.
std::string randomProgram(Random &random, bool isExact);

} // namespace heddle::sharding

#endif // HEDDLE_TEST_UNIT_SHARDING_RANDOMPROGRAM_H
