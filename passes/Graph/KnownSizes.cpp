// Operations whose sizes are operands that have become known.

#include "passes/Graph/Simplify.h"

#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

namespace {
struct FixKnownSizes : RewritePattern {
  FixKnownSizes(StringRef name, MLIRContext *context)
      : RewritePattern(name, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Operation *form = createKnownForm(rewriter, op);
    if (!form)
      return rewriter.notifyMatchFailure(op, "sizes are not known");
    if (!isValidForm(form)) {
      rewriter.eraseOp(form);
      return rewriter.notifyMatchFailure(op, "sizes contradict each other");
    }
    rewriter.replaceOp(op, form);
    return success();
  }
};
} // namespace

void populateKnownSizesPatterns(RewritePatternSet &patterns) {
  for (StringRef name :
       {DynamicReshapeOp::getOperationName(),
        DynamicBroadcastInDimOp::getOperationName(),
        DynamicIotaOp::getOperationName(), DynamicPadOp::getOperationName(),
        RealDynamicSliceOp::getOperationName(),
        DynamicGatherOp::getOperationName(), DynamicConvOp::getOperationName()})
    patterns.add<FixKnownSizes>(name, patterns.getContext());
}

} // namespace heddle
