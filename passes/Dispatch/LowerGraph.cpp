#include "passes/Dispatch/ControlFlow.h"
#include "passes/Dispatch/GraphLowering.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Dispatch/ViewFolding.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LOWERGRAPH
#include "passes/Dispatch/Passes.h.inc"

namespace {
struct LowerGraph : impl::LowerGraphBase<LowerGraph> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      // Private functions are the decompositions of composites.
      if (function.isPrivate() || function.isExternal())
        continue;
      sinkConstants(function);
      if (failed(GraphLowering(&getContext()).run(function)))
        return signalPassFailure();
      foldViews(function);
      legalizeReads(function);
    }
    if (getOperation()
            ->walk(
                [](stablehlo::CompositeOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return;
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (function.isPrivate())
        function.erase();
  }
};
} // namespace
} // namespace heddle
