// Floats of a byte or less: kernels hold the bits of each in a byte and compute
// in f32.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_NARROWFLOATS_H
#define HEDDLE_PASSES_LOWER_SCALAR_NARROWFLOATS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Whether `type` is a float of at most eight bits.
bool isNarrowFloat(mlir::Type type);

/// The number, in f32, whose bits in `format` are the low ones of `bits`, an
/// i8.
mlir::Value decodeNarrowFloat(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value bits, mlir::Type format);

/// The bits of `value`, an f32 or f64, rounded to nearest even. What is too
/// large becomes infinite, NaN in a format without infinity, and the largest
/// number in one without either.
mlir::Value encodeNarrowFloat(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, mlir::Type format);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_NARROWFLOATS_H
