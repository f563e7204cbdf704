// Which products of bytes kernels take in fours of terms.

#include "passes/Dispatch/Quads.h"

#include "dialects/Kernel/Factors.h"
#include "dialects/Size/Expression.h"
#include "heddle/Support/TensorTypes.h"

using namespace mlir;
using namespace heddle;

bool heddle::readsQuads(kernel::ContractOp op, const PackingFacts &facts) {
  kernel::ContractOp::Dims dims = op.getDims();
  AffineMap left = op.getLhsMap();
  if (facts.quads.empty() || dims.k.size() != 1 || dims.n.empty() ||
      op.getLimit(dims.k[0]) ||
      op.getExtents()[dims.k[0]] % kernel::kQuad != 0 ||
      !left.isProjectedPermutation() ||
      !op.getRhsMap().isProjectedPermutation())
    return false;
  return left.getResults().back() ==
         getAffineDimExpr(dims.k[0], op.getContext());
}

bool heddle::readsQuads(kernel::ConvolutionOp op, const PackingFacts &facts) {
  RankedTensorType input = typeOf(op.getInput()),
                   result = typeOf(op.getResult());
  int64_t groups = op.getGroups();
  if (facts.filterQuads.empty() || op.isDepthwise() ||
      input.getShape().back() / groups % kernel::kQuad != 0 ||
      (groups > 1 && result.getShape().back() / groups < facts.leastChannels))
    return false;
  auto isOne = [](int64_t number) { return number == 1; };
  auto isOpen = [](RankedTensorType type, unsigned dimension) {
    return !size::extentOf(type, dimension).isConstant();
  };
  for (unsigned i = 0; i < op.getNumSpatialDims(); ++i)
    if (isOpen(input, i + 1) || isOpen(result, i + 1))
      return false;
  return llvm::all_of(op.getLhsDilation(), isOne);
}
