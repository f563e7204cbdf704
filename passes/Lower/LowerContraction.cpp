// dot_general and convolution.

#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/NarrowFloats.h"
#include "passes/Lower/Scalar/NarrowIntegers.h"
#include "passes/Lower/Scalar/ScalarConversions.h"
#include "passes/Lower/Scalar/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

/// What products are summed in on the way to `result`: f32 at least, and as
/// many bits as the result has, or 32.
static Type accumulatorType(Type lhs, Type rhs, Type result) {
  Builder b(result.getContext());
  if (isa<FloatType>(lhs) || isa<FloatType>(rhs))
    return lhs.isF64() || rhs.isF64() || result.isF64() ? Type(b.getF64Type())
                                                        : Type(b.getF32Type());
  unsigned width =
      std::max(lhs.getIntOrFloatBitWidth(), rhs.getIntOrFloatBitWidth());
  if (isa<IntegerType>(result))
    width = std::max(width, result.getIntOrFloatBitWidth());
  return width > 32 ? b.getI64Type() : b.getI32Type();
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

namespace {
/// The operands of a contraction as its kernel takes them: of one type, which
/// the kernel's accumulator follows from.
struct Operands {
  Value lhs, rhs;
  Type accumulator;
  bool lhsUnsigned = false, rhsUnsigned = false;
};
} // namespace

/// `canWiden`: the kernel knows of signs.
static Operands operandsOf(GraphLowering &lowering, Operation *op,
                           bool canWiden) {
  Operands operands;
  operands.lhs = lowering.lowered(op->getOperand(0));
  operands.rhs = lowering.lowered(op->getOperand(1));
  Type lhs = elementOf(op->getOperand(0)), rhs = elementOf(op->getOperand(1));
  Type result = elementOf(op->getResult(0));
  operands.accumulator = accumulatorType(lhs, rhs, result);
  auto isUnsigned = [](Type type) {
    return type.isUnsignedInteger() || type.isInteger(1);
  };
  operands.lhsUnsigned = isUnsigned(lhs);
  operands.rhsUnsigned = isUnsigned(rhs);
  // A kernel accumulates integers of up to 32 bits in 32.
  bool isInteger = isa<IntegerType>(lhs) && isa<IntegerType>(rhs);
  bool widen =
      isInteger && (operands.accumulator.isInteger(64) ||
                    (!canWiden && (isUnsigned(lhs) || isUnsigned(rhs))));
  auto convert = [&](Value &value, Type from) {
    if (kernelElementType(from) == operands.accumulator)
      return;
    value = lowering.converted(op->getLoc(), value, from, operands.accumulator);
  };
  // A kernel accumulates f32 in f32.
  widen |= operands.accumulator.isF64() && !lhs.isF64();
  widen |= isNarrowInteger(lhs);
  if (lhs != rhs || widen || isNarrowFloat(lhs)) {
    convert(operands.lhs, lhs);
    convert(operands.rhs, rhs);
  }
  return operands;
}

/// Whether the value only rearranges a constant.
static bool isWeight(Value value) {
  Operation *source = value.getDefiningOp();
  while (source && source->getNumOperands() == 1)
    source = source->getOperand(0).getDefiningOp();
  return source && isa<stablehlo::ConstantOp>(source);
}

/// A kernel spreads each element of the left operand over its lanes, once for
/// each panel of columns: floats of two bytes are worth widening once for all
/// where that happens several times, but not weights, which would double.
/// `reads` is how often an element is used.
static void widenIfReadOften(GraphLowering &lowering, Operation *op,
                             Operands &operands, int64_t reads) {
  constexpr int64_t kPanel = 32, kOften = 4;
  Type element = elementOf(operands.lhs);
  if ((element.isF16() || element.isBF16()) && operands.accumulator.isF32() &&
      reads >= kOften * kPanel && !isWeight(op->getOperand(0)))
    operands.lhs = lowering.converted(op->getLoc(), operands.lhs, element,
                                      operands.accumulator);
}

/// The accumulator narrowed or widened to what the graph asked for.
static Value convertResult(GraphLowering &lowering, Operation *op, Value sums,
                           bool isUnsigned) {
  Type element = elementOf(op->getResult(0)), from = elementOf(sums);
  if (from == kernelElementType(element) && !isNarrowFloat(element))
    return sums;
  if (isUnsigned)
    from = IntegerType::get(from.getContext(), from.getIntOrFloatBitWidth(),
                            IntegerType::Unsigned);
  return lowering.converted(op->getLoc(), sums, from, element);
}

static void lowerOp(GraphLowering &lowering, stablehlo::DotGeneralOp op) {
  OpBuilder &b = lowering.builder;
  Operands operands = operandsOf(lowering, op, /*canWiden=*/true);
  auto numbers = op.getDotDimensionNumbers();
  auto given = cast<RankedTensorType>(op.getRhs().getType());
  int64_t columns = 1;
  for (int64_t dim = 0; dim < given.getRank(); ++dim)
    if (!llvm::is_contained(numbers.getRhsBatchingDimensions(), dim) &&
        !llvm::is_contained(numbers.getRhsContractingDimensions(), dim))
      columns *= given.getDimSize(dim);
  widenIfReadOften(lowering, op, operands, columns);
  Value lhs = operands.lhs, rhs = operands.rhs;
  auto lhsType = cast<RankedTensorType>(lhs.getType());
  auto rhsType = cast<RankedTensorType>(rhs.getType());
  RankedTensorType result = lowering.resultType(op);

  // Iteration dimensions: batch, m, n, k; the result's are the first three.
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatch = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsSum = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsSum = numbers.getRhsContractingDimensions();
  SmallVector<int64_t> extents = llvm::to_vector(result.getShape());
  SmallVector<AffineExpr> lhsExprs(lhsType.getRank()),
      rhsExprs(rhsType.getRank());
  unsigned next = 0;
  for (auto [l, r] : llvm::zip_equal(lhsBatch, rhsBatch))
    lhsExprs[l] = rhsExprs[r] = b.getAffineDimExpr(next++);
  for (AffineExpr *dims : {lhsExprs.data(), rhsExprs.data()}) {
    bool isLhs = dims == lhsExprs.data();
    for (int64_t i = 0, e = isLhs ? lhsType.getRank() : rhsType.getRank();
         i < e; ++i)
      if (!dims[i] && !llvm::is_contained(isLhs ? lhsSum : rhsSum, i))
        dims[i] = b.getAffineDimExpr(next++);
  }
  for (auto [l, r] : llvm::zip_equal(lhsSum, rhsSum)) {
    extents.push_back(lhsType.getDimSize(l));
    lhsExprs[l] = rhsExprs[r] = b.getAffineDimExpr(next++);
  }
  SmallVector<Attribute> iterators(result.getRank(),
                                   b.getStringAttr("parallel"));
  iterators.resize(extents.size(), b.getStringAttr("reduction"));
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(extents.size(), 0, exprs, b.getContext());
  };
  SmallVector<AffineExpr> outExprs;
  for (int64_t i = 0; i < result.getRank(); ++i)
    outExprs.push_back(b.getAffineDimExpr(i));
  auto contract = kernel::ContractOp::create(
      b, op.getLoc(), result.clone(operands.accumulator), lhs, rhs, extents,
      b.getAffineMapArrayAttr({map(lhsExprs), map(rhsExprs), map(outExprs)}),
      b.getArrayAttr(iterators), /*rhs_packing=*/StringAttr(),
      operands.lhsUnsigned, operands.rhsUnsigned);
  lowering.replace(op, convertResult(lowering, op, contract.getResult(),
                                     operands.lhsUnsigned));
}

