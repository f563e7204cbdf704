#include "heddle/Codegen/CompileToElf.h"

#include "Stages.h"
#include "dialects/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;

namespace heddle {

using codegen::Object;

void prepareCodegen(MLIRContext *context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
  context
      ->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect, index::IndexDialect, LLVM::LLVMDialect,
                    math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                    ub::UBDialect, vector::VectorDialect>();
}

/// A module of its own for `kernel`, with the globals it reads.
static OwningOpRef<ModuleOp> isolate(ModuleOp module, func::FuncOp kernel) {
  OwningOpRef<ModuleOp> alone = ModuleOp::create(kernel.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(alone->getBody());
  llvm::StringSet<llvm::MallocAllocator> seen;
  kernel.walk([&](memref::GetGlobalOp use) {
    if (!seen.insert(use.getName()).second)
      return;
    if (Operation *global = SymbolTable::lookupSymbolIn(module, use.getName()))
      builder.clone(*global);
  });
  builder.clone(*kernel)->removeAttr(SymbolTable::getVisibilityAttrName());
  return alone;
}

/// One kernel from MLIR to an object file. Runs on any thread: nothing here
/// touches state shared with the other kernels but the context's uniquer.
static LogicalResult compileKernel(ModuleOp module, func::FuncOp kernel,
                                   const Machine &machine,
                                   const CodegenOptions &options,
                                   Object &object, std::string &error) {
  OwningOpRef<ModuleOp> alone = isolate(module, kernel);
  if (failed(codegen::lowerToLlvmDialect(*alone))) {
    error = "lowering to LLVM failed";
    return failure();
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*alone, context, "kernel");
  if (!translated) {
    error = "translation to LLVM failed";
    return failure();
  }
  return codegen::emitObject(*translated, machine, options, object, error);
}

FailureOr<std::vector<char>> compileToElf(ModuleOp module,
                                          const Machine &machine,
                                          const CodegenOptions &options) {
  MLIRContext *context = module.getContext();
  prepareCodegen(context);
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kernel::kTilesAttrName))
      kernels.push_back(function);

  std::vector<Object> objects(kernels.size());
  std::vector<std::string> errors(kernels.size());
  std::vector<char> ok(kernels.size());
  parallelFor(context, 0, kernels.size(), [&](size_t number) {
    ok[number] =
        succeeded(compileKernel(module, kernels[number], machine, options,
                                objects[number], errors[number]));
  });
  for (size_t number = 0; number < kernels.size(); ++number) {
    if (!ok[number])
      return kernels[number].emitError("code generation for ")
             << machine.name << ": " << errors[number];
    if (options.dump)
      options.dump(kernels[number].getName(), objects[number].dump);
  }

  std::vector<char> image;
  std::string error;
  if (failed(codegen::linkImage(objects, machine, options.keepSymbols, image,
                                error)))
    return module.emitError("linking the kernels: ") << error;
  return image;
}

} // namespace heddle
