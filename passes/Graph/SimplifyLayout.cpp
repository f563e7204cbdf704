// Transposes, reshapes and broadcasts: identities and chains.

#include "dialects/Size/SizedTypes.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Simplify.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
namespace {

bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::all_of(llvm::enumerate(permutation), [](auto entry) {
    return static_cast<int64_t>(entry.index()) == entry.value();
  });
}

/// A constant with one element everywhere, of the type that moving its elements
/// leads to.
LogicalResult foldSplat(Operation *op, PatternRewriter &rewriter) {
  auto dense =
      dyn_cast_or_null<DenseElementsAttr>(constantValue(op->getOperand(0)));
  auto type = dyn_cast<RankedTensorType>(op->getResultTypes().front());
  if (!dense || !dense.isSplat() || !type.hasStaticShape() ||
      type.getEncoding() || dense.getElementType() != type.getElementType())
    return failure();
  rewriter.replaceOpWithNewOp<ConstantOp>(op, dense.resizeSplat(type));
  return success();
}

/// transpose by the identity => nothing; transpose(transpose(x)) =>
/// transpose(x); transpose that moves only dimensions of size 1 => reshape.
struct SimplifyTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Value operand = op.getOperand();
    ArrayRef<int64_t> permutation = op.getPermutation();
    if (isIdentity(permutation) && operand.getType() == op.getType())
      return rewriter.replaceOp(op, operand), success();
    if (succeeded(foldSplat(op, rewriter)))
      return success();
    if (auto inner = operand.getDefiningOp<TransposeOp>()) {
      SmallVector<int64_t> combined;
      for (int64_t dim : permutation)
        combined.push_back(inner.getPermutation()[dim]);
      Value result = TransposeOp::create(
          rewriter, rewriter.getFusedLoc({inner.getLoc(), op.getLoc()}),
          op.getType(), inner.getOperand(), combined);
      return rewriter.replaceOp(op, result), success();
    }
    auto type = cast<RankedTensorType>(operand.getType());
    if (!type.hasStaticShape() ||
        isa<quant::UniformQuantizedPerAxisType>(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "moves elements");
    SmallVector<int64_t> moved;
    for (int64_t dim : permutation)
      if (type.getDimSize(dim) != 1)
        moved.push_back(dim);
    if (!llvm::is_sorted(moved))
      return rewriter.notifyMatchFailure(op, "moves elements");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), operand);
    return success();
  }
};

/// reshape to the same type => nothing; reshape(reshape(x)) => reshape(x).
struct SimplifyReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Value operand = op.getOperand();
    if (operand.getType() == op.getType())
      return rewriter.replaceOp(op, operand), success();
    if (succeeded(foldSplat(op, rewriter)))
      return success();
    auto inner = operand.getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no chain of reshapes");
    Value result = ReshapeOp::create(
        rewriter, rewriter.getFusedLoc({inner.getLoc(), op.getLoc()}),
        op.getType(), inner.getOperand());
    return rewriter.replaceOp(op, result), success();
  }
};

/// For `reshape` from `from` to `to` that only adds or removes dimensions of
/// size 1: for each dimension of `from` that is not 1, its place in `to`.
std::optional<SmallVector<std::pair<int64_t, int64_t>>>
matchUnitReshape(RankedTensorType from, RankedTensorType to) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  int64_t j = 0;
  for (int64_t i = 0; i < from.getRank(); ++i) {
    if (size::isOne(from, i))
      continue;
    while (j < to.getRank() && size::isOne(to, j))
      ++j;
    if (j == to.getRank() || !size::isSameSize(from, i, to, j))
      return std::nullopt;
    pairs.push_back({i, j++});
  }
  while (j < to.getRank())
    if (!size::isOne(to, j++))
      return std::nullopt;
  return pairs;
}

