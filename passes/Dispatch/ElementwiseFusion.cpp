// Elementwise ops are bound by memory: computing one inside its reader saves a
// trip of the whole tensor. What must not happen is that costly arithmetic is
// done more often than before, or that a contraction loses its epilogue.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/PayloadCost.h"
#include "dialects/Kernel/TrueLoops.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Epilogue.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Lower/ControlFlow.h"
#include "passes/Lower/Pointwise.h"
#include "passes/Lower/ViewFolding.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "passes/Dispatch/Passes.h.inc"

static int64_t elements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// A tensor of so many times fewer elements is read for next to nothing beside
/// the other: it stays in a nearer cache.
static constexpr int64_t kMuchLess = 4;

static int64_t iterations(linalg::GenericOp op) {
  int64_t count = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    count *= extent;
  return count;
}

/// The root that `op` may follow as its epilogue; null if there is none.
static Operation *rootBefore(linalg::GenericOp op) {
  for (OpOperand *operand : op.getDpsInputOperands())
    if (Operation *root = rootOfEpilogue(*operand))
      return root;
  return nullptr;
}

/// So many values are looked at for the root that one comes from: the steps
/// behind a root are few, and what looks without an end is quadratic in the
/// length of a chain.
static constexpr size_t kMostLookedAt = 32;

/// The nearest root that `operand` comes from by elementwise steps alone; null
/// if there is none among the kMostLookedAt values before it.
static Operation *rootUnder(OpOperand &operand) {
  SmallVector<OpOperand *> found = {&operand};
  for (size_t next = 0; next < std::min(found.size(), kMostLookedAt); ++next) {
    if (Operation *root = rootOfEpilogue(*found[next]))
      return root;
    auto step = found[next]->get().getDefiningOp<linalg::GenericOp>();
    if (step && runsOnTiles(*found[next]))
      llvm::append_range(found, step.getDpsInputOperands());
  }
  return nullptr;
}

/// Whether `reader` can follow a root that is computed after `root`, by another
/// operand than this one.
static bool readsLaterRoot(linalg::GenericOp reader, const OpOperand &operand,
                           Operation *root) {
  return llvm::any_of(reader.getDpsInputOperands(), [&](OpOperand *other) {
    Operation *later = other == &operand ? nullptr : rootUnder(*other);
    return later && root->isBeforeInBlock(later);
  });
}

/// Whether `consumer` can follow a root that is computed after the one under
/// `operand`. The earlier root keeps its own epilogue then: its result goes
/// through memory anyway, and the later root's kernel stays as it is where the
/// other summand comes from elsewhere, as in the next block of a ResNet.
static bool followsLaterRoot(linalg::GenericOp consumer, OpOperand &operand) {
  Operation *root = rootUnder(operand);
  return root && readsLaterRoot(consumer, operand, root);
}

/// Whether `consumer` makes of the narrow result of `producer`, the epilogue of
/// a root, wider elements that a later root's kernel reads: that reads the
/// narrow ones, and makes wide ones of them itself.
static bool widensForLaterRoot(linalg::GenericOp producer,
                               linalg::GenericOp consumer) {
  auto bits = [](linalg::GenericOp op) {
    return getElementTypeOrSelf(op.getResult(0)).getIntOrFloatBitWidth();
  };
  Operation *root = rootBefore(producer);
  if (!root || consumer->getNumResults() != 1 ||
      !getElementTypeOrSelf(consumer.getResult(0)).isIntOrFloat() ||
      bits(producer) >= bits(consumer))
    return false;
  Value wide = consumer.getResult(0);
  while (wide.hasOneUse()) {
    OpOperand &use = *wide.use_begin();
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || !runsOnTiles(use))
      return false;
    if (readsLaterRoot(reader, use, root))
      return true;
    wide = reader.getResult(0);
  }
  return false;
}

