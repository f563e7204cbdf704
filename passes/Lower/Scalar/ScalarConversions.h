// stablehlo.convert on one element.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_SCALARCONVERSIONS_H
#define HEDDLE_PASSES_LOWER_SCALAR_SCALARCONVERSIONS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Converts `value`, an element of StableHLO type `from`, to `to`; null if that
/// pair is not supported. Floats become integers by truncation, anything
/// becomes bool by comparison with zero.
mlir::Value convertScalar(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::Type from, mlir::Type to);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_SCALARCONVERSIONS_H
