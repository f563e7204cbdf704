// Sizes that become known while a program is simplified, as shapes turn out to
// be constants: each result takes the type that its operands say. The frontend
// gives a program of open sizes those of its arguments by one walk.

#include "dialects/Chlo/ResultShapes.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Simplify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
namespace {

bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Gives `value` the static type `type`, and its users another look. False if
/// that says nothing new.
bool refine(Value value, Type type, PatternRewriter &rewriter) {
  auto known = dyn_cast<RankedTensorType>(value.getType());
  if (!known || known.hasStaticShape() || !isStatic(type) ||
      failed(verifyCompatibleShape(known, type)))
    return false;
  auto refined = RankedTensorType::get(cast<RankedTensorType>(type).getShape(),
                                       known.getElementType());
  auto change = [&] { value.setType(refined); };
  if (Operation *op = value.getDefiningOp())
    rewriter.modifyOpInPlace(op, change);
  else
    rewriter.modifyOpInPlace(value.getParentBlock()->getParentOp(), change);
  for (Operation *user : value.getUsers())
    rewriter.modifyOpInPlace(user, [] {});
  return true;
}

/// What the operands' types and constants say.
struct RefineByOperands : RewritePattern {
  explicit RefineByOperands(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (llvm::all_of(op->getResultTypes(), isStatic))
      return rewriter.notifyMatchFailure(op, "all sizes are known");
    bool changed = false;
    for (auto [result, type] :
         llvm::zip(op->getResults(), chlo::typesOfResults(op)))
      changed |= refine(result, type, rewriter);
    return success(changed);
  }
};

/// set_dimension_size by a constant => the slice that is left.
struct FixSetDimensionSize : OpRewritePattern<SetDimensionSizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SetDimensionSizeOp op,
                                PatternRewriter &rewriter) const override {
    auto operand = cast<RankedTensorType>(op.getOperand().getType());
    auto size = integerValues(op.getSize());
    int64_t dimension = op.getDimension();
    if (!size || size->size() != 1 || !operand.hasStaticShape() ||
        size->front() < 0 || size->front() > operand.getDimSize(dimension))
      return rewriter.notifyMatchFailure(op, "the size is not known");
    SmallVector<int64_t> starts(operand.getRank(), 0);
    SmallVector<int64_t> limits(operand.getShape());
    SmallVector<int64_t> strides(operand.getRank(), 1);
    limits[dimension] = size->front();
    SmallVector<Operation *> users(op->getUsers());
    rewriter.replaceOpWithNewOp<SliceOp>(
        op, RankedTensorType::get(limits, operand.getElementType()),
        op.getOperand(), starts, limits, strides);
    for (Operation *user : users)
      rewriter.modifyOpInPlace(user, [] {});
    return success();
  }
};

/// Quantizing keeps the shape.
template <typename Op> struct RefineConversion : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto operand = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    return success(operand && refine(op.getResult(), operand, rewriter));
  }
};

/// What a loop carries keeps its size; its arguments and results have it, too.
struct RefineLoop : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhileOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
      changed |=
          refine(op.getCond().getArgument(i), operand.getType(), rewriter);
      changed |=
          refine(op.getBody().getArgument(i), operand.getType(), rewriter);
      changed |= refine(op->getResult(i), operand.getType(), rewriter);
    }
    return success(changed);
  }
};

/// An entry returns what it returns; functions that others call keep their
/// types.
struct RefineReturn : OpRewritePattern<func::ReturnOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(func::ReturnOp op,
                                PatternRewriter &rewriter) const override {
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function || !function.isPublic() ||
        llvm::equal(function.getResultTypes(), op.getOperandTypes()))
      return rewriter.notifyMatchFailure(op, "the types are equal");
    rewriter.modifyOpInPlace(function, [&] {
      function.setType(FunctionType::get(
          op.getContext(), function.getArgumentTypes(), op.getOperandTypes()));
    });
    return success();
  }
};

} // namespace

void populateRefineResultsPatterns(RewritePatternSet &patterns) {
  patterns.add<RefineByOperands, FixSetDimensionSize,
               RefineConversion<prec::QuantizeOp>,
               RefineConversion<prec::DequantizeOp>, RefineLoop, RefineReturn>(
      patterns.getContext());
}

} // namespace heddle
