// dot_general and convolution, on operands as the model has them: which of them
// a kernel takes is asked after the fork.

#include "dialects/Kernel/EntryFunctions.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/LoweredTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

/// What products are summed in on the way to `result`: f32 at least, and as
/// many bits as the result has, or 32; f64 where the model asks for that.
static Type accumulatorType(Type lhs, Type rhs, Type result,
                            stablehlo::DotAlgorithmAttr algorithm = {}) {
  Builder b(result.getContext());
  if (isa<FloatType>(lhs) || isa<FloatType>(rhs)) {
    bool wide = lhs.isF64() || rhs.isF64() || result.isF64() ||
                (algorithm && algorithm.getAccumulationType().isF64());
    return wide ? Type(b.getF64Type()) : Type(b.getF32Type());
  }
  unsigned width =
      std::max(lhs.getIntOrFloatBitWidth(), rhs.getIntOrFloatBitWidth());
  if (isa<IntegerType>(result))
    width = std::max(width, result.getIntOrFloatBitWidth());
  return width > 32 ? b.getI64Type() : b.getI32Type();
}

/// The type that tensors do not tell: that of integers without a sign there.
/// Null for others.
static TypeAttr hiddenType(Type element) {
  return loweredElementType(element) == element ? TypeAttr()
                                                : TypeAttr::get(element);
}

/// The element type of a root on the way to `result`. Floats are the root's to
/// round to; what else there is the sums are converted to.
static Type rootElement(Type result, Type sum) {
  return isa<FloatType>(result) && isa<FloatType>(sum) ? result : sum;
}

/// The attribute that says what a root with elements of `element` sums in.
static TypeAttr accumulatorOf(Type element, Type sum) {
  return element == sum ? TypeAttr() : TypeAttr::get(sum);
}

/// The precision that the model asks for, if it asks for one.
static ArrayAttr askedPrecision(ArrayAttr config) {
  return stablehlo::asksPrecision(config) ? config : ArrayAttr();
}

/// How far the iteration dimensions of `contract`, made of `op`, run in each
/// call, as far as the model's sizes say.
static void limitToSizes(GraphLowering &lowering, stablehlo::DotGeneralOp op,
                         kernel::ContractOp contract) {
  auto sizes = op->getAttrOfType<size::ExtentsAttr>(kSizesAttrName);
  auto main = op->getParentOfType<func::FuncOp>();
  if (!sizes || sizes.getExtents().size() != contract.getExtents().size())
    return;
  OpBuilder b(contract);
  SmallVector<std::pair<unsigned, Value>> limits;
  for (auto [dim, attribute] : llvm::enumerate(sizes.getExtents())) {
    size::Expression size(attribute);
    if (size.isConstant())
      continue;
    Value limit = kernel::createSize(
        b, op.getLoc(), main, size,
        [&](BlockArgument argument) { return lowering.lowered(argument); });
    if (!limit)
      return;
    limits.push_back({dim, limit});
  }
  contract.setLimits(limits);
}

static bool isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

/// What a root gives, narrowed or widened to what the graph asked for.
static Value convertResult(GraphLowering &lowering, Operation *op, Value sums,
                           bool isUnsignedSum) {
  Type element = elementOf(op->getResult(0)), from = elementOf(sums);
  if (from == loweredElementType(element))
    return sums;
  if (isUnsignedSum)
    from = IntegerType::get(from.getContext(), from.getIntOrFloatBitWidth(),
                            IntegerType::Unsigned);
  return lowering.converted(op->getLoc(), sums, from, element);
}

static void lowerOp(GraphLowering &lowering, stablehlo::DotGeneralOp op) {
  OpBuilder &b = lowering.builder;
  auto numbers = op.getDotDimensionNumbers();
  Value lhs = lowering.lowered(op.getLhs()),
        rhs = lowering.lowered(op.getRhs());
  Type left = elementOf(op.getLhs()), right = elementOf(op.getRhs());
  Type sum = accumulatorType(left, right, elementOf(op.getResult()),
                             op.getAlgorithmAttr());
  Type held = rootElement(elementOf(op.getResult()), sum);
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
      b, op.getLoc(), result.clone(held), lhs, rhs, /*limits=*/ValueRange(),
      extents,
      b.getAffineMapArrayAttr({map(lhsExprs), map(rhsExprs), map(outExprs)}),
      b.getArrayAttr(iterators), /*rhs_packing=*/StringAttr(), hiddenType(left),
      hiddenType(right), accumulatorOf(held, sum),
      askedPrecision(op.getPrecisionConfigAttr()), op.getAlgorithmAttr());
  limitToSizes(lowering, op, contract);
  lowering.replace(
      op, convertResult(lowering, op, contract.getResult(), isUnsigned(left)));
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
  Value input = lowering.lowered(op.getLhs()),
        weights = lowering.lowered(op.getRhs());
  Type left = elementOf(op.getLhs()), right = elementOf(op.getRhs());
  Type sum = accumulatorType(left, right, elementOf(op.getResult()));
  Type held = rootElement(elementOf(op.getResult()), sum);
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
      // What is cut off beyond the last point is taken from the padding.
      int64_t &size = shape[i + 1];
      low[i + 1] = -std::clamp<int64_t>(-padding[2 * i], 0, size);
      size += low[i + 1];
      high[i + 1] = -std::clamp<int64_t>(-padding[2 * i + 1], 0, size);
      size += high[i + 1];
      padding[2 * i] -= low[i + 1];
      padding[2 * i + 1] -= high[i + 1];
      if (int64_t &first = padding[2 * i]; first < 0)
        padding[2 * i + 1] += std::exchange(first, 0);
      else if (int64_t &last = padding[2 * i + 1]; last < 0)
        first += std::exchange(last, 0);
    }
    Value zero =
        arith::ConstantOp::create(b, op.getLoc(), b.getZeroAttr(element));
    input = kernel::PadOp::create(b, op.getLoc(), type.clone(shape), input,
                                  zero, low, high, interior);
  }
  RankedTensorType result = lowering.resultType(op);
  auto convolution = kernel::ConvolutionOp::create(
      b, op.getLoc(), result.clone(held), input, weights,
      op.getWindowStridesOrDefault(), padding, op.getLhsDilationOrDefault(),
      op.getRhsDilationOrDefault(), op.getFeatureGroupCount(),
      /*weights_packing=*/StringAttr(), hiddenType(left), hiddenType(right),
      accumulatorOf(held, sum), askedPrecision(op.getPrecisionConfigAttr()));
  lowering.replace(op, convertResult(lowering, op, convolution.getResult(),
                                     isUnsigned(left)));
}

bool heddle::lowerContraction(GraphLowering &lowering, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>([&](auto typed) {
        lowerOp(lowering, typed);
        return true;
      })
      .Default([](Operation *) { return false; });
}
