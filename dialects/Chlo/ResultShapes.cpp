// Shapes that follow from operands where no interface tells them.

#include "dialects/Chlo/ResultShapes.h"

#include "dialects/Chlo/Broadcasting.h"
#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

using Shape = std::optional<SmallVector<int64_t>>;

static RankedTensorType tensorOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static Shape shapeOf(DotGeneralOp op) { return productShape(op); }

static Shape shapeOf(ConvolutionOp op) {
  RankedTensorType lhs = tensorOf(op.getLhs()), rhs = tensorOf(op.getRhs());
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  SmallVector<int64_t> shape(lhs.getRank());
  shape[numbers.getOutputBatchDimension()] =
      lhs.getDimSize(numbers.getInputBatchDimension()) /
      op.getBatchGroupCount();
  shape[numbers.getOutputFeatureDimension()] =
      rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  auto strides = op.getWindowStridesOrDefault();
  auto lhsDilation = op.getLhsDilationOrDefault();
  auto rhsDilation = op.getRhsDilationOrDefault();
  auto padding = op.getPaddingOrDefault();
  auto dilated = [](int64_t size, int64_t by) {
    return size == 0 ? 0 : (size - 1) * by + 1;
  };
  for (auto [i, dimension] :
       llvm::enumerate(numbers.getOutputSpatialDimensions())) {
    int64_t size =
        dilated(lhs.getDimSize(numbers.getInputSpatialDimensions()[i]),
                lhsDilation[i]) +
        padding[i].first + padding[i].second;
    int64_t window =
        dilated(rhs.getDimSize(numbers.getKernelSpatialDimensions()[i]),
                rhsDilation[i]);
    shape[dimension] = size < window ? 0 : (size - window) / strides[i] + 1;
  }
  return shape;
}

static Shape shapeOf(DynamicPadOp op) {
  auto low = integersOf(op.getEdgePaddingLow());
  auto high = integersOf(op.getEdgePaddingHigh());
  auto interior = integersOf(op.getInteriorPadding());
  if (!low || !high || !interior)
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(tensorOf(op.getOperand()).getShape()))
    shape.push_back(size + (*low)[i] + (*high)[i] +
                    std::max<int64_t>(size - 1, 0) * (*interior)[i]);
  return shape;
}

static Shape shapeOf(RealDynamicSliceOp op) {
  auto start = integersOf(op.getStartIndices());
  auto limit = integersOf(op.getLimitIndices());
  auto stride = integersOf(op.getStrides());
  if (!start || !limit || !stride ||
      llvm::any_of(*stride, [](int64_t by) { return by <= 0; }))
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (auto [from, to, by] : llvm::zip(*start, *limit, *stride))
    shape.push_back((to - from + by - 1) / by);
  return shape;
}

/// The wider elements are rows of the narrower ones.
static Shape shapeOf(BitcastConvertOp op) {
  RankedTensorType from = tensorOf(op.getOperand()), to = tensorOf(op);
  SmallVector<int64_t> shape = llvm::to_vector(from.getShape());
  if (to.getRank() < from.getRank())
    shape.pop_back();
  else if (to.getRank() > from.getRank())
    shape.push_back(to.getShape().back());
  return shape;
}

Shape heddle::chlo::shapeOfResult(Operation *op) {
  auto same = [](Value value) -> Shape {
    auto type = tensorOf(value);
    return type ? Shape(llvm::to_vector(type.getShape())) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, Shape>(op)
      .Case<BitcastConvertOp, DotGeneralOp, ConvolutionOp, DynamicPadOp,
            RealDynamicSliceOp>([](auto op) { return shapeOf(op); })
      .Case<ConvertOp, UniformQuantizeOp, UniformDequantizeOp>(
          [&](auto op) { return same(op.getOperand()); })
      .Case([&](DynamicBroadcastInDimOp op) {
        return integersOf(op.getOutputDimensions());
      })
      .Case<DynamicReshapeOp, DynamicIotaOp>(
          [&](auto op) { return integersOf(op.getOutputShape()); })
      .Default([&](Operation *other) -> Shape {
        if (Shape shape = chlo::broadcastShape(other))
          return shape;
        // Of CHLO's functions, element by element.
        return other->hasTrait<OpTrait::SameOperandsAndResultShape>()
                   ? same(other->getOperand(0))
                   : std::nullopt;
      });
}
