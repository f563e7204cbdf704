// Every launch is told its device, by rules over node names and then in order.
// A device runs kernels only: functions of the program that loads the artifact,
// and what a loop's condition needs, stay where control flow is walked.

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/GridKernels.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/LoadLaunches.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Suggestion.h"
#include "passes/Plan/KernelWork.h"
#include "passes/Plan/NodeNames.h"
#include "passes/Plan/OrderCounts.h"
#include "passes/Plan/Passes.h"
#include "passes/Plan/ResolvedPlacement.h"
#include "passes/Plan/ValuePlaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <random>

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_ASSIGNPLACEMENT
#include "passes/Plan/Passes.h.inc"

namespace {
class Assignment {
public:
  Assignment(ModuleOp module, const ResolvedPlacement &placement, bool isPiece)
      : module(module), placement(placement), isPiece(isPiece), symbols(module),
        random(placement.seed), used(placement.rules.size(), false),
        isUntold(placement.rules.size(), false) {}

  LogicalResult run();

private:
  bool isMovable(kernel::LaunchOp launch);
  /// Whether `device` reads the counts of `launch`, if that has any.
  bool mayRunOn(kernel::LaunchOp launch, const plan::DeviceName &device);
  std::optional<unsigned> byRule(kernel::LaunchOp launch);
  unsigned inOrder(size_t position);
  void cutIntoParts(ArrayRef<kernel::LaunchOp> launches);
  void placeAtLoad();

  ModuleOp module;
  const ResolvedPlacement &placement;
  bool isPiece;
  SymbolTable symbols;
  std::mt19937_64 random;
  /// By movable launch: the device of its part.
  SmallVector<unsigned> parts;
  std::vector<bool> used; ///< By rule: whether it has placed something.
  /// By rule: whether it matches what its device is not told the counts of.
  std::vector<bool> isUntold;
};
} // namespace

bool Assignment::mayRunOn(kernel::LaunchOp launch,
                          const plan::DeviceName &device) {
  return plan::readsCounts(device.kind) ||
         !hasCount(launch, symbols.lookup<func::FuncOp>(launch.getKernel()));
}

bool Assignment::isMovable(kernel::LaunchOp launch) {
  auto function = symbols.lookup<func::FuncOp>(launch.getKernel());
  if (!function || kernel::isCustomCall(function) ||
      function->hasAttr(kernel::kHostAttrName) ||
      launch->hasAttr(kernel::kAtLoadAttrName))
    return false;
  bool isCountedAnywhere =
      llvm::any_of(placement.devices, [](const plan::DeviceName &device) {
        return device.kind != plan::kCpu && plan::readsCounts(device.kind);
      });
  if (!isCountedAnywhere && hasCount(launch, function))
    return false;
  for (Region *region = launch->getParentRegion(); region;
       region = region->getParentRegion())
    if (auto loop = dyn_cast<stablehlo::WhileOp>(region->getParentOp()))
      if (region == &loop.getCond())
        return false;
  return true;
}

std::optional<unsigned> Assignment::byRule(kernel::LaunchOp launch) {
  llvm::SetVector<StringAttr> names;
  collectNodeNames(launch.getLoc(), names);
  for (auto [i, rule] : llvm::enumerate(placement.rules))
    for (StringAttr name : names)
      if (rule.pattern.match(name.getValue())) {
        bool isTold = mayRunOn(launch, placement.devices[rule.device]);
        (isTold ? used : isUntold)[i] = true;
        return rule.device;
      }
  return std::nullopt;
}

/// Consecutive parts that take about the same time by the target's estimate,
/// one a device; none is empty if there are launches enough. A launch whose
/// time nobody knows counts like the others.
void Assignment::cutIntoParts(ArrayRef<kernel::LaunchOp> launches) {
  std::shared_ptr<const Target> target = targetOf(module);
  std::vector<double> times;
  double total = 0;
  for (kernel::LaunchOp launch : launches) {
    auto function = symbols.lookup<func::FuncOp>(launch.getKernel());
    times.push_back(target ? target->nanoseconds(kernelWork(function)) : 1);
    total += times.back();
  }
  size_t devices = placement.devices.size(), count = launches.size();
  double before = 0;
  for (size_t i = 0; i < count; ++i) {
    auto part = total > 0 ? unsigned(before / total * double(devices))
                          : unsigned(i * devices / count);
    if (count >= devices) {
      unsigned last = parts.empty() ? 0 : parts.back() + 1;
      part = std::min<size_t>(part, last);
      if (devices + i > count)
        part = std::max<size_t>(part, devices + i - count);
    }
    parts.push_back(std::min<size_t>(part, devices - 1));
    before += times[i];
  }
}

