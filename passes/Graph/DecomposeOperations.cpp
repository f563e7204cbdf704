// Operations that are a few others: batch normalisation in training, and the
// legacy forms of contractions and gathers.

#include "dialects/StableHlo/StableHlo.h"
#include "passes/Graph/DecomposeChlo.h"
#include "passes/Graph/Simplify.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
namespace {

/// Arithmetic of a batch norm in f32 at least: per element and per feature.
class NormBuilder {
public:
  NormBuilder(OpBuilder &builder, Location loc, RankedTensorType type,
              int64_t feature)
      : b(builder), loc(loc), feature(feature), given(type.getElementType()) {
    element = given.isF64() ? given : Type(b.getF32Type());
    whole = RankedTensorType::get(type.getShape(), element);
    row = RankedTensorType::get({type.getDimSize(feature)}, element);
    for (auto [i, extent] : llvm::enumerate(type.getShape()))
      if (static_cast<int64_t>(i) != feature) {
        others.push_back(i);
        count *= extent;
      }
  }

  Value widen(Value value) { return converted(value, element); }
  Value narrow(Value value) { return converted(value, given); }
  Value add(Value x, Value y) { return AddOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return SubtractOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return MulOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return DivOp::create(b, loc, x, y); }
  Value sqrt(Value x) { return SqrtOp::create(b, loc, x); }
  /// A value per feature at each element.
  Value spread(Value value) {
    return BroadcastInDimOp::create(b, loc, whole, value,
                                    b.getDenseI64ArrayAttr({feature}));
  }
  Value perFeature(double value) {
    return ConstantOp::create(
        b, loc, DenseElementsAttr::get(row, b.getFloatAttr(element, value)));
  }
  Value sum(Value value) {
    auto scalar = RankedTensorType::get({}, element);
    Value zero = ConstantOp::create(
        b, loc, DenseElementsAttr::get(scalar, b.getFloatAttr(element, 0)));
    auto reduce =
        ReduceOp::create(b, loc, TypeRange(row), ValueRange(value),
                         ValueRange(zero), b.getDenseI64ArrayAttr(others));
    OpBuilder::InsertionGuard guard(b);
    Block *block =
        b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
    Value both =
        AddOp::create(b, loc, block->getArgument(0), block->getArgument(1));
    ReturnOp::create(b, loc, both);
    return reduce->getResult(0);
  }
  Value mean(Value value) {
    return div(sum(value), perFeature(static_cast<double>(count)));
  }

private:
  Value converted(Value value, Type to) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getElementType() == to)
      return value;
    return ConvertOp::create(b, loc, RankedTensorType::get(type.getShape(), to),
                             value);
  }

  OpBuilder &b;
  Location loc;
  int64_t feature;
  Type given, element;
  RankedTensorType whole, row;
  SmallVector<int64_t> others;
  int64_t count = 1;
};

/// A float tensor whose extents are known.
RankedTensorType plainFloats(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool plain =
      type && type.hasStaticShape() && isa<FloatType>(type.getElementType());
  return plain ? type : RankedTensorType();
}

/// The mean and the variance of the batch, and the operand normalised by them.
struct DecomposeNormTraining : OpRewritePattern<BatchNormTrainingOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormTrainingOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = plainFloats(op.getOperand());
    if (!type)
      return rewriter.notifyMatchFailure(op, "no floats of known extents");
    NormBuilder b(rewriter, op.getLoc(), type, op.getFeatureIndex());
    Value x = b.widen(op.getOperand());
    Value mean = b.mean(x);
    Value centred = b.sub(x, b.spread(mean));
    Value variance = b.mean(b.mul(centred, centred));
    Value epsilon = b.perFeature(op.getEpsilon().convertToFloat());
    Value deviation = b.sqrt(b.add(variance, epsilon));
    Value result = b.div(centred, b.spread(deviation));
    result = b.mul(result, b.spread(b.widen(op.getScale())));
    result = b.add(result, b.spread(b.widen(op.getOffset())));
    rewriter.replaceOp(op,
                       {b.narrow(result), b.narrow(mean), b.narrow(variance)});
    return success();
  }
};

/// With c = x - mean, s = 1 / sqrt(variance + epsilon), n elements per feature:
/// d scale = sum(g c) s, d offset = sum(g),
/// d x = scale s (g - sum(g) / n - c s s sum(g c) / n).
struct DecomposeNormGradient : OpRewritePattern<BatchNormGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormGradOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = plainFloats(op.getOperand());
    if (!type || !plainFloats(op.getGradOutput()))
      return rewriter.notifyMatchFailure(op, "no floats of known extents");
    NormBuilder b(rewriter, op.getLoc(), type, op.getFeatureIndex());
    Value gradient = b.widen(op.getGradOutput());
    Value centred =
        b.sub(b.widen(op.getOperand()), b.spread(b.widen(op.getMean())));
    Value epsilon = b.perFeature(op.getEpsilon().convertToFloat());
    Value inverse = b.div(b.perFeature(1),
                          b.sqrt(b.add(b.widen(op.getVariance()), epsilon)));
    Value weighted = b.mul(gradient, centred);
    Value gradScale = b.mul(b.sum(weighted), inverse);
    Value slope = b.mul(b.mean(weighted), b.mul(inverse, inverse));
    Value rest = b.sub(gradient, b.spread(b.mean(gradient)));
    rest = b.sub(rest, b.mul(centred, b.spread(slope)));
    Value factor = b.mul(b.widen(op.getScale()), inverse);
    rewriter.replaceOp(op, {b.narrow(b.mul(rest, b.spread(factor))),
                            b.narrow(gradScale), b.narrow(b.sum(gradient))});
    return success();
  }
};

