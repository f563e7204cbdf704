// Folding: the interpreter on constants of the IR.

#include "heddle/Reference/Interpreter.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

static constexpr uint64_t kLimitBytes = uint64_t(1) << 20;

/// Within the limit, with elements that a constant of the IR can hold.
static bool isFoldable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<uint64_t> bytes =
      tensor ? HostTensor::byteSize(tensor) : std::nullopt;
  return bytes && *bytes <= kLimitBytes;
}

FailureOr<ElementsAttr> heddle::foldOp(Operation *op,
                                       ArrayRef<ElementsAttr> operands) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !isPure(op) ||
      !isInterpretable(op) || operands.size() != op->getNumOperands() ||
      !isFoldable(op->getResult(0).getType()))
    return failure();
  SmallVector<HostTensor> tensors;
  for (auto [attribute, type] :
       llvm::zip_equal(operands, op->getOperandTypes())) {
    if (!attribute || !isFoldable(type))
      return failure();
    std::optional<HostTensor> tensor = HostTensor::fromAttribute(attribute);
    if (!tensor)
      return failure();
    tensors.push_back(std::move(*tensor));
  }
  InterpreterOptions options;
  // Operands, result and what lies between them, such as a padded input.
  options.memoryLimitBytes = 16 * kLimitBytes;
  options.operationLimit = 100000;
  options.threads = 1;
  FailureOr<SmallVector<HostTensor>> results =
      interpretOp(op, tensors, options);
  if (failed(results) || results->front().type() != op->getResult(0).getType())
    return failure();
  return ElementsAttr(results->front().toAttribute());
}
