// Sizes as functions of the symbols that a call chooses.

#ifndef HEDDLE_PASSES_PLAN_SYMBOLSIZES_H
#define HEDDLE_PASSES_PLAN_SYMBOLSIZES_H

#include "dialects/Size/Expression.h"
#include "passes/Dynamic/BoundedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// What a launch of `entry` is given as `size`, as a function of the program's
/// symbols.
mlir::FailureOr<size::ExpressionAttr> launchSize(mlir::func::FuncOp entry,
                                                 mlir::Value size);

/// Whether all of `extents` are proved to be the greatest where what the
/// program computes is.
bool areMostAtLargestCounts(llvm::ArrayRef<size::Expression> extents,
                            const BoundedSizes &sizes);

/// The shape of the memory that a call has for a tensor of these extents,
/// before the program has counted: the extents themselves where these are
/// proved to be the greatest at the largest counts, else limits that no counts
/// exceed, without such sizes. `bounds` are those of the type.
llvm::SmallVector<size::Expression>
memoryShape(llvm::ArrayRef<size::Expression> extents,
            llvm::ArrayRef<int64_t> bounds, const BoundedSizes &sizes);

/// The bytes of the memory for a tensor of the shape that `shape` gives and of
/// the elements that callers see of `declared`; null without a shape. What the
/// program computes is not known before the call (`memoryShape`):
/// null, too, where the limits of that are the bounds of `declared`.
size::ExpressionAttr chosenBytes(size::ExtentsAttr shape, mlir::Type declared,
                                 const BoundedSizes &sizes);

/// The same of a tensor whose type has extents; null for other types.
size::ExpressionAttr trueBytes(mlir::Type type, const BoundedSizes &sizes);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_SYMBOLSIZES_H
