// Reads a linalg.generic as loops with strides; permutes and merges them.

#include "passes/Kernel/Cpu/LoopNest.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace heddle {

FailureOr<LoopNest> LoopNest::of(linalg::GenericOp op) {
  SmallVector<WalkedTensor> walked;
  for (OpOperand *operand : op.getDpsInputOperands())
    walked.emplace_back(op.getMatchingIndexingMap(operand), operand->get());
  for (OpOperand &operand : op.getDpsInitsMutable())
    walked.emplace_back(op.getMatchingIndexingMap(&operand),
                        cast<RankedTensorType>(operand.get().getType()));
  FailureOr<SmallVector<Extent>> extents =
      loopExtents(op, op.getStaticLoopRanges(), walked);
  if (failed(extents))
    return failure();
  return LoopNest(op, std::move(*extents));
}

LoopNest::LoopNest(linalg::GenericOp op, SmallVector<Extent> extents)
    : op(op), extents(std::move(extents)),
      iterators(op.getIteratorTypesArray()) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    accesses.push_back(
        flattenAccess(op.getMatchingIndexingMap(&operand), trueExtents(type)));
  }
  for (unsigned loop = 0; loop < numLoops(); ++loop)
    loopOf.push_back(loop);
}

bool LoopNest::isParallel() const {
  return llvm::all_of(iterators, [](utils::IteratorType type) {
    return type == utils::IteratorType::parallel;
  });
}

bool LoopNest::usesIndex(unsigned loop) const {
  bool used = false;
  op->getRegion(0).walk(
      [&](linalg::IndexOp index) { used |= loopOf[index.getDim()] == loop; });
  return used;
}

void LoopNest::substitute(ArrayRef<AffineExpr> dims, unsigned newLoops) {
  for (LoopAccess &access : accesses)
    access = access.replaced(dims, newLoops);
}

void LoopNest::permute(ArrayRef<unsigned> order) {
  SmallVector<AffineExpr> dims(numLoops());
  SmallVector<Extent> newExtents;
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
  return llvm::all_of(accesses, [&](const LoopAccess &access) {
    std::optional<int64_t> extent = extents[inner].known();
    if (access.sized.empty() && extent) {
      std::optional<int64_t> outerStride = access.stride(outer);
      std::optional<int64_t> innerStride = access.stride(inner);
      return outerStride && innerStride &&
             *outerStride == *innerStride * *extent;
    }
    std::optional<size::Expression> outerStride = access.growth(outer);
    std::optional<size::Expression> innerStride = access.growth(inner);
    if (!outerStride || !innerStride || !*outerStride)
      return false;
    return *outerStride ==
           *innerStride * extents[inner].expression(access.fixed.getContext());
  });
}

void LoopNest::merge(unsigned outer) {
  // outer * stride * extent + inner * stride == merged * stride: the merged
  // loop takes the inner one's place, and the outer one counts for nothing.
  extents[outer + 1] = extents[outer] * extents[outer + 1];
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
