// The kernel functions of a dispatched module, compiled for one target.

#ifndef HEDDLE_LIB_ARTIFACT_KERNELCOMPILER_H
#define HEDDLE_LIB_ARTIFACT_KERNELCOMPILER_H

#include "CodeGenerator.h"
#include "PlanWriter.h"
#include "heddle/Artifact/Compile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// What the artifact says of the compiled kernels, and the images of their
/// code.
struct CompiledKernels {
  std::vector<CodeImage> images;
  /// The artifact's table of kernels; the image of a kernel is that of
  /// its code among `images` until `placeKernels` says which of the artifact's.
  std::vector<std::unique_ptr<format::KernelT>> kernels;
  llvm::StringMap<KernelFacts> facts;
};

/// Compiles the kernel functions of `module` for `target`, whose kind has a
/// code generator. A function's arguments lose `kernel.in_place` where the
/// kernel cannot do it.
mlir::FailureOr<CompiledKernels> compileKernels(mlir::ModuleOp module,
                                                const Target &target,
                                                const CompileOptions &options);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_KERNELCOMPILER_H
