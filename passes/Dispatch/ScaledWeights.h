// Right-hand sides that a model dequantizes by blocks stay as they are stored:
// kernels widen them.

#ifndef HEDDLE_PASSES_DISPATCH_SCALEDWEIGHTS_H
#define HEDDLE_PASSES_DISPATCH_SCALEDWEIGHTS_H

#include "heddle/Target/DispatchFacts.h"
#include "passes/Lower/Weights/WeightPrograms.h"

namespace heddle {

/// If the right-hand side of `op` is a weight of 4 or 8 bits with a scale for
/// each block of terms, and the target has a kernel for that: stores the
/// integers, their scales and zero points by themselves, and makes `op` read
/// what is dequantized from them. False, and nothing changed, if it is not.
bool packScaled(WeightPrograms &weights, kernel::ContractOp op,
                const DispatchFacts &facts);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_SCALEDWEIGHTS_H
