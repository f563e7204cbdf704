// Finds calls with effects, and sorts around them.

#include "passes/Dispatch/CallEffects.h"

#include "dialects/StableHlo/StableHlo.h"
#include "passes/Lower/ControlFlow.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

bool heddle::hasCallEffect(Operation *op) {
  if (auto call = dyn_cast<CustomCallOp>(op))
    return call.getHasSideEffect();
  return isControlFlow(op) && op->walk([](CustomCallOp call) {
                                  return call.getHasSideEffect()
                                             ? WalkResult::interrupt()
                                             : WalkResult::advance();
                                }).wasInterrupted();
}

bool heddle::sortKeepingEffects(Block &block) {
  // Between two ops with effects, each piece by itself: whoever formed groups
  // has let none reach over such an op.
  SmallVector<Operation *> effects;
  for (Operation &op : block)
    if (hasCallEffect(&op))
      effects.push_back(&op);
  bool sorted = true;
  Block::iterator begin = block.begin();
  for (Operation *effect : effects) {
    Operation *before = effect->getPrevNode();
    bool empty = begin == effect->getIterator();
    if (!empty)
      sorted &= sortTopologically(
          &block, llvm::make_range(begin, std::next(before->getIterator())));
    begin = std::next(effect->getIterator());
  }
  return sorted & sortTopologically(
                      &block, llvm::make_range(
                                  begin, block.getTerminator()->getIterator()));
}
