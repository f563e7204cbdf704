// The stages that a model passes, in order: the one table that the driver,
// `compare`, `heddle-opt` and messages take their names and passes from.

#ifndef HEDDLE_PIPELINE_STAGES_H
#define HEDDLE_PIPELINE_STAGES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir {
class ModuleOp;
class OpPassManager;
class PassManager;
} // namespace mlir

namespace heddle {

enum class Stage : uint8_t { Import, Graph, Lower, Dispatch, KernelCpu, Plan };

struct StageInfo {
  Stage stage;
  /// What options, dumps and `heddle-opt` call it.
  llvm::StringLiteral name;
  /// What holds of the module after it.
  llvm::StringLiteral holds;
  /// Adds the passes that make a module of this stage from one of the stage
  /// before; null for the import. Per target they ask its `heddle.target`.
  void (*build)(mlir::OpPassManager &manager);
  /// Modules of this stage are made once per target, or once for targets that
  /// dispatch alike.
  bool perTarget;
  /// The module still says what is computed on tensors: the interpreter runs
  /// it, and a build can go on from its dump.
  bool onTensors;
};

/// In the order in which a model passes them.
llvm::ArrayRef<StageInfo> stages();

const StageInfo &stageInfo(Stage stage);
inline llvm::StringRef stageName(Stage stage) { return stageInfo(stage).name; }

/// Makes a module of `stage` from one of the stage before. `prepare`, which may
/// be missing, adds to the pass manager what watches the passes.
mlir::LogicalResult
runStage(Stage stage, mlir::ModuleOp module,
         llvm::function_ref<void(mlir::PassManager &)> prepare = nullptr);

/// The stage called `name`, or null.
const StageInfo *findStage(llvm::StringRef name);

/// "import, heddle-graph, heddle-lower": all names, or those on tensors.
std::string listStages(bool onTensors = false);

/// The stage that `module` shows to be at where it cannot be at `wanted`; none
/// where it can. StableHLO before and after heddle-graph may look alike, and so
/// may stages of a module that computes nothing.
std::optional<Stage> otherStage(mlir::ModuleOp module, Stage wanted);

} // namespace heddle

#endif // HEDDLE_PIPELINE_STAGES_H
