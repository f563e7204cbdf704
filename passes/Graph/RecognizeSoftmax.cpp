// exp(x - max(x)) / sum(exp(x - max(x))) => heddle.softmax

#include "passes/Graph/Composites.h"

using namespace mlir;

namespace heddle {
namespace {

/// maximum(reduce_max, -infinity) is what JAX writes around the row's maximum;
/// it changes nothing.
Value throughMaximumWithLowest(Value value) {
  Value result;
  matchEitherOrder<stablehlo::MaxOp>(value, [&](Value kept, Value bound) {
    std::optional<double> lowest = splatValue(bound);
    if (!lowest || *lowest != -std::numeric_limits<double>::infinity())
      return false;
    result = kept;
    return true;
  });
  return result;
}

struct RecognizeSoftmax : OpRewritePattern<stablehlo::DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::DivOp op,
                                PatternRewriter &rewriter) const override {
    auto exponential = op.getLhs().getDefiningOp<stablehlo::ExpOp>();
    if (!exponential)
      return rewriter.notifyMatchFailure(op, "numerator is no exponential");
    auto sum = matchRowReduction(op.getRhs(), "stablehlo.add");
    if (!sum || sum->input != exponential.getResult())
      return rewriter.notifyMatchFailure(op, "denominator is not its sum");
    auto shifted =
        exponential.getOperand().getDefiningOp<stablehlo::SubtractOp>();
    if (!shifted)
      return rewriter.notifyMatchFailure(op, "exponent is not shifted");
    auto maximum = matchRowReduction(shifted.getRhs(), "stablehlo.maximum",
                                     throughMaximumWithLowest);
    if (!maximum || maximum->input != shifted.getLhs() ||
        maximum->axis != sum->axis)
      return rewriter.notifyMatchFailure(op, "shift is not the row's maximum");
    return replaceByComposite(
        rewriter, op, shifted.getLhs(), "heddle.softmax",
        {rewriter.getNamedAttr("axis", rewriter.getI64IntegerAttr(sum->axis))});
  }
};

} // namespace

void populateRecognizeSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<RecognizeSoftmax>(patterns.getContext());
}

} // namespace heddle
