// Folds and canonical forms, to a fixed point, and equal operations once.
//
// Everything here always pays. What weighs costs is a pass of its own.

#include "passes/Graph/Simplify.h"
#include "passes/Graph/DecomposeChlo.h"
#include "passes/Graph/Passes.h"

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/EntrySizes.h"

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

/// A pattern that takes the size of a type for the size at each call: it leaves
/// operations alone where these are two things, its own and, if it `looksBack`,
/// those that give its operands.
class OfKnownSizes : public RewritePattern {
public:
  static std::unique_ptr<RewritePattern>
  around(std::unique_ptr<RewritePattern> pattern, bool looksBack) {
    MLIRContext *context = pattern->getContext();
    PatternBenefit benefit = pattern->getBenefit();
    std::unique_ptr<OfKnownSizes> made;
    if (std::optional<OperationName> root = pattern->getRootKind())
      made.reset(new OfKnownSizes(root->getStringRef(), benefit, context));
    else
      made.reset(new OfKnownSizes(MatchAnyOpTypeTag(), benefit, context));
    made->pattern = std::move(pattern);
    made->looksBack = looksBack;
    return made;
  }

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    auto isOpen = [](Value value) {
      Operation *source = value.getDefiningOp();
      return source && size::isSized(source);
    };
    if (size::isSized(op) ||
        (looksBack && llvm::any_of(op->getOperands(), isOpen)))
      return rewriter.notifyMatchFailure(op, "calls choose its sizes");
    return pattern->matchAndRewrite(op, rewriter);
  }

private:
  using RewritePattern::RewritePattern;

  std::unique_ptr<RewritePattern> pattern;
  bool looksBack = true;
};

struct Simplify : impl::SimplifyBase<Simplify> {
  using SimplifyBase::SimplifyBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateOfAnySizes(set);
    populateOfKnownSizes(set);
    populateOfOneOperation(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  /// Those that keep the extents in types, and take no bound for one.
  static void populateOfAnySizes(RewritePatternSet &set) {
    populateSimplifyArithmeticPatterns(set);
    populateSimplifyLayoutPatterns(set);
    populateSimplifyControlPatterns(set);
    populateExpandBroadcastingPatterns(set);
    populateGeneralizeBroadcastPatterns(set);
    populateMergePadPatterns(set);
  }

  static void populateOfKnownSizes(RewritePatternSet &set) {
    populateSimplifySlicingPatterns(set);
    populateSimplifyFormPatterns(set);
    populateRefineResultsPatterns(set);
    populateFoldConstantsPatterns(set);
  }
  /// Those that look at one operation alone.
  static void populateOfOneOperation(RewritePatternSet &set) {
    populateDecomposeOperationPatterns(set);
  }

  /// For a program of which calls choose sizes.
  static FrozenRewritePatternSet openPatterns(MLIRContext *context) {
    RewritePatternSet set(context), others(context), single(context);
    populateOfAnySizes(set);
    populateOfKnownSizes(others);
    populateOfOneOperation(single);
    for (std::unique_ptr<RewritePattern> &pattern : others.getNativePatterns())
      set.add(OfKnownSizes::around(std::move(pattern), /*looksBack=*/true));
    for (std::unique_ptr<RewritePattern> &pattern : single.getNativePatterns())
      set.add(OfKnownSizes::around(std::move(pattern), /*looksBack=*/false));
    return FrozenRewritePatternSet(std::move(set));
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    // Constants keep their places: deduplicated across the whole function,
    // they would all lose their names.
    config.enableConstantCSE(false);
    config.enableFolding(false);
    (void)applyPatternsGreedily(
        getOperation(), hasOpenSizes() ? openPatterns(&getContext()) : patterns,
        config);
    if (failed(stablehlo::reportContradictorySizes(getOperation())))
      return signalPassFailure();

    FuseLocations listener;
    IRRewriter rewriter(&getContext(), &listener);
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    listener.finish();
  }

  /// Whether types say extents that calls choose: those of symbols.
  bool hasOpenSizes() {
    Operation *op = getOperation();
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<ModuleOp>();
    return module && module->hasAttr(kSymbolsAttrName) &&
           module
               .walk([](Operation *inner) {
                 return size::isSized(inner) ? WalkResult::interrupt()
                                             : WalkResult::advance();
               })
               .wasInterrupted();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace heddle
