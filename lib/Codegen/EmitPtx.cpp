// LLVM IR to PTX, for a machine of the table.

#include "GpuStages.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::codegen {

TargetPool targetsFor(const GpuMachine &machine) {
  return TargetPool([&machine](std::string &error) {
    return makeTargetMachine("nvptx64-nvidia-cuda", machine.chip,
                             "+ptx" + std::to_string(machine.ptxVersion),
                             std::nullopt, std::nullopt, error);
  });
}

mlir::LogicalResult emitPtx(Module &module, TargetPool &targets,
                            std::string &ptx, std::string &error) {
  TargetPool::Borrowed target = targets.borrow(error);
  if (!target)
    return mlir::failure();
  module.setTargetTriple(target->getTargetTriple());
  module.setDataLayout(target->createDataLayout());
  module.getContext().setDiagnosticHandler(std::make_unique<KeepErrors>(error));
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(Attribute::NoUnwind);
  // The assembler of the device's driver unrolls.
  runPasses(module, *target, kCleanupPipeline);
  // What is loaded or stored side by side is joined where it is known to start
  // at a multiple of both.
  runPasses(module, *target, "function(infer-alignment)");
  for (Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic()) {
      error = "a kernel calls '" + function.getName().str() +
              "', which nobody has on the device";
      return mlir::failure();
    }

  SmallString<0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager codegen;
  codegen.add(new TargetLibraryInfoWrapperPass(target->getTargetTriple()));
  if (target->addPassesToEmitFile(codegen, stream, nullptr,
                                  CodeGenFileType::AssemblyFile)) {
    error = "LLVM emits no PTX";
    return mlir::failure();
  }
  codegen.run(module);
  ptx = text.str().str();
  return mlir::success(error.empty());
}

} // namespace heddle::codegen
