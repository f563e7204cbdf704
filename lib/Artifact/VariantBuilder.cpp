#include "VariantBuilder.h"

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/ScalarArguments.h"
#include "heddle/Codegen/CompileToElf.h"
#include "heddle/Support/Diagnostics.h"
#include "passes/Kernel/Cpu/Passes.h"
#include "passes/Plan/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace mlir;
using namespace heddle;

static bool isKernel(func::FuncOp function) {
  return function->hasAttr(kernel::kEntryAttrName);
}

/// Arithmetic operations of one launch, counting a multiply-add as two and
/// leaving out what costs little beside contractions.
static int64_t countOperations(func::FuncOp function) {
  int64_t operations = 0;
  auto elements = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  for (Operation &op : function.front()) {
    if (auto contract = dyn_cast<kernel::ContractOp>(op)) {
      int64_t product = 2;
      for (int64_t extent : contract.getExtents())
        product *= extent;
      operations += product;
    } else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op)) {
      int64_t taps = 2;
      for (int64_t extent : convolution.getKernelExtents())
        taps *= extent;
      int64_t channels =
          cast<RankedTensorType>(convolution.getInput().getType())
              .getShape()
              .back() /
          static_cast<int64_t>(convolution.getGroups());
      operations += taps * channels * elements(convolution.getResult());
    } else if (auto attention = dyn_cast<kernel::AttentionOp>(op)) {
      ArrayRef<int64_t> extents = attention.getExtents();
      int64_t product = 2;
      for (int64_t extent : extents.drop_back(2))
        product *= extent;
      operations += product * (extents[extents.size() - 2] + extents.back());
    } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      int64_t points = 1;
      for (int64_t extent : generic.getStaticLoopRanges())
        points *= extent;
      int64_t payload = 0;
      for (Operation &inner : generic.getBody()->without_terminator())
        payload += !inner.hasTrait<OpTrait::ConstantLike>();
      operations += points * payload;
    }
  }
  return operations;
}

/// Address and size of each exported function.
static LogicalResult findSymbols(Location loc, CompiledVariant &variant) {
  auto fail = [&](llvm::Error error) {
    return emitError(loc, ErrorCode::CodegenFailed)
           << llvm::toString(std::move(error));
  };
  llvm::StringRef bytes(variant.elf.data(), variant.elf.size());
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
  for (std::unique_ptr<format::KernelT> &kernel : variant.kernels) {
    if (kernel->custom_call)
      continue;
    auto found = symbols.find(kernel->name);
    if (found == symbols.end())
      return emitError(loc, ErrorCode::CodegenFailed)
             << "kernel '" << kernel->name << "' is not in the image";
    format::CpuLaunchT &launch = *kernel->launch.AsCpuLaunch();
    std::tie(launch.offset, launch.size) = found->second;
  }
  return success();
}

static int64_t integerAttr(Operation *op, StringRef name, int64_t fallback) {
  auto value = op->getAttrOfType<IntegerAttr>(name);
  return value ? value.getInt() : fallback;
}

/// What lowering has decided, into the artifact's table and back to the
/// function that the plan is made from.
static std::unique_ptr<format::KernelT> describeKernel(func::FuncOp function,
                                                       func::FuncOp lowered,
                                                       KernelFacts &facts) {
  auto kernel = std::make_unique<format::KernelT>();
  unsigned scalars = kernel::countScalars(function.getArgumentTypes());
  unsigned inputs = function.getNumArguments() - scalars;
  kernel->name = function.getName().str();
  kernel->bindings = inputs + function.getNumResults();
  kernel->integers = scalars;
  format::CpuLaunchT launch;
  launch.scratch = integerAttr(lowered, kernel::kScratchAttrName, 0);
  kernel->launch.Set(std::move(launch));
  facts.tiles = integerAttr(lowered, kernel::kTilesAttrName, 1);
  facts.chunk = integerAttr(lowered, kernel::kChunkAttrName, 1);
  facts.operations = countOperations(function);
  for (unsigned i = 0; i < inputs; ++i) {
    auto tied = lowered.getArgAttrOfType<IntegerAttr>(i, kernel::kTiedAttrName);
    auto inPlace =
        lowered.getArgAttrOfType<IntegerAttr>(i, kernel::kInPlaceAttrName);
    if (!inPlace)
      function.removeArgAttr(i, kernel::kInPlaceAttrName);
    if (IntegerAttr result = tied ? tied : inPlace)
      kernel->in_place.push_back(format::InPlace(inputs + result.getInt(), i));
  }
  auto text = [&] {
    std::string out;
    llvm::raw_string_ostream stream(out);
    function->print(stream, OpPrintingFlags().useLocalScope());
    return out;
  }();
  kernel->identity = std::make_unique<format::Hash>(
      format::hashBytes(text.data(), text.size()));
  return kernel;
}

/// A kernel without code; what is called is filled in where the manifest is.
static std::unique_ptr<format::KernelT>
describeCustomCall(func::FuncOp function) {
  auto kernel = std::make_unique<format::KernelT>();
  kernel->bindings = function.getNumArguments() + function.getNumResults();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto result =
            function.getArgAttrOfType<IntegerAttr>(i, kernel::kTiedAttrName))
      kernel->in_place.push_back(
          format::InPlace(function.getNumArguments() + result.getInt(), i));
  kernel->identity = std::make_unique<format::Hash>();
  kernel->custom_call = std::make_unique<format::CustomCallT>();
  return kernel;
}

void heddle::loadVariantDialects(MLIRContext *context) {
  DialectRegistry registry;
  createLowerKernels()->getDependentDialects(registry);
  createBuildPlan()->getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

LogicalResult heddle::buildVariant(ModuleOp module, const Machine &machine,
                                   const CompileOptions &options,
                                   CompiledVariant &variant) {
  MLIRContext *context = module.getContext();
  variant.machine = machine;
  variant.plan = module.clone();
  auto finished = [&](StringRef stage, ModuleOp result) {
    return options.afterStage ? options.afterStage(stage, result) : success();
  };

  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  (*kernels)->setAttr(targetAttrName, CpuTarget(machine).toAttr(context));
  SmallVector<func::FuncOp> functions;
  for (auto function : variant.plan->getOps<func::FuncOp>()) {
    if (!isKernel(function))
      continue;
    functions.push_back(function);
    if (!kernel::isCustomCall(function))
      kernels->push_back(function->clone());
  }
  PassManager lowering(context);
  lowering.addPass(createLowerKernels());
  if (failed(lowering.run(*kernels)) ||
      failed(finished("heddle-kernel-cpu", *kernels)))
    return failure();

  SymbolTable lowered(*kernels);
  for (func::FuncOp function : functions) {
    KernelFacts facts;
    facts.index = variant.kernels.size();
    variant.kernels.push_back(
        kernel::isCustomCall(function)
            ? describeCustomCall(function)
            : describeKernel(function,
                             lowered.lookup<func::FuncOp>(function.getName()),
                             facts));
    variant.facts[function.getName()] = facts;
  }
  CodegenOptions codegen;
  codegen.keepSymbols = options.keepSymbols;
  FailureOr<std::vector<char>> elf = compileToElf(*kernels, machine, codegen);
  if (failed(elf))
    return failure();
  variant.elf = std::move(*elf);
  if (failed(findSymbols(module.getLoc(), variant)))
    return failure();

  PassManager planning(context);
  planning.addPass(createBuildPlan());
  if (failed(planning.run(*variant.plan)))
    return failure();
  return finished("heddle-plan", *variant.plan);
}
