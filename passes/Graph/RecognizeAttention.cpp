// softmax(scale * q k^T + mask) v => heddle.attention
//
// Exporters that write masks as sums guard the softmax against rows of which
// nothing is left (NaN becomes 0); the composite then says `zero_nan_rows`.
//
// The scores are the largest tensor of a transformer and nobody reads them: as
// one composite they never leave a core's cache. Scales may stand at the query,
// the key or the scores; the mask is a sum or a select with a very low value.
// What brings q, k and v into their order (transposes, slices of a merged
// projection, heads repeated for grouped queries) stays outside, where the
// dispatch stage folds it into the kernel's access functions.

#include "dialects/Kernel/Composites.h"
#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/Attention.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Graph/Composites.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/Softmax.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_RECOGNIZEATTENTION
#include "passes/Graph/Passes.h.inc"

namespace {

/// A dot_general with leading batch dimensions in order, one free dimension on
/// each side and one contraction.
struct BatchProduct {
  stablehlo::DotGeneralOp op;
  int64_t lhsFree, rhsFree, lhsContracted, rhsContracted;
};

std::optional<BatchProduct> matchBatchProduct(Value value) {
  auto op = value.getDefiningOp<stablehlo::DotGeneralOp>();
  if (!op)
    return std::nullopt;
  auto numbers = op.getDotDimensionNumbers();
  auto lhsBatch = numbers.getLhsBatchingDimensions();
  auto rhsBatch = numbers.getRhsBatchingDimensions();
  int64_t rank = typeOf(op.getLhs()).getRank();
  if (numbers.getLhsContractingDimensions().size() != 1 ||
      static_cast<int64_t>(lhsBatch.size()) != rank - 2 ||
      typeOf(op.getRhs()).getRank() != rank)
    return std::nullopt;
  for (int64_t dimension = 0; dimension < rank - 2; ++dimension)
    if (lhsBatch[dimension] != dimension || rhsBatch[dimension] != dimension)
      return std::nullopt;
  int64_t lhs = numbers.getLhsContractingDimensions()[0];
  int64_t rhs = numbers.getRhsContractingDimensions()[0];
  // The two dimensions after the batch are free and contracted, in one order or
  // the other.
  return BatchProduct{op, 2 * rank - 3 - lhs, 2 * rank - 3 - rhs, lhs, rhs};
}

/// `value` with its last two dimensions in the order [first, second].
Value lastTwo(PatternRewriter &rewriter, Value value, int64_t first,
              int64_t second) {
  if (first < second)
    return value;
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(permutation[first], permutation[second]);
  return stablehlo::TransposeOp::create(
      rewriter, value.getLoc(), size::withDimensions(type, permutation), value,
      rewriter.getDenseI64ArrayAttr(permutation));
}

/// Strips a multiplication or division by a splat and takes it into `scale`.
Value stripScale(Value value, double &scale) {
  Value result = value;
  if (auto quotient = value.getDefiningOp<stablehlo::DivOp>()) {
    if (std::optional<double> splat = splatValue(quotient.getRhs())) {
      scale /= *splat;
      return quotient.getLhs();
    }
  }
  matchEitherOrder<stablehlo::MulOp>(value, [&](Value of, Value factor) {
    std::optional<double> splat = splatValue(factor);
    if (!splat)
      return false;
    scale *= *splat;
    result = of;
    return true;
  });
  return result;
}

struct Scores {
  BatchProduct product;
  Value query, key, mask;
  double scale = 1.0;
};

/// A scale at an operand of the product, perhaps before the transpose that
/// orders it. One that was rounded to another type than the scores have stays
/// where it is.
Value stripOperandScale(PatternRewriter &rewriter, Value operand, Type scores,
                        double &scale) {
  if (typeOf(operand).getElementType() != scores)
    return operand;
  Value stripped = stripScale(operand, scale);
  if (stripped != operand)
    return stripped;
  auto transpose = operand.getDefiningOp<stablehlo::TransposeOp>();
  if (!transpose)
    return operand;
  double inner = 1.0;
  Value below = stripScale(transpose.getOperand(), inner);
  if (below == transpose.getOperand())
    return operand;
  scale *= inner;
  return stablehlo::TransposeOp::create(rewriter, transpose.getLoc(),
                                        operand.getType(), below,
                                        transpose.getPermutationAttr());
}

/// scores = scale * dot(q, k) [+ mask], or select(mask, scale * dot(q, k), very
/// low)
std::optional<Scores> matchScores(Value value) {
  Scores scores;
  auto matchProduct = [&](Value candidate) {
    scores.scale = 1.0;
    Value stripped = stripScale(candidate, scores.scale);
    auto product = matchBatchProduct(stripped);
    if (!product || !isa<FloatType>(typeOf(stripped).getElementType()))
      return false;
    scores.product = *product;
    return true;
  };
  if (matchProduct(value))
    return scores;
  if (matchEitherOrder<stablehlo::AddOp>(value, [&](Value a, Value mask) {
        scores.mask = mask;
        return matchProduct(a);
      }))
    return scores;
  if (auto select = value.getDefiningOp<stablehlo::SelectOp>()) {
    std::optional<double> low = splatValue(select.getOnFalse());
    // Anything this low has the weight zero next to a score that is kept.
    if (low && *low <= -1e9 && typeOf(select.getPred()).getRank() != 0 &&
        *low == -std::numeric_limits<double>::infinity()) {
      scores.mask = select.getPred();
      if (matchProduct(select.getOnTrue()))
        return scores;
    }
  }
  return std::nullopt;
}

/// The softmax that weighs the values, and whether exporters guarded it:
/// select(compare NE p, p, 0, p), so that rows without scores weigh zero.
struct Weights {
  Softmax softmax;
  bool zeroNanRows = false;
  /// From the last of them to the softmax.
  SmallVector<Operation *> ops;
};

std::optional<Weights> matchWeights(Value value) {
  Weights weights;
  if (auto select = value.getDefiningOp<stablehlo::SelectOp>()) {
    auto isNan = select.getPred().getDefiningOp<stablehlo::CompareOp>();
    Value guarded = select.getOnFalse();
    std::optional<double> zero = splatValue(select.getOnTrue());
    if (!isNan || zero != 0.0 || std::signbit(*zero) ||
        isNan.getComparisonDirection() != stablehlo::ComparisonDirection::NE ||
        isNan.getLhs() != guarded || isNan.getRhs() != guarded ||
        !select->hasOneUse() || !isNan->hasOneUse())
      return std::nullopt;
    weights.zeroNanRows = true;
    weights.ops = {select, isNan};
    value = guarded;
  }
  std::optional<Softmax> softmax = matchSoftmax(value);
  if (!softmax)
    return std::nullopt;
  weights.softmax = *softmax;
  Operation *quotient = value.getDefiningOp();
  weights.ops.push_back(quotient);
  bool othersRead = llvm::any_of(quotient->getUsers(), [&](auto *user) {
    return weights.zeroNanRows && !llvm::is_contained(weights.ops, user);
  });
  if (othersRead || (!weights.zeroNanRows && !quotient->hasOneUse()))
    return std::nullopt;
  return weights;
}

struct AttentionPattern : OpRewritePattern<stablehlo::DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    auto weighted = matchBatchProduct(op.getResult());
    if (!weighted)
      return rewriter.notifyMatchFailure(op, "not a plain batched product");
    auto weights = matchWeights(op.getLhs());
    if (!weights)
      return rewriter.notifyMatchFailure(op, "weights are no softmax");
    const Softmax &softmax = weights->softmax;
    int64_t rank = typeOf(op.getLhs()).getRank();
    // The product alone gives zeros; the kernel would divide by a sum of
    // nothing.
    if (typeOf(op.getLhs()).getShape().back() == 0)
      return rewriter.notifyMatchFailure(op, "no keys");
    if (softmax.axis != rank - 1 || weighted->lhsContracted != rank - 1)
      return rewriter.notifyMatchFailure(op, "softmax over another dimension");
    auto scores = matchScores(softmax.input);
    if (!scores)
      return rewriter.notifyMatchFailure(op, "softmax of something else");

