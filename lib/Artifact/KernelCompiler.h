// The kernel functions of a dispatched module, compiled for one machine.

#ifndef HEDDLE_LIB_ARTIFACT_KERNELCOMPILER_H
#define HEDDLE_LIB_ARTIFACT_KERNELCOMPILER_H

#include "PlanWriter.h"
#include "heddle/Artifact/Compile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// What the artifact says of the compiled kernels, and the image of their code.
struct CompiledKernels {
  std::vector<char> elf;
  /// The artifact's table of kernels; `placeKernels` says their images.
  std::vector<std::unique_ptr<format::KernelT>> kernels;
  llvm::StringMap<KernelFacts> facts;
};

/// Loads the dialects that `compileKernels` lowers to.
void loadKernelDialects(mlir::MLIRContext *context);

/// Compiles the kernel functions of `module` for `machine`, each lowered in a
/// module of its own and released with its object file, on the context's
/// threads. A function's arguments lose `kernel.in_place` where the lowered
/// kernel cannot do it.
mlir::FailureOr<CompiledKernels> compileKernels(mlir::ModuleOp module,
                                                const Machine &machine,
                                                const CompileOptions &options);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_KERNELCOMPILER_H
