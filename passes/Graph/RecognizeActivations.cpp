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

/// A product taken apart: its factors, and the product of its splats.
/// Divisions by a splat count as a factor.
class Factors {
public:
  explicit Factors(Value value) { isWhole = collect(value); }

  double scale = 1.0;
  SmallVector<Value, 4> others;
  /// Whether these are all factors: products of more are of no use here, and
  /// may be of very many (or of a few, each the square of the next).
  bool isWhole;

private:
  static constexpr unsigned most = 3;

  bool collect(Value value) {
    if (++visited > 32)
      return false;
    if (std::optional<double> splat = splatValue(value)) {
      scale *= *splat;
      return true;
    }
    if (auto product = value.getDefiningOp<stablehlo::MulOp>())
      return collect(product.getLhs()) && collect(product.getRhs());
    if (auto quotient = value.getDefiningOp<stablehlo::DivOp>())
      if (std::optional<double> splat = splatValue(quotient.getRhs())) {
        scale /= *splat;
        return collect(quotient.getLhs());
      }
    others.push_back(value);
    return others.size() <= most;
  }

  unsigned visited = 0;
};

bool isScaled(Value value, Value of, double scale) {
  Factors factors(value);
  return factors.isWhole && factors.others.size() == 1 &&
         factors.others[0] == of &&
         std::abs(factors.scale - scale) <= 4e-3 * std::abs(scale);
}

/// x^3 in any of its spellings.
bool isCube(Value value, Value x, double scale) {
  Factors factors(value);
  if (!factors.isWhole ||
      std::abs(factors.scale - scale) > 4e-3 * std::abs(scale))
    return false;
  if (factors.others.size() == 1)
    if (auto power = factors.others[0].getDefiningOp<stablehlo::PowOp>())
      return power.getLhs() == x && isSplat(power.getRhs(), 3.0);
  return factors.others.size() == 3 &&
         llvm::all_of(factors.others,
                      [&](Value factor) { return factor == x; });
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
    Factors factors(tanh.getOperand());
    constexpr double sqrtTwoOverPi = 0.7978845608028654;
    if (!factors.isWhole || factors.others.size() != 1 ||
        std::abs(factors.scale - sqrtTwoOverPi) > 4e-3)
      return false;
    bool matches = matchEitherOrder<stablehlo::AddOp>(
        factors.others[0],
        [&](Value a, Value b) { return a == x && isCube(b, x, 0.044715); });
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
    Factors factors(op.getResult());
    if (!factors.isWhole || factors.others.size() != 2 ||
        std::abs(factors.scale - 0.5) > 1e-6)
      return rewriter.notifyMatchFailure(op, "not a half of two factors");
    Value first = factors.others[0], second = factors.others[1];
    for (auto [x, curve] :
         {std::pair(first, second), std::pair(second, first)}) {
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
