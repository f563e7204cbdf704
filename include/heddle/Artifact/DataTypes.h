// Element types of MLIR as the artifact's schema names them.

#ifndef HEDDLE_ARTIFACT_DATATYPES_H
#define HEDDLE_ARTIFACT_DATATYPES_H

#include "mlir/IR/Types.h"

#include <cstdint>

namespace heddle {

namespace format {
enum class DataType : uint8_t;
} // namespace format

/// The schema's name for an element type; `none` if it has none.
format::DataType dataType(mlir::Type type);

} // namespace heddle

#endif // HEDDLE_ARTIFACT_DATATYPES_H
