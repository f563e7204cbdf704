// How much one launch of a kernel does: for reports, and for the time that its
// target takes for it.

#ifndef HEDDLE_PASSES_PLAN_KERNELWORK_H
#define HEDDLE_PASSES_PLAN_KERNELWORK_H

#include "dialects/Size/Expression.h"
#include "heddle/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Arithmetic operations of one launch, counting a multiply-add as two and
/// leaving out what costs little beside contractions; the most where calls
/// choose sizes.
int64_t kernelOperations(mlir::func::FuncOp function);
/// The same by the sizes that a call chooses. Null where it takes more terms
/// than an expression has.
size::Expression trueOperations(mlir::func::FuncOp function);

/// One launch of a kernel function, whose shapes are static.
Work kernelWork(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_KERNELWORK_H
