// Finds the target in the module's `heddle.target`, or reports that there is
// none.

#include "passes/Dispatch/DispatchTarget.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

std::shared_ptr<const heddle::Target> heddle::dispatchTarget(Operation *op) {
  std::shared_ptr<const Target> target = targetOf(op);
  if (!target)
    op->emitError() << "no target to dispatch for: set 'heddle.target' on the "
                       "module, by heddle-assign-target";
  return target;
}
