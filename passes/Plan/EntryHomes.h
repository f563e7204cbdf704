// On which device each state lies, and what callers give and take.

#ifndef HEDDLE_PASSES_PLAN_ENTRYHOMES_H
#define HEDDLE_PASSES_PLAN_ENTRYHOMES_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Says of the entries' arguments and results that are a state where it lies,
/// by `heddle.place`: on the device whose launches alone read it and make what
/// it keeps, in all entries. Without the attribute it is the process's memory,
/// as for all that the host reads or control flow carries. With `tensors` the
/// same is said of inputs and outputs, but for those whose shape calls choose.
void placeEntryTensors(mlir::ModuleOp module, bool tensors);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_ENTRYHOMES_H
