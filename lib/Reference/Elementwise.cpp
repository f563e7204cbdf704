// Element-wise operations on whole tensors: block by block.

#include "Evaluator.h"
#include "Lanes.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// The operands' common shape. Scalars among them (of clamp and select) spread.
static FailureOr<Extents> commonShape(Invocation &call) {
  const HostTensor *widest = &call.tensor(0);
  for (const InterpreterValue &operand : call.operands)
    if (operand.tensor.rank() > widest->rank())
      widest = &operand.tensor;
  for (const InterpreterValue &operand : call.operands)
    if (operand.tensor.rank() != 0 && operand.tensor.shape() != widest->shape())
      return call.error() << "has operands of different shapes: "
                          << operand.tensor.type() << " and " << widest->type();
  return Extents(widest->shape().begin(), widest->shape().end());
}

LogicalResult reference::applyElementwise(Invocation &call) {
  SmallVector<ElementKind> kinds;
  for (const InterpreterValue &operand : call.operands) {
    if (!operand.tensor)
      return call.error() << "has an operand that is no tensor";
    kinds.push_back(operand.tensor.kind());
  }
  FailureOr<Extents> shape = commonShape(call);
  if (failed(shape))
    return failure();
  FailureOr<HostTensor> result = call.allocate(*shape);
  if (failed(result))
    return failure();
  ElementFunction function = elementFunction(call.op, kinds, result->kind());
  if (!function)
    return call.error(ErrorCode::NotInterpretable)
           << "is not defined on elements of type "
           << call.tensor(0).type().getElementType();

  char *out = result->mutableBytes().data();
  unsigned outBytes = result->elementBytes();
  // A thread costs tens of microseconds; a grain takes hundreds.
  constexpr int64_t kGrain = 256 * kLanes;
  parallelFor(call.evaluator.options.threads, result->size(), kGrain,
              [&](int64_t begin, int64_t end) {
                SmallVector<Lanes, 3> lanes(kinds.size());
                SmallVector<const Lanes *, 3> operands;
                for (auto [lane, kind] : llvm::zip_equal(lanes, kinds)) {
                  lane.kind = kind;
                  operands.push_back(&lane);
                }
                Lanes values;
                values.kind = result->kind();
                for (int64_t i = begin; i < end; i += kLanes) {
                  size_t count = std::min<int64_t>(kLanes, end - i);
                  for (auto [lane, operand] :
                       llvm::zip_equal(lanes, call.operands)) {
                    const HostTensor &tensor = operand.tensor;
                    if (tensor.rank() == 0 && !shape->empty())
                      lane.splat(tensor.kind(), tensor.element(0), count);
                    else
                      lane.load(tensor.kind(), tensor.element(i), count);
                  }
                  values.bitsKnown = false;
                  function(operands, values, count);
                  values.store(values.kind, count, out + i * outBytes);
                }
              });
  return call.give(std::move(*result));
}
