// Slices, concatenations, pads and gathers whose bounds are known.

#include "dialects/Size/SizedTypes.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Simplify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
namespace {

/// slice of everything => nothing; slice(slice(x)) => slice(x); slice of a part
/// of one input of a concatenation => slice of this input.
struct SimplifySlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    Value operand = op.getOperand();
    if (operand.getType() == op.getType() &&
        cast<RankedTensorType>(op.getType()).hasStaticShape())
      return rewriter.replaceOp(op, operand), success();
    if (auto inner = operand.getDefiningOp<SliceOp>())
      return mergeSlices(inner, op, rewriter);
    if (auto concatenate = operand.getDefiningOp<ConcatenateOp>())
      return sliceInput(concatenate, op, rewriter);
    return rewriter.notifyMatchFailure(op, "no chain");
  }

private:
  LogicalResult mergeSlices(SliceOp inner, SliceOp op,
                            PatternRewriter &rewriter) const {
    SmallVector<int64_t> starts, limits, strides;
    for (size_t i = 0, rank = op.getStartIndices().size(); i < rank; ++i) {
      int64_t first = inner.getStartIndices()[i], step = inner.getStrides()[i];
      int64_t count = cast<RankedTensorType>(op.getType()).getDimSize(i);
      // One that takes nothing may start behind the end, in steps of any size.
      starts.push_back(count == 0 ? first
                                  : first + op.getStartIndices()[i] * step);
      strides.push_back(count <= 1 ? 1 : step * op.getStrides()[i]);
      // The last element taken, and one more, so that the limit stays inside.
      limits.push_back(count == 0 ? first
                                  : starts[i] + (count - 1) * strides[i] + 1);
    }
    Value result = SliceOp::create(
        rewriter, rewriter.getFusedLoc({inner.getLoc(), op.getLoc()}),
        op.getType(), inner.getOperand(), starts, limits, strides);
    return rewriter.replaceOp(op, result), success();
  }

  LogicalResult sliceInput(ConcatenateOp concatenate, SliceOp op,
                           PatternRewriter &rewriter) const {
    int64_t dim = concatenate.getDimension(), offset = 0;
    int64_t start = op.getStartIndices()[dim],
            limit = op.getLimitIndices()[dim];
    for (Value input : concatenate.getInputs()) {
      int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
      if (ShapedType::isDynamic(size))
        return rewriter.notifyMatchFailure(op, "sizes are not known");
      if (start >= offset && limit <= offset + size && start < limit) {
        SmallVector<int64_t> starts(op.getStartIndices());
        SmallVector<int64_t> limits(op.getLimitIndices());
        starts[dim] -= offset;
        limits[dim] -= offset;
        rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), input, starts,
                                             limits, op.getStrides());
        return success();
      }
      offset += size;
    }
    return rewriter.notifyMatchFailure(op, "takes from several inputs");
  }
};

/// Whether the slices take neighbouring ranges of one tensor along `dim`, and
/// everything (the same) else.
bool areNeighbours(SliceOp first, SliceOp second, int64_t dim) {
  if (first.getOperand() != second.getOperand())
    return false;
  for (int64_t i = 0, rank = first.getStrides().size(); i < rank; ++i) {
    int64_t stride = first.getStrides()[i];
    if (stride != second.getStrides()[i] || (i == dim && stride != 1))
      return false;
    bool fits =
        i == dim
            ? first.getLimitIndices()[i] == second.getStartIndices()[i]
            : first.getStartIndices()[i] == second.getStartIndices()[i] &&
                  first.getLimitIndices()[i] == second.getLimitIndices()[i];
    if (!fits)
      return false;
  }
  return true;
}

