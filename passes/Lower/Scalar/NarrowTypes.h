// Element types that tensors have and nothing computes in: floats of a byte or
// less are converted to f32 and back, integers of less than a byte to bytes.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_NARROWTYPES_H
#define HEDDLE_PASSES_LOWER_SCALAR_NARROWTYPES_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Whether `type` is a float of at most eight bits.
bool isNarrowFloat(mlir::Type type);

/// Whether `type` is an integer of more than one bit and less than a byte.
bool isNarrowInteger(mlir::Type type);

/// i8 or ui8 for a narrow integer, `type` itself for anything else.
mlir::Type byteType(mlir::Type type);

/// The number that `value`, an element of the graph's `type`, is, as an i8.
mlir::Value extendNarrowInteger(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value value, mlir::Type type);

/// The element of the graph's `type` with the low bits of `value`, an i8.
///
/// Without overflow flags such a truncation is of a signed number. One of an
/// unsigned number says that nothing but zeros is lost: who holds the element
/// in more bits sees from that what to put above.
mlir::Value wrapNarrowInteger(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, mlir::Type type);

/// `value`, an i8 or ui8 as `type` has a sign, or the nearest number that
/// `type` holds.
mlir::Value clampNarrowInteger(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value value, mlir::Type type);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_NARROWTYPES_H
