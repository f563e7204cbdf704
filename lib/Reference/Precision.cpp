// The prec dialect, by the definitions of its operations.

#include "Evaluator.h"

#include "dialects/Kernel/Packing.h"
#include "dialects/Prec/Prec.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// The scales and zero points of all elements.
template <typename Op>
static prec::Parameters parametersOf(Op op, const HostTensor &input) {
  return op.getParameters(Extents(input.shape().size(), 0), input.shape());
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
  prec::Parameters parameters = parametersOf(op, input);
  for (int64_t i = 0; i < input.size(); ++i, parameters.next()) {
    int64_t at = parameters.number();
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
  prec::Parameters parameters = parametersOf(op, input);
  bool isInteger = getElementTypeOrSelf(op.getType()).isInteger();
  for (int64_t i = 0; i < input.size(); ++i, parameters.next()) {
    int64_t at = parameters.number();
    int64_t difference = input.intAt(i) - zeroPoint.intAt(at);
    if (isInteger)
      result->set(i, difference * scale.intAt(at));
    else
      result->set(i, static_cast<double>(difference) * scale.floatAt(at));
  }
  return call.give(std::move(*result));
}

static LogicalResult unpack(Invocation &call, prec::UnpackOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  FailureOr<HostTensor> result = call.allocate(type.getShape());
  if (failed(result))
    return failure();
  kernel::unpackElements(op.getPacking(), type, call.tensor(0).bytes().data(),
                         result->mutableBytes().data());
  return call.give(std::move(*result));
}

void reference::addPrecision(Registry &registry) {
  registry.add<prec::QuantizeOp, quantize>();
  registry.add<prec::DequantizeOp, dequantize>();
  registry.add<prec::UnpackOp, unpack>();
}
