// What an entry keeps between its calls, as attributes of its function.

#ifndef HEDDLE_SUPPORT_ENTRYSTATES_H
#define HEDDLE_SUPPORT_ENTRYSTATES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// On an argument or result of an entry, which then is no input or output: the
/// name of the state that it is read from, or that keeps it for later calls.
inline constexpr llvm::StringLiteral kStateAttrName = "heddle.state";

/// On the same: the device whose memory the state lies in; absent for that of
/// the process.
inline constexpr llvm::StringLiteral kStatePlaceAttrName = "heddle.state_place";

} // namespace heddle

#endif // HEDDLE_SUPPORT_ENTRYSTATES_H
