// A convolution of an input with zeros between its points (a transposed
// convolution, a gradient), as one dense convolution per phase: output points
// that lie a multiple of the dilation apart meet the same taps.

#include "dialects/StableHlo/StableHlo.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include <numeric>

using namespace mlir;

namespace heddle {
namespace {

/// One phase of one spatial dimension: the taps start, start + step, ... that
/// meet points of the input, and the dense window that they are.
struct Phase {
  int64_t start = 0, step = 1, count = 0;
  int64_t dilation = 1, low = 0, high = 0;
};

/// A spatial dimension with `lhsDilation`, and its phases.
struct Dimension {
  int64_t input, kernel, output, stride, lhsDilation, rhsDilation, low;
  /// Points of each phase; the last one of some is too much.
  int64_t points() const { return llvm::divideCeil(output, lhsDilation); }

  /// Nothing where the window lies far outside of the input.
  std::optional<Phase> phase(int64_t number) const {
    Phase phase;
    int64_t offset = number * stride - low;
    phase.step = lhsDilation / std::gcd(rhsDilation, lhsDilation);
    phase.dilation = phase.step * rhsDilation / lhsDilation;
    while (phase.start < kernel &&
           (offset + phase.start * rhsDilation) % lhsDilation != 0)
      ++phase.start;
    if (phase.start >= kernel)
      return phase;
    phase.count = llvm::divideCeil(kernel - phase.start, phase.step);
    phase.low = -(offset + phase.start * rhsDilation) / lhsDilation;
    phase.high = (points() - 1) * stride + (phase.count - 1) * phase.dilation +
                 1 - phase.low - input;
    if (phase.low <= -input || phase.high <= -input)
      return std::nullopt;
    return phase;
  }
};

/// Products of points of the input, below which the convolution stays whole.
constexpr double kernelStepsOverZeros = 1e6;

struct SplitDilatedConvolution : OpRewritePattern<stablehlo::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ConvolutionOp op,
                                PatternRewriter &rewriter) const override {
    auto result = cast<RankedTensorType>(op.getType());
    SmallVector<Dimension> dims = dimensionsOf(op);
    int64_t phases = 1;
    for (const Dimension &dim : dims)
      phases *= dim.lhsDilation;
    if (phases == 1 || phases > 16 || result.getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "not some phases");
    if (!isChannelsLast(op) ||
        llvm::is_contained(op.getWindowReversalOrDefault(), true))
      return rewriter.notifyMatchFailure(op, "dimensions in another order");

    // Kernels step over zeros as well. That they pack no weights and are
    // scheduled as one shows in large convolutions only, and each phase is a
    // kernel to compile. With few channels most lanes are idle, also those of
    // what follows in the same kernel.
    auto filter = cast<RankedTensorType>(op.getRhs().getType());
    int64_t channels = result.getShape().back();
    double products = double(result.getNumElements()) / phases *
                      filter.getNumElements() / channels;
    if (op.getFeatureGroupCount() == 1 && channels >= 4 &&
        products < kernelStepsOverZeros)
      return rewriter.notifyMatchFailure(op, "small");

    SmallVector<SmallVector<Phase>> all;
    for (const Dimension &dim : dims) {
      SmallVector<Phase> &list = all.emplace_back();
      for (int64_t number = 0; number < dim.lhsDilation; ++number) {
        std::optional<Phase> phase = dim.phase(number);
        if (!phase)
          return rewriter.notifyMatchFailure(op, "windows beside the input");
        list.push_back(*phase);
      }
    }
    SmallVector<Phase> chosen;
    Value joined = join(rewriter, op, dims, all, chosen);
    // [N, points, phases, ..., C] is [N, points * phases, ..., C].
    SmallVector<int64_t> shape = {result.getDimSize(0)};
    for (const Dimension &dim : dims)
      shape.push_back(dim.points() * dim.lhsDilation);
    shape.push_back(result.getShape().back());
    joined = stablehlo::ReshapeOp::create(rewriter, op.getLoc(),
                                          result.clone(shape), joined);
    if (ArrayRef<int64_t>(shape) != result.getShape())
      joined = slice(rewriter, op.getLoc(), joined,
                     SmallVector<int64_t>(shape.size(), 0), result.getShape(),
                     SmallVector<int64_t>(shape.size(), 1));
    rewriter.replaceOp(op, joined);
    return success();
  }

private:
  static SmallVector<Dimension> dimensionsOf(stablehlo::ConvolutionOp op) {
    auto numbers = op.getDimensionNumbers();
    auto extents = [](Value value, ArrayRef<int64_t> dims) {
      return llvm::map_to_vector(dims, [&](int64_t dim) {
        return cast<RankedTensorType>(value.getType()).getDimSize(dim);
      });
    };
    auto input = extents(op.getLhs(), numbers.getInputSpatialDimensions());
    auto kernel = extents(op.getRhs(), numbers.getKernelSpatialDimensions());
    auto output = extents(op.getResult(), numbers.getOutputSpatialDimensions());
    SmallVector<int64_t> strides = op.getWindowStridesOrDefault();
    SmallVector<int64_t> lhs = op.getLhsDilationOrDefault();
    SmallVector<int64_t> rhs = op.getRhsDilationOrDefault();
    auto padding = op.getPaddingOrDefault();
    SmallVector<Dimension> dims;
    for (size_t i = 0; i < input.size(); ++i)
      dims.push_back({input[i], kernel[i], output[i], strides[i], lhs[i],
                      rhs[i], padding[i].first});
    return dims;
  }