/// einsum "ab,bc->ac": a letter of both operands is a batch dimension if the
/// result has it, else it is summed.
struct EinsumToDot : OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    auto [inputs, output] = op.getEinsumConfig().split("->");
    auto [first, second] = inputs.split(',');
    auto lhs = dyn_cast<RankedTensorType>(op.getLhs().getType());
    auto rhs = dyn_cast<RankedTensorType>(op.getRhs().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!lhs || !rhs || !result || op.getEinsumConfig().contains('.') ||
        static_cast<int64_t>(first.size()) != lhs.getRank() ||
        static_cast<int64_t>(second.size()) != rhs.getRank() ||
        static_cast<int64_t>(output.size()) != result.getRank())
      return rewriter.notifyMatchFailure(op, "letters are not dimensions");
    SmallVector<int64_t> leftBatch, rightBatch, leftSum, rightSum, shape;
    std::string order, leftFree, rightFree;
    SmallVector<int64_t> leftExtents, rightExtents;
    for (auto [d, letter] : llvm::enumerate(first)) {
      size_t other = second.find(letter);
      bool kept = output.contains(letter);
      if (first.count(letter) != 1 || second.count(letter) > 1 ||
          (other == StringRef::npos && !kept))
        return rewriter.notifyMatchFailure(op, "a diagonal, or a sum alone");
      if (other == StringRef::npos) {
        leftFree += letter;
        leftExtents.push_back(lhs.getDimSize(d));
      } else if (kept) {
        leftBatch.push_back(d);
        rightBatch.push_back(other);
        order += letter;
        shape.push_back(lhs.getDimSize(d));
      } else {
        leftSum.push_back(d);
        rightSum.push_back(other);
      }
    }
    for (auto [d, letter] : llvm::enumerate(second))
      if (!first.contains(letter)) {
        if (!output.contains(letter) || second.count(letter) != 1)
          return rewriter.notifyMatchFailure(op, "a diagonal, or a sum alone");
        rightFree += letter;
        rightExtents.push_back(rhs.getDimSize(d));
      }
    order += leftFree + rightFree;
    if (order.size() != output.size())
      return rewriter.notifyMatchFailure(op, "the result repeats a letter");
    llvm::append_range(shape, leftExtents);
    llvm::append_range(shape, rightExtents);
    auto numbers = DotDimensionNumbersAttr::get(op.getContext(), leftBatch,
                                                rightBatch, leftSum, rightSum);
    OperationState state(op.getLoc(), DotGeneralOp::getOperationName());
    state.addOperands({op.getLhs(), op.getRhs()});
    state.addTypes(result.clone(shape));
    state.addAttribute("dot_dimension_numbers", numbers);
    Value dot = rewriter.create(state)->getResult(0);
    SmallVector<int64_t> permutation;
    for (char letter : output)
      permutation.push_back(order.find(letter));
    rewriter.replaceOpWithNewOp<TransposeOp>(
        op, result, dot, rewriter.getDenseI64ArrayAttr(permutation));
    return success();
  }
};

/// torch_index_select: a gather of slices of one along `dim`.
struct IndexSelectToGather : OpRewritePattern<TorchIndexSelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TorchIndexSelectOp op,
                                PatternRewriter &rewriter) const override {
    auto operand = dyn_cast<RankedTensorType>(op.getOperand().getType());
    auto index = dyn_cast<RankedTensorType>(op.getIndex().getType());
    auto result = dyn_cast<RankedTensorType>(op.getType());
    if (!operand || !index || !result || !operand.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "extents are not known");
    int64_t dim = op.getDim(), batches = op.getBatchDims();
    int64_t own = index.getRank() - batches;
    if (own < 0 || batches > dim || dim >= operand.getRank())
      return rewriter.notifyMatchFailure(op, "dimensions do not exist");
    auto batch = llvm::to_vector(llvm::seq<int64_t>(0, batches));
    SmallVector<int64_t> offsets, sizes(operand.getShape());
    for (int64_t i = batches; i < operand.getRank(); ++i)
      if (i != dim)
        offsets.push_back(i < dim ? i : i - 1 + own);
    for (int64_t i : batch)
      sizes[i] = 1;
    sizes[dim] = 1;
    // Indices come behind the dimensions before `dim`, as the result has them.
    auto numbers = GatherDimensionNumbersAttr::get(
        op.getContext(), offsets, {dim}, batch, batch, {dim}, index.getRank());
    OperationState state(op.getLoc(), GatherOp::getOperationName());
    state.addOperands({op.getOperand(), op.getIndex()});
    state.addTypes(result);
    state.addAttribute("dimension_numbers", numbers);
    state.addAttribute("slice_sizes", rewriter.getDenseI64ArrayAttr(sizes));
    rewriter.replaceOp(op, rewriter.create(state));
    return success();
  }
};

} // namespace

void populateDecomposeOperationPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeNormTraining, DecomposeNormGradient, EinsumToDot,
               IndexSelectToGather>(patterns.getContext());
  populateDecomposeChloPatterns(patterns);
}

} // namespace heddle
