// Element types of MLIR as the artifact's schema names them.

#ifndef HEDDLE_LIB_ARTIFACT_DATATYPES_H
#define HEDDLE_LIB_ARTIFACT_DATATYPES_H

#include "runtime/format/Layout.h"

#include "mlir/IR/Types.h"

namespace heddle {

/// The schema's name for an element type; `none` if it has none.
format::DataType dataType(mlir::Type type);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_DATATYPES_H
