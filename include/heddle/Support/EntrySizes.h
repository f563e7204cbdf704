// Sizes of an entry's inputs and outputs that are known when running, as
// attributes of @main.

#ifndef HEDDLE_SUPPORT_ENTRYSIZES_H
#define HEDDLE_SUPPORT_ENTRYSIZES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// On the module: a dictionary {name, minimum, maximum, multiple} for each
/// symbol, a size that the caller chooses; `multiple`, of which each choice is
/// one, is there if it is not 1.
inline constexpr llvm::StringLiteral kSymbolsAttrName = "heddle.symbols";

/// In such a dictionary: the program computes the size, a result of the entry
/// with `heddle.extent` has it, and no call chooses it.
inline constexpr llvm::StringLiteral kIsComputedName = "computed";

/// On the module: a dictionary {zero, text, node} for each equality of sizes
/// that an operation wants and ranges do not say. `zero` is an expression that
/// must be 0 at each call, `text` says it for people, and `node`, which may be
/// missing, who wants it. With `entry` it is that one's, where there are
/// several.
inline constexpr llvm::StringLiteral kSizeAssumptionsAttrName =
    "heddle.size_assumptions";

/// On an argument or result of @main: the shape that the caller sees, as
/// `#size.extents`. The tensor in the program holds the largest of
/// them, or its elements in a row; the true elements come first.
inline constexpr llvm::StringLiteral kShapeAttrName = "heddle.shape";

/// On an argument of @main that no caller gives: the name of the symbol whose
/// value it is; on a result, of the symbol that it counts.
inline constexpr llvm::StringLiteral kExtentAttrName = "heddle.extent";

/// On a product: how far its iteration dimensions (the result's, then what is
/// summed) truly run, as `#size.extents`; on an attention, those of its result.
/// What lies beyond is nobody's; without it all of the tensors is computed.
inline constexpr llvm::StringLiteral kSizesAttrName = "heddle.sizes";

} // namespace heddle

#endif // HEDDLE_SUPPORT_ENTRYSIZES_H
