// Arithmetic with neutral elements, and shorter forms of the same function.
//
// Only what holds for all values: x * 0 is not 0 for an infinite x.

#include "passes/Graph/Constants.h"
#include "passes/Graph/Simplify.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
namespace {

/// op(x, neutral) => x, also op(neutral, x) where the operation commutes.
template <typename Op> struct DropNeutral : OpRewritePattern<Op> {
  DropNeutral(MLIRContext *context, double neutral)
      : OpRewritePattern<Op>(context), neutral(neutral) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value lhs = op.getLhs(), rhs = op.getRhs();
    // x + -0.0 is x for all x, but x + 0.0 turns -0.0 into 0.0: the sign of a
    // zero is given up here, as all frameworks do.
    if (isSplatOf(rhs, neutral) && lhs.getType() == op.getType())
      return rewriter.replaceOp(op, lhs), success();
    if (op->template hasTrait<OpTrait::IsCommutative>() &&
        isSplatOf(lhs, neutral) && rhs.getType() == op.getType())
      return rewriter.replaceOp(op, rhs), success();
    return rewriter.notifyMatchFailure(op, "no neutral operand");
  }

  double neutral;
};

/// power(x, 2) => x * x; power(x, 1) => x.
struct ExpandSmallPower : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const override {
    if (isSplatOf(op.getRhs(), 1) && op.getLhs().getType() == op.getType())
      return rewriter.replaceOp(op, op.getLhs()), success();
    if (isa<quant::QuantizedType>(getElementTypeOrSelf(op.getType())) ||
        !isSplatOf(op.getRhs(), 2))
      return rewriter.notifyMatchFailure(op, "exponent is not 1 or 2");
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), op.getLhs());
    return success();
  }
};

/// x / c => x * (1 / c) where 1 / c is exact: c is a power of two.
struct MultiplyByExactReciprocal : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    auto divisor = dyn_cast_or_null<FloatAttr>(splatElement(op.getRhs()));
    auto type = cast<RankedTensorType>(op.getRhs().getType());
    APFloat inverse(0.0);
    if (!divisor || !type.hasStaticShape() ||
        !divisor.getValue().getExactInverse(&inverse))
      return rewriter.notifyMatchFailure(op,
                                         "no divisor with an exact inverse");
    Value factor = createSplat(rewriter, op.getRhs().getLoc(), type,
                               FloatAttr::get(divisor.getType(), inverse));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), factor);
    return success();
  }
};

/// negate(negate(x)) => x; not(not(x)) => x.
template <typename Op> struct DropInvolution : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().template getDefiningOp<Op>();
    if (!inner || inner.getOperand().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "operand is another operation");
    rewriter.replaceOp(op, inner.getOperand());
    return success();
  }
};

/// select(p, x, x) => x; select(true, x, y) => x; select(false, x, y) => y.
struct SimplifySelect : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value chosen;
    if (op.getOnTrue() == op.getOnFalse() || isSplatOf(op.getPred(), 1))
      chosen = op.getOnTrue();
    else if (isSplatOf(op.getPred(), 0))
      chosen = op.getOnFalse();
    if (!chosen || chosen.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "condition is not known");
    rewriter.replaceOp(op, chosen);
    return success();
  }
};

/// x and true => x; x or true => true, and so on.
template <typename Op> struct SimplifyLogic : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isInteger(1))
      return rewriter.notifyMatchFailure(op, "not boolean");
    constexpr bool isAnd = std::is_same_v<Op, AndOp>;
    for (auto [known, other] : {std::pair(op.getRhs(), op.getLhs()),
                                std::pair(op.getLhs(), op.getRhs())}) {
      // Operands may have types of sizes that are taken for equal.
      if ((known == other || isSplatOf(known, isAnd ? 1 : 0)) &&
          other.getType() == op.getType())
        return rewriter.replaceOp(op, other), success();
      if (isSplatOf(known, isAnd ? 0 : 1) && known.getType() == op.getType())
        return rewriter.replaceOp(op, known), success();
    }
    return rewriter.notifyMatchFailure(op, "no known operand");
  }
};

