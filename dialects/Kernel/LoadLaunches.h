// What launches say that are run when an artifact is loaded.

#ifndef HEDDLE_DIALECTS_KERNEL_LOADLAUNCHES_H
#define HEDDLE_DIALECTS_KERNEL_LOADLAUNCHES_H

#include "llvm/ADT/StringRef.h"

namespace heddle::kernel {

/// On a launch that reads weights alone: it makes another form of them, once,
/// when the artifact is loaded.
inline constexpr llvm::StringLiteral kAtLoadAttrName = "kernel.at_load";

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_LOADLAUNCHES_H
