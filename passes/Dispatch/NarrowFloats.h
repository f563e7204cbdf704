// Floats of one byte: kernels hold their bits and compute in f32.

#ifndef HEDDLE_PASSES_DISPATCH_NARROWFLOATS_H
#define HEDDLE_PASSES_DISPATCH_NARROWFLOATS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Whether `type` is a float of eight bits with a sign, a mantissa and
/// subnormal numbers: all but f8E8M0FNU.
bool isNarrowFloat(mlir::Type type);

/// The number, in f32, whose bits in `format` are `bits`, an i8.
mlir::Value decodeNarrowFloat(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value bits, mlir::Type format);

/// The bits of `value`, an f32 or f64, rounded to nearest even. What is too
/// large becomes infinite, or NaN in a format without infinity.
mlir::Value encodeNarrowFloat(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, mlir::Type format);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_NARROWFLOATS_H
