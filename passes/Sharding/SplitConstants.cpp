// Constants that several operations use lie for each of them as it wants.
//
// Exporters write equal weights once: a bias of zeros is that of a product
// whose columns are cut and of a norm whose rows are whole. If it were one
// value, shardings would go through it from the one to the other.

#include "passes/Sharding/Passes.h"

#include "dialects/Sdy/Sdy.h"
#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_SPLITCONSTANTS
#include "passes/Sharding/Passes.h.inc"

namespace {

/// Whether an operation computes the same numbers wherever it stands, at no
/// cost: a constant, or another form of one. Of others nothing is known before
/// `isKnown` says so of their operand.
bool isForm(Operation *op, llvm::function_ref<bool(Operation *)> isKnown) {
  if (isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op))
    return true;
  return isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::TransposeOp, stablehlo::SliceOp, stablehlo::ConvertOp>(
             op) &&
         op->getOperand(0).getDefiningOp() &&
         isKnown(op->getOperand(0).getDefiningOp());
}

struct SplitConstants : impl::SplitConstantsBase<SplitConstants> {
  using SplitConstantsBase::SplitConstantsBase;

  void runOnOperation() override {
    llvm::DenseSet<Operation *> forms;
    SmallVector<Operation *> inOrder;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      // What the user has said of one holds for all of its uses.
      if (op->hasAttr(sdy::kShardingAttr) ||
          !isForm(op, [&](Operation *from) { return forms.contains(from); }))
        return;
      forms.insert(op);
      inOrder.push_back(op);
    });
    // Users come first, so that their copies have copies of what they use.
    for (Operation *op : llvm::reverse(inOrder))
      split(op);
  }

private:
  /// Each use but the first gets a copy.
  static void split(Operation *op) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getUses())
      uses.push_back(&use);
    if (uses.size() < 2)
      return;
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    for (OpOperand *use : ArrayRef(uses).drop_front())
      use->set(builder.clone(*op)->getResult(0));
  }
};

} // namespace
} // namespace heddle
