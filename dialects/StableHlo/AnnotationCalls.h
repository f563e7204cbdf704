// Custom calls that say where or how a value lives, not what it is.

#ifndef HEDDLE_DIALECTS_STABLEHLO_ANNOTATIONCALLS_H
#define HEDDLE_DIALECTS_STABLEHLO_ANNOTATIONCALLS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace heddle::stablehlo {

/// Their targets, as XLA, Shardy and JAX name them. Where programs run on one
/// device, such a call gives its operand.
inline constexpr llvm::StringLiteral kAnnotationCalls[] = {
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
    "xla.sdy.PropagationBarrier",
    "LayoutConstraint",
    "annotate_device_placement",
    "MoveToHost",
    "MoveToDevice",
};

inline bool isAnnotationCall(llvm::StringRef target) {
  return llvm::is_contained(kAnnotationCalls, target);
}

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_ANNOTATIONCALLS_H
