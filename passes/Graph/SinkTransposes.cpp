// Transposes on their way to the results.

#include "passes/Graph/Transposes.h"

#include "dialects/Prec/Prec.h"
#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/StableHlo.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle {

namespace {

/// Per-dimension values of an attribute that may be absent, re-ordered for the
/// source of a transpose.
DenseI64ArrayAttr sourceOrder(OpBuilder &builder, DenseI64ArrayAttr attribute,
                              ArrayRef<int64_t> inverse) {
  if (!attribute)
    return {};
  return builder.getDenseI64ArrayAttr(permute(attribute.asArrayRef(), inverse));
}

/// Rows [low, high] of a padding attribute, re-ordered for the source of a
/// transpose.
DenseIntElementsAttr sourceOrder(DenseIntElementsAttr padding,
                                 ArrayRef<int64_t> inverse) {
  if (!padding)
    return {};
  auto values = llvm::to_vector(padding.getValues<int64_t>());
  SmallVector<int64_t> ordered;
  for (int64_t dimension : inverse)
    ordered.append({values[2 * dimension], values[2 * dimension + 1]});
  return DenseIntElementsAttr::get(padding.getType(), ordered);
}

/// The same of attributes that depend on sizes: one expression or more for each
/// dimension.
void reorderSized(Operation *op, ArrayRef<int64_t> inverse) {
  for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs())) {
    auto sized = dyn_cast<size::ExtentsAttr>(attribute.getValue());
    if (!sized)
      continue;
    ArrayRef<size::ExpressionAttr> all = sized.getExtents();
    size_t each = all.size() / inverse.size();
    SmallVector<size::ExpressionAttr> ordered;
    for (int64_t dimension : inverse)
      llvm::append_range(ordered, all.slice(dimension * each, each));
    op->setDiscardableAttr(attribute.getName(),
                           size::ExtentsAttr::get(op->getContext(), ordered));
  }
}

/// Whether a transpose of `value` costs nothing, since
/// MergeTransposes.cpp absorbs it.
bool absorbsTranspose(Value value) {
  return value.getDefiningOp<stablehlo::BroadcastInDimOp>() ||
         matchPattern(value, m_Constant<SplatElementsAttr>(nullptr));
}

/// The permutation that all `values` with more than one element order share;
/// values without an order do not count. Empty when they disagree or when none
/// of them is a transpose.
Permutation commonPermutation(ValueRange values) {
  Permutation common;
  for (Value value : values) {
    if (auto op = value.getDefiningOp<stablehlo::TransposeOp>()) {
      if (!common.empty() && ArrayRef(common) != op.getPermutation())
        return {};
      common.assign(op.getPermutation().begin(), op.getPermutation().end());
    }
  }
  for (Value value : values)
    if (!value.getDefiningOp<stablehlo::TransposeOp>() &&
        cast<RankedTensorType>(value.getType()).getRank() != 0 &&
        !absorbsTranspose(value))
      return {};
  return common;
}

/// `value` in the order of the transposes' sources.
Value beforeTranspose(OpBuilder &builder, Value value,
                      ArrayRef<int64_t> inverse) {
  if (auto op = value.getDefiningOp<stablehlo::TransposeOp>())
    return op.getOperand();
  if (cast<RankedTensorType>(value.getType()).getRank() == 0)
    return value;
  return transpose(builder, value.getLoc(), value, inverse);
}

