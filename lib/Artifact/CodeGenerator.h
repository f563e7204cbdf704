// How the code of a kind of targets is made: found by the kind's name, so that
// what compiles a model knows none.

#ifndef HEDDLE_LIB_ARTIFACT_CODEGENERATOR_H
#define HEDDLE_LIB_ARTIFACT_CODEGENERATOR_H

#include "dialects/Size/Expression.h"
#include "heddle/Artifact/Compile.h"
#include "runtime/format/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// What is known of one kernel once its code is made.
struct KernelCode {
  /// As the artifact's record of the kernel says it.
  format::LaunchDataUnion launch;
  /// Which of the images holds its code.
  unsigned image = 0;
  /// Pieces of work, and how many of them a worker of a cpu claims at once.
  int64_t tiles = 1;
  int64_t chunk = 1;
  /// How many pieces there are where calls choose that, at most `tiles`; null
  /// elsewhere.
  size::ExpressionAttr tileCount;
  /// How many bytes of scratch a launch needs where calls choose that, at most
  /// what the record says; null elsewhere.
  size::ExpressionAttr scratchBytes;
  /// What the numbers of a launch are that come behind the function's own; null
  /// where there are none.
  size::ExtentsAttr sizeArguments;
  /// By input: whether its memory may be the output's that the function's
  /// `kernel.in_place` names.
  llvm::SmallVector<bool> inPlace;
};

/// Code for some kinds of devices, and what else they must have.
struct CodeImage {
  std::vector<char> bytes;
  format::CodeFormat format = format::CodeFormat::elf;
  LoaderNeeds needs;
};

/// The code of all kernels of a module.
struct GeneratedCode {
  /// No kind of devices runs two of them. The first is for the cpu.
  std::vector<CodeImage> images;
  /// In the order of the functions.
  std::vector<KernelCode> kernels;
};

struct CodeGenerator {
  /// Of the targets that it makes code for.
  llvm::StringRef kind;
  /// Adds the passes from a lowered module, which names its target, to a
  /// dispatched one.
  void (*buildDispatch)(mlir::OpPassManager &manager);
  /// Loads the dialects that `generate` needs: they cannot be loaded while
  /// others work in the context.
  void (*loadDialects)(mlir::MLIRContext *context);
  /// Makes the code of `kernels`, functions of `module`, for `target`. Launches
  /// in the module say where they run, and no kernel runs both on a cpu and on
  /// a device that has other code. Fails
  /// with diagnostics, or without when `options.isCancelled` says so.
  mlir::FailureOr<GeneratedCode> (*generate)(
      mlir::ModuleOp module, llvm::ArrayRef<mlir::func::FuncOp> kernels,
      const Target &target, const CompileOptions &options);
  /// Why the target's own devices have no kernel that does what `function`
  /// does; empty if they have one. Null where the cpu runs all code of the
  /// target.
  std::string (*lackOfKernel)(mlir::func::FuncOp function) = nullptr;
};

/// Makes a generator known, beside that of processors. To be called before
/// anything is compiled, once for each kind.
void registerCodeGenerator(CodeGenerator generator);

/// The generator for `target`; null if its kind has none.
const CodeGenerator *findCodeGenerator(const Target &target);

/// The generator for processors. CpuCode.cpp.
CodeGenerator cpuCodeGenerator();
/// The generator for graphics processors. GpuCode.cpp.
CodeGenerator gpuCodeGenerator();

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_CODEGENERATOR_H
