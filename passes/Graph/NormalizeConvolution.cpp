// Forms of convolution that are another one after moving elements: groups of
// the batch, reversed windows, no window at all, padding that cuts a dilated
// input.

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Passes.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace heddle {
namespace {

Value reshape(OpBuilder &builder, Location loc, Value value,
              ArrayRef<int64_t> shape) {
  return stablehlo::ReshapeOp::create(builder, loc, typeOf(value).clone(shape),
                                      value);
}

/// batch_group_count = G: part g of the batch meets part g of the filters. The
/// same as G groups of features, after the parts became features.
struct BatchGroupsToFeatureGroups : OpRewritePattern<stablehlo::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    int64_t groups = op.getBatchGroupCount();
    if (groups == 1 || size::isSized(op))
      return rewriter.notifyMatchFailure(op, "one group, or open sizes");
    auto numbers = op.getDimensionNumbers();
    int64_t batch = numbers.getInputBatchDimension();
    int64_t feature = numbers.getInputFeatureDimension();
    Value lhs = op.getLhs();
    SmallVector<int64_t> shape(typeOf(lhs).getShape());
    shape[batch] /= groups;
    SmallVector<int64_t> split(shape);
    split.insert(split.begin() + batch, groups);
    lhs = reshape(rewriter, op.getLoc(), lhs, split);
    // The new dimension goes before the features.
    SmallVector<int64_t> order;
    for (int64_t i = 0, e = split.size(); i < e; ++i) {
      int64_t old = i < batch ? i : i - 1;
      if (i == batch)
        continue;
      if (old == feature)
        order.push_back(batch);
      order.push_back(i);
    }
    SmallVector<int64_t> moved;
    for (int64_t dim : order)
      moved.push_back(split[dim]);
    lhs = stablehlo::TransposeOp::create(rewriter, op.getLoc(),
                                         typeOf(lhs).clone(moved), lhs,
                                         rewriter.getDenseI64ArrayAttr(order));
    shape[feature] *= groups;
    lhs = reshape(rewriter, op.getLoc(), lhs, shape);
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().assign(lhs);
      op.setBatchGroupCount(1);
      op.setFeatureGroupCount(groups);
    });
    return success();
  }
};

/// window_reversal: the filter the other way round.
struct ReverseFilter : OpRewritePattern<stablehlo::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> reversed;
    for (auto [dim, reverse] :
         llvm::zip_equal(op.getDimensionNumbers().getKernelSpatialDimensions(),
                         op.getWindowReversalOrDefault()))
      if (reverse)
        reversed.push_back(dim);
    if (reversed.empty())
      return rewriter.notifyMatchFailure(op, "no reversed window");
    llvm::sort(reversed);
    Value filter = stablehlo::ReverseOp::create(
        rewriter, op.getLoc(), op.getRhs().getType(), op.getRhs(),
        rewriter.getDenseI64ArrayAttr(reversed));
    rewriter.modifyOpInPlace(op, [&] {
      op.getRhsMutable().assign(filter);
      op.removeWindowReversalAttr();
    });
    return success();
  }
};

/// Without spatial dimensions: one of extent 1.
struct AddSpatialDimension : OpRewritePattern<stablehlo::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumSpatialDimensions() != 0 || size::isSized(op))
      return rewriter.notifyMatchFailure(
          op, "has spatial dimensions, or open sizes");
    auto extended = [&](Value value) {
      SmallVector<int64_t> shape(typeOf(value).getShape());
      shape.push_back(1);
      return reshape(rewriter, op.getLoc(), value, shape);
    };
    auto numbers = op.getDimensionNumbers();
    SmallVector<int64_t> last = {2};
    auto newNumbers = stablehlo::ConvDimensionNumbersAttr::get(
        op.getContext(), numbers.getInputBatchDimension(),
        numbers.getInputFeatureDimension(), last,
        numbers.getKernelInputFeatureDimension(),
        numbers.getKernelOutputFeatureDimension(), last,
        numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
        last);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(1);
    Value lhs = extended(op.getLhs()), rhs = extended(op.getRhs());
    auto wider = cast<stablehlo::ConvolutionOp>(rewriter.clone(*op));
    wider->setOperands({lhs, rhs});
    wider.setDimensionNumbersAttr(newNumbers);
    wider.removeWindowStridesAttr();
    wider.removePaddingAttr();
    wider.removeLhsDilationAttr();
    wider.removeRhsDilationAttr();
    wider.removeWindowReversalAttr();
    wider->getResult(0).setType(type.clone(shape));
    rewriter.replaceOp(op, reshape(rewriter, op.getLoc(), wider->getResult(0),
                                   type.getShape()));
    return success();
  }
};

/// Padding that cuts points off a dilated input may cut zeros: these are
/// written out.
struct WriteOutCutDilation : OpRewritePattern<stablehlo::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    auto padding = op.getPaddingOrDefault();
    SmallVector<int64_t> dilation = op.getLhsDilationOrDefault();
    bool matches = false;
    for (auto [pair, step] : llvm::zip_equal(padding, dilation))
      matches |= step != 1 && (pair.first < 0 || pair.second < 0);
    if (!matches || size::isSized(op))
      return rewriter.notifyMatchFailure(
          op, "no cut of a dilated input, or open sizes");
    auto type = typeOf(op.getLhs());
    SmallVector<int64_t> low(type.getRank(), 0), high = low, interior = low;
    SmallVector<int64_t> shape(type.getShape());
    auto dims = op.getDimensionNumbers().getInputSpatialDimensions();
    for (auto [i, dim] : llvm::enumerate(dims)) {
      low[dim] = padding[i].first;
      high[dim] = padding[i].second;
      interior[dim] = dilation[i] - 1;
      int64_t extent = shape[dim];
      shape[dim] = low[dim] + high[dim] + extent +
                   std::max<int64_t>(extent - 1, 0) * interior[dim];
      // Where more is cut than there is, no window stands: nor does one in
      // nothing.
      if (shape[dim] < 0) {
        high[dim] -= shape[dim];
        shape[dim] = 0;
      }
    }
    Value zero =
        createZero(rewriter, op.getLoc(), type.clone(ArrayRef<int64_t>()));
    Value padded = stablehlo::PadOp::create(
        rewriter, op.getLoc(), type.clone(shape), op.getLhs(), zero,
        rewriter.getDenseI64ArrayAttr(low), rewriter.getDenseI64ArrayAttr(high),
        rewriter.getDenseI64ArrayAttr(interior));
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().assign(padded);
      op.removePaddingAttr();
      op.removeLhsDilationAttr();
    });
    return success();
  }
};

} // namespace

void populateNormalizeConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<BatchGroupsToFeatureGroups, ReverseFilter, AddSpatialDimension,
               WriteOutCutDilation>(patterns.getContext());
}

} // namespace heddle
