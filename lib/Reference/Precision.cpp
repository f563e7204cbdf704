// The prec dialect, by the definitions of its operations.

#include "Evaluator.h"

#include "dialects/Kernel/Packing.h"
#include "dialects/Prec/Prec.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// Calls `take` with the number of each element of `input` and that of its
/// scale and zero point.
template <typename Op, typename Take>
static void forEachElement(Op op, const HostTensor &input, Take take) {
  prec::Parameters parameters =
      op.getParameters(Extents(input.shape().size(), 0), input.shape());
  for (int64_t i = 0; i < input.size();) {
    prec::Parameters::Run run = parameters.next();
    for (int64_t element = 0; element < run.elements; ++element)
      take(i++, run.parameterOf(element));
  }
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
  forEachElement(op, input, [&](int64_t i, int64_t at) {
    double quotient =
        roundToKind(input.kind(), input.floatAt(i) / scale.floatAt(at));
    result->set(i, op.store(quotient, zeroPoint.intAt(at)));
  });
  return call.give(std::move(*result));
}

static LogicalResult dequantize(Invocation &call, prec::DequantizeOp op) {
  const HostTensor &scale = call.tensor(1);
  HostTensor input = asStored(op, call.tensor(0)),
             zeroPoint = asStored(op, call.tensor(2));
  FailureOr<HostTensor> result = call.allocate(input.shape());
  if (failed(result))
    return failure();
  bool isInteger = getElementTypeOrSelf(op.getType()).isInteger();
  forEachElement(op, input, [&](int64_t i, int64_t at) {
    int64_t difference = input.intAt(i) - zeroPoint.intAt(at);
    if (isInteger)
      result->set(i, difference * scale.intAt(at));
    else
      result->set(i, static_cast<double>(difference) * scale.floatAt(at));
  });
  return call.give(std::move(*result));
}

static LogicalResult fitScale(Invocation &call, prec::FitScaleOp op) {
  const HostTensor &input = call.tensor(0);
  auto type = cast<RankedTensorType>(op.getType());
  FailureOr<HostTensor> result = call.allocate(type.getShape());
  if (failed(result))
    return failure();
  std::vector<double> extremes(result->size(), 0);
  forEachElement(op, input, [&](int64_t i, int64_t at) {
    double value = input.floatAt(i), &extreme = extremes[at];
    if (!std::isfinite(value))
      extreme = std::numeric_limits<double>::quiet_NaN();
    else if (std::abs(value) > std::abs(extreme) || value == -extreme)
      extreme = value == -extreme ? std::abs(value) : value;
  });
  for (auto [i, extreme] : llvm::enumerate(extremes))
    result->set(i, extreme / static_cast<double>(
                                 static_cast<int64_t>(op.getInteger())));
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
  registry.add<prec::FitScaleOp, fitScale>();
  registry.add<prec::UnpackOp, unpack>();
}
