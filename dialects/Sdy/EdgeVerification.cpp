// What edges must fulfil at the operation that carries them.

#include "dialects/Sdy/ShardingVerification.h"
#include "dialects/Sdy/ValueShardings.h"

using namespace mlir;

namespace heddle::sdy {

static LogicalResult verifyEnd(EdgeValueRefAttr end, Operation *op) {
  // An edge of a function stands for its calls, whose operands are not its own.
  if (isa<FuncDataFlowEdgeOp>(op))
    return success();
  bool isOperand = end.getEnd() == EdgeEnd::Operand;
  int64_t count = isOperand ? op->getNumOperands() : op->getNumResults();
  if (end.getIndex() < 0 || end.getIndex() >= count)
    return op->emitOpError()
           << "has edges at " << stringifyEdgeEnd(end.getEnd()) << ' '
           << end.getIndex() << ", but " << count << ' '
           << stringifyEdgeEnd(end.getEnd()) << (count == 1 ? "" : "s");
  return success();
}

/// The meshes over which operands and results lie.
static SmallVector<MeshAttr> meshesOf(Operation *op) {
  SmallVector<MeshAttr> meshes;
  auto add = [&](TensorShardingAttr sharding) {
    if (MeshAttr mesh = sharding ? sharding.meshOf(op) : MeshAttr())
      meshes.push_back(mesh);
  };
  for (Value operand : op->getOperands())
    add(getSharding(operand));
  for (Value result : op->getResults())
    add(getSharding(result));
  return meshes;
}

LogicalResult verifyEdges(PropagationEdgesAttr edges, Operation *op) {
  SmallVector<MeshAttr> meshes = meshesOf(op);
  if (meshes.empty() && !edges.getSteps().empty())
    return op->emitOpError()
           << "has edges, but neither operands nor results have a sharding";
  for (PropagationStepAttr step : edges.getSteps())
    for (PropagatedAxisAttr axis : step.getAxes()) {
      if (failed(verifyEnd(axis.getSource(), op)))
        return failure();
      for (EdgeValueRefAttr target : axis.getTargets())
        if (failed(verifyEnd(target, op)))
          return failure();
      if (llvm::none_of(meshes, [&](MeshAttr mesh) {
            return mesh.hasAxis(axis.getAxis().getName());
          }))
        return op->emitOpError()
               << "has edges of axis " << axis.getAxis().text()
               << ", which no mesh of its values has";
    }
  return success();
}

} // namespace heddle::sdy
