// A weight is stored in the order in which the target's kernels read it.

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Dispatch/ScaledWeights.h"
#include "passes/Dispatch/StepTerms.h"
#include "passes/Dispatch/WeightMatrix.h"
#include "passes/Lower/Weights/WeightPrograms.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/Dispatch/Passes.h.inc"

/// The packed weight, its elements held as those of `plain`.
static Value referenceTo(WeightPrograms &weights, OpBuilder &builder,
                         kernel::WeightOp packed, Value plain) {
  Value reference = weights.reference(builder, packed);
  reference.setType(packed.getStoredType().clone(
      cast<RankedTensorType>(plain.getType()).getElementType()));
  return reference;
}

static void pack(WeightPrograms &weights, kernel::ContractOp op,
                 const PackingFacts &facts) {
  kernel::WeightOp weight = weights.referredTo(op.getRhs());
  AffineMap map = op.getRhsMap();
  if (!weight || !map.isProjectedPermutation() || facts.matrix.empty())
    return;
  kernel::ContractOp::Dims dims = op.getDims();
  if (dims.n.empty() || dims.k.empty())
    return;
  // Where the weight has each iteration dimension.
  auto position = [&](unsigned dim) {
    return *map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
  };
  ArrayRef<int64_t> extents = op.getExtents();
  SmallVector<int64_t> permutation, shape;
  SmallVector<AffineExpr> results;
  auto add = [&](ArrayRef<unsigned> group) {
    int64_t product = 1;
    for (unsigned dim : group) {
      permutation.push_back(position(dim));
      product *= extents[dim];
    }
    return product;
  };
  for (unsigned dim : dims.batch) {
    add(dim);
    shape.push_back(extents[dim]);
  }
  shape.push_back(add(dims.k));
  shape.push_back(add(dims.n));
  for (ArrayRef<unsigned> group :
       {ArrayRef(dims.batch), ArrayRef(dims.n), ArrayRef(dims.k)})
    for (unsigned dim : group)
      results.push_back(getAffineDimExpr(dim, op.getContext()));

  StringRef packing = packingOf(op, facts);
  kernel::WeightOp packed = weights.derive(
      weight,
      [&](OpBuilder &b, Value value) {
        return toMatrix(b, value, permutation, shape);
      },
      packing);
  OpBuilder b(op);
  op.getRhsMutable().assign(referenceTo(weights, b, packed, op.getRhs()));
  op.setRhsPacking(packing);
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(
      {op.getLhsMap(),
       AffineMap::get(map.getNumDims(), 0, results, op.getContext()),
       op.getOutMap()}));
}

static void pack(WeightPrograms &weights, kernel::ConvolutionOp op,
                 const PackingFacts &facts) {
  kernel::WeightOp weight = weights.referredTo(op.getWeights());
  if (!weight || op.isDepthwise() || facts.filter.empty())
    return;
  int64_t groups = op.getGroups();
  int64_t channels = cast<RankedTensorType>(op.getType()).getShape().back();
  if (groups > 1 && channels / groups < facts.leastChannels)
    return;
  std::string packing = kernel::withGroups(packingOf(op, facts), groups);
  kernel::WeightOp packed = weights.derive(
      weight, [](OpBuilder &, Value value) { return value; }, packing);
  OpBuilder b(op);
  op.getWeightsMutable().assign(
      referenceTo(weights, b, packed, op.getWeights()));
  op.setWeightsPacking(packing);
}

namespace {
struct PackWeights : impl::PackWeightsBase<PackWeights> {
  void runOnOperation() override {
    std::shared_ptr<const Target> target = dispatchTarget(getOperation());
    if (!target)
      return signalPassFailure();
    const DispatchFacts &all = target->dispatchFacts();
    const PackingFacts &facts = all.packing;
    WeightPrograms weights(getOperation());
    getOperation().walk([&](Operation *op) {
      if (auto contract = dyn_cast<kernel::ContractOp>(op)) {
        if (!packScaled(weights, contract, all))
          pack(weights, contract, facts);
      } else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op)) {
        pack(weights, convolution, facts);
      }
    });
    SmallVector<Operation *> dead;
    getOperation().walk([&](kernel::WeightRefOp reference) {
      if (reference.use_empty())
        dead.push_back(reference);
    });
    for (Operation *op : dead)
      op->erase();
    weights.eraseUnused();
  }
};
} // namespace
} // namespace heddle
