// Takes the lowered kernels of a grid to PTX.

#include "heddle/Codegen/CompileToPtx.h"

#include "GpuStages.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;

namespace heddle {

void prepareGpuCodegen(MLIRContext *context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
  context
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                    scf::SCFDialect, vector::VectorDialect>();
}

FailureOr<std::string> compileToPtx(ModuleOp module,
                                    const GpuMachine &machine) {
  Location loc = module.getLoc();
  auto fail = [&](StringRef why) {
    return emitError(loc, ErrorCode::CodegenFailed)
           << "code generation for " << machine.name << ": " << why;
  };
  // Names of entries are seen from outside.
  for (auto kernel : module.getOps<func::FuncOp>())
    kernel->removeAttr(SymbolTable::getVisibilityAttrName());
  if (failed(codegen::lowerToNvvmDialect(module)))
    return fail("lowering to LLVM failed");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!translated)
    return fail("translation to LLVM failed");
  std::string ptx, error;
  if (failed(codegen::emitPtx(*translated, machine, ptx, error)))
    return fail(error);
  return ptx;
}

} // namespace heddle
