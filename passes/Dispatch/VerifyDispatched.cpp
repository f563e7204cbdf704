// Verifies that nothing on tensors is left between the launches of a dispatched
// module.

#include "dialects/Kernel/Kernel.h"
#include "passes/Dispatch/DispatchGroups.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Lower/ControlFlow.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_VERIFYDISPATCHED
#include "passes/Dispatch/Passes.h.inc"

namespace {
struct VerifyDispatched : impl::VerifyDispatchedBase<VerifyDispatched> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kernel::kEntryAttrName))
        continue;
      for (Block *block : programBlocks(function))
        for (Operation &op : *block)
          if (!staysOutside(&op)) {
            op.emitError() << "'" << op.getName()
                           << "' is outside of every kernel";
            signalPassFailure();
          }
    }
  }
};
} // namespace
} // namespace heddle
