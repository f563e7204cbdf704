// Bits of one element, and functions of a float by integer arithmetic on them.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_SCALARBITS_H
#define HEDDLE_PASSES_LOWER_SCALAR_SCALARBITS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// The bits of `value`, an element of the graph's `type`; of an integer or a
/// float of two or four bits in an i8 with zeros above.
mlir::Value emitToBits(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::Type type);

/// The element of the graph's `type` whose bits are the low ones of `bits`, an
/// integer of at least as many and of a byte or more where it is not i1.
mlir::Value emitFromBits(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value bits, mlir::Type type);

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
