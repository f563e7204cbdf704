// prec.quantize and prec.dequantize, by their definitions.

#include "Evaluator.h"

#include "dialects/Prec/Prec.h"

#include <algorithm>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// Which scale belongs to an element.
template <typename Op>
static auto scaleNumber(Op op, const HostTensor &input,
                        const HostTensor &scale) {
  int64_t inner = std::max<int64_t>(op.getInnerElements(input.shape()), 1);
  int64_t count = op.getAxis() ? scale.size() : 1;
  return [inner, count](int64_t index) { return index / inner % count; };
}

/// Stored integers with the sign that the operation gives them.
template <typename Op>
static HostTensor asStored(Op op, const HostTensor &tensor) {
  return tensor.reshaped(
      RankedTensorType::get(tensor.shape(), op.getStorage()));
}

static LogicalResult quantize(Invocation &call, prec::QuantizeOp op) {
  const HostTensor &input = call.tensor(0), &scale = call.tensor(1);
  HostTensor zeroPoint = asStored(op, call.tensor(2));
  FailureOr<HostTensor> result = call.allocate(input.shape());
  if (failed(result))
    return failure();
  auto number = scaleNumber(op, input, scale);
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t at = number(i);
    double quotient =
        roundToKind(input.kind(), input.floatAt(i) / scale.floatAt(at));
    result->set(i, op.store(quotient, zeroPoint.intAt(at)));
  }
  return call.give(std::move(*result));
}

static LogicalResult dequantize(Invocation &call, prec::DequantizeOp op) {
  const HostTensor &scale = call.tensor(1);
  HostTensor input = asStored(op, call.tensor(0)),
             zeroPoint = asStored(op, call.tensor(2));
  FailureOr<HostTensor> result = call.allocate(input.shape());
  if (failed(result))
    return failure();
  auto number = scaleNumber(op, input, scale);
  bool isInteger = getElementTypeOrSelf(op.getType()).isInteger();
  for (int64_t i = 0; i < input.size(); ++i) {
    int64_t at = number(i);
    int64_t difference = input.intAt(i) - zeroPoint.intAt(at);
    if (isInteger)
      result->set(i, difference * scale.intAt(at));
    else
      result->set(i, static_cast<double>(difference) * scale.floatAt(at));
  }
  return call.give(std::move(*result));
}

void reference::addPrecision(Registry &registry) {
  registry.add<prec::QuantizeOp, quantize>();
  registry.add<prec::DequantizeOp, dequantize>();
}
