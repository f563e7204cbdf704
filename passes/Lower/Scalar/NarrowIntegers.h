// Integers of two or four bits: kernels hold each in a byte.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_NARROWINTEGERS_H
#define HEDDLE_PASSES_LOWER_SCALAR_NARROWINTEGERS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Whether `type` is an integer of more than one bit and less than a byte.
bool isNarrowInteger(mlir::Type type);

/// i8 or ui8 for a narrow integer, `type` itself for anything else.
mlir::Type byteType(mlir::Type type);

/// The number that the low bits of `value`, an i8, are in `type`; what the bits
/// above hold does not count. So this reads, and it wraps.
mlir::Value extendNarrowInteger(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value value, mlir::Type type);

/// `value`, a byte, or the nearest number that `type` holds.
mlir::Value clampNarrowInteger(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value value, mlir::Type type);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_NARROWINTEGERS_H
