// Derived weights are programs, not tensors: a folded batch norm or a
// transposed matrix of a 4 GB model is never computed here, only named.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Lower/Passes.h"
#include "passes/Lower/Weights/StoredValues.h"
#include "passes/Lower/Weights/WeightPrograms.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_FORMWEIGHTS
#include "passes/Lower/Passes.h.inc"

static int64_t elements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

namespace {
struct FormWeights : impl::FormWeightsBase<FormWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> entries = kernel::entryFunctions(module);
    if (entries.empty())
      return;
    WeightPrograms weights(module);
    SmallVector<OpOperand *> uses;
    for (func::FuncOp entry : entries) {
      entry.walk<WalkOrder::PreOrder>([&](Block *block) {
        for (Operation &op : *block)
          stored.classify(&op);
      });
      entry.walk([&](Operation *op) {
        if (stored.contains(op))
          return;
        for (OpOperand &use : op->getOpOperands())
          if (stored.contains(use.get().getDefiningOp()))
            uses.push_back(&use);
      });
    }
    DenseMap<Value, Value> references;
    for (OpOperand *use : uses)
      use->set(reference(use->get(), weights, references));
    // What is dead now: constants and their programs.
    SmallVector<Operation *> candidates = stored.operations();
    for (Operation *op : llvm::reverse(candidates))
      if (op->use_empty())
        op->erase();
  }

  /// What the graph reads instead of `value`, computed from constants.
  Value reference(Value value, WeightPrograms &weights,
                  DenseMap<Value, Value> &references) {
    if (Value known = references.lookup(value))
      return known;
    Operation *op = value.getDefiningOp();
    Value result;
    OpBuilder builder(op);
    // Storing a repeated constant would only make it larger.
    if (isa<stablehlo::BroadcastInDimOp>(op) &&
        elements(value) > elements(op->getOperand(0)) &&
        stored.contains(op->getOperand(0).getDefiningOp())) {
      Value source = reference(op->getOperand(0), weights, references);
      Operation *copy = builder.clone(*op);
      copy->setOperand(0, source);
      result = copy->getResult(0);
    } else {
      result = weights.reference(builder, weights.add(value));
    }
    references[value] = result;
    return result;
  }

  StoredValues stored;
};
} // namespace
} // namespace heddle
