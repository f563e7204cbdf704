// Quantized types: a tensor of them is held as its stored integers.
//
// uniform_quantize and uniform_dequantize convert. Every other operation means:
// dequantize the operands, compute on expressed values, quantize the results.
// Contractions of integers are exact on the way: products and sums are taken in
// double, where all integers below 2^53 are themselves.

#include "Evaluator.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

namespace {
/// Scale and zero point of each element, and the range of stored values.
struct Quantization {
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  /// Dimension along which they vary, with the elements inside of it.
  int64_t dimension = -1;
  int64_t inner = 1;
  int64_t minimum, maximum;

  size_t at(int64_t index) const {
    return dimension < 0 ? 0 : index / inner % scales.size();
  }
};
} // namespace

static std::optional<Quantization> quantizationOf(Type element,
                                                  ArrayRef<int64_t> shape) {
  Quantization result;
  auto quantized = cast<quant::QuantizedType>(element);
  result.minimum = quantized.getStorageTypeMin();
  result.maximum = quantized.getStorageTypeMax();
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(element)) {
    result.scales = {uniform.getScale()};
    result.zeroPoints = {uniform.getZeroPoint()};
    return result;
  }
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element);
  if (!perAxis)
    return std::nullopt;
  result.scales.assign(perAxis.getScales().begin(), perAxis.getScales().end());
  result.zeroPoints.assign(perAxis.getZeroPoints().begin(),
                           perAxis.getZeroPoints().end());
  result.dimension = perAxis.getQuantizedDimension();
  if (result.dimension >= int64_t(shape.size()) ||
      shape[result.dimension] != int64_t(result.scales.size()))
    return std::nullopt;
  result.inner = rowMajorStrides(shape)[result.dimension];
  return result;
}

static Type elementOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getElementType() : Type();
}

static FailureOr<HostTensor> dequantize(Evaluator &evaluator, Operation *op,
                                        const HostTensor &stored,
                                        quant::QuantizedType element) {
  std::optional<Quantization> quantization =
      quantizationOf(element, stored.shape());
  if (!quantization)
    return heddle::emitError(op->getLoc(), ErrorCode::NotInterpretable)
           << "a value of type " << element << " is not interpreted";
  FailureOr<HostTensor> result = evaluator.allocate(
      op, stored.shape(), evaluator.evaluatedType(element.getExpressedType()));
  if (failed(result))
    return failure();
  char *out = result->mutableBytes().data();
  for (int64_t i = 0; i < stored.size(); ++i) {
    size_t q = quantization->at(i);
    double value = double(stored.intAt(i) - quantization->zeroPoints[q]) *
                   roundToKind(result->kind(), quantization->scales[q]);
    storeElements(result->kind(), &value, 1, out + i * result->elementBytes());
  }
  return result;
}

/// round_nearest_even(x / scale) + zero point, clamped; in the expressed type.
static FailureOr<HostTensor> quantize(Evaluator &evaluator, Operation *op,
                                      const HostTensor &expressed,
                                      quant::QuantizedType element) {
  std::optional<Quantization> quantization =
      quantizationOf(element, expressed.shape());
  if (!quantization)
    return heddle::emitError(op->getLoc(), ErrorCode::NotInterpretable)
           << "a value of type " << element << " is not interpreted";
  FailureOr<HostTensor> result = evaluator.allocate(
      op, expressed.shape(), evaluator.evaluatedType(element));
  if (failed(result))
    return failure();
  char *out = result->mutableBytes().data();
  ElementKind kind = expressed.kind();
  for (int64_t i = 0; i < expressed.size(); ++i) {
    size_t q = quantization->at(i);
    double scale = roundToKind(kind, quantization->scales[q]);
    double ratio = roundToKind(kind, expressed.floatAt(i) / scale);
    double stored = std::nearbyint(ratio) + quantization->zeroPoints[q];
    // NaN becomes 0, as in a conversion to integers.
    int64_t value =
        std::isnan(stored)
            ? std::clamp<int64_t>(0, quantization->minimum,
                                  quantization->maximum)
            : int64_t(std::clamp(stored, double(quantization->minimum),
                                 double(quantization->maximum)));
    storeElements(result->kind(), &value, 1, out + i * result->elementBytes());
  }
  return result;
}

/// From a float type, or from another quantized type by way of the floats.
static LogicalResult uniformQuantize(Invocation &call,
                                     stablehlo::UniformQuantizeOp op) {
  HostTensor expressed = call.tensor(0);
  if (auto from = dyn_cast<quant::QuantizedType>(
          elementOf(op.getOperand().getType()))) {
    FailureOr<HostTensor> value =
        dequantize(call.evaluator, op, expressed, from);
    if (failed(value))
      return failure();
    expressed = std::move(*value);
  }
  FailureOr<HostTensor> result =
      quantize(call.evaluator, op, expressed,
               cast<quant::QuantizedType>(elementOf(op.getType())));
  if (failed(result))
    return failure();
  return call.give(std::move(*result));
}

static LogicalResult uniformDequantize(Invocation &call,
                                       stablehlo::UniformDequantizeOp op) {
  FailureOr<HostTensor> result = dequantize(
      call.evaluator, op, call.tensor(0),
      cast<quant::QuantizedType>(elementOf(op.getOperand().getType())));
  if (failed(result))
    return failure();
  return call.give(std::move(*result));
}

LogicalResult Evaluator::executeQuantized(Operation *op,
                                          ArrayRef<InterpreterValue> operands,
                                          ValueVector &results) {
  // These take integers as they are; calls and branches pass them on.
  if (isa<stablehlo::UniformQuantizeOp, stablehlo::UniformDequantizeOp,
          stablehlo::BitcastConvertOp, stablehlo::ConstantOp, stablehlo::IfOp,
          stablehlo::CaseOp, stablehlo::WhileOp, stablehlo::CompositeOp,
          stablehlo::CustomCallOp, func::CallOp>(op))
    return execute(op, operands, results);
  ValueVector expressed(operands.begin(), operands.end());
  for (auto [value, type] : llvm::zip_equal(expressed, op->getOperandTypes())) {
    auto element = dyn_cast_or_null<quant::QuantizedType>(elementOf(type));
    if (!element || !value.tensor)
      continue;
    FailureOr<HostTensor> tensor = dequantize(*this, op, value.tensor, element);
    if (failed(tensor))
      return failure();
    value.tensor = std::move(*tensor);
  }
  expressQuantized = true;
  LogicalResult done = execute(op, expressed, results);
  expressQuantized = false;
  if (failed(done))
    return failure();
  for (auto [value, type] : llvm::zip_equal(results, op->getResultTypes())) {
    auto element = dyn_cast_or_null<quant::QuantizedType>(elementOf(type));
    if (!element || !value.tensor)
      continue;
    FailureOr<HostTensor> tensor = quantize(*this, op, value.tensor, element);
    if (failed(tensor))
      return failure();
    value.tensor = std::move(*tensor);
  }
  return success();
}

void reference::addQuantization(Registry &registry) {
  registry.add<stablehlo::UniformQuantizeOp, uniformQuantize>();
  registry.add<stablehlo::UniformDequantizeOp, uniformDequantize>();
}
