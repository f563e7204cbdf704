// Sums of stored integers, which zero points of the other side of a product
// want.

#ifndef HEDDLE_PASSES_DISPATCH_STOREDSUMS_H
#define HEDDLE_PASSES_DISPATCH_STOREDSUMS_H

#include "passes/Dispatch/StoredOperands.h"

namespace heddle {

/// What a root says of the type that tensors hold without a sign; null if
/// nothing need be said.
mlir::TypeAttr modelType(mlir::IntegerType type);

/// The sums of a tensor, read by `map` from iteration dimensions of `extents`,
/// over those of `reductions`, in i32; and how a point of `out` reads them. Of
/// a weight they are a weight, of another tensor a contraction with ones that
/// are of `onesType`. `isRhs` says on which side of a product the tensor
/// stands.
std::pair<mlir::Value, mlir::AffineMap>
sumOver(mlir::OpBuilder &b, mlir::Location loc, WeightPrograms &weights,
        const Stored &stored, mlir::IntegerType onesType, mlir::AffineMap map,
        llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<unsigned> reductions,
        mlir::AffineMap out, bool isRhs);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_STOREDSUMS_H