static void lowerOp(GraphLowering &lowering, stablehlo::ConvolutionOp op) {
  OpBuilder &b = lowering.builder;
  auto numbers = op.getDimensionNumbers();
  int64_t spatial = op.getNumSpatialDimensions();
  auto counts = [&](ArrayRef<int64_t> dims, int64_t from) {
    for (auto [i, dim] : llvm::enumerate(dims))
      if (dim != from + static_cast<int64_t>(i))
        return false;
    return true;
  };
  bool channelsLast = numbers.getInputBatchDimension() == 0 &&
                      counts(numbers.getInputSpatialDimensions(), 1) &&
                      numbers.getInputFeatureDimension() == spatial + 1 &&
                      numbers.getOutputBatchDimension() == 0 &&
                      counts(numbers.getOutputSpatialDimensions(), 1) &&
                      numbers.getOutputFeatureDimension() == spatial + 1 &&
                      counts(numbers.getKernelSpatialDimensions(), 0) &&
                      numbers.getKernelInputFeatureDimension() == spatial &&
                      numbers.getKernelOutputFeatureDimension() == spatial + 1;
  if (!channelsLast)
    return lowering.unsupported(
        op, "channels are not last; `heddle-graph` puts them there");
  if (op.getBatchGroupCount() != 1)
    return lowering.unsupported(op, "batch_group_count is not 1");
  if (llvm::is_contained(op.getWindowReversalOrDefault(), true))
    return lowering.unsupported(op, "a reversed window");
  if (spatial < 1 || spatial > 3)
    return lowering.unsupported(op, "more than three spatial dimensions");
  Operands operands = operandsOf(lowering, op, /*canWiden=*/false);
  // Weights [kernel..., Ci / groups, Co]: an input element meets every tap and
  // every output channel of its group. Depthwise kernels load whole vectors.
  auto kernel = cast<RankedTensorType>(op.getRhs().getType()).getShape();
  int64_t depth = kernel[spatial];
  if (depth > 1)
    widenIfReadOften(lowering, op, operands,
                     ShapedType::getNumElements(kernel) /
                         (depth * int64_t(op.getFeatureGroupCount())));
  Value input = operands.lhs, weights = operands.rhs;
  Type element = elementOf(input);

  SmallVector<int64_t> padding;
  bool cuts = false;
  for (auto [low, high] : op.getPaddingOrDefault()) {
    padding.append({low, high});
    cuts |= low < 0 || high < 0;
  }
  if (cuts) {
    // Negative padding cuts off points, also of a dilated input.
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> low(spatial + 2, 0),
        high = low, interior = low, shape = llvm::to_vector(type.getShape());
    SmallVector<int64_t> dilation = op.getLhsDilationOrDefault();
    for (int64_t i = 0; i < spatial; ++i) {
      if (dilation[i] != 1 && (padding[2 * i] < 0 || padding[2 * i + 1] < 0))
        return lowering.unsupported(op, "negative padding of a dilated input");
      low[i + 1] = std::min<int64_t>(padding[2 * i], 0);
      high[i + 1] = std::min<int64_t>(padding[2 * i + 1], 0);
      padding[2 * i] -= low[i + 1];
      padding[2 * i + 1] -= high[i + 1];
      shape[i + 1] += low[i + 1] + high[i + 1];
    }
    Value zero =
        arith::ConstantOp::create(b, op.getLoc(), b.getZeroAttr(element));
    input = kernel::PadOp::create(b, op.getLoc(), type.clone(shape), input,
                                  zero, low, high, interior);
  }
  RankedTensorType result = lowering.resultType(op);
  auto convolution = kernel::ConvolutionOp::create(
      b, op.getLoc(), result.clone(operands.accumulator), input, weights,
      op.getWindowStridesOrDefault(), padding, op.getLhsDilationOrDefault(),
      op.getRhsDilationOrDefault(), op.getFeatureGroupCount(),
      /*weights_packing=*/StringAttr());
  lowering.replace(op, convertResult(lowering, op, convolution.getResult(),
                                     operands.lhsUnsigned));
}

bool heddle::lowerContraction(GraphLowering &lowering, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>([&](auto typed) {
        lowerOp(lowering, typed);
        return true;
      })
      .Default([](Operation *) { return false; });
}
