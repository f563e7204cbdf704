// Floats of a byte or less for targets whose kernels have none: the bits of
// each lie in a byte.

#ifndef HEDDLE_PASSES_DISPATCH_NARROWFLOATS_H
#define HEDDLE_PASSES_DISPATCH_NARROWFLOATS_H

#include "mlir/IR/Builders.h"

namespace heddle {

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

#endif // HEDDLE_PASSES_DISPATCH_NARROWFLOATS_H
