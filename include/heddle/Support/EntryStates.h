// What an entry keeps between its calls, as attributes of its function.

#ifndef HEDDLE_SUPPORT_ENTRYSTATES_H
#define HEDDLE_SUPPORT_ENTRYSTATES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// On an argument or result of an entry, which then is no input or output: the
/// name of the state that it is read from, or that keeps it for later calls.
inline constexpr llvm::StringLiteral kStateAttrName = "heddle.state";

/// On any argument or result of an entry: the device whose memory the state, or
/// the caller's tensor, lies in; absent for that of the process.
inline constexpr llvm::StringLiteral kPlaceAttrName = "heddle.place";

/// On a state's, where it has a length: its true shape when a call starts
/// (on an argument) or is done (on a result), as `#size.extents`. The type has
/// the largest; the dimension that differs is the one that the length counts,
/// and on arguments it is a symbol.
inline constexpr llvm::StringLiteral kStateShapeAttrName = "heddle.state_shape";

/// On an argument that is a state of sizes that calls choose: the shape that
/// the model's input has, as `#size.extents`. A call finds so much of the
/// state, the first along each dimension.
inline constexpr llvm::StringLiteral kStatePartAttrName = "heddle.state_part";

} // namespace heddle

#endif // HEDDLE_SUPPORT_ENTRYSTATES_H