    SmallVector<Value> read{scores->product.op.getLhs(),
                            scores->product.op.getRhs(), op.getRhs()};
    if (scores->mask)
      read.push_back(scores->mask);
    Location location = locationBetween(rewriter, op, read);
    stablehlo::DotGeneralOp product = scores->product.op;
    Type scoreType = typeOf(product.getResult()).getElementType();
    if (typeOf(op.getRhs()).getElementType() != scoreType ||
        typeOf(op.getResult()).getElementTypeBitWidth() >
            scoreType.getIntOrFloatBitWidth())
      return rewriter.notifyMatchFailure(op, "values or sums of another type");
    auto scoreElement = cast<FloatType>(scoreType);
    if (!APFloat::semanticsHasInf(scoreElement.getFloatSemantics()))
      return rewriter.notifyMatchFailure(op, "scores without an infinity");
    rewriter.setInsertionPoint(op);
    double scale = scores->scale;
    Value query =
        stripOperandScale(rewriter, product.getLhs(), scoreType, scale);
    Value key = stripOperandScale(rewriter, product.getRhs(), scoreType, scale);
    query = lastTwo(rewriter, query, scores->product.lhsFree,
                    scores->product.lhsContracted);
    key = lastTwo(rewriter, key, scores->product.rhsFree,
                  scores->product.rhsContracted);
    Value value = lastTwo(rewriter, op.getRhs(), weighted->rhsContracted,
                          weighted->rhsFree);
    stablehlo::Attention attention;
    attention.query = query;
    attention.key = key;
    attention.value = value;
    attention.mask = scores->mask;
    attention.scale = scale;
    attention.zeroNanRows = weights->zeroNanRows;
    attention.accumulator = scoreElement;
    attention.result = typeOf(op.getResult());
    // The decomposition is written out in the composite's own terms: the
    // operands were re-ordered. The two products keep the types, the precision
    // and the algorithm of those that they stand for.
    Value result =
        stablehlo::decomposeAttention(
            rewriter, location, attention,
            {product.getPrecisionConfigAttr(), op.getPrecisionConfigAttr(),
             product.getAlgorithmAttr(), op.getAlgorithmAttr()})
            .front();
    rewriter.replaceOp(op, result);
    Operation *root = result.getDefiningOp();
    rewriter.setInsertionPoint(root);
    return replaceByComposite(rewriter, root, attention.inputs(),
                              kernel::kAttentionName,
                              llvm::to_vector(attention.attributes()));
  }
};

struct RecognizeAttention : impl::RecognizeAttentionBase<RecognizeAttention> {
  using RecognizeAttentionBase::RecognizeAttentionBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AttentionPattern>(&getContext());
    FrozenRewritePatternSet frozen(std::move(patterns));
    // Folding belongs to the simplification passes; here it would only move
    // what the matchers look for.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    // Decompositions are private functions: what stands in one was recognized
    // already.
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isPrivate() && !function.isExternal())
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(applyPatternsGreedily(function, frozen, config)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace heddle
