// Where the ways of targets part: from here on a module is that of one target,
// or of several that dispatch alike.

#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Passes.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_ASSIGNTARGET
#include "passes/Dispatch/Passes.h.inc"

namespace {
struct AssignTarget : impl::AssignTargetBase<AssignTarget> {
  using AssignTargetBase::AssignTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!target.empty())
      module->setAttr(targetAttrName,
                      StringAttr::get(&getContext(), StringRef(target)));
    std::shared_ptr<const Target> known = dispatchTarget(module);
    if (!known)
      return signalPassFailure();
    if (spelled)
      module->setAttr(targetAttrName, known->toAttr(&getContext()));
    else if (!target.empty())
      module->setAttr(targetAttrName,
                      StringAttr::get(&getContext(), known->name()));
  }
};
} // namespace
} // namespace heddle
