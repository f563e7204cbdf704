// The table of targets, of all kinds, and the attribute that names one.

#include "heddle/Target/Target.h"

#include "heddle/Target/CpuTarget.h"
#include "heddle/Target/GpuTarget.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace heddle {

static std::vector<TargetKind> &kinds() {
  static std::vector<TargetKind> table = [] {
    TargetKind processors{CpuTarget::kindName.str(),
                          {},
                          CpuTarget::fromAttr,
                          {CpuTarget::kernelStage()}};
    for (const Machine &machine : machines())
      processors.targets.push_back(std::make_shared<CpuTarget>(machine));
    TargetKind graphics{GpuTarget::kindName.str(),
                        {},
                        GpuTarget::fromAttr,
                        {GpuTarget::kernelStage()}};
    for (const GpuMachine &machine : gpuMachines())
      graphics.targets.push_back(std::make_shared<GpuTarget>(machine));
    return std::vector<TargetKind>{std::move(processors), std::move(graphics)};
  }();
  return table;
}

void registerTargetKind(TargetKind kind) { kinds().push_back(std::move(kind)); }

ArrayRef<TargetKind> targetKinds() { return kinds(); }

std::vector<std::shared_ptr<const Target>> targets() {
  std::vector<std::shared_ptr<const Target>> all;
  for (const TargetKind &kind : kinds())
    llvm::append_range(all, kind.targets);
  return all;
}

std::shared_ptr<const Target> findTarget(StringRef name) {
  for (const TargetKind &kind : kinds())
    for (const std::shared_ptr<const Target> &target : kind.targets)
      if (target->name() == name || llvm::is_contained(target->aliases(), name))
        return target;
  return nullptr;
}

bool isClaimedComposite(StringRef name) {
  return llvm::any_of(kinds(), [&](const TargetKind &kind) {
    return llvm::any_of(kind.targets, [&](const auto &target) {
      return llvm::is_contained(target->dispatchFacts().composites, name);
    });
  });
}

/// The target that `dictionary` describes, by its kind.
static std::shared_ptr<const Target> targetFromAttr(DictionaryAttr dictionary) {
  auto name = dictionary.getAs<StringAttr>("kind");
  for (const TargetKind &kind : kinds())
    if (name && name.getValue() == kind.name)
      return kind.fromAttr(dictionary);
  return nullptr;
}

Attribute targetAttr(const Target &target, MLIRContext *context) {
  std::shared_ptr<const Target> named = findTarget(target.name());
  DictionaryAttr known = target.toAttr(context);
  if (named && named->toAttr(context) == known)
    return StringAttr::get(context, target.name());
  return known;
}

std::shared_ptr<const Target> targetOf(Operation *op) {
  for (; op; op = op->getParentOp()) {
    Attribute attr = op->getDiscardableAttr(targetAttrName);
    if (auto name = dyn_cast_if_present<StringAttr>(attr))
      return findTarget(name.getValue());
    if (auto dictionary = dyn_cast_if_present<DictionaryAttr>(attr))
      return targetFromAttr(dictionary);
  }
  return nullptr;
}

} // namespace heddle
