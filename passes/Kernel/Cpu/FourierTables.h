// Plans and constants of Fourier transforms, computed when a program is
// compiled.

#ifndef HEDDLE_PASSES_KERNEL_CPU_FOURIERTABLES_H
#define HEDDLE_PASSES_KERNEL_CPU_FOURIERTABLES_H

#include "dialects/Kernel/FourierPlan.h"

#include <vector>

namespace heddle {

/// What the routine needs besides its buffers.
struct FourierTables {
  routine::FourierPlan plan = {};
  std::vector<long double> constants;
  /// Points of scratch memory per line.
  int64_t longest = 0;
};

/// The plan for lines of `points`; `real` ones have a real operand or result.
/// `alone` are lines that are transformed one by one.
FourierTables planFourier(int64_t points, bool real, bool alone);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_FOURIERTABLES_H
