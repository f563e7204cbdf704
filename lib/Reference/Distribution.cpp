// Collectives as one device sees them: every group holds this device alone, so
// that they hand their operands on.

#include "Evaluator.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// The only process: number 0.
static LogicalResult processId(Invocation &call) {
  FailureOr<HostTensor> result = call.allocate({});
  if (failed(result))
    return failure();
  return call.give(std::move(*result));
}

/// Whether the replica groups, if given as numbers, are groups of one.
static bool groupsOfOne(Operation *op) {
  auto groups = op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  return !groups || groups.getType().getRank() != 2 ||
         groups.getType().getDimSize(1) <= 1;
}

static LogicalResult alone(Invocation &call) {
  if (!groupsOfOne(call.op))
    return call.error(ErrorCode::NotInterpretable)
           << "needs more than one device";
  unsigned count = call.op->getNumResults();
  if (call.operands.size() < count)
    return call.error() << "has more results than operands";
  for (const InterpreterValue &operand : call.operands.take_front(count)) {
    if (!operand.tensor)
      return call.error() << "has an operand that is no tensor";
    if (failed(call.give(operand.tensor)))
      return failure();
  }
  return success();
}

/// Only this device's own pair sends here; without it the result is zero.
static LogicalResult permute(Invocation &call,
                             stablehlo::CollectivePermuteOp op) {
  auto pairs = op->getAttrOfType<DenseIntElementsAttr>("source_target_pairs");
  bool toItself = false;
  if (pairs) {
    SmallVector<APInt> ids(pairs.getValues<APInt>());
    for (size_t i = 0; i + 1 < ids.size(); i += 2) {
      if (!ids[i].isZero() || !ids[i + 1].isZero())
        return call.error(ErrorCode::NotInterpretable)
               << "needs more than one device";
      toItself = true;
    }
  }
  if (toItself)
    return call.give(call.tensor(0));
  FailureOr<HostTensor> zeros = call.allocate(call.tensor(0).shape());
  if (failed(zeros))
    return failure();
  return call.give(std::move(*zeros));
}

void reference::addDistribution(Registry &registry) {
  registry.add("stablehlo.replica_id", processId);
  registry.add("stablehlo.partition_id", processId);
  for (StringRef name :
       {"stablehlo.all_gather", "stablehlo.all_reduce",
        "stablehlo.reduce_scatter", "stablehlo.all_to_all",
        "stablehlo.collective_broadcast", "stablehlo.collective_reduce"})
    registry.add(name, alone);
  registry.add<stablehlo::CollectivePermuteOp, permute>();
}
