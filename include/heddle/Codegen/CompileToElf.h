// Lowered kernel functions to one position-independent ELF image.

#ifndef HEDDLE_CODEGEN_COMPILETOELF_H
#define HEDDLE_CODEGEN_COMPILETOELF_H

#include "heddle/Codegen/LowerKernel.h"
#include "heddle/Target/Machine.h"
#include <functional>
#include <vector>

namespace heddle {

/// What kernels become on the way, for dumps.
enum class CodegenStage { LlvmIr, OptimizedLlvmIr, Assembly };

struct CodegenOptions {
  /// Keeps the local symbol table in the image, for debuggers and profilers.
  bool keepSymbols = false;
  /// Receives the text of each kernel at `dumpStage`; called in the order of
  /// the kernels, after all have been compiled.
  CodegenStage dumpStage = CodegenStage::Assembly;
  std::function<void(llvm::StringRef kernel, llvm::StringRef text)> dump;
  /// Whether to give up: asked before kernels are compiled, by any thread. Then
  /// the compilation fails without a diagnostic. May be null.
  std::function<bool()> isCancelled;
};

/// Bytes of stack a kernel may use.
inline constexpr unsigned kernelStackLimit = 16 * 1024;

/// Loads the dialects that `compileToElf` produces and registers their
/// translation. Called once per context, before any pass manager runs on it.
void prepareCodegen(mlir::MLIRContext *context);

/// Compiles `count` kernels for `machine`, in parallel on the context's
/// threads; each is lowered when its turn comes. The image is an ET_DYN without
/// undefined symbols, writable segments or relocations; it exports each kernel
/// under its name as `void(const heddle_kernel_args *)`. Equal input gives
/// equal bytes. Fails with diagnostics at the kernels' locations.
mlir::FailureOr<std::vector<char>>
compileToElf(mlir::Location loc, size_t count, LowerKernel lower,
             const Machine &machine, const CodegenOptions &options = {});

} // namespace heddle

#endif // HEDDLE_CODEGEN_COMPILETOELF_H
