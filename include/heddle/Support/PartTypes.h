// What a program of one device says of the tensors that its arguments and
// results are parts of.

#ifndef HEDDLE_SUPPORT_PARTTYPES_H
#define HEDDLE_SUPPORT_PARTTYPES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// On an argument or a result: the type of the whole tensor, a part of which it
/// is. How that lies over the mesh says `sdy.sharding` beside it.
inline constexpr llvm::StringLiteral kWholeTypeAttrName = "heddle.whole";

} // namespace heddle

#endif // HEDDLE_SUPPORT_PARTTYPES_H