/// broadcast_in_dim that repeats nothing => reshape (or nothing);
/// broadcast(broadcast(x)) => broadcast(x); broadcast(reshape(x)) where the
/// reshape only adds or removes dimensions of size 1 => broadcast(x).
struct SimplifyBroadcast : OpRewritePattern<BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    Value operand = op.getOperand();
    auto from = cast<RankedTensorType>(operand.getType());
    auto to = cast<RankedTensorType>(op.getType());
    ArrayRef<int64_t> dims = op.getBroadcastDimensions();
    if (from == to && isIdentity(dims))
      return rewriter.replaceOp(op, operand), success();
    if (!from.hasStaticShape() || !to.hasStaticShape() ||
        from.getElementType() != to.getElementType() ||
        (to.getEncoding() && !size::hasExtents(to)))
      return rewriter.notifyMatchFailure(op, "shapes are not known");
    if (repeatsNothing(op)) {
      SmallVector<int64_t> sized;
      for (auto [i, dim] : llvm::enumerate(dims))
        if (!size::isOne(from, i))
          sized.push_back(dim);
      if (llvm::is_sorted(sized))
        return rewriter.replaceOpWithNewOp<ReshapeOp>(op, to, operand),
               success();
    }
    if (auto inner = operand.getDefiningOp<BroadcastInDimOp>()) {
      SmallVector<int64_t> combined;
      for (int64_t dim : inner.getBroadcastDimensions())
        combined.push_back(dims[dim]);
      Value result = BroadcastInDimOp::create(
          rewriter, rewriter.getFusedLoc({inner.getLoc(), op.getLoc()}), to,
          inner.getOperand(), combined);
      return rewriter.replaceOp(op, result), success();
    }
    return mergeReshape(op, rewriter);
  }

private:
  static bool repeatsNothing(BroadcastInDimOp op) {
    auto from = cast<RankedTensorType>(op.getOperand().getType());
    auto to = cast<RankedTensorType>(op.getType());
    return from.getNumElements() == to.getNumElements() &&
           size::haveAsManyElements(from, to);
  }

  LogicalResult mergeReshape(BroadcastInDimOp op,
                             PatternRewriter &rewriter) const {
    auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "no chain");
    auto source = cast<RankedTensorType>(reshape.getOperand().getType());
    auto middle = cast<RankedTensorType>(reshape.getType());
    auto to = cast<RankedTensorType>(op.getType());
    auto pairs = source.hasStaticShape() ? matchUnitReshape(source, middle)
                                         : std::nullopt;
    if (!pairs || source.getRank() > to.getRank())
      return rewriter.notifyMatchFailure(op, "the reshape splits or joins");
    // Dimensions of size 1 of the source take any free dimension in between.
    SmallVector<int64_t> dims(source.getRank(), -1);
    for (auto [i, j] : *pairs)
      dims[i] = op.getBroadcastDimensions()[j];
    llvm::SmallDenseSet<int64_t> used(dims.begin(), dims.end());
    int64_t next = 0;
    for (int64_t &dim : dims) {
      if (dim != -1)
        continue;
      while (used.contains(next))
        ++next;
      dim = next++;
    }
    if (!llvm::is_sorted(dims) && llvm::is_sorted(op.getBroadcastDimensions()))
      return rewriter.notifyMatchFailure(op, "would become a transpose");
    Value result = BroadcastInDimOp::create(
        rewriter, rewriter.getFusedLoc({reshape.getLoc(), op.getLoc()}), to,
        reshape.getOperand(), dims);
    return rewriter.replaceOp(op, result), success();
  }
};

/// reduce that only drops dimensions of size 1, by an operation whose neutral
/// element it starts from => reshape.
struct SimplifyUnitReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1)
      return rewriter.notifyMatchFailure(op, "several inputs");
    auto type = cast<RankedTensorType>(op.getInputs().front().getType());
    auto result = cast<RankedTensorType>(op->getResultTypes().front());
    for (int64_t dim : op.getDimensions())
      if (!size::isOne(type, dim))
        return rewriter.notifyMatchFailure(op, "combines elements");
    Block &block = op.getBody().front();
    Operation *inner = &block.front();
    Value init = op.getInitValues().front();
    bool neutral = (isa<AddOp>(inner) && isSplatOf(init, 0)) ||
                   (isa<MulOp>(inner) && isSplatOf(init, 1)) ||
                   (isa<MaxOp>(inner) && isSplatOf(init, -INFINITY)) ||
                   (isa<MinOp>(inner) && isSplatOf(init, INFINITY));
    bool both = neutral && inner->getNumOperands() == 2 &&
                inner->getOperand(0) != inner->getOperand(1) &&
                isa<BlockArgument>(inner->getOperand(0)) &&
                isa<BlockArgument>(inner->getOperand(1)) &&
                block.getTerminator()->getOperand(0) == inner->getResult(0);
    if (!both || type.getElementType() != result.getElementType() ||
        !type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "starts from another value");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, result, op.getInputs().front());
    return success();
  }
};

} // namespace

void populateSimplifyLayoutPatterns(RewritePatternSet &patterns) {
  patterns.add<SimplifyTranspose, SimplifyReshape, SimplifyBroadcast,
               SimplifyUnitReduce>(patterns.getContext());
}

} // namespace heddle
