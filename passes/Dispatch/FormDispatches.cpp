// Puts the operations of each group into a kernel.dispatch, in the form that
// kernels take.

#include "dialects/Kernel/Kernel.h"
#include "passes/Dispatch/CallEffects.h"
#include "passes/Dispatch/DispatchGroups.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/EpilogueLimits.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Lower/ControlFlow.h"
#include "passes/Lower/ViewFolding.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_FORMDISPATCHES
#include "passes/Dispatch/Passes.h.inc"

/// The interchange permutes what a payload reads of its loops by affine.apply;
/// payloads are arithmetic only.
static void readPermutedLoops(IRRewriter &rewriter, linalg::GenericOp op) {
  for (auto apply : llvm::make_early_inc_range(
           op.getBody()->getOps<affine::AffineApplyOp>())) {
    auto dim = cast<AffineDimExpr>(apply.getAffineMap().getResult(0));
    rewriter.replaceOp(apply, apply.getMapOperands()[dim.getPosition()]);
  }
}

/// Numbers an epilogue's loops like the result it follows, so that its output
/// is what is permuted.
static void alignEpilogue(DispatchGroup &group) {
  auto epilogue = dyn_cast<linalg::GenericOp>(group.back());
  if (group.size() != 2 || !epilogue || isa<linalg::GenericOp>(group.front()))
    return;
  for (OpOperand *operand : epilogue.getDpsInputOperands()) {
    if (operand->get().getDefiningOp() != group.front())
      continue;
    AffineMap map = epilogue.getMatchingIndexingMap(operand);
    if (map.isIdentity())
      return;
    SmallVector<unsigned> order;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      order.push_back(map.getDimPosition(i));
    IRRewriter rewriter(epilogue.getContext());
    rewriter.setInsertionPoint(epilogue);
    FailureOr<linalg::GenericOp> aligned =
        linalg::interchangeGenericOp(rewriter, epilogue, order);
    if (failed(aligned))
      return;
    readPermutedLoops(rewriter, *aligned);
    group.back() = *aligned;
    return;
  }
}

namespace {
/// Builds the dispatch of one group.
class DispatchBuilder {
public:
  explicit DispatchBuilder(ArrayRef<Operation *> group)
      : group(group), members(group.begin(), group.end()) {}

  kernel::DispatchOp build() {
    collect();
    Operation *last = group.back();
    OpBuilder builder(last);
    SmallVector<Location> locations;
    for (Operation *op : group)
      locations.push_back(op->getLoc());
    Location loc = FusedLoc::get(last->getContext(), locations);
    SmallVector<Type> types;
    for (Value result : results)
      types.push_back(result.getType());
    // Sizes come after the tensors.
    auto isSize = [](Value input) { return input.getType().isIndex(); };
    SmallVector<Value> operands;
    llvm::copy_if(inputs, std::back_inserter(operands), std::not_fn(isSize));
    llvm::copy_if(inputs, std::back_inserter(operands), isSize);
    auto dispatch = kernel::DispatchOp::create(builder, loc, types, operands);
    Block &body = dispatch.getBody().emplaceBlock();
    for (Value input : operands)
      values.map(input, body.addArgument(input.getType(), input.getLoc()));
    builder.setInsertionPointToEnd(&body);
    for (Operation *op : group)
      copy(builder, op);
    kernel::YieldOp::create(builder, loc,
                            llvm::map_to_vector(results, [&](Value result) {
                              return values.lookup(result);
                            }));
    for (auto [result, output] :
         llvm::zip_equal(results, dispatch.getOutputs()))
      result.replaceAllUsesWith(output);
    for (Operation *op : llvm::reverse(group))
      op->erase();
    return dispatch;
  }

private:
  /// Inputs in the order in which the ops name them, and results.
  void collect() {
    for (Operation *op : group) {
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          addInput(operand);
      });
      // A root writes all its results, wanted or not.
      bool all = isa<kernel::KernelDialect>(op->getDialect()) &&
                 op->getNumResults() > 1;
      for (OpResult result : op->getResults())
        if (all || llvm::any_of(result.getUsers(), [&](Operation *user) {
              Operation *top = op->getBlock()->findAncestorOpInBlock(*user);
              return !members.contains(top);
            }))
          results.push_back(result);
    }
  }

  /// Whether a payload or a root's region makes the value.
  bool isInside(Value value) {
    Block *block = value.getParentBlock(), *here = group.front()->getBlock();
    return block != here && here->findAncestorOpInBlock(*block->getParentOp());
  }

  void addInput(Value value) {
    Operation *op = value.getDefiningOp();
    if (isInside(value) || (op && members.contains(op)))
      return;
    // An argument, or a value of this block or of one around it.
    if (!op || !isDuplicated(op)) {
      inputs.insert(value);
      return;
    }
    for (Value operand : op->getOperands())
      addInput(operand);
  }

  /// Clones `op` and, before it, the duplicates that it reads.
  void copy(OpBuilder &builder, Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (source && isDuplicated(source) && !isInside(operand) &&
            !values.contains(operand))
          copy(builder, source);
      }
    });
    builder.clone(*op, values);
  }

  ArrayRef<Operation *> group;
  llvm::DenseSet<Operation *> members;
  llvm::SetVector<Value> inputs;
  SmallVector<Value> results;
  IRMapping values;
};

struct FormDispatches : impl::FormDispatchesBase<FormDispatches> {
  void runOnOperation() override {
    std::shared_ptr<const Target> target = dispatchTarget(getOperation());
    if (!target)
      return signalPassFailure();
    const FusionFacts &facts = target->dispatchFacts().fusion;
    SmallVector<Block *> blocks = programBlocks(getOperation());
    // Inner blocks first: what only they read of the outer ones may be dead.
    for (Block *current : llvm::reverse(blocks)) {
      Block &block = *current;
      for (DispatchGroup &group : DispatchGroups(block, facts).take()) {
        alignEpilogue(group);
        if (group.size() == 2) {
          if (auto root = dyn_cast<kernel::ContractOp>(group.front()))
            dropMaskedLimits(root, cast<linalg::GenericOp>(group.back()));
          if (auto root = dyn_cast<kernel::AttentionOp>(group.front()))
            dropMaskedLimits(root, cast<linalg::GenericOp>(group.back()));
        }
        DispatchBuilder(group).build();
      }
      eraseDead(block);
      // A group runs where its last op stood; readers of its first ones may
      // have stood before.
      if (!sortKeepingEffects(block)) {
        getOperation().emitError()
            << "dispatches depend on each other in a circle";
        signalPassFailure();
      }
    }
  }
};
} // namespace
} // namespace heddle
