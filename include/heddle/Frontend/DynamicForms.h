// Operations whose sizes are operands, where these are known.

#ifndef HEDDLE_FRONTEND_DYNAMICFORMS_H
#define HEDDLE_FRONTEND_DYNAMICFORMS_H

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Whether the operand is a shape, a padding or bounds of a slice, which must
/// be known when compiling.
bool isSizeOperand(mlir::OpOperand &operand);

} // namespace heddle

#endif // HEDDLE_FRONTEND_DYNAMICFORMS_H
