// Attributes of Shardy in bytecode.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_SHARDYATTRIBUTES_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_SHARDYATTRIBUTES_H

#include "mlir/IR/MLIRContext.h"

namespace heddle {

/// Lets bytecode hold attributes in Shardy's own encoding, as jax.export writes
/// them: what they say about devices means nothing here, so they are read as
/// units. For bytecode alone; the text of such attributes is kept as it is.
void allowShardyAttributes(mlir::MLIRContext &context);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_SHARDYATTRIBUTES_H
