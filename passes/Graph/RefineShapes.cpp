// Sizes that become known: shapes computed from constants. Each result takes
// what its operands say, until the whole program has sizes.

#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/TypeInference.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/CustomCalls/CustomCalls.h"
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

/// The result of an operation with a computed shape that is constant.
template <typename Op> struct RefineComputedShape : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value shape = op->getOperand(op->getNumOperands() - 1);
    auto type = cast<RankedTensorType>(op.getType());
    std::optional<SmallVector<int64_t>> extents = integerValues(shape);
    if (type.hasStaticShape() || !extents ||
        llvm::any_of(*extents, [](int64_t extent) { return extent < 0; }) ||
        !refine(op.getResult(),
                RankedTensorType::get(*extents, type.getElementType()),
                rewriter))
      return rewriter.notifyMatchFailure(op, "the shape says nothing new");
    return success();
  }
};

struct RefinePad : OpRewritePattern<DynamicPadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicPadOp op,
                                PatternRewriter &rewriter) const override {
    auto low = integerValues(op.getEdgePaddingLow());
    auto high = integerValues(op.getEdgePaddingHigh());
    auto interior = integerValues(op.getInteriorPadding());
    auto operand = cast<RankedTensorType>(op.getOperand().getType());
    if (!low || !high || !interior || !operand.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "amounts are not known");
    SmallVector<int64_t> shape;
    for (auto [i, extent] : llvm::enumerate(operand.getShape()))
      shape.push_back(extent + (*low)[i] + (*high)[i] +
                      std::max<int64_t>(extent - 1, 0) * (*interior)[i]);
    if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }) ||
        !refine(op.getResult(),
                RankedTensorType::get(shape, operand.getElementType()),
                rewriter))
      return rewriter.notifyMatchFailure(op, "the shape says nothing new");
    return success();
  }
};

struct RefineSlice : OpRewritePattern<RealDynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RealDynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto starts = integerValues(op.getStartIndices());
    auto limits = integerValues(op.getLimitIndices());
    auto strides = integerValues(op.getStrides());
    if (!starts || !limits || !strides)
      return rewriter.notifyMatchFailure(op, "bounds are not known");
    SmallVector<int64_t> shape;
    for (auto [start, limit, stride] : llvm::zip(*starts, *limits, *strides)) {
      if (stride <= 0 || limit < start)
        return rewriter.notifyMatchFailure(op, "bounds are improper");
      shape.push_back((limit - start + stride - 1) / stride);
    }
    auto type = cast<RankedTensorType>(op.getType());
    if (!refine(op.getResult(),
                RankedTensorType::get(shape, type.getElementType()), rewriter))
      return rewriter.notifyMatchFailure(op, "the shape says nothing new");
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

/// A conversion has its operand's shape.
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

struct RefineDot : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    auto lhs = dyn_cast<RankedTensorType>(op.getLhs().getType());
    auto rhs = dyn_cast<RankedTensorType>(op.getRhs().getType());
    if (!lhs || !rhs || !lhs.hasStaticShape() || !rhs.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "operands' sizes are not known");
    return success(
        refine(op.getResult(),
               RankedTensorType::get(productShape(op), lhs.getElementType()),
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
  patterns.add<RefineComputedShape<DynamicReshapeOp>,
               RefineComputedShape<DynamicIotaOp>, RefinePad, RefineSlice,
               FixSetDimensionSize, RefineInferred, RefineConversion<ConvertOp>,
               RefineConversion<prec::QuantizeOp>,
               RefineConversion<prec::DequantizeOp>, RefineReshape, RefineDot,
               RefineLoop, RefineReturn, RefineCustomCall>(
      patterns.getContext());
  patterns.add<RefineComputedShape<DynamicBroadcastInDimOp>>(
      patterns.getContext());
}

} // namespace heddle
