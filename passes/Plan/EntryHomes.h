// On which device each state lies.

#ifndef HEDDLE_PASSES_PLAN_STATEHOMES_H
#define HEDDLE_PASSES_PLAN_STATEHOMES_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Says of the entries' arguments and results that are a state where it lies,
/// by `heddle.state_place`: on the device whose launches alone read it and make
/// what it keeps, in all entries. Without the attribute it is the process's
/// memory, as for all that the host reads or control flow carries.
void placeStates(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_STATEHOMES_H
