// Folds per-channel scales and biases behind a convolution or a matrix product
// into its weights.
//
// Batch normalization at inference is a scale and a shift per channel. Both are
// constants, so the scale belongs into the weights and the shift into the bias:
// a pass over the whole activation disappears. Nothing is evaluated here. The
// products of constants stay ops over weight handles; the packer computes them
// piece by piece while it writes the file.

#include "dialects/Size/SizedTypes.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Graph/Passes.h"

#include "dialects/StableHlo/StableHlo.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_FOLDSCALEINTOWEIGHTS
#include "passes/Graph/Passes.h.inc"

namespace {

/// Whether `value` depends on constants alone, through ops that the packer
/// evaluates piece by piece.
bool isWeight(Value value, unsigned depth = 16) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (isa<stablehlo::ConstantOp>(op))
    return true;
  if (op->getNumRegions() != 0 ||
      !(isa<stablehlo::ReshapeOp, stablehlo::TransposeOp,
            stablehlo::BroadcastInDimOp, stablehlo::ConvertOp>(op) ||
        op->hasTrait<OpTrait::Elementwise>()))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isWeight(operand, depth - 1);
  });
}

/// `vector` ([C]) repeated over all dimensions of `type` but `dimension`.
Value broadcastAlong(OpBuilder &builder, Location location, Value vector,
                     RankedTensorType type, int64_t dimension) {
  return stablehlo::BroadcastInDimOp::create(
      builder, location, type.clone(typeOf(vector).getElementType()), vector,
      builder.getDenseI64ArrayAttr({dimension}));
}

/// Weights that a broadcast repeats over every dimension but one.
struct PerChannelWeight {
  /// What is broadcast: one element per channel, or a single one, with any
  /// number of dimensions of extent 1.
  Value source;
  int64_t channels;
  bool single;

  Type elementType() const { return typeOf(source).getElementType(); }

  /// The weights as a vector [C].
  Value build(OpBuilder &builder, Location location) const {
    auto vector = RankedTensorType::get({channels}, elementType());
    auto flat = single ? RankedTensorType::get({}, elementType()) : vector;
    Value value = source;
    if (value.getType() != flat)
      value = stablehlo::ReshapeOp::create(builder, location, flat, value);
    if (single)
      value = stablehlo::BroadcastInDimOp::create(
          builder, location, vector, value, builder.getDenseI64ArrayAttr({}));
    return value;
  }
};

/// `value` as weights per channel, where channels stand in `dimension`.
std::optional<PerChannelWeight> perChannelWeight(Value value,
                                                 int64_t dimension) {
  auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (!broadcast || !isWeight(broadcast.getOperand()))
    return std::nullopt;
  RankedTensorType source = typeOf(broadcast.getOperand());
  int64_t channels = typeOf(value).getDimSize(dimension);
  if (!size::isKnown(typeOf(value), dimension) || !source.hasStaticShape() ||
      size::hasExtents(source))
    return std::nullopt;
  bool alongDimension = false;
  for (auto [index, target] :
       llvm::enumerate(broadcast.getBroadcastDimensions())) {
    if (target == dimension && source.getDimSize(index) == channels)
      alongDimension = true;
    else if (source.getDimSize(index) != 1)
      return std::nullopt;
  }
  return PerChannelWeight{broadcast.getOperand(), channels, !alongDimension};
}

/// Where the channels of a linear op's result stand, and where they stand in
/// its weights.
struct Channels {
  int64_t result, weights;
};

/// The op's channels when `op` is a convolution or a product with weights on
/// its right-hand side.
SmallVector<Channels> weightChannels(Operation *op) {
  if (auto convolution = dyn_cast_or_null<stablehlo::ConvolutionOp>(op)) {
    if (!isWeight(convolution.getRhs()) ||
        size::hasExtents(convolution.getRhs().getType()))
      return {};
    auto numbers = convolution.getDimensionNumbers();
    return {{static_cast<int64_t>(numbers.getOutputFeatureDimension()),
             static_cast<int64_t>(numbers.getKernelOutputFeatureDimension())}};
  }
  auto dot = dyn_cast_or_null<stablehlo::DotGeneralOp>(op);
  if (!dot || !isWeight(dot.getRhs()) ||
      size::hasExtents(dot.getRhs().getType()))
    return {};
  auto numbers = dot.getDotDimensionNumbers();
  int64_t position = typeOf(dot.getLhs()).getRank() -
                     numbers.getLhsContractingDimensions().size();
  SmallVector<Channels> channels;
  for (int64_t dimension : llvm::seq(typeOf(dot.getRhs()).getRank()))
    if (!llvm::is_contained(numbers.getRhsContractingDimensions(), dimension) &&
        !llvm::is_contained(numbers.getRhsBatchingDimensions(), dimension))
      channels.push_back({position++, dimension});
  return channels;
}

/// multiply(linear(x, w), broadcast(scale)) => linear(x, w * broadcast(scale))
struct FoldScale : OpRewritePattern<stablehlo::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::MulOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [linear, factor] : {std::pair(op.getLhs(), op.getRhs()),
                                  std::pair(op.getRhs(), op.getLhs())}) {
      if (!linear.hasOneUse() ||
          !isa<FloatType>(typeOf(linear).getElementType()))
        continue;
      for (Channels channels : weightChannels(linear.getDefiningOp())) {
        auto scale = perChannelWeight(factor, channels.result);
        Operation *producer = linear.getDefiningOp();
        Value weights = producer->getOperand(1);
        if (!scale || scale->elementType() != typeOf(weights).getElementType())
          continue;
        Value scaled = stablehlo::MulOp::create(
            rewriter, op.getLoc(), weights,
            broadcastAlong(rewriter, op.getLoc(),
                           scale->build(rewriter, op.getLoc()), typeOf(weights),
                           channels.weights));
        Operation *replacement = rewriter.clone(*producer);
        replacement->setOperand(1, scaled);
        replacement->setLoc(
            rewriter.getFusedLoc({producer->getLoc(), op.getLoc()}));
        rewriter.replaceOp(op, replacement->getResults());
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no product with weights to scale");
  }
};

