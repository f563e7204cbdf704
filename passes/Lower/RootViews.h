// Views around contractions and attention, whose operands and results have
// maps.

#ifndef HEDDLE_PASSES_LOWER_ROOTVIEWS_H
#define HEDDLE_PASSES_LOWER_ROOTVIEWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// Makes a contraction or attention read through views. It may be replaced, by
/// one with more dimensions.
void foldViewsIntoRoot(mlir::Operation *root);

/// If `view` transposes what a contraction or attention gives, and nobody else
/// reads that: the root writes transposed, and the view is gone.
bool foldTransposeOfRoot(mlir::linalg::GenericOp view);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_ROOTVIEWS_H
