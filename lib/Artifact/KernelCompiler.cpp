// Kernels are lowered one by one: what a lowered kernel takes, a hundred times
// its dispatch, is there for those that threads work on, not for all.

#include "KernelCompiler.h"

#include "Fork.h"
#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/ScalarArguments.h"
#include "heddle/Codegen/CompileToElf.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Target/CpuTarget.h"
#include "passes/Kernel/Cpu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
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
static LogicalResult findSymbols(Location loc, CompiledKernels &compiled) {
  auto fail = [&](llvm::Error error) {
    return emitError(loc, ErrorCode::CodegenFailed)
           << llvm::toString(std::move(error));
  };
  llvm::StringRef bytes(compiled.elf.data(), compiled.elf.size());
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
  for (std::unique_ptr<format::KernelT> &kernel : compiled.kernels) {
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

namespace {
/// What lowering has decided for one kernel.
struct LoweredKernel {
  int64_t scratch = 0;
  int64_t tiles = 1;
  int64_t chunk = 1;
  SmallVector<DictionaryAttr> arguments;
};
} // namespace

static LoweredKernel readLowered(func::FuncOp lowered) {
  auto integer = [&](StringRef name) {
    auto attribute = lowered->getAttrOfType<IntegerAttr>(name);
    assert(attribute && "a lowered kernel says how it is launched");
    return attribute.getInt();
  };
  LoweredKernel result{integer(kernel::kScratchAttrName),
                       integer(kernel::kTilesAttrName),
                       integer(kernel::kChunkAttrName),
                       {}};
  for (unsigned i = 0; i < lowered.getNumArguments(); ++i)
    result.arguments.push_back(lowered.getArgAttrDict(i));
  assert(result.tiles >= 0 && result.chunk >= 1 && result.scratch >= 0 &&
         "a kernel has tiles in chunks");
  return result;
}

/// A hash of what decides the kernel's code: its function without name and
/// locations, with the packing of its operands, the machine, the compiler.
static format::Hash identityOf(func::FuncOp function, const Machine &machine) {
  std::string text = "heddle " HEDDLE_VERSION "\n" + machine.name + "\n" +
                     machine.triple + " " + machine.cpu + "\n" +
                     llvm::join(machine.features, ",") + "\n";
  StringAttr name = function.getSymNameAttr();
  function.setSymName("kernel");
  llvm::raw_string_ostream stream(text);
  function->print(stream, OpPrintingFlags().useLocalScope());
  function.setSymNameAttr(name);
  return format::hashBytes(text.data(), text.size());
}

/// What lowering has decided, into the artifact's table and back to the
/// function that the plan is made from.
static std::unique_ptr<format::KernelT>
describeKernel(func::FuncOp function, const Machine &machine,
               const LoweredKernel &lowered, KernelFacts &facts) {
  auto kernel = std::make_unique<format::KernelT>();
  unsigned scalars = kernel::countScalars(function.getArgumentTypes());
  unsigned inputs = function.getNumArguments() - scalars;
  kernel->name = function.getName().str();
  kernel->bindings = inputs + function.getNumResults();
  kernel->integers = scalars;
  kernel->identity =
      std::make_unique<format::Hash>(identityOf(function, machine));
  format::CpuLaunchT launch;
  launch.scratch = lowered.scratch;
  kernel->launch.Set(std::move(launch));
  facts.tiles = lowered.tiles;
  facts.chunk = lowered.chunk;
  facts.operations = countOperations(function);
  assert(inputs <= lowered.arguments.size() &&
         "lowering keeps the kernel's inputs as its first arguments");
  for (unsigned i = 0; i < inputs; ++i) {
    auto result = [&](StringRef name) {
      DictionaryAttr attributes = lowered.arguments[i];
      return attributes ? attributes.getAs<IntegerAttr>(name) : IntegerAttr();
    };
    IntegerAttr tied = result(kernel::kTiedAttrName);
    IntegerAttr inPlace = result(kernel::kInPlaceAttrName);
    if (!inPlace)
      function.removeArgAttr(i, kernel::kInPlaceAttrName);
    if (IntegerAttr shared = tied ? tied : inPlace) {
      assert(shared.getInt() >= 0 &&
             shared.getInt() < function.getNumResults() &&
             "an input shares the memory of a result");
      kernel->in_place.push_back(format::InPlace(inputs + shared.getInt(), i));
    }
  }
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

void heddle::loadKernelDialects(MLIRContext *context) {
  DialectRegistry registry;
  createLowerKernels()->getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

/// All kernels lowered in one module, for those who look at the stage.
static LogicalResult showLowered(ModuleOp module,
                                 ArrayRef<func::FuncOp> functions,
                                 const Machine &machine,
                                 const CompileOptions &options) {
  OwningOpRef<ModuleOp> all = ModuleOp::create(module.getLoc());
  (*all)->setAttr(targetAttrName,
                  CpuTarget(machine).toAttr(module.getContext()));
  for (func::FuncOp function : functions)
    all->push_back(function->clone());
  return passStage(Stage::KernelCpu, *all, options);
}

FailureOr<CompiledKernels>
heddle::compileKernels(ModuleOp module, const Machine &machine,
                       const CompileOptions &options) {
  SmallVector<func::FuncOp> all, withCode;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isKernel(function))
      continue;
    all.push_back(function);
    if (!kernel::isCustomCall(function))
      withCode.push_back(function);
  }
  if (options.showsKernels &&
      failed(showLowered(module, withCode, machine, options)))
    return failure();

  std::vector<LoweredKernel> lowered(withCode.size());
  auto lower = [&](size_t number) -> OwningOpRef<ModuleOp> {
    if (options.isCancelled && options.isCancelled())
      return {};
    OwningOpRef<ModuleOp> alone = ModuleOp::create(module.getLoc());
    alone->push_back(withCode[number]->clone());
    if (failed(lowerKernelFunctions(*alone, machine)) || failed(verify(*alone)))
      return {};
    lowered[number] = readLowered(
        cast<func::FuncOp>(alone->lookupSymbol(withCode[number].getName())));
    return alone;
  };
  CodegenOptions codegen;
  FailureOr<std::vector<char>> elf =
      compileToElf(module.getLoc(), withCode.size(), lower, machine, codegen);
  if (failed(elf))
    return failure();

  CompiledKernels compiled;
  compiled.elf = std::move(*elf);
  const LoweredKernel *next = lowered.data();
  for (func::FuncOp function : all) {
    KernelFacts facts;
    facts.index = compiled.kernels.size();
    compiled.kernels.push_back(
        kernel::isCustomCall(function)
            ? describeCustomCall(function)
            : describeKernel(function, machine, *next++, facts));
    compiled.facts[function.getName()] = facts;
  }
  assert(next == lowered.data() + lowered.size() &&
         "each kernel with code has been lowered once");
  if (failed(findSymbols(module.getLoc(), compiled)))
    return failure();
  return compiled;
}
