// The steps of `compileToPtx`.

#ifndef HEDDLE_LIB_CODEGEN_GPUSTAGES_H
#define HEDDLE_LIB_CODEGEN_GPUSTAGES_H

#include "heddle/Codegen/CompileToPtx.h"

namespace llvm {
class Module;
} // namespace llvm

namespace heddle::codegen {

/// The kernels of a module to the LLVM and NVVM dialects.
/// LowerToNvvmDialect.cpp.
mlir::LogicalResult lowerToNvvmDialect(mlir::ModuleOp module);

/// Optimizes `module` for `machine` and gives its PTX. On failure `error` says
/// why. EmitPtx.cpp.
mlir::LogicalResult emitPtx(llvm::Module &module, const GpuMachine &machine,
                            std::string &ptx, std::string &error);

} // namespace heddle::codegen

#endif // HEDDLE_LIB_CODEGEN_GPUSTAGES_H
