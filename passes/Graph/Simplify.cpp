// Folds and canonical forms, to a fixed point, and equal operations once.
//
// Everything here always pays. What weighs costs is a pass of its own.

#include "passes/Graph/Simplify.h"
#include "passes/Graph/Passes.h"

#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_SIMPLIFY
#include "passes/Graph/Passes.h.inc"

namespace {

/// Where one operation takes the place of an equal one, it takes its location
/// too: every node of the model stays named. Locations live as long as the
/// context does, so those of one operation are fused once, not for each that it
/// replaces.
class FuseLocations : public RewriterBase::Listener {
public:
  void notifyOperationReplaced(Operation *op, ValueRange replacement) override {
    if (replacement.empty())
      return;
    Operation *kept = replacement.front().getDefiningOp();
    if (!kept || kept->getName() != op->getName())
      return;
    SmallVector<Location> taken{op->getLoc()};
    if (auto own = locations.find(op); own != locations.end()) {
      taken = std::move(own->second);
      locations.erase(own);
    }
    auto [place, isNew] = locations.try_emplace(kept);
    if (isNew)
      place->second.push_back(kept->getLoc());
    place->second.append(taken);
  }

  void notifyOperationErased(Operation *op) override { locations.erase(op); }

  void finish() {
    for (auto &[kept, all] : locations)
      kept->setLoc(FusedLoc::get(kept->getContext(), all));
  }

private:
  /// Of operations that replaced others: their own location, and the others'.
  DenseMap<Operation *, SmallVector<Location>> locations;
};

struct Simplify : impl::SimplifyBase<Simplify> {
  using SimplifyBase::SimplifyBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateSimplifyArithmeticPatterns(set);
    populateSimplifyLayoutPatterns(set);
    populateSimplifySlicingPatterns(set);
    populateSimplifyFormPatterns(set);
    populateDecomposeOperationPatterns(set);
    populateRefineResultsPatterns(set);
    populateSimplifyControlPatterns(set);
    populateFoldConstantsPatterns(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    // Constants keep their places: deduplicated across the whole function,
    // they would all lose their names.
    config.enableConstantCSE(false);
    config.enableFolding(false);
    (void)applyPatternsGreedily(getOperation(), patterns, config);
    if (failed(stablehlo::reportContradictorySizes(getOperation())))
      return signalPassFailure();

    FuseLocations listener;
    IRRewriter rewriter(&getContext(), &listener);
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    listener.finish();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace heddle
