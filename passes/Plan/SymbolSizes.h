// Sizes as functions of the symbols that a call chooses.

#ifndef HEDDLE_PASSES_PLAN_SYMBOLSIZES_H
#define HEDDLE_PASSES_PLAN_SYMBOLSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineMap.h"

namespace heddle {

/// What a launch of `entry` is given as `size`, as a function of the program's
/// symbols.
mlir::FailureOr<mlir::AffineMap> launchSize(mlir::func::FuncOp entry,
                                            mlir::Value size);

/// The bytes of a tensor of the shape that `shape` gives, whose largest has
/// `largest`; null without a shape.
mlir::AffineMapAttr chosenBytes(mlir::func::FuncOp entry,
                                mlir::AffineMapAttr shape, int64_t largest);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_SYMBOLSIZES_H
