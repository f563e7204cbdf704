// How large a tensor may be.

#ifndef HEDDLE_SUPPORT_TENSORLIMITS_H
#define HEDDLE_SUPPORT_TENSORLIMITS_H

#include <cstdint>

namespace heddle {

/// No tensor may take more; sums of a few such numbers do not overflow.
constexpr uint64_t maximumTensorBytes = uint64_t(1) << 40;

} // namespace heddle

#endif // HEDDLE_SUPPORT_TENSORLIMITS_H
