// Which products kernels take several terms of at once.

#include "passes/Dispatch/StepTerms.h"

#include "dialects/Kernel/Factors.h"
#include "dialects/Kernel/TermRuns.h"
#include "dialects/Size/Expression.h"
#include "heddle/Support/TensorTypes.h"

using namespace mlir;
using namespace heddle;

bool heddle::hasRuns(kernel::ContractOp op, int64_t least) {
  kernel::ContractOp::Dims dims = op.getDims();
  return !dims.n.empty() && kernel::hasTermRuns(op, op.getLhsMap()) &&
         op.getExtents()[dims.k[0]] >= least &&
         op.getLhsMap().isProjectedPermutation() &&
         op.getRhsMap().isProjectedPermutation();
}

/// The same of a convolution's input channels.
static bool hasChannelRuns(kernel::ConvolutionOp op, int64_t terms,
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
  return !facts.quads.empty() && hasRuns(op, kernel::kQuad) &&
         op.getExtents()[op.getDims().k[0]] % kernel::kQuad == 0;
}

bool heddle::readsQuads(kernel::ConvolutionOp op, const PackingFacts &facts) {
  return !facts.filterQuads.empty() && hasChannelRuns(op, kernel::kQuad, facts);
}

bool heddle::readsPairs(kernel::ContractOp op, const PackingFacts &facts) {
  if (facts.pairs.empty())
    return false;
  if (!op.getRhs().getDefiningOp<kernel::WeightRefOp>())
    return kernel::mayPairActivations(op);
  return kernel::multipliesPairFactors(op) && hasRuns(op, kernel::kPair);
}

bool heddle::readsPairs(kernel::ConvolutionOp op, const PackingFacts &facts) {
  return !facts.filterPairs.empty() &&
         op.getWeights().getDefiningOp<kernel::WeightRefOp>() &&
         kernel::multipliesPairFactors(op) &&
         hasChannelRuns(op, kernel::kPair, facts);
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
