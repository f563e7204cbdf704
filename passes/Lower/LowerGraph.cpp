// The pass that lowers each function of a program, and drops the decompositions
// of composites then.

#include "passes/Lower/ControlFlow.h"
#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Passes.h"
#include "passes/Lower/ViewFolding.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LOWERGRAPH
#include "passes/Lower/Passes.h.inc"

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
