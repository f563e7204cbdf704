// Rotary position embeddings, in both ways that exporters write the rotation of
// the two halves (a, b) of the last dimension:
//
// - x * cosine + concatenate(-b, a) * sine
// - concatenate(a * cosine - b * sine, b * cosine + a * sine)
//
// Both become one expression over the last dimension seen as [2, half], which
// reads the halves by one reversed view instead of slicing and joining them:
// one loop computes the whole. Sign changes are exact, so its results are those
// of the ops it replaces, bit for bit.

#include "dialects/Size/SizedTypes.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Graph/Composites.h"
#include "passes/Graph/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_ROTATEHALVES
#include "passes/Graph/Passes.h.inc"

namespace {

struct Rotation {
  Value input;
  /// Of the input's shape, or with half its last extent: both halves alike.
  Value cosine, sine;
};

/// The tensor of which `value` is the lower or upper half of the last
/// dimension; null if it is neither.
Value halfOf(Value value, bool upper) {
  auto slice = value.getDefiningOp<stablehlo::SliceOp>();
  if (!slice)
    return {};
  RankedTensorType type = typeOf(slice.getOperand());
  ArrayRef<int64_t> from = type.getShape();
  int64_t last = static_cast<int64_t>(from.size()) - 1;
  for (auto [dimension, extent] : llvm::enumerate(from)) {
    int64_t start = slice.getStartIndices()[dimension];
    int64_t limit = slice.getLimitIndices()[dimension];
    bool isLast = static_cast<int64_t>(dimension) == last;
    if (isLast && (extent % 2 || !size::isKnown(type, dimension)))
      return {};
    // A bound is no limit of what is truly there.
    if (!isLast && !size::isSameSize(type, dimension, typeOf(value), dimension))
      return {};
    int64_t wantedStart = isLast && upper ? extent / 2 : 0;
    int64_t wantedLimit = isLast && !upper ? extent / 2 : extent;
    if (start != wantedStart || limit != wantedLimit ||
        slice.getStrides()[dimension] != 1)
      return {};
  }
  return slice.getOperand();
}

/// The operands of a concatenation of two along the last dimension.
std::optional<std::pair<Value, Value>> matchHalves(Value value) {
  auto join = value.getDefiningOp<stablehlo::ConcatenateOp>();
  if (!join || join.getInputs().size() != 2 ||
      !size::isKnown(typeOf(value), typeOf(value).getRank() - 1) ||
      static_cast<int64_t>(join.getDimension()) != typeOf(value).getRank() - 1)
    return std::nullopt;
  return std::pair(join.getInputs()[0], join.getInputs()[1]);
}

/// x * cosine + concatenate(-b, a) * sine
std::optional<Rotation> matchRotateHalf(stablehlo::AddOp op) {
  Rotation rotation;
  auto isTurned = [&](Value turned, Value sine) {
    auto halves = matchHalves(turned);
    if (!halves)
      return false;
    auto negated = halves->first.getDefiningOp<stablehlo::NegOp>();
    Value input = halfOf(halves->second, /*upper=*/false);
    if (!negated || !input ||
        halfOf(negated.getOperand(), /*upper=*/true) != input)
      return false;
    rotation.input = input;
    rotation.sine = sine;
    return true;
  };
  auto isStraight = [&](Value input, Value cosine) {
    rotation.cosine = cosine;
    return input == rotation.input;
  };
  bool matches = matchEitherOrder<stablehlo::AddOp>(
      op.getResult(), [&](Value straight, Value turned) {
        return matchEitherOrder<stablehlo::MulOp>(turned, isTurned) &&
               matchEitherOrder<stablehlo::MulOp>(straight, isStraight);
      });
  return matches ? std::optional(rotation) : std::nullopt;
}

/// concatenate(a * cosine - b * sine, b * cosine + a * sine)
std::optional<Rotation> matchJoinedHalves(stablehlo::ConcatenateOp op) {
  auto halves = matchHalves(op.getResult());
  if (!halves)
    return std::nullopt;
  auto difference = halves->first.getDefiningOp<stablehlo::SubtractOp>();
  if (!difference)
    return std::nullopt;
  Rotation rotation;
  auto scaledHalf = [&](Value product, bool upper, Value &factor) {
    return matchEitherOrder<stablehlo::MulOp>(
        product, [&](Value half, Value other) {
          Value input = halfOf(half, upper);
          if (!input || (rotation.input && rotation.input != input) ||
              (factor && factor != other))
            return false;
          rotation.input = input;
          factor = other;
          return true;
        });
  };
  bool matches =
      scaledHalf(difference.getLhs(), /*upper=*/false, rotation.cosine) &&
      scaledHalf(difference.getRhs(), /*upper=*/true, rotation.sine) &&
      matchEitherOrder<stablehlo::AddOp>(
          halves->second, [&](Value upper, Value lower) {
            return scaledHalf(upper, /*upper=*/true, rotation.cosine) &&
                   scaledHalf(lower, /*upper=*/false, rotation.sine);
          });
  return matches ? std::optional(rotation) : std::nullopt;
}

/// x * cosine + turned(x) * sine with the last dimension seen as [2, half].
Value spellOut(PatternRewriter &rewriter, Location location,
               const Rotation &rotation) {
  RankedTensorType type = typeOf(rotation.input);
  int64_t rank = type.getRank(), half = type.getShape().back() / 2;
  RankedTensorType split = size::SizedShape()
                               .add(type, 0, rank - 1)
                               .add(2)
                               .add(half)
                               .of(type.getElementType());
  auto angle = [&](Value value) -> Value {
    if (typeOf(value).getShape().back() != half)
      return stablehlo::ReshapeOp::create(rewriter, location, split, value);
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
    dims.push_back(rank);
    return stablehlo::BroadcastInDimOp::create(
        rewriter, location, split, value, rewriter.getDenseI64ArrayAttr(dims));
  };
  Value input =
      stablehlo::ReshapeOp::create(rewriter, location, split, rotation.input);
  Value turned =
      stablehlo::ReverseOp::create(rewriter, location, split, input,
                                   rewriter.getDenseI64ArrayAttr({rank - 1}));
  auto element = cast<FloatType>(type.getElementType());
  Value signs = stablehlo::ConstantOp::create(
      rewriter, location,
      DenseElementsAttr::get(
          RankedTensorType::get({2}, element),
          ArrayRef<Attribute>{rewriter.getFloatAttr(element, -1),
                              rewriter.getFloatAttr(element, 1)}));
  signs = stablehlo::BroadcastInDimOp::create(
      rewriter, location, split, signs,
      rewriter.getDenseI64ArrayAttr({rank - 1}));
  turned = stablehlo::MulOp::create(rewriter, location, turned, signs);
  turned = stablehlo::MulOp::create(rewriter, location, turned,
                                    angle(rotation.sine));
  Value straight = stablehlo::MulOp::create(rewriter, location, input,
                                            angle(rotation.cosine));
  Value sum = stablehlo::AddOp::create(rewriter, location, straight, turned);
  return stablehlo::ReshapeOp::create(rewriter, location, type, sum);
}

template <typename Op> struct RotationPattern : OpRewritePattern<Op> {
  using Match = std::optional<Rotation> (*)(Op);
  RotationPattern(MLIRContext *context, Match match)
      : OpRewritePattern<Op>(context), match(match) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(cast<RankedTensorType>(op.getType()).getElementType()))
      return rewriter.notifyMatchFailure(op, "not of floats");
    std::optional<Rotation> rotation = match(op);
    if (!rotation)
      return rewriter.notifyMatchFailure(op, "no rotation of halves");
    rewriter.setInsertionPoint(op);
    Value inputs[] = {rotation->input, rotation->cosine, rotation->sine};
    rewriter.replaceOp(
        op,
        spellOut(rewriter, locationBetween(rewriter, op, inputs), *rotation));
    return success();
  }

private:
  Match match;
};

struct RotateHalves : impl::RotateHalvesBase<RotateHalves> {
  using RotateHalvesBase::RotateHalvesBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RotationPattern<stablehlo::AddOp>>(&getContext(),
                                                    matchRotateHalf);
    patterns.add<RotationPattern<stablehlo::ConcatenateOp>>(&getContext(),
                                                            matchJoinedHalves);
    // Folding belongs to the simplification passes; here it would only move
    // what the matchers look for.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace heddle
