// The stages that a model passes, in order: the one table that the driver,
// `compare`, `heddle-opt` and messages take their names and passes from. The
// rows of kernels are those that kinds of targets say.

#ifndef HEDDLE_PIPELINE_STAGES_H
#define HEDDLE_PIPELINE_STAGES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
class OpPassManager;
class PassManager;
} // namespace mlir

namespace heddle {

/// `Kernel` stands for the stages of kernels of all kinds of targets.
enum class Stage : uint8_t { Import, Graph, Lower, Dispatch, Kernel, Plan };

struct StageInfo {
  Stage stage;
  /// What options, dumps and `heddle-opt` call it.
  llvm::StringLiteral name;
  /// What holds of the module after it.
  llvm::StringLiteral holds;
  /// Adds the passes that make a module of this stage from one of the stage
  /// before; null for the import, and for kernels, which the code generator of
  /// their kind of targets lowers. Per target they ask its `heddle.target`.
  void (*build)(mlir::OpPassManager &manager);
  /// Modules of this stage are made once per target, or once for targets that
  /// dispatch alike.
  bool perTarget;
  /// The module still says what is computed on tensors: the interpreter runs
  /// it, and a build can go on from its dump.
  bool onTensors;
  /// Of a stage of kernels, the kind of targets that has it.
  llvm::StringRef targetKind = {};
};

/// In the order in which a model passes them.
std::vector<StageInfo> stages();

/// The row of a stage that all targets have.
const StageInfo &stageInfo(Stage stage);
inline llvm::StringRef stageName(Stage stage) { return stageInfo(stage).name; }

/// Makes a module of `stage` from one of the stage before. `prepare`, which may
/// be missing, adds to the pass manager what watches the passes.
mlir::LogicalResult
runStage(Stage stage, mlir::ModuleOp module,
         llvm::function_ref<void(mlir::PassManager &)> prepare = nullptr);

/// The stage called `name`, if there is one.
std::optional<StageInfo> findStage(llvm::StringRef name);

/// "import, heddle-graph, heddle-lower": all names, or those on tensors.
std::string listStages(bool onTensors = false);

/// The stage that `module` shows to be at where it cannot be at `wanted`; none
/// where it can. StableHLO before and after heddle-graph may look alike, and so
/// may stages of a module that computes nothing.
std::optional<StageInfo> otherStage(mlir::ModuleOp module, Stage wanted);

} // namespace heddle

#endif // HEDDLE_PIPELINE_STAGES_H