/// Moves transposes from the operands of an op to its results.
/// `Derived::reorder` re-orders what the op says about dimensions; it may
/// refuse by returning failure before it changes anything.
template <typename Op, typename Derived>
struct SinkTranspose : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Permutation permutation = commonPermutation(Derived::ordered(op));
    if (permutation.empty())
      return rewriter.notifyMatchFailure(op, "operands share no transpose");
    Permutation inverse = invert(permutation);
    Operation *replacement = rewriter.clone(*op.getOperation());
    reorderSized(replacement, inverse);
    for (OpOperand &operand : replacement->getOpOperands())
      if (cast<RankedTensorType>(operand.get().getType()).getRank() ==
          static_cast<int64_t>(permutation.size()))
        operand.set(beforeTranspose(rewriter, operand.get(), inverse));
    // The operands' transposes were made after the clone.
    rewriter.moveOpBefore(replacement, op);
    Derived::reorder(cast<Op>(replacement), inverse, rewriter);
    SmallVector<Value> results;
    for (OpResult result : replacement->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      result.setType(permutedType(type, inverse));
      results.push_back(transpose(rewriter, op->getLoc(), result, permutation));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct SinkThroughReduceWindow
    : SinkTranspose<stablehlo::ReduceWindowOp, SinkThroughReduceWindow> {
  using SinkTranspose::SinkTranspose;
  static ValueRange ordered(stablehlo::ReduceWindowOp op) {
    return op.getInputs();
  }
  static void reorder(stablehlo::ReduceWindowOp op, ArrayRef<int64_t> inverse,
                      OpBuilder &b) {
    op.setWindowDimensionsAttr(
        sourceOrder(b, op.getWindowDimensionsAttr(), inverse));
    op.setWindowStridesAttr(sourceOrder(b, op.getWindowStridesAttr(), inverse));
    op.setBaseDilationsAttr(sourceOrder(b, op.getBaseDilationsAttr(), inverse));
    op.setWindowDilationsAttr(
        sourceOrder(b, op.getWindowDilationsAttr(), inverse));
    op.setPaddingAttr(sourceOrder(op.getPaddingAttr(), inverse));
  }
};

struct SinkThroughPad : SinkTranspose<stablehlo::PadOp, SinkThroughPad> {
  using SinkTranspose::SinkTranspose;
  static ValueRange ordered(stablehlo::PadOp op) {
    return op->getOperands().take_front(1);
  }
  static void reorder(stablehlo::PadOp op, ArrayRef<int64_t> inverse,
                      OpBuilder &b) {
    op.setEdgePaddingLowAttr(
        sourceOrder(b, op.getEdgePaddingLowAttr(), inverse));
    op.setEdgePaddingHighAttr(
        sourceOrder(b, op.getEdgePaddingHighAttr(), inverse));
    op.setInteriorPaddingAttr(
        sourceOrder(b, op.getInteriorPaddingAttr(), inverse));
  }
};

struct SinkThroughSlice : SinkTranspose<stablehlo::SliceOp, SinkThroughSlice> {
  using SinkTranspose::SinkTranspose;
  static ValueRange ordered(stablehlo::SliceOp op) { return op->getOperands(); }
  static void reorder(stablehlo::SliceOp op, ArrayRef<int64_t> inverse,
                      OpBuilder &b) {
    op.setStartIndicesAttr(sourceOrder(b, op.getStartIndicesAttr(), inverse));
    op.setLimitIndicesAttr(sourceOrder(b, op.getLimitIndicesAttr(), inverse));
    op.setStridesAttr(sourceOrder(b, op.getStridesAttr(), inverse));
  }
};

struct SinkThroughConcatenate
    : SinkTranspose<stablehlo::ConcatenateOp, SinkThroughConcatenate> {
  using SinkTranspose::SinkTranspose;
  static ValueRange ordered(stablehlo::ConcatenateOp op) {
    return op->getOperands();
  }
  static void reorder(stablehlo::ConcatenateOp op, ArrayRef<int64_t> inverse,
                      OpBuilder &b) {
    // inverse[j] is where source dimension j stands in the result.
    op.setDimension(llvm::find(inverse, op.getDimension()) - inverse.begin());
  }
};

/// Quantization: what it says of an order of dimensions is the one that its
/// scales run along.
template <typename Op> struct SinkThroughQuantization : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().template getDefiningOp<stablehlo::TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "quantizes no transpose");
    if (op.getBlock())
      return rewriter.notifyMatchFailure(op, "its scales lie as its input");
    ArrayRef<int64_t> permutation = inner.getPermutation();
    auto replacement = cast<Op>(rewriter.clone(*op.getOperation()));
    replacement.getInputMutable().assign(inner.getOperand());
    if (std::optional<uint64_t> axis = op.getAxis())
      replacement.setAxis(permutation[*axis]);
    replacement->getResult(0).setType(
        permutedType(op.getType(), invert(permutation)));
    rewriter.replaceOp(op, transpose(rewriter, op.getLoc(),
                                     replacement->getResult(0), permutation));
    return success();
  }
};

/// Element-wise ops of any kind: nothing they say depends on the order of
/// dimensions.
struct SinkThroughElementwise : RewritePattern {
  SinkThroughElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
        !isElementwise(op))
      return rewriter.notifyMatchFailure(op, "not element-wise");
    Permutation permutation = commonPermutation(op->getOperands());
    if (permutation.empty())
      return rewriter.notifyMatchFailure(op, "operands share no transpose");
    Permutation inverse = invert(permutation);
    Operation *replacement = rewriter.clone(*op);
    for (OpOperand &operand : replacement->getOpOperands())
      operand.set(beforeTranspose(rewriter, operand.get(), inverse));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    replacement->getResult(0).setType(permutedType(type, inverse));
    // The operands' transposes were made after the clone.
    rewriter.moveOpBefore(replacement, op);
    rewriter.replaceOp(op, transpose(rewriter, op->getLoc(),
                                     replacement->getResult(0), permutation));
    return success();
  }

private:
  static bool isElementwise(Operation *op) {
    return op->hasTrait<OpTrait::Elementwise>() ||
           isa<stablehlo::SelectOp, stablehlo::ClampOp, stablehlo::ConvertOp,
               stablehlo::CompareOp>(op);
  }
};

