// What shardings must fulfil on the mesh that they name.

#ifndef HEDDLE_DIALECTS_SDY_SHARDINGVERIFICATION_H
#define HEDDLE_DIALECTS_SDY_SHARDINGVERIFICATION_H

#include "dialects/Sdy/Sdy.h"

namespace heddle::sdy {

/// Begins a diagnostic that says of what it is.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Lists of axes that are used together: known to the mesh, no device counted
/// twice, neighbours that are one axis written as one.
mlir::LogicalResult
verifyAxisLists(llvm::ArrayRef<llvm::ArrayRef<AxisRefAttr>> lists,
                MeshAttr mesh, EmitError emitError);

/// Axes must stand as the mesh has them; `what` names them.
mlir::LogicalResult verifyOrder(llvm::ArrayRef<AxisRefAttr> axes, MeshAttr mesh,
                                llvm::StringRef what, EmitError emitError);

/// A sharding of a value of `type`. `op` is where its mesh is looked up; axes
/// that an enclosing manual computation has taken must not be used.
mlir::LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type,
                                   mlir::Operation *op, EmitError emitError);

/// A sharding for each of some values, which are `what`.
mlir::LogicalResult verifyShardings(TensorShardingPerValueAttr shardings,
                                    mlir::TypeRange types, mlir::Operation *op,
                                    llvm::StringRef what);

/// A rule for the operands and results of `op`.
mlir::LogicalResult verifyRule(OpShardingRuleAttr rule, mlir::Operation *op);

/// Edges of `op`: values that it has, axes of a mesh in use.
mlir::LogicalResult verifyEdges(PropagationEdgesAttr edges,
                                mlir::Operation *op);

/// Orders axes as the mesh does, parts of one axis from major to minor.
bool isBefore(AxisRefAttr first, AxisRefAttr second, MeshAttr mesh);

} // namespace heddle::sdy

#endif // HEDDLE_DIALECTS_SDY_SHARDINGVERIFICATION_H
