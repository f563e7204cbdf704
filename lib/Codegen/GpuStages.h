// The steps of `compileToPtx`.

#ifndef HEDDLE_LIB_CODEGEN_GPUSTAGES_H
#define HEDDLE_LIB_CODEGEN_GPUSTAGES_H

#include "LlvmTarget.h"
#include "heddle/Codegen/CompileToPtx.h"

namespace heddle::codegen {

/// The kernels of a module to the LLVM and NVVM dialects.
/// LowerToNvvmDialect.cpp.
mlir::LogicalResult lowerToNvvmDialect(mlir::ModuleOp module);

/// Targets for `machine`, as one compilation uses them. EmitPtx.cpp.
TargetPool targetsFor(const GpuMachine &machine);

/// Optimizes `module` for a machine, with one of its `targets`, and gives its
/// PTX. On failure `error` says why. EmitPtx.cpp.
mlir::LogicalResult emitPtx(llvm::Module &module, TargetPool &targets,
                            std::string &ptx, std::string &error);

} // namespace heddle::codegen

#endif // HEDDLE_LIB_CODEGEN_GPUSTAGES_H
