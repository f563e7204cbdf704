// What all targets ask of LLVM: its targets, passes and diagnostics.

#ifndef HEDDLE_LIB_CODEGEN_LLVMTARGET_H
#define HEDDLE_LIB_CODEGEN_LLVMTARGET_H

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <optional>
#include <string>

namespace heddle::codegen {

/// A target of LLVM, which fuses products and sums where the IR says so alone;
/// null, with `error`, where this LLVM has none for `triple`.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(
    llvm::StringRef triple, llvm::StringRef cpu, llvm::StringRef features,
    std::optional<llvm::Reloc::Model> relocations,
    std::optional<llvm::CodeModel::Model> codeModel, std::string &error);

/// Runs LLVM's `pipeline`. Emitters have vectorized and unrolled the loops that
/// want it, and there is no library: no loop becomes a call of memcpy.
void runPasses(llvm::Module &module, llvm::TargetMachine &target,
               llvm::StringRef pipeline);

/// Cleans up, and moves invariants out of loops.
inline constexpr llvm::StringLiteral kCleanupPipeline =
    "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-"
    "fixpoint>,simplifycfg,loop-mssa(loop-simplifycfg,licm),early-cse<memssa>"
    ",gvn,instcombine<no-verify-fixpoint>,loop-mssa(licm),sink,adce,"
    "simplifycfg)";

/// Keeps the errors that LLVM reports while it compiles one module, and stack
/// frames over the function's limit, which are warnings to LLVM.
struct KeepErrors : llvm::DiagnosticHandler {
  explicit KeepErrors(std::string &error) : error(error) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override;
  std::string &error;
};

} // namespace heddle::codegen

#endif // HEDDLE_LIB_CODEGEN_LLVMTARGET_H
