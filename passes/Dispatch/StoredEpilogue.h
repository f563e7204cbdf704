// What sums of products of stored integers stand for.

#ifndef HEDDLE_PASSES_DISPATCH_STOREDEPILOGUE_H
#define HEDDLE_PASSES_DISPATCH_STOREDEPILOGUE_H

#include "passes/Dispatch/StoredOperands.h"

namespace heddle {

/// One side of a product: what is stored, and where the points of the result
/// find its parameters and its sums.
struct StoredSide {
  Stored stored;
  mlir::AffineMap scale, zeroPoint;
  /// The sums over the reduction, if the other side's zero point wants them.
  mlir::Value sums;
  mlir::AffineMap sumsMap;
};

/// A loop behind `sums`, each of `count` products in i32, that takes off zero
/// points and multiplies by both scales, in `number`: f32, or the i32 of a
/// model that sums up integers itself. The sums, if nothing is left to do.
mlir::Value inUnits(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sums,
                    const StoredSide &lhs, const StoredSide &rhs, int64_t count,
                    mlir::Type number);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_STOREDEPILOGUE_H