/// Whether computing `producer` inside `consumer` pays, and a kernel of the
/// target may hold both.
static bool pays(linalg::GenericOp producer, linalg::GenericOp consumer,
                 OpOperand &operand, const FusionFacts &facts) {
  Value value = operand.get();
  if (producer.getNumParallelLoops() != producer.getNumLoops() ||
      producer.getNumDpsInits() != 1 ||
      producer->getBlock() != consumer->getBlock())
    return false;
  if (producer.getNumDpsInputs() + consumer.getNumDpsInputs() >
      facts.maximumInputs + 1)
    return false;
  if (rootBefore(producer) &&
      (!runsOnTiles(operand) || followsLaterRoot(consumer, operand) ||
       widensForLaterRoot(producer, consumer)))
    return false;

  int64_t cost = kernel::payloadInstructions(producer);
  if (cost > 0 &&
      cost + kernel::payloadInstructions(consumer) > facts.maximumCost)
    return false;
  bool repeats = iterations(consumer) > elements(value);
  if (value.hasOneUse())
    return !repeats || cost <= facts.maximumRecomputed;
  // With other readers it is computed anyway, unless all of them do the same;
  // that is sure to pay where it reads much less than its result takes,
  // whatever the machine: what is saved is the read of the result.
  int64_t read = 0;
  for (Value input : producer.getInputs())
    read += elements(input);
  return cost == 0 || (cost <= facts.maximumRecomputed &&
                       kMuchLess * read <= elements(value));
}

/// Fuses the producer of one operand of `consumer`, and gives the fused op;
/// null if nothing was to be done.
static linalg::GenericOp fuseOne(IRRewriter &rewriter,
                                 linalg::GenericOp consumer,
                                 const FusionFacts &facts) {
  for (OpOperand *operand : consumer.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || !pays(producer, consumer, *operand, facts))
      continue;
    rewriter.setInsertionPoint(consumer);
    Value shared = operand->get();
    if (!shared.hasOneUse()) {
      // Its other readers keep the original.
      Operation *copy = rewriter.clone(*producer);
      operand->set(copy->getResult(0));
      producer = cast<linalg::GenericOp>(copy);
    }
    FailureOr<linalg::ElementwiseOpFusionResult> fused = failure();
    if (linalg::areElementwiseOpsFusable(operand))
      fused = linalg::fuseElementwiseOps(rewriter, operand);
    if (failed(fused))
      continue;
    auto result = cast<linalg::GenericOp>(fused->fusedOp);
    // What told how far a loop runs may have been the operand.
    if (kernel::trueLoops(result) != kernel::trueLoops(consumer)) {
      rewriter.eraseOp(result);
      if (producer.getResult(0) != shared) {
        operand->set(shared);
        rewriter.eraseOp(producer);
      }
      continue;
    }
    // A constant is no node's work, and equal ones of many nodes are one: its
    // names would stand at each of its readers.
    if (!constantOf(producer.getResult(0)))
      result->setLoc(FusedLoc::get(rewriter.getContext(),
                                   {producer.getLoc(), consumer.getLoc()}));
    else
      result->setLoc(consumer.getLoc());
    for (auto [from, to] : fused->replacements)
      rewriter.replaceAllUsesWith(from, to);
    rewriter.eraseOp(consumer);
    if (producer->use_empty())
      rewriter.eraseOp(producer);
    return result;
  }
  return {};
}

/// Whether each loop of `op` is the extent of a dimension of an operand that
/// `dropped` does not hold.
static bool knowsLoops(linalg::GenericOp op, const llvm::BitVector &dropped) {
  llvm::BitVector known(op.getNumLoops());
  for (auto [i, map] : llvm::enumerate(op.getIndexingMapsArray()))
    if (i < op.getInputs().size() || !dropped[i - op.getInputs().size()])
      for (AffineExpr expr : map.getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          known.set(dim.getPosition());
  if (!known.all())
    return false;
  SmallVector<kernel::WalkedTensor> left;
  for (auto [i, map, operand] :
       llvm::enumerate(op.getIndexingMapsArray(), op->getOperands()))
    if (i < op.getInputs().size() || !dropped[i - op.getInputs().size()])
      left.push_back({map, cast<RankedTensorType>(operand.getType())});
  return kernel::trueLoops(op.getContext(), op.getStaticLoopRanges(), left) ==
         kernel::trueLoops(op);
}

/// Drops results that nobody reads: fusion keeps a producer's where it takes
/// its loops' extents from it, and an op of several results is fused with
/// nothing else.
static linalg::GenericOp dropDeadResults(IRRewriter &rewriter,
                                         linalg::GenericOp op) {
  unsigned numInputs = op.getInputs().size();
  llvm::BitVector dropped(op->getNumResults());
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    if (!result.use_empty() ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(number)))
      continue;
    dropped.set(number);
    if (!knowsLoops(op, dropped))
      dropped.reset(number);
  }
  if (dropped.none() || dropped.all())
    return op;
  SmallVector<AffineMap> maps = llvm::to_vector(
      ArrayRef(op.getIndexingMapsArray()).take_front(numInputs));
  SmallVector<Value> outputs, yielded, kept;
  SmallVector<Type> types;
  Block *body = op.getBody();
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    if (dropped[number])
      continue;
    maps.push_back(op.getIndexingMapsArray()[numInputs + number]);
    outputs.push_back(op.getOutputs()[number]);
    types.push_back(result.getType());
    yielded.push_back(body->getTerminator()->getOperand(number));
    kept.push_back(result);
  }
  rewriter.setInsertionPoint(op);
  auto smaller =
      linalg::GenericOp::create(rewriter, op.getLoc(), types, op.getInputs(),
                                outputs, maps, op.getIteratorTypesArray());
  rewriter.modifyOpInPlace(body->getTerminator(), [&] {
    body->getTerminator()->setOperands(yielded);
  });
  llvm::BitVector arguments(numInputs);
  for (unsigned i = 0; i < dropped.size(); ++i)
    arguments.push_back(dropped[i]);
  body->eraseArguments(arguments);
  rewriter.inlineRegionBefore(op.getRegion(), smaller.getRegion(),
                              smaller.getRegion().end());
  for (auto [from, to] : llvm::zip_equal(kept, smaller->getResults()))
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(op);
  return smaller;
}

