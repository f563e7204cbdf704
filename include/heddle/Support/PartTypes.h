// What a program of one device says of the tensors that its arguments and
// results are parts of.

#ifndef HEDDLE_SUPPORT_PARTTYPES_H
#define HEDDLE_SUPPORT_PARTTYPES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// On an argument or a result: the type of the whole tensor, a part of which it
/// is. How that lies over the mesh says `sdy.sharding` beside it.
inline constexpr llvm::StringLiteral kWholeTypeAttrName = "heddle.whole";

/// The same without a mesh: triples of a dimension, how many parts it is cut
/// into, and what a place on the mesh is divided by first. Several cuts of one
/// dimension nest, the coarsest first. Also on an operation that takes the
/// device's part of a constant, and on one that gathers such parts.
inline constexpr llvm::StringLiteral kCutsAttrName = "heddle.cuts";

/// On a module that ranks run together: how many, and, where that is not its
/// own number, the place of each on the mesh.
inline constexpr llvm::StringLiteral kRanksAttrName = "heddle.ranks";
inline constexpr llvm::StringLiteral kPlacesAttrName = "heddle.places";

/// Beside them: the axes of the mesh, the last counting fastest, as an array of
/// pairs of a name and a size.
inline constexpr llvm::StringLiteral kMeshAttrName = "heddle.mesh";

} // namespace heddle

#endif // HEDDLE_SUPPORT_PARTTYPES_H
