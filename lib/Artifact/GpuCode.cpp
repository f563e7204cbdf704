// The code of kernels for graphics processors: PTX for those that run there,
// each lowered by itself, and an image of the processor's for those that stay
// beside it.

#include "CodeGenerator.h"

#include "Fork.h"
#include "dialects/Kernel/GridKernels.h"
#include "dialects/Kernel/Kernel.h"
#include "heddle/Artifact/DataTypes.h"
#include "heddle/Codegen/CompileToPtx.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Target/GpuTarget.h"
#include "passes/Kernel/Gpu/Passes.h"
#include "passes/Kernel/Gpu/ReadProtocol.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

/// The tensor map that an entry of `kernel.descriptors` asks for.
static std::unique_ptr<format::DescriptorT>
readDescriptor(DictionaryAttr wanted) {
  auto numbers = [&](StringRef name) {
    return wanted.getAs<DenseI64ArrayAttr>(name).asArrayRef();
  };
  auto number = [&](StringRef name) {
    return wanted.getAs<IntegerAttr>(name).getInt();
  };
  Type element = wanted.getAs<TypeAttr>("element").getValue();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  auto map = std::make_unique<format::DescriptorT>();
  map->binding = static_cast<uint16_t>(number("binding"));
  map->dtype = dataType(element);
  map->offset = static_cast<uint64_t>(number("offset") * bytes);
  for (int64_t extent : numbers("extents"))
    map->extents.push_back(static_cast<uint64_t>(extent));
  for (int64_t stride : numbers("strides"))
    map->strides.push_back(static_cast<uint64_t>(stride * bytes));
  for (int64_t extent : numbers("box"))
    map->box.push_back(static_cast<uint32_t>(extent));
  // A box is as wide as its swizzle.
  map->swizzle = static_cast<uint16_t>(numbers("box").front() * bytes);
  return map;
}

/// What lowering has decided for the kernel of `module` called `name`.
static KernelCode readLowered(ModuleOp module, StringRef name) {
  auto lowered = cast<func::FuncOp>(module.lookupSymbol(name));
  auto integer = [&](StringRef attribute) {
    return lowered->getAttrOfType<IntegerAttr>(attribute).getInt();
  };
  KernelCode code;
  format::GpuLaunchT launch;
  launch.block = {static_cast<uint32_t>(integer(kernel::kThreadsAttrName)), 1,
                  1};
  if (lowered->hasAttr(kernel::kSharedBytesAttrName))
    launch.shared_bytes =
        static_cast<uint32_t>(integer(kernel::kSharedBytesAttrName));
  if (auto maps =
          lowered->getAttrOfType<ArrayAttr>(kernel::kDescriptorsAttrName))
    for (auto map : maps.getAsRange<DictionaryAttr>())
      launch.descriptors.push_back(readDescriptor(map));
  if (auto lines = lowered->getAttrOfType<ArrayAttr>(kernel::kDesignAttrName))
    for (auto line : lines.getAsRange<StringAttr>())
      launch.design.push_back(line.str());
  code.launch.Set(std::move(launch));
  code.image = 1;
  code.tiles = integer(kernel::kTilesAttrName);
  for (unsigned i = 0; i < lowered.getNumArguments(); ++i)
    code.inPlace.push_back(
        bool(lowered.getArgAttr(i, kernel::kInPlaceAttrName)));
  return code;
}

/// Kernels that some launch runs on a device. Those that nobody launches are
/// the cpu's, as records of kernels are.
static llvm::StringSet<> deviceKernels(ModuleOp module) {
  llvm::StringSet<> names;
  module.walk([&](kernel::LaunchOp launch) {
    if (launch->hasAttr(kernel::kPlaceAttrName))
      names.insert(launch.getKernel());
  });
  return names;
}

/// Kernels alone in a module, which says what they are for.
static OwningOpRef<ModuleOp> moduleOf(ArrayRef<func::FuncOp> kernels,
                                      Location loc, const GpuTarget &target) {
  OwningOpRef<ModuleOp> alone = ModuleOp::create(loc);
  (*alone)->setAttr(targetAttrName, target.toAttr(loc.getContext()));
  for (func::FuncOp kernel : kernels)
    alone->push_back(kernel->clone());
  return alone;
}

