// Gives every convolution channels-last activations and lets the transposes
// that this takes cancel.
//
// A CPU vectorizes a convolution over output channels and a GPU reads channels
// in 16-byte pieces, so both want the channels innermost; most exporters write
// them second. Each convolution is rewritten alone, with transposes around it.
// The transposes then move towards the results through everything that does not
// care about the order of dimensions, until they meet the opposite transpose of
// the next convolution. What is left stands at the function's boundary and
// around ops that mix dimensions (reshapes); folding those into their consumers
// is the dispatch stage's work.

#include "passes/Graph/Passes.h"
#include "passes/Graph/Transposes.h"

#include "dialects/StableHlo/StableHlo.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_ASSIGNCONVOLUTIONLAYOUT
#include "passes/Graph/Passes.h.inc"

namespace {

/// convolution => transpose(convolution [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
/// (transpose, transpose))
struct MakeChannelsLast : OpRewritePattern<stablehlo::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    auto order = [](int64_t first, ArrayRef<int64_t> spatial,
                    ArrayRef<int64_t> last) {
      Permutation result{first};
      result.append(spatial.begin(), spatial.end());
      result.append(last.begin(), last.end());
      return result;
    };
    Permutation input = order(numbers.getInputBatchDimension(),
                              numbers.getInputSpatialDimensions(),
                              {numbers.getInputFeatureDimension()});
    Permutation kernel(numbers.getKernelSpatialDimensions());
    kernel.push_back(numbers.getKernelInputFeatureDimension());
    kernel.push_back(numbers.getKernelOutputFeatureDimension());
    Permutation output = order(numbers.getOutputBatchDimension(),
                               numbers.getOutputSpatialDimensions(),
                               {numbers.getOutputFeatureDimension()});
    if (isIdentity(input) && isIdentity(kernel) && isIdentity(output))
      return rewriter.notifyMatchFailure(op, "channels are last already");

    Value lhs = transpose(rewriter, op.getLoc(), op.getLhs(), input);
    Value rhs = transpose(rewriter, op.getLoc(), op.getRhs(), kernel);
    int64_t spatialRank = numbers.getInputSpatialDimensions().size();
    auto spatial = llvm::to_vector(llvm::seq<int64_t>(1, spatialRank + 1));
    auto kernelSpatial = llvm::to_vector(llvm::seq<int64_t>(0, spatialRank));
    auto channelsLast = stablehlo::ConvDimensionNumbersAttr::get(
        rewriter.getContext(), 0, spatialRank + 1, spatial, spatialRank,
        spatialRank + 1, kernelSpatial, 0, spatialRank + 1, spatial);

    auto resultType = cast<RankedTensorType>(op.getType());
    auto replacement = cast<stablehlo::ConvolutionOp>(rewriter.clone(*op));
    replacement.getLhsMutable().assign(lhs);
    replacement.getRhsMutable().assign(rhs);
    replacement.setDimensionNumbersAttr(channelsLast);
    replacement->getResult(0).setType(permutedType(resultType, output));
    rewriter.replaceOp(op,
                       transpose(rewriter, op.getLoc(),
                                 replacement->getResult(0), invert(output)));
    return success();
  }
};

/// A transpose that moves only dimensions of extent 1 is a reshape, which costs
/// nothing.
struct TransposeOfUnitDimensions : OpRewritePattern<stablehlo::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    if (!type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "an extent is not known");
    int64_t last = -1;
    for (int64_t dimension : op.getPermutation()) {
      if (type.getDimSize(dimension) == 1)
        continue;
      if (dimension < last)
        return rewriter.notifyMatchFailure(op, "elements change their order");
      last = dimension;
    }
    rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, op.getType(),
                                                      op.getOperand());
    return success();
  }
};

struct AssignConvolutionLayout
    : impl::AssignConvolutionLayoutBase<AssignConvolutionLayout> {
  using AssignConvolutionLayoutBase::AssignConvolutionLayoutBase;

  void runOnOperation() override {
    // A model without convolutions keeps its transposes where its author put
    // them.
    bool hasConvolution = false;
    getOperation()->walk([&](stablehlo::ConvolutionOp) {
      hasConvolution = true;
      return WalkResult::interrupt();
    });
    if (!hasConvolution)
      return;
    RewritePatternSet forms(&getContext());
    populateNormalizeConvolutionPatterns(forms);
    if (failed(applyPatternsGreedily(getOperation(), std::move(forms))))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<MakeChannelsLast>(&getContext());
    populateMergeTransposesPatterns(patterns);
    populateSinkTransposesPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // A transpose that became a reshape would not meet others any more, so this
    // comes when they are where they stay.
    RewritePatternSet units(&getContext());
    units.add<TransposeOfUnitDimensions>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(units))))
      signalPassFailure();
  }
};

} // namespace

} // namespace heddle