/// concatenate of one tensor => nothing; empty inputs are left out; inputs that
/// are concatenations along the same dimension are opened; neighbouring slices
/// of one tensor become one slice.
struct SimplifyConcatenate : OpRewritePattern<ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatenateOp op,
                                PatternRewriter &rewriter) const override {
    int64_t dim = op.getDimension();
    if (op.getInputs().size() == 1 &&
        op.getInputs().front().getType() == op.getType())
      return rewriter.replaceOp(op, op.getInputs().front()), success();
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatenateOp>();
      if (inner && inner.getDimension() == dim && inner->hasOneUse()) {
        llvm::append_range(inputs, inner.getInputs());
        continue;
      }
      if (cast<RankedTensorType>(input.getType()).getDimSize(dim) == 0 &&
          op.getInputs().size() > 1)
        continue;
      if (!inputs.empty()) {
        auto last = inputs.back().getDefiningOp<SliceOp>();
        auto next = input.getDefiningOp<SliceOp>();
        if (last && next && areNeighbours(last, next, dim)) {
          inputs.back() = SliceOp::create(
              rewriter, rewriter.getFusedLoc({last.getLoc(), next.getLoc()}),
              last.getOperand(), last.getStartIndices(), next.getLimitIndices(),
              last.getStrides());
          continue;
        }
      }
      inputs.push_back(input);
    }
    if (inputs.empty())
      inputs.push_back(op.getInputs().front());
    if (ValueRange(inputs) == ValueRange(op.getInputs()))
      return rewriter.notifyMatchFailure(op, "nothing to join");
    rewriter.replaceOpWithNewOp<ConcatenateOp>(op, op.getType(), inputs, dim);
    return success();
  }
};

/// pad by nothing => nothing.
struct SimplifyPad : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PadOp op,
                                PatternRewriter &rewriter) const override {
    auto isZero = [](int64_t amount) { return amount == 0; };
    if (op.getOperand().getType() != op.getType() ||
        !llvm::all_of(op.getEdgePaddingLow(), isZero) ||
        !llvm::all_of(op.getEdgePaddingHigh(), isZero))
      return rewriter.notifyMatchFailure(op, "adds or cuts elements");
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};

/// convolution(pad(x, 0)) => convolution(x) with more padding, and where the
/// pad leaves gaps, of a dilated x.
struct MergePadIntoConvolution : OpRewritePattern<ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getLhs().getDefiningOp<PadOp>();
    if (!pad || size::hasSizedAttributes(pad) || size::hasSizedAttributes(op) ||
        !isSplatOf(pad.getPaddingValue(), 0) ||
        isa<quant::QuantizedType>(getElementTypeOrSelf(op.getLhs().getType())))
      return rewriter.notifyMatchFailure(op, "no padding with zeros before it");
    ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    ArrayRef<int64_t> spatial = numbers.getInputSpatialDimensions();
    auto amounts = [&](int64_t dim) {
      return std::tuple(pad.getEdgePaddingLow()[dim],
                        pad.getEdgePaddingHigh()[dim],
                        pad.getInteriorPadding()[dim]);
    };
    for (int64_t dim :
         {numbers.getInputBatchDimension(), numbers.getInputFeatureDimension()})
      if (amounts(dim) != std::tuple(0, 0, 0))
        return rewriter.notifyMatchFailure(op, "pads batch or features");
    SmallVector<int64_t> dilation = op.getLhsDilationOrDefault();
    SmallVector<int64_t> padding;
    auto source = cast<RankedTensorType>(pad.getOperand().getType());
    for (auto [i, pair] : llvm::enumerate(op.getPaddingOrDefault())) {
      auto [low, high, interior] = amounts(spatial[i]);
      // One element has no gaps to fill.
      if (source.getDimSize(spatial[i]) <= 1)
        interior = 0;
      bool isPadded = low != 0 || high != 0 || interior != 0;
      // What is cut may not be put there again, and where the convolution
      // spreads points, it spreads those of the border, too.
      if (low < 0 || high < 0 || (isPadded && dilation[i] != 1))
        return rewriter.notifyMatchFailure(op, "cuts, or pads what is spread");
      std::array<int64_t, 2> sums;
      int64_t step;
      if (llvm::AddOverflow(pair.first, low, sums[0]) ||
          llvm::AddOverflow(pair.second, high, sums[1]) ||
          llvm::AddOverflow(interior, int64_t(1), step) ||
          llvm::MulOverflow(dilation[i], step, dilation[i]))
        return rewriter.notifyMatchFailure(op, "no integer holds the padding");
      llvm::append_range(padding, sums);
    }
    auto type = RankedTensorType::get({static_cast<int64_t>(spatial.size()), 2},
                                      rewriter.getI64Type());
    Location loc = rewriter.getFusedLoc({pad.getLoc(), op.getLoc()});
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().assign(pad.getOperand());
      op.setPaddingAttr(DenseIntElementsAttr::get(type, padding));
      if (dilation != op.getLhsDilationOrDefault())
        op.setLhsDilation(dilation);
      op->setLoc(loc);
    });
    return success();
  }
};

