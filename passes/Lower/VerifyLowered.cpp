// What targets start from must not have been made for one of them: each may
// still choose its types, its layouts and its kernels.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/RegisteredCalls.h"
#include "heddle/Target/Target.h"
#include "passes/Lower/ControlFlow.h"
#include "passes/Lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_VERIFYLOWERED
#include "passes/Lower/Passes.h.inc"

/// Whether the operand of a root is stored as some target's kernels want it.
static bool isPacked(Operation *op) {
  if (auto contract = dyn_cast<kernel::ContractOp>(op))
    return contract.getRhsPacking().has_value();
  if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op))
    return convolution.getWeightsPacking().has_value();
  return false;
}

/// Whether dispatch takes `op`: loops, roots, quantization and what only
/// renames elements.
static bool isLowered(Operation *op) {
  if (isControlFlow(op) || stablehlo::isRegisteredCall(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (isa<kernel::DispatchOp, kernel::LaunchOp>(op))
    return false;
  return isa<kernel::KernelDialect, prec::PrecDialect, linalg::LinalgDialect,
             tensor::TensorDialect, arith::ArithDialect>(op->getDialect());
}

namespace {
struct VerifyLowered : impl::VerifyLoweredBase<VerifyLowered> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(targetAttrName))
      complain(module) << "'" << targetAttrName << "' before targets part";
    for (auto weight : module.getOps<kernel::WeightOp>())
      if (weight.getPacking())
        complain(weight) << "a weight is packed before targets part";
    for (auto function : module.getOps<func::FuncOp>())
      for (Block *block : programBlocks(function))
        for (Operation &op : *block)
          verify(&op);
  }

private:
  void verify(Operation *op) {
    if (!isLowered(op))
      complain(op) << "'" << op->getName() << "' is no root and no loop";
    else if (isPacked(op))
      complain(op) << "an operand is packed before targets part";
  }

  InFlightDiagnostic complain(Operation *op) {
    signalPassFailure();
    return op->emitError();
  }
};
} // namespace
} // namespace heddle
