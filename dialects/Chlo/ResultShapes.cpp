// Shapes of results that follow from operands: by the interface that infers
// types, and by rules of this file where operations have none.

#include "dialects/Chlo/ResultShapes.h"

#include "dialects/Chlo/Broadcasting.h"
#include "dialects/StableHlo/ElementwiseCalls.h"
#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
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

/// One open size is what the elements leave.
static Shape shapeOf(ReshapeOp op) {
  RankedTensorType from = tensorOf(op.getOperand()), to = tensorOf(op);
  if (to.getNumDynamicDims() != 1)
    return std::nullopt;
  int64_t known = 1, open = 0;
  for (auto [i, extent] : llvm::enumerate(to.getShape()))
    if (ShapedType::isDynamic(extent))
      open = i;
    else
      known *= extent;
  if (known == 0 || from.getNumElements() % known)
    return std::nullopt;
  SmallVector<int64_t> shape = llvm::to_vector(to.getShape());
  shape[open] = from.getNumElements() / known;
  return shape;
}

/// Of an operation with one result and without an interface that infers types.
static Shape shapeOfResult(Operation *op) {
  // Operands say the shapes of these, whatever is broadcast, reshaped or
  // sliced.
  bool isTold =
      isa<DynamicBroadcastInDimOp, DynamicReshapeOp, RealDynamicSliceOp>(op);
  if (!isTold && !llvm::all_of(op->getOperands(), [](Value operand) {
        auto type = tensorOf(operand);
        return type && type.hasStaticShape();
      }))
    return std::nullopt;
  auto same = [](Value value) -> Shape {
    auto type = tensorOf(value);
    return type ? Shape(llvm::to_vector(type.getShape())) : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, Shape>(op)
      .Case<BitcastConvertOp, DotGeneralOp, ConvolutionOp, DynamicPadOp,
            RealDynamicSliceOp, ReshapeOp>([](auto op) { return shapeOf(op); })
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

SmallVector<Type>
heddle::chlo::typesOfResults(Operation *op,
                             std::optional<Location> complainAt) {
  SmallVector<Type> types;
  if (auto infer = dyn_cast<InferTypeOpInterface>(op)) {
    if (failed(infer.inferReturnTypes(
            op->getContext(), complainAt, op->getOperands(),
            op->getAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), types)) ||
        types.size() != op->getNumResults())
      types.clear();
    return types;
  }
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return llvm::to_vector(TypeRange(scatter.getInputs()));
  if (auto call = dyn_cast<CustomCallOp>(op))
    return isElementwiseCall(call) ? llvm::to_vector(op->getOperandTypes())
                                   : types;
  if (op->getNumResults() != 1)
    return types;
  auto type = tensorOf(op->getResult(0));
  Shape shape = type ? shapeOfResult(op) : std::nullopt;
  if (!shape || static_cast<int64_t>(shape->size()) != type.getRank())
    return types;
  for (int64_t size : *shape)
    if (size < 0 && !ShapedType::isDynamic(size)) {
      if (complainAt)
        heddle::emitError(*complainAt, ErrorCode::StableHloDynamicShape)
            << "has a negative size";
      return types;
    }
  types.push_back(RankedTensorType::get(*shape, type.getElementType()));
  return types;
}