/// dynamic_slice at a known place => slice.
struct FixDynamicSlice : OpRewritePattern<DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    SmallVector<int64_t> starts, limits;
    for (auto [i, index] : llvm::enumerate(op.getStartIndices())) {
      int64_t size = op.getSliceSizes()[i];
      std::optional<SmallVector<int64_t>> start = integerValues(index);
      if (type.isDynamicDim(i))
        return rewriter.notifyMatchFailure(op, "size is not known");
      if (!start && size != type.getDimSize(i))
        return rewriter.notifyMatchFailure(op, "place is not known");
      // The slice is moved inside the operand.
      starts.push_back(
          start ? std::clamp<int64_t>((*start)[0], 0, type.getDimSize(i) - size)
                : 0);
      limits.push_back(starts.back() + size);
    }
    SmallVector<int64_t> strides(starts.size(), 1);
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), op.getOperand(),
                                         starts, limits, strides);
    return success();
  }
};

/// dynamic_update_slice of everything => the update.
struct FixDynamicUpdateSlice : OpRewritePattern<DynamicUpdateSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicUpdateSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    if (op.getUpdate().getType() != type || !type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "updates a part");
    rewriter.replaceOp(op, op.getUpdate());
    return success();
  }
};

/// gather of one slice at a known index => slice, reshape.
struct GatherOfOneSlice : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    auto result = cast<RankedTensorType>(op.getType());
    GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
    std::optional<SmallVector<int64_t>> indices =
        integerValues(op.getStartIndices());
    if (!indices || indices->size() != numbers.getStartIndexMap().size() ||
        !type.hasStaticShape() || !result.hasStaticShape() ||
        !numbers.getOperandBatchingDims().empty() ||
        llvm::any_of(numbers.getCollapsedSliceDims(),
                     [&](int64_t dim) { return op.getSliceSizes()[dim] == 0; }))
      return rewriter.notifyMatchFailure(op, "not one slice at a known index");
    SmallVector<int64_t> starts(type.getRank(), 0), limits;
    for (auto [index, dim] : llvm::zip(*indices, numbers.getStartIndexMap()))
      starts[dim] = std::clamp<int64_t>(
          index, 0, type.getDimSize(dim) - op.getSliceSizes()[dim]);
    for (auto [start, size] : llvm::zip(starts, op.getSliceSizes()))
      limits.push_back(start + size);
    SmallVector<int64_t> strides(starts.size(), 1);
    // Batch dimensions all have size 1, and offset dimensions keep their order.
    Value slice = SliceOp::create(rewriter, op.getLoc(), op.getOperand(),
                                  starts, limits, strides);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, result, slice);
    return success();
  }
};

} // namespace

void populateSimplifySlicingPatterns(RewritePatternSet &patterns) {
  patterns.add<SimplifySlice, SimplifyConcatenate, SimplifyPad, FixDynamicSlice,
               FixDynamicUpdateSlice, GatherOfOneSlice>(patterns.getContext());
}

void populateMergePadPatterns(RewritePatternSet &patterns) {
  patterns.add<MergePadIntoConvolution>(patterns.getContext());
}

} // namespace heddle
