// Shapes that turn out to be known, branches whose condition is known, older
// spellings and annotations without meaning for the numbers.

#include "dialects/StableHlo/AnnotationCalls.h"
#include "dialects/StableHlo/RegisteredCalls.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Simplify.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
namespace {

//===----------------------------------------------------------------------===//
// Computed shapes that are known
//===----------------------------------------------------------------------===//

/// get_dimension_size of a known dimension => constant.
struct FixDimensionSize : OpRewritePattern<GetDimensionSizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GetDimensionSizeOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    int64_t size = type.getDimSize(op.getDimension());
    if (ShapedType::isDynamic(size))
      return rewriter.notifyMatchFailure(op, "size is not known");
    rewriter.replaceOpWithNewOp<ConstantOp>(
        op, DenseElementsAttr::get(
                cast<ShapedType>(op.getType()),
                rewriter.getI32IntegerAttr(static_cast<int32_t>(size))));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// Puts the operations of a region without arguments in place of `op`.
void inlineBranch(Operation *op, Region &region, PatternRewriter &rewriter) {
  Operation *terminator = region.front().getTerminator();
  SmallVector<Value> results(terminator->getOperands());
  rewriter.inlineBlockBefore(&region.front(), op);
  rewriter.eraseOp(terminator);
  rewriter.replaceOp(op, results);
}

struct FixIf : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op,
                                PatternRewriter &rewriter) const override {
    bool isTrue = isSplatOf(op.getPred(), 1);
    if (!isTrue && !isSplatOf(op.getPred(), 0))
      return rewriter.notifyMatchFailure(op, "condition is not known");
    inlineBranch(op, isTrue ? op.getTrueBranch() : op.getFalseBranch(),
                 rewriter);
    return success();
  }
};

struct FixCase : OpRewritePattern<CaseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CaseOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<SmallVector<int64_t>> index = integerValues(op.getIndex());
    int64_t count = op.getBranches().size();
    if (!index && count > 1)
      return rewriter.notifyMatchFailure(op, "index is not known");
    int64_t chosen = index ? (*index)[0] : 0;
    if (chosen < 0 || chosen >= count)
      chosen = count - 1;
    inlineBranch(op, op.getBranches()[chosen], rewriter);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Older spellings, tuples and annotations
//===----------------------------------------------------------------------===//

/// dot => dot_general.
struct GeneralizeDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = cast<RankedTensorType>(op.getLhs().getType()).getRank();
    auto numbers =
        DotDimensionNumbersAttr::get(getContext(), {}, {}, {rank - 1}, {0});
    rewriter.replaceOpWithNewOp<DotGeneralOp>(
        op, op.getType(), op.getLhs(), op.getRhs(), numbers,
        op.getPrecisionConfigAttr(), DotAlgorithmAttr());
    return success();
  }
};

/// broadcast => broadcast_in_dim.
struct GeneralizeBroadcast : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
    int64_t added = op.getBroadcastSizes().size();
    SmallVector<int64_t> dims =
        llvm::to_vector(llvm::seq<int64_t>(added, added + rank));
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(op, op.getType(),
                                                  op.getOperand(), dims);
    return success();
  }
};

/// get_tuple_element(tuple(a, b)) => a or b.
struct OpenTuple : OpRewritePattern<GetTupleElementOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GetTupleElementOp op,
                                PatternRewriter &rewriter) const override {
    auto tuple = op.getOperand().getDefiningOp<TupleOp>();
    if (!tuple)
      return rewriter.notifyMatchFailure(op, "tuple comes from elsewhere");
    rewriter.replaceOp(op, tuple.getVal()[op.getIndex()]);
    return success();
  }
};

/// optimization_barrier => its operands: it orders the work of another
/// compiler and has no effect on values.
struct DropBarrier : OpRewritePattern<OptimizationBarrierOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(OptimizationBarrierOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getOperandTypes() != op->getResultTypes())
      return rewriter.notifyMatchFailure(op, "types differ");
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};

/// Custom calls that say where or how a value lives, not what it is.
struct DropAnnotation : OpRewritePattern<CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CustomCallOp op,
                                PatternRewriter &rewriter) const override {
    if (isRegisteredCall(op))
      return rewriter.notifyMatchFailure(op, "a registered function");
    StringRef name = op.getCallTargetName();
    if (name == "shape_assertion" && !op.getInputs().empty() &&
        isSplatOf(op.getInputs().front(), 1) && op->getNumResults() == 0)
      return rewriter.eraseOp(op), success();
    if (!isAnnotationCall(name) ||
        op->getOperandTypes() != op->getResultTypes())
      return rewriter.notifyMatchFailure(op, "computes something");
    rewriter.replaceOp(op, op.getInputs());
    return success();
  }
};

} // namespace

void populateSimplifyFormPatterns(RewritePatternSet &patterns) {
  populateKnownSizesPatterns(patterns);
  patterns.add<FixDimensionSize, FixIf, FixCase, GeneralizeDot, OpenTuple,
               DropBarrier, DropAnnotation>(patterns.getContext());
}

void populateGeneralizeBroadcastPatterns(RewritePatternSet &patterns) {
  patterns.add<GeneralizeBroadcast>(patterns.getContext());
}

} // namespace heddle
