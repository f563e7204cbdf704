#include "heddle/Codegen/CompileToElf.h"

#include "Stages.h"
#include "dialects/Kernel/BriefKernels.h"
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
#include <algorithm>

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

/// Operations of the kernels that share an LLVM module, as long as there is
/// more than one. Making a module, its passes and its object file takes two
/// milliseconds, as long as a few hundred operations do; larger modules would
/// leave threads without work.
static constexpr unsigned operationsPerModule = 800;

/// Every constant once, at the start of its function. Emitters make one where
/// they need it, so that up to half of a kernel is constants, and each is
/// converted.
static void uniteConstants(func::FuncOp kernel) {
  llvm::DenseMap<Attribute, Operation *> known;
  Block &entry = kernel.getBody().front();
  Operation *last = nullptr;
  SmallVector<Operation *> repeated;
  kernel.walk([&](arith::ConstantOp constant) {
    Operation *&first = known[constant.getValue()];
    if (first) {
      constant->replaceAllUsesWith(first);
      repeated.push_back(constant);
      return;
    }
    first = constant;
    if (last)
      first->moveAfter(last);
    else
      first->moveBefore(&entry, entry.begin());
    last = first;
  });
  for (Operation *constant : repeated)
    constant->erase();
}

/// A module of their own for `kernels`, with the globals they read.
static OwningOpRef<ModuleOp> isolate(ModuleOp module,
                                     ArrayRef<func::FuncOp> kernels) {
  OwningOpRef<ModuleOp> alone = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(alone->getBody());
  llvm::StringSet<llvm::MallocAllocator> seen;
  for (func::FuncOp kernel : kernels) {
    kernel.walk([&](memref::GetGlobalOp use) {
      if (!seen.insert(use.getName()).second)
        return;
      if (Operation *global =
              SymbolTable::lookupSymbolIn(module, use.getName()))
        builder.clone(*global);
    });
    auto copy = cast<func::FuncOp>(builder.clone(*kernel));
    copy->removeAttr(SymbolTable::getVisibilityAttrName());
    uniteConstants(copy);
  }
  return alone;
}

/// Kernels, brief ones or others, from MLIR to an object file. Runs on any
/// thread: nothing here touches state shared with the other kernels but the
/// context's uniquer.
static LogicalResult compileKernels(ModuleOp module,
                                    ArrayRef<func::FuncOp> kernels,
                                    const Machine &machine,
                                    const CodegenOptions &options,
                                    Object &object, std::string &error) {
  func::FuncOp first = kernels.front();
  bool isBrief = kernel::isBrief(first);
  OwningOpRef<ModuleOp> alone = isolate(module, kernels);
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
  return codegen::emitObject(*translated, machine, isBrief, options, object,
                             error);
}

/// The kernels in groups, each for one LLVM module and all brief or none. What
/// is in which follows from the kernels alone. A dump shows each kernel by
/// itself.
static SmallVector<ArrayRef<func::FuncOp>>
groupKernels(ArrayRef<func::FuncOp> kernels, bool alone) {
  SmallVector<ArrayRef<func::FuncOp>> groups;
  unsigned begin = 0, operations = 0;
  for (auto [number, kernel] : llvm::enumerate(kernels)) {
    unsigned own = 0;
    kernel->walk([&](Operation *op) { own += !isa<arith::ConstantOp>(op); });
    func::FuncOp first = kernels[begin];
    if (number > begin && (alone || operations + own > operationsPerModule ||
                           kernel::isBrief(kernel) != kernel::isBrief(first))) {
      groups.push_back(kernels.slice(begin, number - begin));
      begin = number;
      operations = 0;
    }
    operations += own;
  }
  if (begin < kernels.size())
    groups.push_back(kernels.drop_front(begin));
  return groups;
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
  if (!options.dump)
    std::stable_partition(
        kernels.begin(), kernels.end(),
        [](func::FuncOp kernel) { return kernel::isBrief(kernel); });

  SmallVector<ArrayRef<func::FuncOp>> groups =
      groupKernels(kernels, /*alone=*/bool(options.dump));
  std::vector<Object> objects(groups.size());
  std::vector<std::string> errors(groups.size());
  std::vector<func::FuncOp> failedKernels(groups.size());
  parallelFor(context, 0, groups.size(), [&](size_t number) {
    ArrayRef<func::FuncOp> group = groups[number];
    if (succeeded(compileKernels(module, group, machine, options,
                                 objects[number], errors[number])))
      return;
    failedKernels[number] = group.front();
    // Which of them it is shows when each is compiled by itself.
    for (func::FuncOp kernel : group) {
      Object object;
      std::string error;
      if (group.size() == 1 ||
          succeeded(
              compileKernels(module, kernel, machine, options, object, error)))
        continue;
      failedKernels[number] = kernel;
      errors[number] = error;
      return;
    }
  });
  for (size_t number = 0; number < groups.size(); ++number) {
    if (func::FuncOp kernel = failedKernels[number])
      return kernel.emitError("code generation for ")
             << machine.name << ": " << errors[number];
    if (!options.dump)
      continue;
    func::FuncOp kernel = groups[number].front();
    options.dump(kernel.getName(), objects[number].dump);
  }

  std::vector<char> image;
  std::string error;
  if (failed(codegen::linkImage(objects, machine, options.keepSymbols, image,
                                error)))
    return module.emitError("linking the kernels: ") << error;
  return image;
}

} // namespace heddle
