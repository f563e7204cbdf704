// The steps of compileToElf, each in its own file.

#ifndef HEDDLE_LIB_CODEGEN_STAGES_H
#define HEDDLE_LIB_CODEGEN_STAGES_H

#include "LlvmTarget.h"
#include "heddle/Codegen/CompileToElf.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include <string>

namespace heddle::codegen {

/// Brings a module that holds one kernel function to the LLVM dialect, with the
/// kernel as `void(const heddle_kernel_args *)`. LowerToLlvmDialect.cpp.
mlir::LogicalResult lowerToLlvmDialect(mlir::ModuleOp module);

/// An object file, and the text asked for by a dump.
struct Object {
  llvm::SmallVector<char, 0> bytes;
  std::string dump;
};

/// LLVM's targets for `machine`, which outlives them. EmitObject.cpp.
TargetPool targetsFor(const Machine &machine);

/// Optimizes `module` for `machine`, of `targets`, and emits an object file.
/// Where its kernels are brief, passes that take long are left out. On failure
/// `error` says why. EmitObject.cpp.
mlir::LogicalResult emitObject(llvm::Module &module, const Machine &machine,
                               TargetPool &targets, bool isBrief,
                               const CodegenOptions &options, Object &object,
                               std::string &error);

/// Links object files and what they need of the freestanding routines.
/// LinkImage.cpp.
mlir::LogicalResult linkImage(llvm::ArrayRef<Object> objects,
                              const Machine &machine, bool keepSymbols,
                              std::vector<char> &image, std::string &error);

/// The archive of freestanding routines for `machine`. FreestandingArchive.cpp.
llvm::StringRef freestandingArchive(const Machine &machine);

} // namespace heddle::codegen

#endif // HEDDLE_LIB_CODEGEN_STAGES_H
