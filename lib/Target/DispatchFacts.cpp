// Questions about what a target's kernels take.

#include "heddle/Target/DispatchFacts.h"

#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace mlir;

namespace heddle {

bool KernelTypes::operator==(const KernelTypes &other) const {
  return std::tie(family, lhs, rhs, accumulator) ==
         std::tie(other.family, other.lhs, other.rhs, other.accumulator);
}

bool PackingFacts::operator==(const PackingFacts &other) const {
  return std::tie(panelColumns, panelDepth, leastChannels) ==
         std::tie(other.panelColumns, other.panelDepth, other.leastChannels);
}

bool FusionFacts::operator==(const FusionFacts &other) const {
  return std::tie(maximumInputs, maximumCost, maximumRecomputed,
                  maximumParts) ==
         std::tie(other.maximumInputs, other.maximumCost,
                  other.maximumRecomputed, other.maximumParts);
}

bool DispatchFacts::operator==(const DispatchFacts &other) const {
  return kernels == other.kernels &&
         readsWorthWidening == other.readsWorthWidening &&
         packing == other.packing && fusion == other.fusion;
}

bool DispatchFacts::isLegal(KernelFamily family, Type lhs, Type rhs,
                            Type accumulator) const {
  std::optional<ElementKind> left = elementKind(lhs), right = elementKind(rhs),
                             sum = elementKind(accumulator);
  return left && right && sum &&
         llvm::is_contained(kernels, KernelTypes{family, *left, *right, *sum});
}

} // namespace heddle
