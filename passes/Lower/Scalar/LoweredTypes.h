// The types that tensors of the graph have from loops on.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_LOWEREDTYPES_H
#define HEDDLE_PASSES_LOWER_SCALAR_LOWEREDTYPES_H

#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// The element type of tensors from here on: integers lose their sign, which
/// the ops carry. Null for what no tensor of a lowered program has (complex,
/// quantized).
mlir::Type loweredElementType(mlir::Type type);
/// The same for a tensor.
mlir::RankedTensorType loweredTensorType(mlir::Type type);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_LOWEREDTYPES_H
