// Layer norm and RMS norm, as exporters spell them out, => heddle.layer_norm,
// heddle.rms_norm:
//
// - centred = x - mean(x), for a layer norm only;
// - y = centred / sqrt(mean(centred^2) + epsilon), also as a product with
// rsqrt;
// - result = y * scale + bias, both optional, over the last dimension.

#include "passes/Graph/Composites.h"

#include <cmath>

using namespace mlir;

namespace heddle {
namespace {

/// The mean of the rows of `input` along `axis`.
struct MeanMatch {
  Value input;
  int64_t axis;
};

/// The other operand of a product or quotient with a splat; null for anything
/// else.
Value withoutScale(Value value) {
  if (auto quotient = value.getDefiningOp<stablehlo::DivOp>())
    return splatValue(quotient.getRhs()) ? quotient.getLhs() : Value();
  Value result;
  matchEitherOrder<stablehlo::MulOp>(value, [&](Value scaled, Value factor) {
    if (!splatValue(factor))
      return false;
    result = scaled;
    return true;
  });
  return result;
}

/// Follows broadcasts and reshapes towards the value they repeat.
Value repeated(Value value) {
  while (value.getDefiningOp<stablehlo::BroadcastInDimOp>() ||
         value.getDefiningOp<stablehlo::ReshapeOp>())
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The product of the factors between a sum over rows and `value`, which
/// repeats it; nothing if there is anything else between them.
std::optional<double> scaleOfSum(Value value) {
  double scale = 1.0;
  for (Value link = repeated(value);
       !link.getDefiningOp<stablehlo::ReduceOp>();) {
    std::optional<double> factor;
    if (auto quotient = link.getDefiningOp<stablehlo::DivOp>()) {
      if ((factor = splatValue(quotient.getRhs())))
        scale /= *factor;
    } else if (auto product = link.getDefiningOp<stablehlo::MulOp>()) {
      factor = splatValue(product.getRhs());
      if (!factor)
        factor = splatValue(product.getLhs());
      if (factor)
        scale *= *factor;
    }
    if (!factor)
      return std::nullopt;
    link = repeated(withoutScale(link));
  }
  return scale;
}

/// Whether `value` is the sum of a reduction divided by its extent.
bool isMeanOf(Value value, const RowReduction &reduction) {
  std::optional<double> scale = scaleOfSum(value);
  double extent = cast<RankedTensorType>(reduction.input.getType())
                      .getDimSize(reduction.axis);
  return scale && std::abs(*scale * extent - 1.0) <= 1e-3;
}

/// mean over one dimension, repeated along it: sum(x) / N or sum(x) * (1 / N),
/// the broadcast before or after.
std::optional<MeanMatch> matchMean(Value value) {
  auto reduction = matchRowReduction(value, "stablehlo.add", withoutScale);
  if (!reduction || !isMeanOf(value, *reduction))
    return std::nullopt;
  return MeanMatch{reduction->input, reduction->axis};
}

/// The base of a square: x * x or power(x, 2).
Value squareOperand(Value value) {
  if (auto product = value.getDefiningOp<stablehlo::MulOp>())
    return product.getLhs() == product.getRhs() ? product.getLhs() : Value();
  if (auto power = value.getDefiningOp<stablehlo::PowOp>())
    if (std::optional<double> exponent = splatValue(power.getRhs()))
      return *exponent == 2.0 ? power.getLhs() : Value();
  return {};
}

/// mean(centred^2) + epsilon under a square root, as a value of the full shape
/// or of one per row.
struct Deviation {
  Value centred;
  int64_t axis;
  double epsilon;
};

/// `value` of the full shape = broadcast(root(mean(c^2) + epsilon)), where
/// `Root` is sqrt or rsqrt. With `inverse` the root is the divisor of this op.
template <typename Root>
std::optional<Deviation> matchDeviation(Value value,
                                        stablehlo::DivOp inverse = {}) {
  double epsilon = 0.0;
  auto through = [&](Value link) -> Value {
    if (inverse && link == inverse.getResult())
      return inverse.getRhs();
    if (auto root = link.getDefiningOp<Root>())
      return root.getOperand();
    Value result;
    matchEitherOrder<stablehlo::AddOp>(link, [&](Value mean, Value addend) {
      std::optional<double> splat = splatValue(addend);
      if (!splat)
        return false;
      epsilon = *splat;
      result = mean;
      return true;
    });
    return result ? result : withoutScale(link);
  };
  auto reduction = matchRowReduction(value, "stablehlo.add", through);
  auto root =
      repeated(inverse ? inverse.getRhs() : value).getDefiningOp<Root>();
  if (!reduction || !root)
    return std::nullopt;
  // Below the root exactly: mean + epsilon, in this order.
  Value mean;
  matchEitherOrder<stablehlo::AddOp>(repeated(root.getOperand()),
                                     [&](Value candidate, Value addend) {
                                       if (!splatValue(addend))
                                         return false;
                                       mean = candidate;
                                       return true;
                                     });
  Value centred = squareOperand(reduction->input);
  if (!mean || !centred)
    return std::nullopt;
  if (!isMeanOf(mean, *reduction))
    return std::nullopt;
  return Deviation{centred, reduction->axis, epsilon};
}

/// y = centred / sqrt(..) or centred * rsqrt(..); the first of its operands is
/// returned as `centred`.
std::optional<Deviation> matchNormalized(Value value) {
  if (auto quotient = value.getDefiningOp<stablehlo::DivOp>()) {
    auto deviation = matchDeviation<stablehlo::SqrtOp>(quotient.getRhs());
    if (deviation && deviation->centred == quotient.getLhs())
      return deviation;
    return std::nullopt;
  }
  std::optional<Deviation> result;
  matchEitherOrder<stablehlo::MulOp>(value, [&](Value centred, Value factor) {
    std::optional<Deviation> deviation;
    // 1 / sqrt(..), as some exporters write it, or rsqrt.
    auto inverse = repeated(factor).getDefiningOp<stablehlo::DivOp>();
    if (inverse && splatValue(inverse.getLhs()) == 1.0)
      deviation = matchDeviation<stablehlo::SqrtOp>(factor, inverse);
    else
      deviation = matchDeviation<stablehlo::RsqrtOp>(factor);
    if (!deviation || deviation->centred != centred)
      return false;
    result = deviation;
    return true;
  });
  return result;
}

/// The vector over the last dimension that `value` repeats over all others;
/// null when it is not one. Where all other extents are 1 it may be `value`
/// itself: a constant of which nothing is repeated.
Value lastDimensionVector(Value value) {
  auto to = cast<RankedTensorType>(value.getType());
  if (value.getDefiningOp<stablehlo::ConstantOp>() && to.getRank() > 0 &&
      to.getShape().back() != 1 && to.getNumElements() == to.getShape().back())
    return value;
  // With no other dimension to repeat over, a reshape does.
  if (auto reshape = value.getDefiningOp<stablehlo::ReshapeOp>()) {
    auto from = cast<RankedTensorType>(reshape.getOperand().getType());
    bool isVector = from.getRank() == 1 && to.getRank() > 0 &&
                    from.getDimSize(0) == to.getShape().back();
    return isVector ? reshape.getOperand() : Value();
  }
  auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (!broadcast)
    return {};
  auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
  if (from.getRank() != 1 ||
      broadcast.getBroadcastDimensions()[0] != to.getRank() - 1 ||
      from.getDimSize(0) != to.getDimSize(to.getRank() - 1))
    return {};
  return broadcast.getOperand();
}

SmallVector<NamedAttribute> normAttributes(Builder &builder,
                                           const Deviation &deviation) {
  return {
      builder.getNamedAttr("axis", builder.getI64IntegerAttr(deviation.axis)),
      builder.getNamedAttr("epsilon",
                           builder.getF32FloatAttr(deviation.epsilon))};
}

bool isLastAxis(const Deviation &deviation) {
  return deviation.axis ==
         cast<RankedTensorType>(deviation.centred.getType()).getRank() - 1;
}

/// Replaces `root`, which computes `normalized` (times scale, plus bias).
LogicalResult replaceNorm(PatternRewriter &rewriter, Operation *root,
                          const Deviation &deviation, Value scale, Value bias) {
  Value input = deviation.centred;
  StringRef name = "heddle.rms_norm";
  if (auto difference = input.getDefiningOp<stablehlo::SubtractOp>()) {
    auto mean = matchMean(difference.getRhs());
    if (mean && mean->input == difference.getLhs() &&
        mean->axis == deviation.axis) {
      name = "heddle.layer_norm";
      input = difference.getLhs();
    }
  }
  if (bias && name == "heddle.rms_norm")
    return rewriter.notifyMatchFailure(root, "an RMS norm has no bias");
  SmallVector<Value> inputs{input};
  if (scale)
    inputs.push_back(scale);
  if (bias)
    inputs.push_back(bias);
  return replaceByComposite(rewriter, root, inputs, name,
                            normAttributes(rewriter, deviation));
}

/// normalized * scale + bias
struct RecognizeNormWithBias : OpRewritePattern<stablehlo::AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::AddOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Deviation> deviation;
    Value scale, bias;
    matchEitherOrder<stablehlo::AddOp>(
        op.getResult(), [&](Value scaled, Value shift) {
          bias = lastDimensionVector(shift);
          return bias && matchEitherOrder<stablehlo::MulOp>(
                             scaled, [&](Value normalized, Value factor) {
                               scale = lastDimensionVector(factor);
                               if (!scale)
                                 return false;
                               deviation = matchNormalized(normalized);
                               return deviation && isLastAxis(*deviation);
                             });
        });
    if (!deviation)
      return rewriter.notifyMatchFailure(op, "no norm with scale and bias");
    return replaceNorm(rewriter, op, *deviation, scale, bias);
  }
};

/// normalized * scale
struct RecognizeNormWithScale : OpRewritePattern<stablehlo::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::MulOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Deviation> deviation;
    Value scale;
    matchEitherOrder<stablehlo::MulOp>(
        op.getResult(), [&](Value normalized, Value factor) {
          scale = lastDimensionVector(factor);
          if (!scale)
            return false;
          deviation = matchNormalized(normalized);
          return deviation && isLastAxis(*deviation);
        });
    if (!deviation)
      return rewriter.notifyMatchFailure(op, "no norm with a scale");
    // With a bias behind it the whole belongs together.
    if (op->hasOneUse() && isa<stablehlo::AddOp>(*op->user_begin()) &&
        deviation->centred.getDefiningOp<stablehlo::SubtractOp>())
      for (Value operand : op->user_begin()->getOperands())
        if (operand != op.getResult() && lastDimensionVector(operand))
          return rewriter.notifyMatchFailure(op, "its bias comes next");
    return replaceNorm(rewriter, op, *deviation, scale, {});
  }
};

} // namespace

void populateRecognizeNormPatterns(RewritePatternSet &patterns) {
  patterns.add<RecognizeNormWithBias, RecognizeNormWithScale>(
      patterns.getContext());
}

} // namespace heddle