/// 1 / (1 + exp(-x)) => logistic(x)
struct FormLogistic : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    auto sum = op.getRhs().getDefiningOp<AddOp>();
    if (!sum || !isSplatOf(op.getLhs(), 1))
      return rewriter.notifyMatchFailure(op, "not 1 / (1 + y)");
    Value term = isSplatOf(sum.getLhs(), 1)   ? sum.getRhs()
                 : isSplatOf(sum.getRhs(), 1) ? sum.getLhs()
                                              : Value();
    auto exponential = term ? term.getDefiningOp<ExpOp>() : ExpOp();
    auto negated =
        exponential ? exponential.getOperand().getDefiningOp<NegOp>() : NegOp();
    if (!negated || isa<ComplexType>(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "not 1 / (1 + exp(-x))");
    Location loc = rewriter.getFusedLoc(
        {negated.getLoc(), exponential.getLoc(), sum.getLoc(), op.getLoc()});
    Value result =
        LogisticOp::create(rewriter, loc, op.getType(), negated.getOperand(),
                           ResultAccuracyAttr());
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Bits of value that the type holds exactly: {integer digits or mantissa,
/// exponent range, sign}.
struct Range {
  bool isFloat;
  bool isSigned;
  unsigned digits;
  int maxExponent, minExponent;
};

/// What numbers a type holds; none for types that this does not reason about.
std::optional<Range> rangeOf(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element)) {
    bool isSigned = !integer.isUnsigned() && integer.getWidth() != 1;
    return Range{false, isSigned, integer.getWidth() - isSigned, 0, 0};
  }
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element)) {
    const llvm::fltSemantics &semantics =
        cast<FloatType>(element).getFloatSemantics();
    return Range{true, true, APFloat::semanticsPrecision(semantics),
                 APFloat::semanticsMaxExponent(semantics),
                 APFloat::semanticsMinExponent(semantics)};
  }
  return std::nullopt;
}

/// Whether every value of `from` is a value of `to`.
bool holdsAll(Type from, Type to) {
  std::optional<Range> inner = rangeOf(from), outer = rangeOf(to);
  if (!inner || !outer || (inner->isSigned && !outer->isSigned))
    return false;
  if (inner->isFloat)
    return outer->isFloat && inner->digits <= outer->digits &&
           inner->maxExponent <= outer->maxExponent &&
           inner->minExponent >= outer->minExponent;
  if (outer->isFloat)
    return inner->digits <= outer->digits &&
           static_cast<int>(inner->digits) <= outer->maxExponent;
  return inner->digits <= outer->digits;
}

/// convert to the same type => nothing; convert(convert(x)) => convert(x) where
/// the first one loses nothing.
struct SimplifyConvert : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    Value operand = op.getOperand();
    if (operand.getType() == op.getType())
      return rewriter.replaceOp(op, operand), success();
    auto inner = operand.getDefiningOp<ConvertOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no chain of conversions");
    Type from = getElementTypeOrSelf(inner.getOperand().getType());
    // Conversions to bool compare with zero: that is no rounding.
    if (!holdsAll(from, getElementTypeOrSelf(operand.getType())))
      return rewriter.notifyMatchFailure(op, "the inner conversion rounds");
    Value result = ConvertOp::create(
        rewriter, rewriter.getFusedLoc({inner.getLoc(), op.getLoc()}),
        op.getType(), inner.getOperand());
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateSimplifyArithmeticPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DropNeutral<AddOp>, DropNeutral<SubtractOp>>(context, 0.0);
  patterns.add<DropNeutral<MulOp>, DropNeutral<DivOp>>(context, 1.0);
  patterns
      .add<ExpandSmallPower, MultiplyByExactReciprocal, DropInvolution<NegOp>,
           DropInvolution<NotOp>, SimplifySelect, SimplifyLogic<AndOp>,
           SimplifyLogic<OrOp>, FormLogistic, SimplifyConvert>(context);
}

} // namespace heddle