/// One input for each tensor and map: fusion may leave several.
static linalg::GenericOp mergeInputs(IRRewriter &rewriter,
                                     linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> kept;
  SmallVector<unsigned> sameAs;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    unsigned j = 0;
    while (j < inputs.size() && (inputs[j] != input || kept[j] != maps[i]))
      ++j;
    sameAs.push_back(j);
    if (j == inputs.size()) {
      inputs.push_back(input);
      kept.push_back(maps[i]);
    }
  }
  if (inputs.size() == op.getInputs().size())
    return op;
  llvm::append_range(kept, ArrayRef(maps).drop_front(op.getInputs().size()));
  rewriter.setInsertionPoint(op);
  auto merged = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), kept,
      op.getIteratorTypesArray());
  Block *body = op.getBody();
  Block *target = rewriter.createBlock(&merged.getRegion());
  SmallVector<Value> arguments;
  for (Value operand : merged->getOperands())
    target->addArgument(getElementTypeOrSelf(operand.getType()), op.getLoc());
  for (unsigned j : sameAs)
    arguments.push_back(target->getArgument(j));
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    arguments.push_back(target->getArgument(inputs.size() + i));
  rewriter.mergeBlocks(body, target, arguments);
  rewriter.replaceOp(op, merged);
  return merged;
}

namespace {
struct FuseElementwise : impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    std::shared_ptr<const Target> target = dispatchTarget(function);
    if (!target)
      return signalPassFailure();
    const FusionFacts &facts = target->dispatchFacts().fusion;
    foldViews(function);
    legalizeReads(function);
    IRRewriter rewriter(&getContext());
    for (Block *block : programBlocks(function)) {
      SmallVector<linalg::GenericOp> generics(
          block->getOps<linalg::GenericOp>());
      // In order, so that a producer has taken in its own producers already;
      // one that was fused away is not visited again.
      for (linalg::GenericOp op : generics)
        fuse(rewriter, op, facts);
    }
    foldViews(function);
    legalizeReads(function);
    simplifyPayloads(function);
  }

  void fuse(IRRewriter &rewriter, linalg::GenericOp op,
            const FusionFacts &facts) {
    while (linalg::GenericOp fused = fuseOne(rewriter, op, facts))
      op = dropDeadResults(rewriter, mergeInputs(rewriter, fused));
  }

  /// Fusion leaves affine.apply for the loops of a producer that read through
  /// a map; payloads are arithmetic only.
  void simplifyPayloads(func::FuncOp function) {
    function.walk([&](affine::AffineApplyOp apply) {
      OpBuilder builder(apply);
      std::optional<SmallVector<Value>> expanded = affine::expandAffineMap(
          builder, apply.getLoc(), apply.getAffineMap(), apply.getOperands());
      // A map of one result without division always expands.
      if (!expanded)
        return signalPassFailure();
      apply.replaceAllUsesWith(expanded->front());
      apply.erase();
    });
  }
};
} // namespace
} // namespace heddle
