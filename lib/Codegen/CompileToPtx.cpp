// Lowers and compiles kernels of a grid side by side, and joins their PTX.

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
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;

namespace heddle {

using codegen::TargetPool;

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

/// One kernel from MLIR to PTX. Runs on any thread: nothing here touches state
/// shared with the other kernels but the context's uniquer.
static LogicalResult compileModule(OwningOpRef<ModuleOp> module,
                                   TargetPool &targets, std::string &ptx,
                                   std::string &error) {
  // Names of entries are seen from outside.
  for (auto kernel : module->getOps<func::FuncOp>())
    kernel->removeAttr(SymbolTable::getVisibilityAttrName());
  if (failed(codegen::lowerToNvvmDialect(*module))) {
    error = "lowering to LLVM failed";
    return failure();
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*module, context, "kernels");
  if (!translated) {
    error = "translation to LLVM failed";
    return failure();
  }
  module = {};
  return codegen::emitPtx(*translated, targets, ptx, error);
}

namespace {
/// Texts of kernels as one: version and target are said once, and so is the
/// memory that each launch gives, which kernels know by one name.
class TextJoiner {
public:
  void add(StringRef text) {
    constexpr StringLiteral end = ".address_size 64\n";
    size_t head = text.find(end);
    assert(head != StringRef::npos && "LLVM says how wide addresses are");
    head += end.size();
    if (joined.empty())
      joined = text.take_front(head).str();
    for (text = text.drop_front(head); !text.empty();) {
      auto [line, rest] = text.split('\n');
      if (!line.starts_with(".extern ") || declared.insert(line).second)
        (joined += line) += '\n';
      text = rest;
    }
  }
  std::string take() { return std::move(joined); }

private:
  std::string joined;
  llvm::StringSet<> declared;
};

/// What has become of one kernel.
struct KernelText {
  std::string ptx, error;
  std::optional<Location> loc;
  bool isGood = false;
};
} // namespace

FailureOr<std::string> compileToPtx(Location loc, size_t count,
                                    LowerKernel lower,
                                    const GpuMachine &machine) {
  TargetPool targets = codegen::targetsFor(machine);
  std::vector<KernelText> kernels(count);
  {
    ParallelDiagnosticHandler inOrder(loc.getContext());
    parallelFor(loc.getContext(), 0, count, [&](size_t number) {
      inOrder.setOrderIDForThread(number);
      KernelText &kernel = kernels[number];
      if (OwningOpRef<ModuleOp> module = lower(number)) {
        kernel.loc = (*module->getOps<func::FuncOp>().begin()).getLoc();
        kernel.isGood = succeeded(compileModule(std::move(module), targets,
                                                kernel.ptx, kernel.error));
      }
      inOrder.eraseOrderIDForThread();
    });
  }
  TextJoiner texts;
  for (const KernelText &kernel : kernels) {
    if (kernel.isGood) {
      texts.add(kernel.ptx);
      continue;
    }
    if (kernel.loc)
      return emitError(*kernel.loc, ErrorCode::CodegenFailed)
             << "code generation for " << machine.name << ": " << kernel.error;
    return failure();
  }
  if (count)
    return texts.take();
  std::string empty, error;
  if (failed(compileModule(ModuleOp::create(loc), targets, empty, error)))
    return emitError(loc, ErrorCode::CodegenFailed)
           << "code generation for " << machine.name << ": " << error;
  return empty;
}

} // namespace heddle
