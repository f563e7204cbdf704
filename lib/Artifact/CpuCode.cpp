// The code of kernels for processors. Kernels are lowered one by one: what a
// lowered kernel takes, a hundred times its dispatch, is there for those that
// threads work on, not for all.

#include "CodeGenerator.h"

#include "Fork.h"
#include "dialects/Kernel/Kernel.h"
#include "heddle/Codegen/CompileToElf.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Target/CpuTarget.h"
#include "passes/Kernel/Cpu/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace mlir;
using namespace heddle;

/// Address and size of each exported function.
static LogicalResult findSymbols(Location loc, ArrayRef<func::FuncOp> kernels,
                                 GeneratedCode &code) {
  auto fail = [&](llvm::Error error) {
    return emitError(loc, ErrorCode::CodegenFailed)
           << llvm::toString(std::move(error));
  };
  llvm::StringRef bytes(code.images[0].bytes.data(),
                        code.images[0].bytes.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, "kernels"));
  if (!file)
    return fail(file.takeError());
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(file->get());
  llvm::StringMap<std::pair<uint64_t, uint64_t>> symbols;
  for (llvm::object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators()) {
    auto name = symbol.getName();
    auto address = symbol.getAddress();
    if (!name)
      return fail(name.takeError());
    if (!address)
      return fail(address.takeError());
    symbols[*name] = {*address, symbol.getSize()};
  }
  for (auto [function, kernel] : llvm::zip_equal(kernels, code.kernels)) {
    func::FuncOp named = function;
    auto found = symbols.find(named.getName());
    if (found == symbols.end())
      return emitError(loc, ErrorCode::CodegenFailed)
             << "kernel '" << named.getName() << "' is not in the image";
    format::CpuLaunchT &launch = *kernel.launch.AsCpuLaunch();
    std::tie(launch.offset, launch.size) = found->second;
  }
  return success();
}

/// What lowering has decided for the kernel of `module` called `name`.
static KernelCode readLowered(ModuleOp module, StringRef name) {
  auto lowered = cast<func::FuncOp>(module.lookupSymbol(name));
  auto integer = [&](StringRef attribute) {
    auto value = lowered->getAttrOfType<IntegerAttr>(attribute);
    assert(value && "a lowered kernel says how it is launched");
    return value.getInt();
  };
  KernelCode code;
  format::CpuLaunchT launch;
  launch.scratch = integer(kernel::kScratchAttrName);
  code.launch.Set(std::move(launch));
  code.tiles = integer(kernel::kTilesAttrName);
  code.chunk = integer(kernel::kChunkAttrName);
  code.tileCount =
      lowered->getAttrOfType<size::ExpressionAttr>(kernel::kTileCountAttrName);
  code.scratchBytes = lowered->getAttrOfType<size::ExpressionAttr>(
      kernel::kScratchBytesAttrName);
  code.sizeArguments =
      lowered->getAttrOfType<size::ExtentsAttr>(kernel::kSizeArgumentsAttrName);
  for (unsigned i = 0; i < lowered.getNumArguments(); ++i)
    code.inPlace.push_back(
        bool(lowered.getArgAttr(i, kernel::kInPlaceAttrName)));
  assert(code.tiles >= 0 && code.chunk >= 1 && "a kernel has tiles in chunks");
  return code;
}

/// What calls may choose decides which tiles there are code for.
static void copyRanges(ModuleOp from, ModuleOp to) {
  if (Attribute symbols = from->getAttr(kSymbolsAttrName))
    to->setAttr(kSymbolsAttrName, symbols);
}

/// All kernels in one module, for those who look at the stage: lowered by what
/// lowers each alone, for the same machine.
static LogicalResult showLowered(ModuleOp module,
                                 ArrayRef<func::FuncOp> functions,
                                 const Target &target,
                                 const CompileOptions &options) {
  OwningOpRef<ModuleOp> all = ModuleOp::create(module.getLoc());
  (*all)->setAttr(targetAttrName, target.toAttr(module.getContext()));
  copyRanges(module, *all);
  for (func::FuncOp function : functions)
    all->push_back(function->clone());
  if (failed(lowerKernelFunctions(*all, cast<CpuTarget>(target).machine())) ||
      failed(verify(*all)))
    return failure();
  return options.afterStage
             ? options.afterStage(CpuTarget::kernelStage().name, *all)
             : success();
}

static FailureOr<GeneratedCode> generate(ModuleOp module,
                                         ArrayRef<func::FuncOp> kernels,
                                         const Target &target,
                                         const CompileOptions &options) {
  if (options.showsKernels &&
      options.showsKernels(CpuTarget::kernelStage().name) &&
      failed(showLowered(module, kernels, target, options)))
    return failure();
  const Machine &machine = cast<CpuTarget>(target).machine();
  GeneratedCode code;
  code.kernels.resize(kernels.size());
  auto lower = [&](size_t number) -> OwningOpRef<ModuleOp> {
    if (options.isCancelled && options.isCancelled())
      return {};
    func::FuncOp kernel = kernels[number];
    OwningOpRef<ModuleOp> alone = ModuleOp::create(module.getLoc());
    copyRanges(module, *alone);
    alone->push_back(kernel->clone());
    if (failed(lowerKernelFunctions(*alone, machine)) || failed(verify(*alone)))
      return {};
    code.kernels[number] = readLowered(*alone, kernel.getName());
    return alone;
  };
  CodegenOptions codegen;
  codegen.isCancelled = options.isCancelled;
  FailureOr<std::vector<char>> elf =
      compileToElf(module.getLoc(), kernels.size(), lower, machine, codegen);
  if (failed(elf))
    return failure();
  code.images.push_back(
      {std::move(*elf), format::CodeFormat::elf, target.loaderNeeds()});
  if (failed(findSymbols(module.getLoc(), kernels, code)))
    return failure();
  return code;
}

static void loadDialects(MLIRContext *context) {
  prepareCodegen(context);
  DialectRegistry registry;
  createLowerKernels()->getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

CodeGenerator heddle::cpuCodeGenerator() {
  return {CpuTarget::kindName, stageInfo(Stage::Dispatch).build, loadDialects,
          generate};
}
