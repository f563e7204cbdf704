// Sizes that become known: shapes computed from constants. Each result takes
// what its operands say, until the whole program has sizes.

#include "dialects/Chlo/ResultShapes.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/ElementwiseCalls.h"
#include "dialects/StableHlo/TypeInference.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Simplify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

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
template <typename Op> struct RefineByOperands : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "all sizes are known");
    // What is broadcast, reshaped or sliced may be open: the shape is told.
    bool isTold =
        isa<DynamicBroadcastInDimOp, DynamicReshapeOp, RealDynamicSliceOp>(*op);
    if (!isTold && !llvm::all_of(op->getOperandTypes(), isStatic))
      return rewriter.notifyMatchFailure(op, "operands' sizes are not known");
    std::optional<SmallVector<int64_t>> shape = chlo::shapeOfResult(op);
    if (!shape ||
        llvm::any_of(*shape, [](int64_t extent) { return extent < 0; }) ||
        !refine(op->getResult(0),
                RankedTensorType::get(*shape, type.getElementType()), rewriter))
      return rewriter.notifyMatchFailure(op, "operands say nothing new");
    return success();
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

/// What an operation's own inference says of its operands as they are now.
struct RefineInferred : OpInterfaceRewritePattern<InferTypeOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(InferTypeOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isa<StableHloDialect>(op->getDialect()) ||
        llvm::all_of(op->getResultTypes(), isStatic))
      return rewriter.notifyMatchFailure(op, "all sizes are known");
    SmallVector<Type> types;
    if (failed(op.inferReturnTypes(op->getContext(), std::nullopt,
                                   op->getOperands(), op->getAttrDictionary(),
                                   op->getPropertiesStorage(), op->getRegions(),
                                   types)) ||
        types.size() != op->getNumResults())
      return rewriter.notifyMatchFailure(op, "nothing can be inferred");
    bool changed = false;
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
      changed |= refine(result, type, rewriter);
    return success(changed);
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

/// Calls known to give each operand's shape again.
struct RefineCustomCall : OpRewritePattern<CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CustomCallOp op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwiseCall(op))
      return rewriter.notifyMatchFailure(op, "shapes are the target's affair");
    bool changed = false;
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getResults()))
      changed |= refine(result, operand.getType(), rewriter);
    return success(changed);
  }
};

/// A reshape that leaves one size open takes what the elements leave.
struct RefineReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto operand = cast<RankedTensorType>(op.getOperand().getType());
    auto type = cast<RankedTensorType>(op.getType());
    if (!operand.hasStaticShape() || type.getNumDynamicDims() != 1)
      return rewriter.notifyMatchFailure(op, "not one size is open");
    int64_t known = 1, open = 0;
    for (auto [i, extent] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(extent))
        open = i;
      else
        known *= extent;
    if (known == 0 || operand.getNumElements() % known)
      return rewriter.notifyMatchFailure(op, "the size cannot be told");
    SmallVector<int64_t> shape(type.getShape());
    shape[open] = operand.getNumElements() / known;
    return success(refine(op.getResult(),
                          RankedTensorType::get(shape, type.getElementType()),
                          rewriter));
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

void populateRefineShapesPatterns(RewritePatternSet &patterns) {
  patterns.add<RefineByOperands<ConvertOp>, RefineByOperands<DotGeneralOp>,
               RefineByOperands<DynamicBroadcastInDimOp>,
               RefineByOperands<DynamicIotaOp>, RefineByOperands<DynamicPadOp>,
               RefineByOperands<DynamicReshapeOp>,
               RefineByOperands<RealDynamicSliceOp>, FixSetDimensionSize,
               RefineInferred, RefineConversion<prec::QuantizeOp>,
               RefineConversion<prec::DequantizeOp>, RefineReshape, RefineLoop,
               RefineReturn, RefineCustomCall>(patterns.getContext());
}

} // namespace heddle
