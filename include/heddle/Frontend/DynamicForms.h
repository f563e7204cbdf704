// Operations whose sizes are operands, where these are known.

#ifndef HEDDLE_FRONTEND_DYNAMICFORMS_H
#define HEDDLE_FRONTEND_DYNAMICFORMS_H

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Whether the operand is a shape, a padding or bounds of a slice, which must
/// be known when compiling.
bool isSizeOperand(mlir::OpOperand &operand);

/// Gives every operation of `module` whose sizes are operands, but known, the
/// form that holds them, writes what CHLO broadcasts in StableHLO, and removes
/// what nobody uses then.
void fixDynamicForms(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_FRONTEND_DYNAMICFORMS_H
