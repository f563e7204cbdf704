// The inverse error function as arithmetic on f64.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_INVERSEERROR_H
#define HEDDLE_PASSES_LOWER_SCALAR_INVERSEERROR_H

#include "passes/Math/FloatBuilder.h"

namespace heddle {

mlir::Value inverseError(FloatBuilder &b, mlir::Value x);
/// The same for an `x` and a result of f32's precision or less.
mlir::Value inverseErrorOfSingle(FloatBuilder &b, mlir::Value x);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_INVERSEERROR_H
