// The precision dialect: quantization with scales as values.

#ifndef HEDDLE_DIALECTS_PREC_PREC_H
#define HEDDLE_DIALECTS_PREC_PREC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Prec/PrecDialect.h.inc"
#include "dialects/Prec/PrecEnums.h.inc"

#define GET_OP_CLASSES
#include "dialects/Prec/PrecOps.h.inc"

namespace heddle::prec {

/// The least and the largest value of an integer type, as far as 64 bits hold
/// them: ui64 ends at 2^63 - 1.
int64_t leastOf(mlir::IntegerType type);
int64_t largestOf(mlir::IntegerType type);

} // namespace heddle::prec

#endif // HEDDLE_DIALECTS_PREC_PREC_H
