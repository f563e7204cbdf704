// Finds the runs of terms of a convolution that products of matrices take.

#include "dialects/Kernel/MatrixPlanes.h"

#include "dialects/Kernel/Factors.h"
#include "dialects/Size/SizedTypes.h"

using namespace mlir;
using namespace heddle;

/// Terms that one step multiplies: bytes in fours, bf16 in twos.
static int64_t termsOf(kernel::ConvolutionOp op) {
  Type lhs = op.getLhsElement(), rhs = op.getRhsElement();
  if (kernel::areQuadFactors(lhs, rhs))
    return kernel::kQuad;
  return kernel::arePairFactors(lhs, rhs) ? kernel::kPair : 0;
}

kernel::WindowRun kernel::WindowRun::of(ConvolutionOp op, int64_t most) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  int64_t terms = termsOf(op), width = op.getKernelExtents().back();
  WindowRun run;
  int64_t channels = input.getShape().back() / op.getGroups();
  if (terms == 0 || channels % terms != 0)
    return run;
  run.steps = channels / terms;
  if (op.getStrides().back() == 1 && op.getRhsDilation().back() == 1)
    run.steps *= width;
  else
    run.perRow = width;
  run.perProduct = std::min(run.steps, most);
  while (run.perProduct && run.steps % run.perProduct != 0)
    --run.perProduct;
  return run;
}

bool kernel::hasMatrixPlanes(ConvolutionOp op, int64_t least,
                             int64_t mostSteps) {
  auto result = cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> points = result.getShape().drop_front().drop_back();
  if (size::isSized(op) || !op.getWeightsPacking() || points.empty() ||
      points.size() > 2 || llvm::any_of(op.getLhsDilation(), [](int64_t zeros) {
        return zeros != 1;
      }))
    return false;
  int64_t groups = op.getGroups();
  return llvm::product_of(points) >= least &&
         result.getShape().back() / groups >= least &&
         4 * WindowRun::of(op, mostSteps).perProduct >= mostSteps;
}
