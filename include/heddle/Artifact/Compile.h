// From a module to an artifact.

#ifndef HEDDLE_ARTIFACT_COMPILE_H
#define HEDDLE_ARTIFACT_COMPILE_H

#include "heddle/Pipeline/Stages.h"
#include "heddle/Target/Placement.h"
#include "heddle/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

namespace format {
class ArtifactWriter;
} // namespace format

struct CompileOptions {
  /// What to compile for. The artifact has a variant for each name that the
  /// model's code gets (Target::nameFor): fewer, where several targets would
  /// run the same code.
  std::vector<std::shared_ptr<const Target>> targets;
  /// Which devices run what.
  Placement placement;
  /// Whether what a target's devices have no kernel for is an error, and does
  /// not stay on the cpu.
  bool noHost = false;
  /// Kernels run where operands and results that are subnormal are zeros.
  bool flushSubnormals = false;
  /// Facts for the artifact's records, by key: for `inspect` and `run`.
  std::vector<std::pair<std::string, std::string>> records;
  /// The stage that the module has passed already: Graph, Lower or Dispatch. A
  /// dispatched module compiles for targets that dispatch as its own does.
  Stage passed = Stage::Graph;
  /// Called when a phase begins: "lower", "dispatch", "kernels x86-64-v4",
  /// "weights", "write". Never from two threads at once.
  std::function<void(llvm::StringRef phase)> onPhase;
  /// Called before code is made, with the targets whose names the variants
  /// have.
  std::function<void(llvm::ArrayRef<std::shared_ptr<const Target>> named)>
      onVariants;
  /// Whether to give up: asked before each weight and each kernel, by any
  /// thread. Then the compilation fails without a diagnostic. May be null.
  std::function<bool()> isCancelled;
  /// Whether `afterStage` looks at a stage of kernels. Kernels are lowered one
  /// by one, so a module of all of them is made for it alone. Null: at none.
  std::function<bool(llvm::StringRef stage)> showsKernels;
  /// Called with the module after a stage: heddle-lower; heddle-dispatch, once
  /// for targets that dispatch alike; a stage of kernels, with the module of
  /// one target's, if `showsKernels`; heddle-plan. Failure ends the
  /// compilation.
  std::function<mlir::LogicalResult(llvm::StringRef stage, mlir::ModuleOp)>
      afterStage;
};

/// What became of the model, for people.
struct CompileSummary {
  struct Variant {
    std::string name;
    uint64_t codeBytes = 0;
    bool hasGpuCode = false;
    /// Launches that stay on the cpu because the target's devices have nothing
    /// that runs them, with the reason: "factor: kernel.routine ...".
    std::vector<std::string> hosted = {};
  };
  std::vector<Variant> variants;
  /// Names of the devices that run it, the cpu first.
  std::vector<std::string> devices;
  /// Of Precision.h; "" for the model's own types.
  std::string precision;
  uint64_t launches = 0;
  uint64_t kernels = 0;
  uint64_t weights = 0;
  uint64_t weightBytes = 0;
  uint64_t arenaBytes = 0;
  uint64_t artifactBytes = 0;
};

/// The positions in `targets` of those that one dispatched module does for, a
/// list for each such module.
std::vector<llvm::SmallVector<unsigned>>
setsDispatchedAlike(llvm::ArrayRef<std::shared_ptr<const Target>> targets);

/// Checks what a module that somebody may have written says of sizes
/// (EntrySizes.h): lists of the right form, no name that is not among the
/// symbols, no divisor that may be 0, extents within the bounds that types have
/// of them. Fails with a diagnostic.
mlir::LogicalResult checkSizeAttributes(mlir::ModuleOp module);

/// Compiles `module`, a model that has passed `options.passed`, into a file
/// that `writer` has opened, also a temporary one, for a model that is compiled
/// and run at once. The module is used up. Fails with diagnostics; then nothing
/// is left behind.
mlir::LogicalResult compileInto(mlir::ModuleOp module,
                                const CompileOptions &options,
                                format::ArtifactWriter &writer,
                                CompileSummary *summary = nullptr);

} // namespace heddle

#endif // HEDDLE_ARTIFACT_COMPILE_H
