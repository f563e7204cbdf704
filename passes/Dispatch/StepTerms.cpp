// Which products kernels take several terms of at once.

#include "passes/Dispatch/StepTerms.h"

#include "dialects/Kernel/Factors.h"
#include "dialects/Size/Expression.h"
#include "heddle/Support/TensorTypes.h"

using namespace mlir;
using namespace heddle;

/// Whether runs of `terms` terms of each sum follow each other on the left.
static bool hasRuns(kernel::ContractOp op, int64_t terms) {
  kernel::ContractOp::Dims dims = op.getDims();
  AffineMap left = op.getLhsMap();
  if (dims.k.size() != 1 || dims.n.empty() || op.getLimit(dims.k[0]) ||
      op.getExtents()[dims.k[0]] % terms != 0 ||
      !left.isProjectedPermutation() ||
      !op.getRhsMap().isProjectedPermutation())
    return false;
  return left.getResults().back() ==
         getAffineDimExpr(dims.k[0], op.getContext());
}

/// The same of a convolution's input channels.
static bool hasRuns(kernel::ConvolutionOp op, int64_t terms,
                    const PackingFacts &facts) {
  RankedTensorType input = typeOf(op.getInput()),
                   result = typeOf(op.getResult());
  int64_t groups = op.getGroups();
  if (op.isDepthwise() || input.getShape().back() / groups % terms != 0 ||
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

bool heddle::readsQuads(kernel::ContractOp op, const PackingFacts &facts) {
  return !facts.quads.empty() && hasRuns(op, kernel::kQuad);
}

bool heddle::readsQuads(kernel::ConvolutionOp op, const PackingFacts &facts) {
  return !facts.filterQuads.empty() && hasRuns(op, kernel::kQuad, facts);
}

template <typename Root> static bool arePairs(Root op) {
  return kernel::arePairFactors(op.getLhsElement(), op.getRhsElement()) &&
         op.getSumElement().isF32();
}

bool heddle::readsPairs(kernel::ContractOp op, const PackingFacts &facts) {
  return !facts.pairs.empty() && arePairs(op) && hasRuns(op, kernel::kPair);
}

bool heddle::readsPairs(kernel::ConvolutionOp op, const PackingFacts &facts) {
  return !facts.filterPairs.empty() && arePairs(op) &&
         hasRuns(op, kernel::kPair, facts);
}

StringRef heddle::packingOf(kernel::ContractOp op, const PackingFacts &facts) {
  if (kernel::areQuadFactors(op.getLhsElement(), op.getRhsElement()) &&
      readsQuads(op, facts))
    return facts.quads;
  return readsPairs(op, facts) ? facts.pairs : facts.matrix;
}

StringRef heddle::packingOf(kernel::ConvolutionOp op,
                            const PackingFacts &facts) {
  if (kernel::areQuadFactors(op.getLhsElement(), op.getRhsElement()) &&
      readsQuads(op, facts))
    return facts.filterQuads;
  return readsPairs(op, facts) ? facts.filterPairs : facts.filter;
}
