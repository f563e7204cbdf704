// Where one lowered model becomes the modules of its targets.

#ifndef HEDDLE_LIB_ARTIFACT_FORK_H
#define HEDDLE_LIB_ARTIFACT_FORK_H

#include "PlanWriter.h"
#include "heddle/Artifact/Compile.h"

#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// A module after heddle-dispatch.
struct DispatchedModule {
  mlir::ModuleOp module;
  /// Holds `module`, unless that is the one which was given.
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  /// Positions in `CompileOptions::targets` of those it is for: they dispatch
  /// alike.
  llvm::SmallVector<unsigned> targets;
  /// The artifact's number of each of its weights; the number of each rank,
  /// where they have several.
  std::vector<WeightNumbers> weightNumbers;
};

/// Runs `stage` on `module`, and tells `options.afterStage`.
mlir::LogicalResult passStage(Stage stage, mlir::ModuleOp module,
                              const CompileOptions &options);

/// Dispatches `lowered`, a module after heddle-lower, once for each set of
/// targets of one kind whose dispatch facts are equal. The last set gets
/// `lowered` itself. Devices read the weights that processors store (see
/// LayOutAtLoad.h).
mlir::FailureOr<std::vector<DispatchedModule>>
dispatchForTargets(mlir::ModuleOp lowered, const CompileOptions &options);

/// `module`, dispatched already, for all targets; an error if one of them
/// dispatches otherwise than the target that the module names.
mlir::FailureOr<std::vector<DispatchedModule>>
takeDispatched(mlir::ModuleOp module, const CompileOptions &options);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_FORK_H
