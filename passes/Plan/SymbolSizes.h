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

/// The bytes of a tensor of the shape that `shape` gives and of the elements
/// that callers see of `declared`; null without a shape.
size::ExpressionAttr chosenBytes(size::ExtentsAttr shape, mlir::Type declared);

/// The true bytes of a tensor whose type has extents; null for other types, and
/// where the largest counts of what the program computes are not proved to give
/// the most: before it has counted, memory is that for these.
size::ExpressionAttr trueBytes(mlir::Type type, const BoundedSizes &sizes);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_SYMBOLSIZES_H
