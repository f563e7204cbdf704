// Functions of CHLO beyond the elementary ones, as arithmetic on one element.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_SPECIALFUNCTIONS_H
#define HEDDLE_PASSES_LOWER_SCALAR_SPECIALFUNCTIONS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// lgamma, digamma, erf_inv and bessel_i1e.
bool isSpecialFunction(mlir::Operation *op);
/// One of these at `x`, a float.
mlir::Value emitSpecialFunction(mlir::OpBuilder &builder, mlir::Operation *op,
                                mlir::Value x);

/// Hurwitz's zeta function is a sum of powers, here of this many, and a rest.
inline constexpr int64_t kZetaTerms = 24;
/// Term `number` (an integer) of zeta(s, q), in f64.
mlir::Value emitZetaTerm(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value s, mlir::Value q, mlir::Value number);
/// zeta(s, q), and polygamma(n, x), from the `sum` of the terms of zeta(s, q),
/// respectively zeta(n + 1, x).
mlir::Value emitZeta(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value s, mlir::Value q, mlir::Value sum);
mlir::Value emitPolygamma(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value n, mlir::Value x, mlir::Value sum);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_SPECIALFUNCTIONS_H
