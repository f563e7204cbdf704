// Composites of StableHLO that mean something to the stages after the graph.

#ifndef HEDDLE_DIALECTS_KERNEL_COMPOSITES_H
#define HEDDLE_DIALECTS_KERNEL_COMPOSITES_H

#include "llvm/ADT/StringRef.h"

namespace heddle::kernel {

/// Attention, which a target may have one kernel for.
inline constexpr llvm::StringLiteral kAttentionName = "heddle.attention";

/// Whether a later stage reads composites of this name: attention, routines
/// (`heddle.lu` and the like) and `chlo.erf`. All others are no more than their
/// decompositions.
bool isKnownComposite(llvm::StringRef name);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_COMPOSITES_H
