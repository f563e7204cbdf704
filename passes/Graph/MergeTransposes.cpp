// Transposes that meet each other, or what has no order of its own.

#include "passes/Graph/Transposes.h"

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/StableHlo.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle {

Permutation invert(ArrayRef<int64_t> permutation) {
  Permutation inverse(permutation.size());
  for (auto [index, dimension] : llvm::enumerate(permutation))
    inverse[dimension] = index;
  return inverse;
}

bool isIdentity(ArrayRef<int64_t> permutation) {
  for (auto [index, dimension] : llvm::enumerate(permutation))
    if (static_cast<int64_t>(index) != dimension)
      return false;
  return true;
}

RankedTensorType permutedType(RankedTensorType type,
                              ArrayRef<int64_t> permutation) {
  return size::withDimensions(type, permutation);
}

Value transpose(OpBuilder &builder, Location location, Value value,
                ArrayRef<int64_t> permutation) {
  if (isIdentity(permutation))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  return stablehlo::TransposeOp::create(
      builder, location, permutedType(type, permutation), value,
      builder.getDenseI64ArrayAttr(permutation));
}

namespace {

/// transpose(transpose(x)) => transpose(x), and none at all where they cancel
struct MergeTransposes : OpRewritePattern<stablehlo::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (isIdentity(op.getPermutation()) &&
        op.getOperand().getType() == op.getType()) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    auto inner = op.getOperand().getDefiningOp<stablehlo::TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not a transpose of a transpose");
    Permutation both = permute(inner.getPermutation(), op.getPermutation());
    // An extent may be written in two ways that are equal at each call.
    if (permutedType(cast<RankedTensorType>(inner.getOperand().getType()),
                     both) != op.getType())
      return rewriter.notifyMatchFailure(op, "its type is spelled otherwise");
    rewriter.replaceOp(
        op,
        transpose(rewriter, rewriter.getFusedLoc({inner.getLoc(), op.getLoc()}),
                  inner.getOperand(), both));
    return success();
  }
};

/// transpose(broadcast_in_dim(x)) => broadcast_in_dim(x)
struct TransposeBroadcast : OpRewritePattern<stablehlo::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast =
        op.getOperand().getDefiningOp<stablehlo::BroadcastInDimOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "not a transpose of a broadcast");
    Permutation inverse = invert(op.getPermutation());
    rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(
        op, op.getType(), broadcast.getOperand(),
        rewriter.getDenseI64ArrayAttr(permute(
            ArrayRef<int64_t>(inverse), broadcast.getBroadcastDimensions())));
    return success();
  }
};

/// transpose(splat) => splat
struct TransposeSplat : OpRewritePattern<stablehlo::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    SplatElementsAttr splat;
    if (!matchPattern(op.getOperand(), m_Constant(&splat)))
      return rewriter.notifyMatchFailure(op, "not a transpose of a splat");
    rewriter.replaceOpWithNewOp<stablehlo::ConstantOp>(
        op, splat.resizeSplat(cast<ShapedType>(op.getType())));
    return success();
  }
};

/// broadcast_in_dim(transpose(x)) => broadcast_in_dim(x)
struct BroadcastOfTranspose : OpRewritePattern<stablehlo::BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<stablehlo::TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not a broadcast of a transpose");
    rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(
        op, op.getType(), inner.getOperand(),
        rewriter.getDenseI64ArrayAttr(permute(op.getBroadcastDimensions(),
                                              invert(inner.getPermutation()))));
    return success();
  }
};

} // namespace

void populateMergeTransposesPatterns(RewritePatternSet &patterns) {
  patterns.add<MergeTransposes, TransposeBroadcast, TransposeSplat,
               BroadcastOfTranspose>(patterns.getContext());
}

} // namespace heddle
