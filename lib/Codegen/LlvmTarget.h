// What all targets ask of LLVM: its targets, passes and diagnostics.

#ifndef HEDDLE_LIB_CODEGEN_LLVMTARGET_H
#define HEDDLE_LIB_CODEGEN_LLVMTARGET_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace heddle::codegen {

/// A target of LLVM, which fuses products and sums where the IR says so alone;
/// null, with `error`, where this LLVM has none for `triple`.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(
    llvm::StringRef triple, llvm::StringRef cpu, llvm::StringRef features,
    std::optional<llvm::Reloc::Model> relocations,
    std::optional<llvm::CodeModel::Model> codeModel, std::string &error);

/// The targets of one compilation. Each module borrows one for the time of its
/// passes and leaves it for the next: a new one parses its features and builds
/// the tables of its instructions, which takes as long as a small kernel. Any
/// thread may borrow.
class TargetPool {
public:
  using Made = std::unique_ptr<llvm::TargetMachine>;

  /// `make` gives a target, or null and says why.
  explicit TargetPool(std::function<Made(std::string &error)> make)
      : make(std::move(make)) {}

  /// A target that a thread has to itself until this goes.
  class Borrowed {
  public:
    Borrowed(TargetPool &pool, Made target)
        : pool(pool), target(std::move(target)) {}
    Borrowed(const Borrowed &) = delete;
    ~Borrowed();

    explicit operator bool() const { return target != nullptr; }
    llvm::TargetMachine *operator->() const { return target.get(); }
    llvm::TargetMachine &operator*() const { return *target; }

  private:
    TargetPool &pool;
    Made target;
  };

  /// False, with `error`, where there is no such target.
  Borrowed borrow(std::string &error);

private:
  std::function<Made(std::string &error)> make;
  std::mutex mutex;
  llvm::SmallVector<Made> idle;
};

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