unsigned Assignment::inOrder(size_t position) {
  size_t devices = placement.devices.size();
  switch (placement.spread) {
  case ResolvedPlacement::Spread::Parts:
    return parts[position];
  case ResolvedPlacement::Spread::First:
    return 0;
  case ResolvedPlacement::Spread::Alternate:
    return position % devices;
  case ResolvedPlacement::Spread::Random:
    return random() % devices;
  }
  llvm_unreachable("no such spread");
}

/// The node that a rule may have meant. The nodes of a loop's or a branch's
/// body are named behind that: a rule with their own name alone is near them,
/// too.
static std::string suggestNode(StringRef rule,
                               ArrayRef<kernel::LaunchOp> launches) {
  StringRef wrong = rule.rsplit('=').first;
  llvm::SetVector<StringAttr> names;
  for (kernel::LaunchOp launch : launches)
    collectNodeNames(launch.getLoc(), names);
  std::vector<std::string> known;
  for (StringAttr name : names) {
    known.push_back(name.str());
    if (name.getValue().ends_with(("/" + wrong).str()))
      return "; did you mean " + known.back() + "?";
  }
  return suggest(wrong, known);
}

/// The device of the operation that reads `value`, which has no other reader;
/// null for the cpu.
static StringAttr placeOfReader(Value value) {
  while (value.hasOneUse() && isReshape(*value.getUsers().begin()))
    value = value.getUsers().begin()->getResult(0);
  return value.hasOneUse() ? placeOf(*value.getUsers().begin()) : StringAttr();
}

/// What is laid out at load is laid out where it is read.
void Assignment::placeAtLoad() {
  module.walk([](kernel::LaunchOp launch) {
    if (!launch->hasAttr(kernel::kAtLoadAttrName))
      return;
    launch->removeAttr(kernel::kPlaceAttrName);
    if (StringAttr place = placeOfReader(launch.getOutputs()[0]))
      launch->setAttr(kernel::kPlaceAttrName, place);
  });
}

LogicalResult Assignment::run() {
  SmallVector<kernel::LaunchOp> launches;
  module.walk([&](kernel::LaunchOp launch) {
    if (isMovable(launch))
      launches.push_back(launch);
  });
  if (placement.spread == ResolvedPlacement::Spread::Parts)
    cutIntoParts(launches);
  for (auto [i, launch] : llvm::enumerate(launches)) {
    unsigned position = inOrder(i);
    const plan::DeviceName &device =
        placement.devices[byRule(launch).value_or(position)];
    if (device.kind == plan::kCpu || !mayRunOn(launch, device))
      launch->removeAttr(kernel::kPlaceAttrName);
    else
      launch->setAttr(kernel::kPlaceAttrName,
                      StringAttr::get(module.getContext(), device.text()));
  }
  placeAtLoad();
  for (auto [rule, hit, untold] :
       llvm::zip_equal(placement.rules, used, isUntold)) {
    if (hit || isPiece)
      continue;
    InFlightDiagnostic error =
        emitError(module.getLoc(), ErrorCode::BadPlacement);
    error << "the rule \"" << rule.text << "\" matches ";
    if (untold)
      return error << "only nodes whose sizes the program computes, which "
                      "queues of "
                   << placement.devices[rule.device].text()
                   << " are not told; place them on cpu or sim";
    return error << "the name of no node that has a kernel"
                 << suggestNode(rule.text, launches);
  }
  return success();
}

namespace {
struct AssignPlacement : impl::AssignPlacementBase<AssignPlacement> {
  using AssignPlacementBase::AssignPlacementBase;

  void runOnOperation() override {
    Placement asked{
        {devices.begin(), devices.end()}, {rules.begin(), rules.end()}, by};
    if (asked.empty())
      return;
    llvm::Expected<ResolvedPlacement> placement = resolvePlacement(asked);
    if (!placement) {
      emitError(getOperation().getLoc(), ErrorCode::BadPlacement)
          << llvm::toString(placement.takeError());
      return signalPassFailure();
    }
    if (failed(Assignment(getOperation(), *placement, isPiece).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace heddle