/// multiply(add(linear, b), s) => add(multiply(linear, s), b * s), for weights
/// b and s: brings the scale to the linear op
struct DistributeScale : OpRewritePattern<stablehlo::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::MulOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [sum, scale] : {std::pair(op.getLhs(), op.getRhs()),
                              std::pair(op.getRhs(), op.getLhs())}) {
      auto add = sum.getDefiningOp<stablehlo::AddOp>();
      if (!add || !sum.hasOneUse() || !isWeight(scale))
        continue;
      for (auto [linear, bias] : {std::pair(add.getLhs(), add.getRhs()),
                                  std::pair(add.getRhs(), add.getLhs())}) {
        SmallVector<Channels> channels = weightChannels(linear.getDefiningOp());
        if (channels.empty() || !linear.hasOneUse())
          continue;
        int64_t dimension = channels.front().result;
        auto biasWeight = perChannelWeight(bias, dimension);
        auto scaleWeight = perChannelWeight(scale, dimension);
        if (!biasWeight || !scaleWeight)
          continue;
        Value product = stablehlo::MulOp::create(
            rewriter, op.getLoc(), biasWeight->build(rewriter, op.getLoc()),
            scaleWeight->build(rewriter, op.getLoc()));
        Value scaled =
            stablehlo::MulOp::create(rewriter, op.getLoc(), linear, scale);
        rewriter.replaceOpWithNewOp<stablehlo::AddOp>(
            op, scaled,
            broadcastAlong(rewriter, add.getLoc(), product,
                           typeOf(op.getResult()), dimension));
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no scaled bias");
  }
};

/// add(add(x, b), c) => add(x, b + c), for weights b and c that are one vector
/// each along the same dimension
struct MergeBiases : OpRewritePattern<stablehlo::AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::AddOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(typeOf(op.getResult()).getElementType()))
      return rewriter.notifyMatchFailure(op, "not a sum of reals");
    for (auto [sum, second] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())}) {
      auto inner = sum.getDefiningOp<stablehlo::AddOp>();
      if (!inner || !sum.hasOneUse())
        continue;
      for (auto [linear, first] : {std::pair(inner.getLhs(), inner.getRhs()),
                                   std::pair(inner.getRhs(), inner.getLhs())}) {
        SmallVector<Channels> channels = weightChannels(linear.getDefiningOp());
        if (channels.empty())
          continue;
        int64_t dimension = channels.front().result;
        auto inside = perChannelWeight(first, dimension);
        auto outside = perChannelWeight(second, dimension);
        if (!inside || !outside)
          continue;
        Value bias = stablehlo::AddOp::create(
            rewriter, op.getLoc(), inside->build(rewriter, op.getLoc()),
            outside->build(rewriter, op.getLoc()));
        rewriter.replaceOpWithNewOp<stablehlo::AddOp>(
            op, linear,
            broadcastAlong(rewriter, op.getLoc(), bias, typeOf(op.getResult()),
                           dimension));
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no two biases");
  }
};

/// batch_norm_inference(x, scale, offset, mean, variance)
///   => x * s + (offset - mean * s),   s = scale / sqrt(variance + epsilon)
/// (StableHLO specification, batch_norm_inference), with s and the shift as
/// vectors over the channels.
struct DecomposeBatchNorm : OpRewritePattern<stablehlo::BatchNormInferenceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::BatchNormInferenceOp op,
                                PatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    RankedTensorType type = typeOf(op.getOperand());
    RankedTensorType vector = typeOf(op.getScale());
    auto element = dyn_cast<FloatType>(vector.getElementType());
    if (!element)
      return rewriter.notifyMatchFailure(op, "not of a plain float type");
    APFloat value = op.getEpsilon();
    bool losesInformation;
    value.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInformation);
    Value epsilon = stablehlo::ConstantOp::create(
        rewriter, location, DenseElementsAttr::get(vector, value));
    Value variance =
        stablehlo::AddOp::create(rewriter, location, op.getVariance(), epsilon);
    Value deviation = stablehlo::SqrtOp::create(rewriter, location, variance);
    Value scale =
        stablehlo::DivOp::create(rewriter, location, op.getScale(), deviation);
    Value shift = stablehlo::SubtractOp::create(
        rewriter, location, op.getOffset(),
        stablehlo::MulOp::create(rewriter, location, op.getMean(), scale));
    int64_t dimension = op.getFeatureIndex();
    Value scaled = stablehlo::MulOp::create(
        rewriter, location, op.getOperand(),
        broadcastAlong(rewriter, location, scale, type, dimension));
    rewriter.replaceOpWithNewOp<stablehlo::AddOp>(
        op, scaled, broadcastAlong(rewriter, location, shift, type, dimension));
    return success();
  }
};

struct FoldScaleIntoWeights
    : impl::FoldScaleIntoWeightsBase<FoldScaleIntoWeights> {
  using FoldScaleIntoWeightsBase::FoldScaleIntoWeightsBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateFoldScaleIntoWeightsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void populateFoldScaleIntoWeightsPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldScale, DistributeScale, MergeBiases, DecomposeBatchNorm>(
      patterns.getContext());
}

} // namespace heddle
