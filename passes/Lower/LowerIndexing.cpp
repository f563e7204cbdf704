// Reads and writes at computed positions. Reads are generics that extract
// elements of a tensor captured from outside; the positions are clamped here.

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/NarrowTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

/// `start`, an integer of the graph's type `source`, as an index held inside
/// [0, last].
static Value clampedStart(OpBuilder &b, Location loc, Value start, Type source,
                          int64_t last) {
  Type wide = b.getI64Type();
  if (isNarrowInteger(source))
    start = extendNarrowInteger(b, loc, start, source);
  if (start.getType() != wide)
    start = source.isUnsignedInteger()
                ? arith::ExtUIOp::create(b, loc, wide, start).getResult()
                : arith::ExtSIOp::create(b, loc, wide, start).getResult();
  auto bound = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  // An unsigned position too large for i64 is past the end, not before 0.
  Value low = source.isUnsignedInteger()
                  ? start
                  : arith::MaxSIOp::create(b, loc, start, bound(0)).getResult();
  Value clamped = arith::MinUIOp::create(b, loc, low, bound(last));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), clamped);
}

/// Where what is taken of a dimension, `bound` elements at most, may begin at
/// the latest. Where calls choose sizes, the graph stage has held the position.
static int64_t lastStart(RankedTensorType operand, int64_t dim,
                         size::Expression taken, int64_t bound) {
  return size::isKnown(operand, dim) && taken.isConstant()
             ? operand.getDimSize(dim) - bound
             : operand.getDimSize(dim);
}

static void lowerOp(GraphLowering &lowering, stablehlo::DynamicSliceOp op) {
  RankedTensorType type = lowering.resultType(op);
  Value operand = lowering.lowered(op.getOperand());
  auto from = cast<RankedTensorType>(operand.getType());
  SmallVector<Value> starts = lowering.lowered(op.getStartIndices());
  auto last = [&](int64_t i) {
    return lastStart(from, i, size::extentOf(type, i), type.getDimSize(i));
  };
  SmallVector<AffineMap> maps(
      starts.size(),
      AffineMap::get(type.getRank(), 0, lowering.builder.getContext()));
  auto payload = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
    SmallVector<Value> position;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      Value start = clampedStart(b, loc, x[i],
                                 elementOf(op.getStartIndices()[i]), last(i));
      Value index = linalg::IndexOp::create(b, loc, i);
      position.push_back(arith::AddIOp::create(b, loc, start, index));
    }
    return tensor::ExtractOp::create(b, loc, operand, position);
  };
  lowering.replace(op,
                   lowering.generic(op.getLoc(), type, starts, maps, payload));
}

static void lowerOp(GraphLowering &lowering,
                    stablehlo::DynamicUpdateSliceOp op) {
  SmallVector<Value> starts;
  for (Value start : op.getStartIndices())
    starts.push_back(lowering.positions(start));
  lowering.replace(op,
                   kernel::DynamicUpdateSliceOp::create(
                       lowering.builder, op.getLoc(), lowering.resultType(op),
                       lowering.lowered(op.getOperand()),
                       lowering.lowered(op.getUpdate()), starts)
                       .getResult());
}

/// Result point d reads operand point start(batch dims of d) + offset dims of
/// d.
static void lowerOp(GraphLowering &lowering, stablehlo::GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  RankedTensorType type = lowering.resultType(op);
  Value operand = lowering.lowered(op.getOperand());
  Value indices = lowering.lowered(op.getStartIndices());
  Type indexType = elementOf(op.getStartIndices());
  if (!isa<IntegerType>(indexType))
    return lowering.unsupported(op, "indices that are no integers");
  // Where a dropped dimension gives no element there is none to take: zeros.
  for (ArrayRef<int64_t> dropped :
       {numbers.getCollapsedSliceDims(), numbers.getOperandBatchingDims()})
    for (int64_t dim : dropped)
      if (op.getSliceSizes()[dim] == 0)
        return lowering.replace(op, lowering.zeros(op.getLoc(), type));
  ArrayRef<int64_t> shape = lowering.shapeOf(operand);
  auto taken = stablehlo::sizedAttribute(op, "slice_sizes", op.getSliceSizes());
  auto last = [&](int64_t dim) {
    return lastStart(cast<RankedTensorType>(operand.getType()), dim, taken[dim],
                     op.getSliceSizes()[dim]);
  };
  OpBuilder &builder = lowering.builder;
  MLIRContext *context = builder.getContext();

  SmallVector<int64_t> batchDims;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!llvm::is_contained(numbers.getOffsetDims(), i))
      batchDims.push_back(i);
  // Where the indices tensor is read for component k of the start vector.
  int64_t vectorDim = numbers.getIndexVectorDim();
  int64_t indexRank = lowering.shapeOf(indices).size();
  auto indexMap = [&](int64_t component) {
    SmallVector<AffineExpr> results;
    unsigned next = 0;
    for (int64_t i = 0; i < indexRank; ++i)
      results.push_back(i == vectorDim
                            ? builder.getAffineConstantExpr(component)
                            : builder.getAffineDimExpr(batchDims[next++]));
    return AffineMap::get(type.getRank(), 0, results, context);
  };
  SmallVector<AffineMap> maps;
  for (size_t k = 0; k < numbers.getStartIndexMap().size(); ++k)
    maps.push_back(indexMap(k));
  SmallVector<Value> inputs(maps.size(), indices);

  auto payload = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
    SmallVector<Value> position(shape.size());
    auto add = [&](int64_t dim, Value index) {
      Value &sum = position[dim];
      sum = sum ? arith::AddIOp::create(b, loc, sum, index).getResult() : index;
    };
    for (auto [k, dim] : llvm::enumerate(numbers.getStartIndexMap()))
      add(dim, clampedStart(b, loc, x[k], indexType, last(dim)));
    for (auto [dim, from] :
         llvm::zip_equal(numbers.getOperandBatchingDims(),
                         numbers.getStartIndicesBatchingDims())) {
      int64_t batch = from - (vectorDim < from ? 1 : 0);
      add(dim, linalg::IndexOp::create(b, loc, batchDims[batch]));
    }
    unsigned offset = 0;
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
      if (llvm::is_contained(numbers.getCollapsedSliceDims(), dim) ||
          llvm::is_contained(numbers.getOperandBatchingDims(), dim))
        continue;
      add(dim,
          linalg::IndexOp::create(b, loc, numbers.getOffsetDims()[offset++]));
    }
    for (Value &index : position)
      if (!index)
        index = arith::ConstantIndexOp::create(b, loc, 0);
    return tensor::ExtractOp::create(b, loc, operand, position);
  };
  lowering.replace(op,
                   lowering.generic(op.getLoc(), type, inputs, maps, payload));
}

bool heddle::lowerIndexing(GraphLowering &lowering, Operation *op) {
  using namespace stablehlo;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<DynamicSliceOp, DynamicUpdateSliceOp, GatherOp>([&](auto typed) {
        lowerOp(lowering, typed);
        return true;
      })
      .Default([](Operation *) { return false; });
}
