// An epilogue sees a root's result tile by tile, while it is in registers: it
// may ask for no other point of it, and nobody else may wait for it.

#include "passes/Dispatch/Epilogue.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/TrueLoops.h"
#include "dialects/Size/Size.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

bool heddle::takesEpilogue(Operation *op) {
  return isa<kernel::ContractOp, kernel::ConvolutionOp, kernel::AttentionOp>(
      op);
}

/// Whether the payload reads points that it computes the place of: they may be
/// of a tile's neighbours.
static bool gathers(linalg::GenericOp generic) {
  return generic.getBody()
      ->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether neighbours in a tile of `root` would lie apart wherever the generic
/// that reads `operand` writes them: rows of a tile are points of one phase of
/// a transposed convolution, and columns are channels. Known sizes are divided
/// into phases before.
static bool isScattered(Operation *root, OpOperand &operand) {
  auto convolution = dyn_cast<kernel::ConvolutionOp>(root);
  if (!convolution || !size::hasExtents(convolution.getResult().getType()) ||
      llvm::all_of(convolution.getLhsDilation(),
                   [](int64_t dilation) { return dilation == 1; }))
    return false;
  auto generic = cast<linalg::GenericOp>(operand.getOwner());
  auto last = [](AffineMap map) { return map.getResults().back(); };
  return last(generic.getMatchingIndexingMap(&operand)) !=
         last(generic.getIndexingMapsArray().back());
}

bool heddle::runsOnTiles(OpOperand &operand) {
  auto generic = dyn_cast<linalg::GenericOp>(operand.getOwner());
  return generic && operand.get().hasOneUse() &&
         operand.get().getParentBlock() == generic->getBlock() &&
         generic.getNumParallelLoops() == generic.getNumLoops() &&
         generic.getNumDpsInits() == 1 && generic.isDpsInput(&operand) &&
         generic.getMatchingIndexingMap(&operand).isPermutation() &&
         generic.getIndexingMapsArray().back().isPermutation() &&
         !gathers(generic) && !kernel::mayWalkPart(operand);
}

Operation *heddle::rootOfEpilogue(OpOperand &operand) {
  auto result = dyn_cast<OpResult>(operand.get());
  if (!result || result.getResultNumber() != 0 ||
      !takesEpilogue(result.getOwner()) || !runsOnTiles(operand) ||
      isScattered(result.getOwner(), operand))
    return nullptr;
  for (Value other : result.getOwner()->getResults().drop_front())
    if (llvm::is_contained(operand.getOwner()->getOperands(), other))
      return nullptr;
  return result.getOwner();
}
