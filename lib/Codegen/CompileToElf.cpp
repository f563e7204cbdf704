// Lowers and compiles kernels side by side, and links them to one image.

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
#include "llvm/IR/LLVMContext.h"
#include <algorithm>

using namespace mlir;

namespace heddle {

using codegen::Object;
using codegen::TargetPool;

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

/// The one kernel of a module that `LowerKernel` gave.
static func::FuncOp kernelOf(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(kernel::kTilesAttrName))
      return function;
  llvm_unreachable("a module of one kernel");
}

/// Kernels, brief ones or others, from MLIR to an object file. Runs on any
/// thread: nothing here touches state shared with the other kernels but the
/// context's uniquer.
static LogicalResult compileModule(OwningOpRef<ModuleOp> module, bool isBrief,
                                   const Machine &machine, TargetPool &targets,
                                   const CodegenOptions &options,
                                   Object &object, std::string &error) {
  for (auto kernel : module->getOps<func::FuncOp>()) {
    kernel->removeAttr(SymbolTable::getVisibilityAttrName());
    uniteConstants(kernel);
  }
  if (failed(codegen::lowerToLlvmDialect(*module))) {
    error = "lowering to LLVM failed";
    return failure();
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*module, context, "kernel");
  if (!translated) {
    error = "translation to LLVM failed";
    return failure();
  }
  module = {};
  return codegen::emitObject(*translated, machine, targets, isBrief, options,
                             object, error);
}

namespace {
/// Kernels on their way to object files. A large one is compiled as soon as it
/// is lowered; small ones wait for others to share an LLVM module with. What is
/// in which module follows from the kernels alone.
class KernelObjects {
public:
  KernelObjects(size_t count, LowerKernel lower, const Machine &machine,
                const CodegenOptions &options)
      : lower(lower), machine(machine), targets(codegen::targetsFor(machine)),
        options(options), kernels(count), objects(count), failures(count),
        names(count) {}

  /// Lowers kernel `number`, and compiles it unless it is small.
  void begin(size_t number);
  /// The small kernels in groups, all brief or none.
  std::vector<SmallVector<size_t>> groups() const;
  /// Compiles one of the groups.
  void finish(ArrayRef<size_t> group);

  /// Says what has failed.
  LogicalResult report() const;
  /// Gives the texts that `options.dump` asks for.
  void dump() const;
  /// Brief kernels first, each kind in the order of its first kernels.
  std::vector<Object> take();

private:
  struct Kernel {
    OwningOpRef<ModuleOp> module; ///< While it is small and waits.
    unsigned operations = 0;
    bool isBrief = false;
  };
  struct Failure {
    std::optional<Location> loc;
    std::string error;
    /// Reported where the kernel was lowered, or cancelled.
    bool isSilent = false;
  };
  LogicalResult compileAlone(size_t number, OwningOpRef<ModuleOp> module);

  LowerKernel lower;
  const Machine &machine;
  TargetPool targets;
  const CodegenOptions &options;
  std::vector<Kernel> kernels;
  std::vector<Object> objects;
  std::vector<Failure> failures;
  std::vector<std::string> names;
};
} // namespace

LogicalResult KernelObjects::compileAlone(size_t number,
                                          OwningOpRef<ModuleOp> module) {
  func::FuncOp kernel = kernelOf(*module);
  Location loc = kernel.getLoc();
  bool isBrief = kernel::isBrief(kernel);
  if (succeeded(compileModule(std::move(module), isBrief, machine, targets,
                              options, objects[number],
                              failures[number].error)))
    return success();
  failures[number].loc = loc;
  return failure();
}

void KernelObjects::begin(size_t number) {
  OwningOpRef<ModuleOp> module = lower(number);
  if (!module) {
    failures[number].isSilent = true;
    return;
  }
  func::FuncOp kernel = kernelOf(*module);
  unsigned operations = 0;
  kernel->walk(
      [&](Operation *op) { operations += !isa<arith::ConstantOp>(op); });
  names[number] = kernel.getName().str();
  // A dump shows each kernel by itself.
  kernels[number].isBrief = kernel::isBrief(kernel);
  if (options.dump || operations > operationsPerModule) {
    (void)compileAlone(number, std::move(module));
    return;
  }
  kernels[number].operations = operations;
  kernels[number].module = std::move(module);
}