  static bool isChannelsLast(stablehlo::ConvolutionOp op) {
    auto numbers = op.getDimensionNumbers();
    int64_t spatial = op.getNumSpatialDimensions();
    auto counts = [](ArrayRef<int64_t> dims, int64_t from) {
      for (auto [i, dim] : llvm::enumerate(dims))
        if (dim != from + static_cast<int64_t>(i))
          return false;
      return true;
    };
    return numbers.getInputBatchDimension() == 0 &&
           counts(numbers.getInputSpatialDimensions(), 1) &&
           numbers.getOutputBatchDimension() == 0 &&
           counts(numbers.getOutputSpatialDimensions(), 1) &&
           counts(numbers.getKernelSpatialDimensions(), 0) &&
           numbers.getInputFeatureDimension() == spatial + 1;
  }

  static Value slice(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                     ArrayRef<int64_t> strides) {
    SmallVector<int64_t> shape;
    for (auto [start, limit, stride] : llvm::zip_equal(starts, limits, strides))
      shape.push_back(llvm::divideCeil(limit - start, stride));
    auto type = cast<RankedTensorType>(value.getType());
    return stablehlo::SliceOp::create(builder, loc, type.clone(shape), value,
                                      builder.getDenseI64ArrayAttr(starts),
                                      builder.getDenseI64ArrayAttr(limits),
                                      builder.getDenseI64ArrayAttr(strides));
  }

  /// The phases that begin with `chosen`, next to each other in a dimension
  /// after each spatial one.
  static Value join(OpBuilder &builder, stablehlo::ConvolutionOp op,
                    ArrayRef<Dimension> dims,
                    ArrayRef<SmallVector<Phase>> phases,
                    SmallVectorImpl<Phase> &chosen) {
    size_t depth = chosen.size();
    if (depth == dims.size())
      return convolve(builder, op, dims, chosen);
    SmallVector<Value> parts;
    for (const Phase &phase : phases[depth]) {
      chosen.push_back(phase);
      parts.push_back(join(builder, op, dims, phases, chosen));
      chosen.pop_back();
    }
    if (parts.size() == 1)
      return parts.front();
    auto type = cast<RankedTensorType>(parts.front().getType());
    SmallVector<int64_t> shape(type.getShape());
    int64_t dimension = 2 * depth + 2;
    shape[dimension] = parts.size();
    return stablehlo::ConcatenateOp::create(
        builder, op.getLoc(), type.clone(shape), parts,
        builder.getI64IntegerAttr(dimension));
  }

  /// One phase, as [N, points, 1, ..., C].
  static Value convolve(OpBuilder &builder, stablehlo::ConvolutionOp op,
                        ArrayRef<Dimension> dims, ArrayRef<Phase> phases) {
    auto type = cast<RankedTensorType>(op.getType());
    auto filter = cast<RankedTensorType>(op.getRhs().getType());
    int64_t rank = dims.size();
    SmallVector<int64_t> shape = {type.getDimSize(0)}, split = shape;
    SmallVector<int64_t> starts(filter.getRank(), 0), steps(rank + 2, 1);
    SmallVector<int64_t> limits(filter.getShape()), dilation, padding;
    bool isEmpty = false;
    for (auto [i, dim, phase] : llvm::enumerate(dims, phases)) {
      shape.push_back(dim.points());
      split.append({dim.points(), 1});
      starts[i] = phase.start;
      steps[i] = phase.step;
      dilation.push_back(phase.dilation);
      padding.append({phase.low, phase.high});
      isEmpty |= phase.count == 0;
    }
    shape.push_back(type.getShape().back());
    split.push_back(type.getShape().back());
    auto splitType = type.clone(split);
    if (isEmpty) {
      // No tap meets a point of the input.
      Value zero =
          createZero(builder, op.getLoc(), type.clone(ArrayRef<int64_t>()));
      return stablehlo::BroadcastInDimOp::create(
          builder, op.getLoc(), splitType, zero,
          builder.getDenseI64ArrayAttr({}));
    }
    Value taps =
        slice(builder, op.getLoc(), op.getRhs(), starts, limits, steps);
    auto dense = cast<stablehlo::ConvolutionOp>(builder.clone(*op));
    dense.getRhsMutable().assign(taps);
    dense.removeLhsDilationAttr();
    dense.setRhsDilationAttr(builder.getDenseI64ArrayAttr(dilation));
    dense.setPaddingAttr(DenseIntElementsAttr::get(
        RankedTensorType::get({rank, 2}, builder.getI64Type()), padding));
    dense->getResult(0).setType(type.clone(shape));
    return stablehlo::ReshapeOp::create(builder, op.getLoc(), splitType,
                                        dense->getResult(0));
  }
};

} // namespace

void populateSplitDilatedConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitDilatedConvolution>(patterns.getContext());
}

} // namespace heddle
