// Finds what exporters took apart: softmax, norms, activations, rotary
// embeddings, attention.
//
// Later stages have a kernel for the whole where the parts would each pass over
// memory. The decomposition that a composite carries is the very subgraph that
// was found, so nothing is lost for those that do not know the name.

#include "passes/Graph/Composites.h"
#include "passes/Graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_RECOGNIZECOMPOSITES
#include "passes/Graph/Passes.h.inc"

namespace {

struct RecognizeComposites
    : impl::RecognizeCompositesBase<RecognizeComposites> {
  using RecognizeCompositesBase::RecognizeCompositesBase;

  void runOnOperation() override {
    // Decompositions are private functions: what stands in one was recognized
    // already.
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isPrivate() && !function.isExternal())
        functions.push_back(function);

    // Attention is recognized by its softmax, so it comes second.
    RewritePatternSet rows(&getContext());
    populateRecognizeSoftmaxPatterns(rows);
    populateRecognizeNormPatterns(rows);
    populateRecognizeActivationPatterns(rows);
    populateRecognizeRopePatterns(rows);
    RewritePatternSet attention(&getContext());
    populateRecognizeAttentionPatterns(attention);
    FrozenRewritePatternSet frozen[] = {std::move(rows), std::move(attention)};
    // Folding belongs to the simplification passes; here it would only move
    // what the matchers look for.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    for (const FrozenRewritePatternSet &patterns : frozen)
      for (func::FuncOp function : functions)
        if (failed(applyPatternsGreedily(function, patterns, config)))
          return signalPassFailure();
  }
};

} // namespace
} // namespace heddle