std::vector<SmallVector<size_t>> KernelObjects::groups() const {
  std::vector<SmallVector<size_t>> groups;
  for (bool isBrief : {true, false}) {
    unsigned operations = 0;
    bool isOpen = false;
    for (auto [number, kernel] : llvm::enumerate(kernels)) {
      if (!kernel.module || kernel.isBrief != isBrief)
        continue;
      operations += kernel.operations;
      if (!isOpen || operations > operationsPerModule) {
        groups.emplace_back();
        operations = kernel.operations;
        isOpen = true;
      }
      groups.back().push_back(number);
    }
  }
  return groups;
}

void KernelObjects::finish(ArrayRef<size_t> group) {
  size_t first = group.front();
  if (options.isCancelled && options.isCancelled()) {
    failures[first].isSilent = true;
    return;
  }
  bool isBrief = kernels[first].isBrief;
  Location loc = kernelOf(*kernels[first].module).getLoc();
  OwningOpRef<ModuleOp> together = std::move(kernels[first].module);
  for (size_t number : group.drop_front()) {
    OwningOpRef<ModuleOp> module = std::move(kernels[number].module);
    Block *body = together->getBody();
    body->getOperations().splice(body->end(),
                                 module->getBody()->getOperations());
  }
  std::string error;
  if (succeeded(compileModule(std::move(together), isBrief, machine, targets,
                              options, objects[first], error)))
    return;
  // Which of them it is shows when each is compiled by itself.
  for (size_t number : group)
    if (OwningOpRef<ModuleOp> module = lower(number);
        module && failed(compileAlone(number, std::move(module))))
      return;
  failures[first] = {loc, error, false};
}

LogicalResult KernelObjects::report() const {
  bool anySilent = false;
  for (const Failure &failure : failures) {
    if (failure.loc)
      return emitError(*failure.loc, "code generation for ")
             << machine.name << ": " << failure.error;
    anySilent |= failure.isSilent;
  }
  return failure(anySilent);
}

void KernelObjects::dump() const {
  for (auto [name, object] : llvm::zip_equal(names, objects))
    options.dump(name, object.dump);
}

std::vector<Object> KernelObjects::take() {
  std::vector<Object> inOrder;
  for (bool isBrief : {true, false})
    for (auto [object, kernel] : llvm::zip_equal(objects, kernels))
      if (kernel.isBrief == isBrief && !object.bytes.empty())
        inOrder.push_back(std::move(object));
  return inOrder;
}

FailureOr<std::vector<char>> compileToElf(Location loc, size_t count,
                                          LowerKernel lower,
                                          const Machine &machine,
                                          const CodegenOptions &options) {
  MLIRContext *context = loc.getContext();
  prepareCodegen(context);
  KernelObjects kernels(count, lower, machine, options);
  {
    ParallelDiagnosticHandler inOrder(context);
    parallelFor(context, 0, count, [&](size_t number) {
      inOrder.setOrderIDForThread(number);
      kernels.begin(number);
      inOrder.eraseOrderIDForThread();
    });
  }
  if (failed(kernels.report()))
    return failure();
  std::vector<SmallVector<size_t>> groups = kernels.groups();
  parallelFor(context, 0, groups.size(),
              [&](size_t number) { kernels.finish(groups[number]); });
  if (failed(kernels.report()))
    return failure();

  if (options.dump)
    kernels.dump();
  std::vector<Object> objects = kernels.take();
  std::vector<char> image;
  std::string error;
  if (failed(codegen::linkImage(objects, machine, options.keepSymbols, image,
                                error)))
    return emitError(loc, "linking the kernels: ") << error;
  return image;
}

} // namespace heddle
