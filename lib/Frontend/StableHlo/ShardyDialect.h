// What Shardy writes into programs: where values live on many devices.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_SHARDYDIALECT_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_SHARDYDIALECT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

namespace heddle {

/// Lets programs hold attributes of Shardy and the operations that JAX writes,
/// in Shardy's own encoding and text. What attributes say about devices means
/// nothing here: in bytecode they are read as units, in text they are kept as
/// they are.
void allowShardy(mlir::MLIRContext &context);

/// Whether a text may hold an operation of Shardy.
bool mentionsShardy(llvm::StringRef text);

/// Replaces the operations of Shardy by what they mean on one device: a
/// constraint is its operand, a computation by hand its body. An error where
/// the body sees a part of a value only, or for an unknown operation.
llvm::LogicalResult dropShardyOperations(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_SHARDYDIALECT_H
