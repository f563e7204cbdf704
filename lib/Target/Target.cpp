// The table of targets, of all kinds, and the attribute that names one.

#include "heddle/Target/Target.h"

#include "heddle/Target/CpuTarget.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace heddle {

StringRef targetKindName(TargetKind kind) {
  switch (kind) {
  case TargetKind::Cpu:
    return "cpu";
  }
  llvm_unreachable("a kind without a name");
}

ArrayRef<std::shared_ptr<const Target>> targets() {
  static const auto table = [] {
    std::vector<std::shared_ptr<const Target>> all;
    for (const Machine &machine : machines())
      all.push_back(std::make_shared<CpuTarget>(machine));
    return all;
  }();
  return table;
}

std::shared_ptr<const Target> findTarget(StringRef name) {
  for (const std::shared_ptr<const Target> &target : targets())
    if (target->name() == name)
      return target;
  return nullptr;
}

/// The target that `dictionary` describes, by its kind.
static std::shared_ptr<const Target> targetFromAttr(DictionaryAttr dictionary) {
  auto kind = dictionary.getAs<StringAttr>("kind");
  if (kind && kind.getValue() == targetKindName(TargetKind::Cpu))
    return CpuTarget::fromAttr(dictionary);
  return nullptr;
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
