// Composites are what a graph pass or a front end knew about a group of ops.
// From here on only those matter that some target has a kernel for, as the
// targets' tables say; of the rest the meaning is enough.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Target/Target.h"
#include "passes/Graph/CalledFunction.h"
#include "passes/Lower/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_INLINECOMPOSITES
#include "passes/Lower/Passes.h.inc"

/// Each copy has the location of `op`, since that is the user's node.
static auto locatedAt(Operation *op) {
  return [loc = op->getLoc()](Operation *) { return loc; };
}

/// Puts `op` as a `kernel.composite` that keeps the name, with a copy of
/// `callee`'s body inside.
static void wrapBody(stablehlo::CompositeOp op, func::FuncOp callee) {
  OpBuilder builder(op);
  auto whole = kernel::CompositeOp::create(
      builder, op.getLoc(), op.getResultTypes(), op.getNameAttr(),
      op.getCompositeAttributes(), op.getInputs());
  if (Attribute sizes = op->getDiscardableAttr(kSizesAttrName))
    whole->setDiscardableAttr(kSizesAttrName, sizes);
  builder.setInsertionPointToStart(&whole.getBody().emplaceBlock());
  kernel::YieldOp::create(builder, op.getLoc(),
                          copyBody(builder, op, callee, locatedAt(op)));
  op->replaceAllUsesWith(whole);
  op->erase();
}

/// Whether the whole is kept for the targets to choose: one of them has kernels
/// of that name. A `kernel.composite` is of tensors.
static bool isKept(stablehlo::CompositeOp composite) {
  auto areTensors = [](TypeRange types) {
    return llvm::all_of(types, llvm::IsaPred<RankedTensorType>);
  };
  return isClaimedComposite(composite.getName()) &&
         composite.getCompositeRegions().empty() &&
         areTensors(composite->getOperandTypes()) &&
         areTensors(composite->getResultTypes());
}

namespace {
struct InlineComposites : impl::InlineCompositesBase<InlineComposites> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<func::FuncOp> entries = kernel::entryFunctions(module);
    if (entries.empty())
      return;
    // A body may hold composites again; the nesting is finite, as a
    // decomposition cannot contain itself.
    for (int depth = 0; depth < 64; ++depth) {
      SmallVector<std::pair<Operation *, func::FuncOp>> sites;
      auto visit = [&](Operation *op) {
        if (func::FuncOp callee = calledFunction(op, symbols))
          sites.push_back({op, callee});
      };
      for (func::FuncOp entry : entries)
        entry.walk(visit);
      if (sites.empty())
        return removeUnused(module, symbols);
      for (auto [op, callee] : sites) {
        auto composite = dyn_cast<stablehlo::CompositeOp>(op);
        if (composite && isKept(composite))
          wrapBody(composite, callee);
        else
          inlineBody(op, callee, locatedAt(op));
      }
    }
    entries.front().emitError()
        << "functions call each other more than 64 deep";
    signalPassFailure();
  }

  /// Private functions that nothing public leads to.
  void removeUnused(ModuleOp module, SymbolTable &symbols) {
    llvm::DenseSet<Operation *> used;
    SmallVector<Operation *> waiting;
    for (Operation &op : *module.getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function || !function.isPrivate())
        waiting.push_back(&op);
    }
    while (!waiting.empty()) {
      auto uses = SymbolTable::getSymbolUses(waiting.pop_back_val());
      if (!uses) // of operations that are not known
        return;
      for (const SymbolTable::SymbolUse &use : *uses)
        if (Operation *symbol =
                symbols.lookup(use.getSymbolRef().getRootReference()))
          if (used.insert(symbol).second && isa<func::FuncOp>(symbol))
            waiting.push_back(symbol);
    }
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function.isPrivate() && !used.contains(function))
        symbols.erase(function);
  }
};
} // namespace
} // namespace heddle
