// Composites of StableHLO that mean something to the stages after the graph.

#ifndef HEDDLE_DIALECTS_KERNEL_COMPOSITES_H
#define HEDDLE_DIALECTS_KERNEL_COMPOSITES_H

#include "llvm/ADT/StringRef.h"

namespace heddle::kernel {

/// Attention, which processors have a kernel for.
inline constexpr llvm::StringLiteral kAttentionName = "heddle.attention";

/// Whether composites of this name are one operation of the neutral form, on
/// all targets: routines (`heddle.lu` and the like) and `chlo.erf`.
bool isNeutralComposite(llvm::StringRef name);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_COMPOSITES_H
