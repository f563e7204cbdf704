// Functions of a float's bits, by integer arithmetic on one element.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_SCALARBITS_H
#define HEDDLE_PASSES_LOWER_SCALAR_SCALARBITS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// `x`, a float, rounded to a format of that many bits, to nearest even: what
/// is too large for it becomes infinite, what is below its normal numbers zero.
mlir::Value emitReducePrecision(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value x, unsigned exponentBits,
                                unsigned mantissaBits);

/// The neighbour of `from` in the direction of `to`.
mlir::Value emitNextAfter(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value from, mlir::Value to);

/// The upper half of the product of two integers.
mlir::Value emitMulHigh(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value x, mlir::Value y, bool isUnsigned);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_SCALARBITS_H
