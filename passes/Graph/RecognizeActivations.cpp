// x * sigmoid(x) => heddle.silu, and both written forms of gelu => heddle.gelu

#include "passes/Graph/Composites.h"

#include <cmath>

using namespace mlir;

namespace heddle {
namespace {

/// Whether `value` is a splat close to `expected`, as far as a 16-bit float can
/// tell.
bool isSplat(Value value, double expected) {
  std::optional<double> found = splatValue(value);
  return found && std::abs(*found - expected) <= 4e-3 * std::abs(expected);
}

/// Collects the factors of a product; divisions by a splat count as a factor.
void collectFactors(Value value, SmallVectorImpl<Value> &factors,
                    double &scale) {
  if (std::optional<double> splat = splatValue(value)) {
    scale *= *splat;
    return;
  }
  if (auto product = value.getDefiningOp<stablehlo::MulOp>()) {
    collectFactors(product.getLhs(), factors, scale);
    collectFactors(product.getRhs(), factors, scale);
    return;
  }
  if (auto quotient = value.getDefiningOp<stablehlo::DivOp>())
    if (std::optional<double> splat = splatValue(quotient.getRhs())) {
      scale /= *splat;
      collectFactors(quotient.getLhs(), factors, scale);
      return;
    }
  factors.push_back(value);
}

bool isScaled(Value value, Value of, double scale) {
  SmallVector<Value> factors;
  double found = 1.0;
  collectFactors(value, factors, found);
  return factors.size() == 1 && factors[0] == of &&
         std::abs(found - scale) <= 4e-3 * std::abs(scale);
}

/// x^3 in any of its spellings.
bool isCube(Value value, Value x, double scale) {
  SmallVector<Value> factors;
  double found = 1.0;
  collectFactors(value, factors, found);
  if (std::abs(found - scale) > 4e-3 * std::abs(scale))
    return false;
  if (factors.size() == 1)
    if (auto power = factors[0].getDefiningOp<stablehlo::PowOp>())
      return power.getLhs() == x && isSplat(power.getRhs(), 3.0);
  return factors.size() == 3 &&
         llvm::all_of(factors, [&](Value factor) { return factor == x; });
}

/// erf is no StableHLO op: it arrives as chlo.erf or as a composite of it.
Value erfOperand(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && (op->getName().getStringRef() == "chlo.erf" ||
             isComposite(op, "chlo.erf") || isComposite(op, "heddle.erf")))
    return op->getOperand(0);
  return {};
}

/// The other factor of gelu: 1 + erf(x / sqrt 2), or 1 + tanh(sqrt(2 / pi) * (x
/// + 0.044715 * x^3)).
StringRef geluKind(Value factor, Value x) {
  StringRef kind;
  matchEitherOrder<stablehlo::AddOp>(factor, [&](Value one, Value curve) {
    if (!isSplat(one, 1.0))
      return false;
    if (Value inner = erfOperand(curve)) {
      if (!isScaled(inner, x, std::sqrt(0.5)))
        return false;
      kind = "none";
      return true;
    }
    auto tanh = curve.getDefiningOp<stablehlo::TanhOp>();
    if (!tanh)
      return false;
    SmallVector<Value> factors;
    double scale = 1.0;
    collectFactors(tanh.getOperand(), factors, scale);
    constexpr double sqrtTwoOverPi = 0.7978845608028654;
    if (factors.size() != 1 || std::abs(scale - sqrtTwoOverPi) > 4e-3)
      return false;
    bool matches =
        matchEitherOrder<stablehlo::AddOp>(factors[0], [&](Value a, Value b) {
          return a == x && isCube(b, x, 0.044715);
        });
    if (matches)
      kind = "tanh";
    return matches;
  });
  return kind;
}

/// 0.5 * x * (1 + ...), the factors in any order
struct RecognizeGelu : OpRewritePattern<stablehlo::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::MulOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> factors;
    double scale = 1.0;
    collectFactors(op.getResult(), factors, scale);
    if (factors.size() != 2 || std::abs(scale - 0.5) > 1e-6)
      return rewriter.notifyMatchFailure(op, "not a half of two factors");
    for (auto [x, curve] : {std::pair(factors[0], factors[1]),
                            std::pair(factors[1], factors[0])}) {
      StringRef kind = geluKind(curve, x);
      if (!kind.empty())
        return replaceByComposite(
            rewriter, op, x, "heddle.gelu",
            {rewriter.getNamedAttr("approximate",
                                   rewriter.getStringAttr(kind))});
    }
    return rewriter.notifyMatchFailure(op, "no gelu curve");
  }
};

struct RecognizeSilu : OpRewritePattern<stablehlo::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::MulOp op,
                                PatternRewriter &rewriter) const override {
    Value x;
    bool matches = matchEitherOrder<stablehlo::MulOp>(
        op.getResult(), [&](Value candidate, Value gate) {
          auto logistic = gate.getDefiningOp<stablehlo::LogisticOp>();
          if (!logistic || logistic.getOperand() != candidate)
            return false;
          x = candidate;
          return true;
        });
    if (!matches)
      return rewriter.notifyMatchFailure(op, "not x * sigmoid(x)");
    return replaceByComposite(rewriter, op, x, "heddle.silu", {});
  }
};

} // namespace

void populateRecognizeActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<RecognizeGelu, RecognizeSilu>(patterns.getContext());
}

} // namespace heddle
