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

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

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
  SmallVector<int64_t> shape;
  for (int64_t dimension : permutation)
    shape.push_back(type.getDimSize(dimension));
  return stablehlo::TransposeOp::create(
      rewriter, value.getLoc(),
      RankedTensorType::get(shape, type.getElementType()), value,
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
    rewriter.setInsertionPoint(op);
    stablehlo::DotGeneralOp product = scores->product.op;
    double scale = scores->scale;
    Type scoreType = typeOf(product.getResult()).getElementType();
    Value query =
        stripOperandScale(rewriter, product.getLhs(), scoreType, scale);
    Value key = stripOperandScale(rewriter, product.getRhs(), scoreType, scale);
    query = lastTwo(rewriter, query, scores->product.lhsFree,
                    scores->product.lhsContracted);
    key = lastTwo(rewriter, key, scores->product.rhsFree,
                  scores->product.rhsContracted);
    Value value = lastTwo(rewriter, op.getRhs(), weighted->rhsContracted,
                          weighted->rhsFree);
    SmallVector<Value> inputs{query, key, value};
    if (scores->mask)
      inputs.push_back(scores->mask);

    // The decomposition is written out in the composite's own terms: the
    // operands were re-ordered.
    Operation *root = spellOut(rewriter, location, inputs, scale, product, op,
                               weights->zeroNanRows);
    Value result = root->getResult(0);
    rewriter.replaceOp(op, result);
    rewriter.setInsertionPoint(root);
    SmallVector<NamedAttribute> attributes = {
        rewriter.getNamedAttr("causal", rewriter.getBoolAttr(false)),
        rewriter.getNamedAttr("scale", rewriter.getF32FloatAttr(scale))};
    if (weights->zeroNanRows)
      attributes.push_back(
          rewriter.getNamedAttr("zero_nan_rows", rewriter.getBoolAttr(true)));
    return replaceByComposite(rewriter, root, inputs, kernel::kAttentionName,
                              attributes);
  }

private:
  static Value splat(PatternRewriter &rewriter, Location location,
                     RankedTensorType type, double value) {
    auto element = cast<FloatType>(type.getElementType());
    return stablehlo::ConstantOp::create(
        rewriter, location,
        DenseElementsAttr::get(type, rewriter.getFloatAttr(element, value)));
  }

  /// reduce of `input` over its last dimension, and its result repeated along
  /// it.
  template <typename Body>
  static Value rowReduction(PatternRewriter &rewriter, Location location,
                            Value input, double initial) {
    RankedTensorType type = typeOf(input);
    auto scalar = RankedTensorType::get({}, type.getElementType());
    auto row = RankedTensorType::get(type.getShape().drop_back(),
                                     type.getElementType());
    Value init = splat(rewriter, location, scalar, initial);
    auto reduce = stablehlo::ReduceOp::create(
        rewriter, location, TypeRange(row), ValueRange(input), ValueRange(init),
        rewriter.getDenseI64ArrayAttr({type.getRank() - 1}));
    {
      OpBuilder::InsertionGuard guard(rewriter);
      Block *block = rewriter.createBlock(
          &reduce.getBody(), {}, {scalar, scalar}, {location, location});
      Value combined = Body::create(rewriter, location, block->getArgument(0),
                                    block->getArgument(1));
      stablehlo::ReturnOp::create(rewriter, location, combined);
    }
    auto kept = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
    return stablehlo::BroadcastInDimOp::create(
        rewriter, location, type, reduce->getResult(0),
        rewriter.getDenseI64ArrayAttr(kept));
  }

  /// The two products keep the types, the precision and the algorithm of those
  /// that they stand for.
  static Operation *spellOut(PatternRewriter &rewriter, Location location,
                             ValueRange inputs, double scale,
                             stablehlo::DotGeneralOp ofScores,
                             stablehlo::DotGeneralOp ofValues,
                             bool zeroNanRows) {
    RankedTensorType query = typeOf(inputs[0]);
    bool masked = inputs.size() == 4;
    int64_t rank = query.getRank();
    SmallVector<int64_t> shape(query.getShape());
    shape[rank - 1] = typeOf(inputs[1]).getDimSize(rank - 2);
    RankedTensorType type = typeOf(ofScores.getResult()).clone(shape);
    auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
    auto dot = [&](stablehlo::DotGeneralOp of, RankedTensorType result,
                   Value lhs, Value rhs, int64_t rhsContracted) {
      return stablehlo::DotGeneralOp::create(
          rewriter, location, result, lhs, rhs,
          stablehlo::DotDimensionNumbersAttr::get(
              rewriter.getContext(), batch, batch, {rank - 1}, {rhsContracted}),
          of.getPrecisionConfigAttr(), of.getAlgorithmAttr());
    };
    Value scores = dot(ofScores, type, inputs[0], inputs[1], rank - 1);
    scores = stablehlo::MulOp::create(rewriter, location, scores,
                                      splat(rewriter, location, type, scale));
    if (masked && typeOf(inputs[3]).getElementType().isInteger(1))
      scores = stablehlo::SelectOp::create(
          rewriter, location, inputs[3], scores,
          splat(rewriter, location, type,
                -std::numeric_limits<double>::infinity()));
    else if (masked)
      scores = stablehlo::AddOp::create(rewriter, location, scores, inputs[3]);
    Value shifted = stablehlo::SubtractOp::create(
        rewriter, location, scores,
        rowReduction<stablehlo::MaxOp>(
            rewriter, location, scores,
            -std::numeric_limits<double>::infinity()));
    Value weights = stablehlo::ExpOp::create(rewriter, location, shifted);
    weights = stablehlo::DivOp::create(
        rewriter, location, weights,
        rowReduction<stablehlo::AddOp>(rewriter, location, weights, 0.0));
    if (zeroNanRows)
      weights = stablehlo::SelectOp::create(
          rewriter, location,
          stablehlo::CompareOp::create(rewriter, location, weights, weights,
                                       stablehlo::ComparisonDirection::NE),
          splat(rewriter, location, type, 0.0), weights);
    return dot(ofValues, typeOf(ofValues.getResult()), weights, inputs[2],
               rank - 2);
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
