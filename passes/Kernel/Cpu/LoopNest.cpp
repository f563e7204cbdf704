// Reads a linalg.generic as loops with strides; permutes and merges them.

#include "passes/Kernel/Cpu/LoopNest.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace heddle {

AffineMap flattenAccess(AffineMap map, ArrayRef<int64_t> shape) {
  AffineExpr position = getAffineConstantExpr(0, map.getContext());
  for (auto [expr, extent] : llvm::zip(map.getResults(), shape))
    position = position * extent + expr;
  return AffineMap::get(map.getNumDims(), 0,
                        simplifyAffineExpr(position, map.getNumDims(), 0));
}

LoopNest::LoopNest(linalg::GenericOp op)
    : op(op), extents(op.getStaticLoopRanges()),
      iterators(op.getIteratorTypesArray()) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    accesses.push_back(
        flattenAccess(op.getMatchingIndexingMap(&operand), type.getShape()));
  }
  for (unsigned loop = 0; loop < numLoops(); ++loop)
    loopOf.push_back(loop);
}

bool LoopNest::isParallel() const {
  return llvm::all_of(iterators, [](utils::IteratorType type) {
    return type == utils::IteratorType::parallel;
  });
}

/// The coefficient of `loop` in `expr`, if the dependence is linear.
static std::optional<int64_t> coefficient(AffineExpr expr, unsigned loop) {
  if (!expr.isFunctionOfDim(loop))
    return 0;
  if (isa<AffineDimExpr>(expr))
    return 1;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> left = coefficient(binary.getLHS(), loop);
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<int64_t> right = coefficient(binary.getRHS(), loop);
    if (left && right)
      return *left + *right;
    return std::nullopt;
  }
  // A product's constant stands on the right.
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul && left && factor)
    return *left * factor.getValue();
  return std::nullopt;
}

std::optional<int64_t> LoopNest::stride(unsigned operand, unsigned loop) const {
  return coefficient(accesses[operand].getResult(0), loop);
}

bool LoopNest::usesIndex(unsigned loop) const {
  bool used = false;
  op->getRegion(0).walk(
      [&](linalg::IndexOp index) { used |= loopOf[index.getDim()] == loop; });
  return used;
}

void LoopNest::substitute(ArrayRef<AffineExpr> dims, unsigned newLoops) {
  for (AffineMap &access : accesses)
    access = AffineMap::get(
        newLoops, 0,
        simplifyAffineExpr(access.getResult(0).replaceDims(dims), newLoops, 0));
}

void LoopNest::permute(ArrayRef<unsigned> order) {
  SmallVector<AffineExpr> dims(numLoops());
  SmallVector<int64_t> newExtents;
  SmallVector<utils::IteratorType> newIterators;
  SmallVector<unsigned> newPlace(numLoops());
  for (auto [to, from] : llvm::enumerate(order)) {
    dims[from] = getAffineDimExpr(to, op.getContext());
    newExtents.push_back(extents[from]);
    newIterators.push_back(iterators[from]);
    newPlace[from] = to;
  }
  substitute(dims, numLoops());
  extents = std::move(newExtents);
  iterators = std::move(newIterators);
  for (unsigned &loop : loopOf)
    if (loop != droppedLoop)
      loop = newPlace[loop];
}

bool LoopNest::canMerge(unsigned outer) const {
  unsigned inner = outer + 1;
  if (iterators[outer] != iterators[inner] || usesIndex(outer) ||
      usesIndex(inner))
    return false;
  for (unsigned operand = 0; operand < accesses.size(); ++operand) {
    std::optional<int64_t> outerStride = stride(operand, outer);
    std::optional<int64_t> innerStride = stride(operand, inner);
    if (!outerStride || !innerStride ||
        *outerStride != *innerStride * extents[inner])
      return false;
  }
  return true;
}

void LoopNest::merge(unsigned outer) {
  // outer * stride * extent + inner * stride == merged * stride: the merged
  // loop takes the inner one's place, and the outer one counts for nothing.
  extents[outer + 1] *= extents[outer];
  drop(outer);
}

void LoopNest::drop(unsigned loop) {
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < numLoops(); ++i)
    dims.push_back(i == loop
                       ? getAffineConstantExpr(0, op.getContext())
                       : getAffineDimExpr(i - (i > loop), op.getContext()));
  substitute(dims, numLoops() - 1);
  extents.erase(extents.begin() + loop);
  iterators.erase(iterators.begin() + loop);
  for (unsigned &to : loopOf) {
    if (to == loop)
      to = droppedLoop;
    else if (to != droppedLoop)
      to -= to > loop;
  }
}

} // namespace heddle
