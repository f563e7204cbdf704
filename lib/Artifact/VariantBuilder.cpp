// Compiles the kernels of a dispatched module for one machine, and plans their
// launches.

#include "VariantBuilder.h"

#include "CodeGenerator.h"
#include "HostKernels.h"
#include "dialects/Plan/DeviceNames.h"
#include "heddle/Pipeline/PlanPipeline.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/Pass/PassManager.h"

#include <set>

using namespace mlir;
using namespace heddle;

/// The kinds of devices that the plan names, and one for each image that holds
/// a kernel which the plan does not launch.
static std::vector<format::DeviceKind>
collectKinds(const CompiledVariant &variant) {
  std::vector<format::DeviceKind> kinds;
  auto add = [&](format::DeviceKind kind) {
    if (!llvm::is_contained(kinds, kind))
      kinds.push_back(kind);
  };
  for (const std::string &name : variant.devices)
    add(toDevice(name).kind);
  for (const auto &kernel : variant.kernels) {
    const CodeImage &code = variant.images[kernel->image];
    if (llvm::none_of(kinds, [&](format::DeviceKind kind) {
          return variant.codeFor(kind) == &code;
        }))
      add(toDevice(code.needs.devices.front()).kind);
  }
  return kinds;
}

const CodeImage *CompiledVariant::codeFor(format::DeviceKind kind) const {
  for (const CodeImage &image : images)
    if (llvm::is_contained(image.needs.devices,
                           format::EnumNameDeviceKind(kind)))
      return &image;
  return nullptr;
}

/// A kernel has a record for each kind of device that runs it; one without any
/// keeps its first, that for the first kind which could.
static void placeKernels(CompiledVariant &variant) {
  ArrayRef<format::DeviceKind> kinds = variant.kinds;
  if (kinds.size() == 1)
    return;
  llvm::StringMap<std::set<format::DeviceKind>> uses;
  for (auto program : variant.plan->getOps<plan::ProgramOp>()) {
    SmallVector<int64_t> queues = program.queueDevices();
    program.walk([&](plan::LaunchOp launch) {
      int64_t device = queues[launch.getQueue()];
      format::DeviceKind kind = toDevice(variant.devices[device]).kind;
      uses[launch.getKernel()].insert(kind);
      if (launch.getAlternatives())
        for (auto other :
             launch.getAlternatives()->getAsRange<plan::AlternativeAttr>())
          uses[other.getKernel().getValue()].insert(kind);
    });
  }
  SmallVector<StringRef> names(variant.kernels.size());
  for (auto &entry : variant.facts)
    names[entry.second.index] = entry.first();
  for (StringRef name : names) {
    KernelFacts &facts = variant.facts[name];
    const std::set<format::DeviceKind> &used = uses[name];
    bool isFirst = !used.count(format::DeviceKind::cpu);
    const CodeImage *code =
        &variant.images[variant.kernels[facts.index]->image];
    variant.kernels[facts.index]->image =
        llvm::find_if(kinds,
                      [&](format::DeviceKind kind) {
                        return variant.codeFor(kind) == code;
                      }) -
        kinds.begin();
    for (auto [image, kind] : llvm::enumerate(kinds)) {
      if (image == 0 || !used.count(kind))
        continue;
      facts.others[kind] = facts.index;
      if (!isFirst) {
        facts.others[kind] = variant.kernels.size();
        variant.kernels.push_back(
            std::make_unique<format::KernelT>(*variant.kernels[facts.index]));
      }
      variant.kernels[facts.others[kind]]->image = image;
      isFirst = false;
    }
  }
}

void heddle::loadVariantDialects(
    MLIRContext *context, ArrayRef<std::shared_ptr<const Target>> targets) {
  for (const std::shared_ptr<const Target> &target : targets)
    findCodeGenerator(*target)->loadDialects(context);
  DialectRegistry registry;
  OpPassManager planning(ModuleOp::getOperationName());
  buildPlanPipeline(planning);
  planning.getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

/// Devices that launches run on, of which the cpu may be one that has none.
static LogicalResult checkDevices(CompiledVariant &variant) {
  for (const std::string &name : variant.devices)
    if (!variant.codeFor(toDevice(name).kind))
      return emitError(variant.plan->getLoc(), ErrorCode::BadPlacement)
             << "the device \"" << name << "\" runs no code for "
             << variant.target->name();
  return success();
}

LogicalResult heddle::buildVariant(ModuleOp module,
                                   const CompileOptions &options,
                                   CompiledVariant &variant) {
  variant.plan = module.clone();
  // The module was dispatched for all targets of its set; what is planned is
  // planned by the numbers of one.
  (*variant.plan)
      ->setAttr(targetAttrName,
                targetAttr(*variant.target, module.getContext()));
  Placement placement = placementFor(*variant.target, options.placement);
  auto hosted = separateHostKernels(*variant.plan, *variant.target, placement,
                                    options.noHost);
  if (failed(hosted))
    return failure();
  variant.hosted = std::move(*hosted);
  FailureOr<CompiledKernels> compiled =
      compileKernels(*variant.plan, *variant.target, options);
  if (failed(compiled))
    return failure();
  static_cast<CompiledKernels &>(variant) = std::move(*compiled);

  PassManager planning(module.getContext());
  buildPlanPipeline(planning, placement);
  if (failed(planning.run(*variant.plan)))
    return failure();
  for (StringRef name : variant.programs().front().deviceNames())
    variant.devices.push_back(name.str());
  // Of a target with devices of its own a machine must have one, also where all
  // of this program stays on the cpu: others have code that suits them better.
  if (hasOwnDevices(*variant.target) && variant.devices.size() == 1)
    variant.devices.push_back(variant.target->loaderNeeds().devices.front() +
                              ":0");
  if (failed(checkDevices(variant)))
    return failure();
  variant.kinds = collectKinds(variant);
  placeKernels(variant);
  return options.afterStage
             ? options.afterStage(stageName(Stage::Plan), *variant.plan)
             : success();
}
