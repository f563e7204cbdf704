// The kernels of a model, compiled for one target.

#ifndef HEDDLE_LIB_ARTIFACT_VARIANTBUILDER_H
#define HEDDLE_LIB_ARTIFACT_VARIANTBUILDER_H

#include "HostKernels.h"
#include "KernelCompiler.h"

#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// One variant of the artifact while it is made.
struct CompiledVariant : CompiledKernels {
  std::shared_ptr<const Target> target;
  /// The module after `heddle-plan`, as this variant runs it.
  mlir::OwningOpRef<mlir::ModuleOp> plan;
  /// Names of devices, the cpu first.
  std::vector<std::string> devices;
  /// What stays on the cpu because no other device runs it.
  std::vector<HostLaunch> hosted;

  /// The programs of the entries.
  llvm::SmallVector<plan::ProgramOp> programs() { return entryPrograms(*plan); }
  /// The kinds of devices, each once, the cpu first: there is an image of code
  /// for each.
  std::vector<format::DeviceKind> kinds;
  /// The code that devices of `kind` run; null if there is none.
  const CodeImage *codeFor(format::DeviceKind kind) const;
};

/// Loads the dialects that the passes of `buildVariant` depend on, for
/// `targets`.
void loadVariantDialects(mlir::MLIRContext *context,
                         llvm::ArrayRef<std::shared_ptr<const Target>> targets);

/// Compiles the kernel functions of `module`, a model after `heddle-dispatch`,
/// for the target that `variant` has, and makes the plan that launches them.
mlir::LogicalResult buildVariant(mlir::ModuleOp module,
                                 const CompileOptions &options,
                                 CompiledVariant &variant);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_VARIANTBUILDER_H
