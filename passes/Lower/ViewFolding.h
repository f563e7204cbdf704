// Views: ops that say only where elements come from.

#ifndef HEDDLE_PASSES_LOWER_VIEWFOLDING_H
#define HEDDLE_PASSES_LOWER_VIEWFOLDING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// Whether `op` only moves elements of its one input, to a result that it
/// writes in order.
bool isView(mlir::linalg::GenericOp op);

/// A tensor and how the points of another one read it.
struct Source {
  mlir::Value value;
  mlir::AffineMap map;
};

/// What is read through `value`, if that is a view of another tensor or a
/// reshape that can be read through by a linear map.
std::optional<Source> viewSource(mlir::Value value);

/// Makes generics, contractions and attention read through views, and roots
/// write through transposes. Erases what nobody reads any more.
void foldViews(mlir::func::FuncOp function);

/// linalg wants a loop that indexes a dimension by itself to cover it, so a
/// generic may not read the first part of a dimension that way. Where folded
/// views ask for it, the tensor is flattened and read by one linear expression.
void legalizeReads(mlir::func::FuncOp function);

/// Erases ops without effects and users.
void eraseDead(mlir::Block &block);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_VIEWFOLDING_H
