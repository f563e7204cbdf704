// Where the ways of targets part: from here on a module is that of one target,
// or of several that dispatch alike.

#include "heddle/Target/Target.h"
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
    std::shared_ptr<const Target> known = targetOf(module);
    if (!known) {
      module.emitError() << "no target to dispatch for: set 'heddle.target' on "
                            "the module or the pass's option 'target'";
      return signalPassFailure();
    }
    if (spelled)
      module->setAttr(targetAttrName, known->toAttr(&getContext()));
  }
};
} // namespace
} // namespace heddle