/// reduce(transpose(x)) => transpose(reduce(x)), over the dimensions that are
/// left
struct SinkThroughReduce : OpRewritePattern<stablehlo::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Permutation permutation = commonPermutation(op.getInputs());
    if (permutation.empty())
      return rewriter.notifyMatchFailure(op, "inputs share no transpose");
    Permutation inverse = invert(permutation);

    SmallVector<int64_t> reduced;
    for (int64_t dimension : op.getDimensions())
      reduced.push_back(permutation[dimension]);
    llvm::sort(reduced);
    // Kept source dimensions in the order of the old result, and their places
    // among the kept ones of the source.
    SmallVector<int64_t> kept, order;
    for (int64_t dimension : permutation)
      if (!llvm::is_contained(reduced, dimension))
        kept.push_back(dimension);
    SmallVector<int64_t> sorted(kept);
    llvm::sort(sorted);
    for (int64_t dimension : kept)
      order.push_back(llvm::find(sorted, dimension) - sorted.begin());

    auto replacement = cast<stablehlo::ReduceOp>(rewriter.clone(*op));
    unsigned inputs = op.getInputs().size();
    for (unsigned index = 0; index < inputs; ++index)
      replacement->setOperand(
          index, beforeTranspose(rewriter, op.getInputs()[index], inverse));
    rewriter.moveOpBefore(replacement, op);
    replacement.setDimensionsAttr(rewriter.getDenseI64ArrayAttr(reduced));
    SmallVector<Value> results;
    for (OpResult result : replacement->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      result.setType(permutedType(type, invert(order)));
      results.push_back(transpose(rewriter, op.getLoc(), result, order));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// reshape(transpose(x)) => transpose(reshape(x)), where the reshape merges
/// dimensions that follow each other in x too: rows and columns of an image
/// that become one sequence of positions.
struct SinkThroughMerge : OpRewritePattern<stablehlo::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(stablehlo::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<stablehlo::TransposeOp>();
    auto to = cast<RankedTensorType>(op.getType());
    if (!inner || !to.hasStaticShape() || to.getNumElements() == 0 ||
        to.getRank() >= cast<RankedTensorType>(inner.getType()).getRank())
      return rewriter.notifyMatchFailure(op, "merges no transposed dimensions");
    auto type = cast<RankedTensorType>(inner.getType());
    ArrayRef<int64_t> from = type.getShape();
    ArrayRef<int64_t> permutation = inner.getPermutation();

    // The first dimension of x in each merged one.
    SmallVector<int64_t> first;
    size_t next = 0;
    for (auto [place, extent] : llvm::enumerate(to.getShape())) {
      if (next == from.size())
        return rewriter.notifyMatchFailure(op, "adds dimensions");
      first.push_back(permutation[next]);
      int64_t begin = next;
      int64_t merged = from[next++];
      for (; next < from.size() && (merged != extent || from[next] == 1);
           ++next) {
        if (permutation[next] != permutation[next - 1] + 1)
          return rewriter.notifyMatchFailure(op, "changes the order");
        merged *= from[next];
      }
      if (merged != extent ||
          !isMerged(type, begin, static_cast<int64_t>(next), to, place))
        return rewriter.notifyMatchFailure(op, "splits dimensions");
    }
    if (next != from.size())
      return rewriter.notifyMatchFailure(op, "splits dimensions");

    SmallVector<int64_t> order = llvm::to_vector(
        llvm::seq<int64_t>(0, static_cast<int64_t>(first.size())));
    llvm::sort(order,
               [&](int64_t a, int64_t b) { return first[a] < first[b]; });
    Value merged = stablehlo::ReshapeOp::create(rewriter, op.getLoc(),
                                                size::withDimensions(to, order),
                                                inner.getOperand());
    rewriter.replaceOp(op,
                       transpose(rewriter, op.getLoc(), merged, invert(order)));
    return success();
  }

private:
  /// Whether dimensions from `begin` to `end` have as many elements together as
  /// the merged one, at each call.
  static bool isMerged(RankedTensorType type, int64_t begin, int64_t end,
                       RankedTensorType merged, int64_t dimension) {
    if (!size::hasExtents(type) && !size::hasExtents(merged))
      return true;
    auto group =
        size::SizedShape().add(type, begin, end).of(type.getElementType());
    return size::elementsOf(group) == size::extentOf(merged, dimension);
  }
};

} // namespace

void populateSinkTransposesPatterns(RewritePatternSet &patterns) {
  patterns
      .add<SinkThroughReduceWindow, SinkThroughPad, SinkThroughSlice,
           SinkThroughConcatenate, SinkThroughElementwise, SinkThroughReduce,
           SinkThroughMerge, SinkThroughQuantization<prec::QuantizeOp>,
           SinkThroughQuantization<prec::DequantizeOp>>(patterns.getContext());
}

} // namespace heddle
