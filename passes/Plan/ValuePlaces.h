// Where the values of a program come from: through reshapes, by launches.

#ifndef HEDDLE_PASSES_PLAN_VALUEPLACES_H
#define HEDDLE_PASSES_PLAN_VALUEPLACES_H

#include "dialects/Kernel/Kernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle {

/// Whether the result is the operand's storage under another shape.
inline bool isReshape(mlir::Operation *op) {
  return llvm::isa_and_nonnull<mlir::tensor::ExpandShapeOp,
                               mlir::tensor::CollapseShapeOp>(op);
}

/// The value that `value` is a reshape of, itself if it is none.
inline mlir::Value behindReshapes(mlir::Value value) {
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The device of a launch; null for the cpu, and for what is no launch.
inline mlir::StringAttr placeOf(mlir::Operation *op) {
  auto launch = llvm::dyn_cast_or_null<kernel::LaunchOp>(op);
  return launch
             ? launch->getAttrOfType<mlir::StringAttr>(kernel::kPlaceAttrName)
             : mlir::StringAttr();
}

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_VALUEPLACES_H