/// All kernels in one module, for those who look at the stage: lowered by what
/// lowers each alone.
static LogicalResult showLowered(ModuleOp module,
                                 ArrayRef<func::FuncOp> kernels,
                                 const GpuTarget &target,
                                 ProtocolVerifier &verifier,
                                 const CompileOptions &options) {
  OwningOpRef<ModuleOp> all = moduleOf(kernels, module.getLoc(), target);
  if (failed(lowerGpuKernelFunctions(*all, target.machine(), verifier)) ||
      failed(verify(*all)))
    return failure();
  return options.afterStage
             ? options.afterStage(GpuTarget::kernelStage().name, *all)
             : success();
}

/// The kernels of the device as PTX, and of each how it is launched.
static FailureOr<GeneratedCode>
generateForDevice(ModuleOp module, ArrayRef<func::FuncOp> kernels,
                  const GpuTarget &target, const CompileOptions &options) {
  ProtocolVerifier verifier;
  if (options.showsKernels &&
      options.showsKernels(GpuTarget::kernelStage().name) &&
      failed(showLowered(module, kernels, target, verifier, options)))
    return failure();
  GeneratedCode code;
  code.kernels.resize(kernels.size());
  auto lower = [&](size_t number) -> OwningOpRef<ModuleOp> {
    if (options.isCancelled && options.isCancelled())
      return {};
    func::FuncOp kernel = kernels[number];
    OwningOpRef<ModuleOp> alone = moduleOf(kernel, module.getLoc(), target);
    if (failed(lowerGpuKernelFunctions(*alone, target.machine(), verifier)) ||
        failed(verify(*alone)))
      return {};
    code.kernels[number] = readLowered(*alone, kernel.getName());
    return alone;
  };
  FailureOr<std::string> ptx =
      compileToPtx(module.getLoc(), kernels.size(), lower, target.machine());
  if (failed(ptx))
    return failure();
  // Drivers read a text up to its zero.
  code.images.push_back(
      {std::vector<char>(ptx->c_str(), ptx->c_str() + ptx->size() + 1),
       format::CodeFormat::ptx, target.loaderNeeds()});
  return code;
}

static FailureOr<GeneratedCode> generate(ModuleOp module,
                                         ArrayRef<func::FuncOp> kernels,
                                         const Target &target,
                                         const CompileOptions &options) {
  const auto &gpu = cast<GpuTarget>(target);
  std::shared_ptr<const Target> host = findTarget(gpu.machine().host);
  const CodeGenerator *processor = host ? findCodeGenerator(*host) : nullptr;
  if (!processor)
    return emitError(module.getLoc(), ErrorCode::TargetIllegal)
           << "there is no code generator for '" << gpu.machine().host
           << "', the processor beside " << target.name();
  llvm::StringSet<> onDevice = deviceKernels(module);
  SmallVector<func::FuncOp> hosted, others;
  for (func::FuncOp kernel : kernels)
    (onDevice.contains(kernel.getName()) ? others : hosted).push_back(kernel);
  FailureOr<GeneratedCode> code =
      processor->generate(module, hosted, *host, options);
  if (failed(code))
    return failure();
  FailureOr<GeneratedCode> device =
      generateForDevice(module, others, gpu, options);
  if (failed(device))
    return failure();
  code->images.push_back(std::move(device->images.front()));
  // In the order of the functions.
  std::vector<KernelCode> inOrder;
  size_t fromHost = 0, fromDevice = 0;
  for (func::FuncOp kernel : kernels)
    inOrder.push_back(std::move(onDevice.contains(kernel.getName())
                                    ? device->kernels[fromDevice++]
                                    : code->kernels[fromHost++]));
  code->kernels = std::move(inOrder);
  return code;
}

static void loadDialects(MLIRContext *context) {
  cpuCodeGenerator().loadDialects(context);
  prepareGpuCodegen(context);
  DialectRegistry registry;
  createLowerGpuKernels()->getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

CodeGenerator heddle::gpuCodeGenerator() {
  return {GpuTarget::kindName, stageInfo(Stage::Dispatch).build, loadDialects,
          generate, lackOfGpuKernel};
}
