// Over which axes the factors of one operation are cut.

#include "passes/Sharding/OperationCut.h"

#include "dialects/Sharding/LocalOperation.h"

using namespace mlir;
using heddle::sdy::AxisRefAttr;

namespace heddle {

/// Bytes of all of a tensor; elements below a byte count as one.
static int64_t bytesOf(RankedTensorType type) {
  Type element = type.getElementType();
  int64_t bits = 8;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}

void OperationCut::vote(SmallVector<Vote> &votes, const TensorPlace &place,
                        const sharding::TensorFactors &tensor,
                        llvm::function_ref<bool(int64_t)> canCut) {
  if (!place.type || place.type.getRank() != int64_t(tensor.size()))
    return;
  TensorProjection projection =
      project(tensor, shardingOf(place.layout, mesh, mesh.getContext()), rule,
              mesh, /*splitsAxes=*/true);
  for (auto &entry : projection.factors) {
    int64_t factor = entry.first;
    Axes wanted = canonicalAxes(entry.second.axes, mesh);
    if (wanted.empty() || rule.factors[factor].size <= 1 || !canCut(factor))
      continue;
    Vote *same = llvm::find_if(votes, [&](const Vote &vote) {
      return vote.factor == factor && vote.axes == wanted;
    });
    if (same != votes.end())
      same->bytes += bytesOf(place.type);
    else
      votes.push_back({factor, wanted, bytesOf(place.type)});
  }
}

Axes OperationCut::freeOf(ArrayRef<AxisRefAttr> wanted, int64_t factor) const {
  Axes free;
  for (AxisRefAttr axis : wanted) {
    for (auto [other, taken] : llvm::enumerate(axes))
      if (int64_t(other) != factor && overlap(taken, axis))
        return free;
    free.push_back(axis);
  }
  return free;
}

void OperationCut::choose(ArrayRef<TensorPlace> operands,
                          ArrayRef<TensorPlace> results,
                          llvm::function_ref<bool(int64_t)> canCut) {
  SmallVector<Vote> votes;
  for (auto [place, tensor] : llvm::zip_equal(operands, rule.operands))
    vote(votes, place, tensor, canCut);
  for (auto [place, tensor] : llvm::zip_equal(results, rule.results))
    vote(votes, place, tensor, canCut);
  llvm::stable_sort(votes, [&](const Vote &a, const Vote &b) {
    return std::pair(a.bytes, sdy::partCount(a.axes, mesh)) >
           std::pair(b.bytes, sdy::partCount(b.axes, mesh));
  });
  for (const Vote &vote : votes) {
    Axes free = freeOf(vote.axes, vote.factor);
    // A vote that goes on where one before it ends cuts further.
    Axes &chosen = axes[vote.factor];
    if (free.size() >= chosen.size() &&
        commonPrefix(chosen, free, mesh) == chosen)
      chosen = free;
  }
  makeLegal();
}

bool OperationCut::makeLegal(Value value,
                             const sharding::TensorFactors &tensor) {
  for (ArrayRef<int64_t> dim : tensor) {
    // A dimension of one factor can be cut unevenly, if there is padding.
    int64_t larger = llvm::count_if(
        dim, [&](int64_t factor) { return rule.factors[factor].size > 1; });
    if (larger < 2 && canPad(getElementTypeOrSelf(value)))
      continue;
    bool isWhole = true;
    for (int64_t factor : dim) {
      int64_t size = rule.factors[factor].size;
      Axes &cut = axes[factor];
      if (!cut.empty() && (!isWhole || size % sdy::partCount(cut, mesh) != 0)) {
        cut.pop_back();
        return true;
      }
      isWhole &= sdy::partCount(cut, mesh) == size;
    }
  }
  return false;
}

void OperationCut::makeLegal() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [value, tensor] :
         llvm::zip_equal(op->getOperands(), rule.operands))
      changed |= makeLegal(value, tensor);
    for (auto [value, tensor] : llvm::zip_equal(op->getResults(), rule.results))
      changed |= makeLegal(value, tensor);
  }
}

Layout OperationCut::layoutOf(const sharding::TensorFactors &tensor) const {
  Layout layout = Layout::whole(tensor.size());
  for (auto [to, dim] : llvm::zip_equal(layout.dims, tensor))
    for (int64_t factor : dim)
      to = joined(to, axes[factor], mesh);
  return layout;
}

bool OperationCut::pads(const sharding::TensorFactors &tensor,
                        int64_t factor) const {
  return sharding::hasFactor(tensor, factor) &&
         rule.factors[factor].size % sdy::partCount(axes[factor], mesh) != 0;
}

} // namespace heddle
