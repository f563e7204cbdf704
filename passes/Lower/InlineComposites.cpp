// Composites are what a graph pass or a front end knew about a group of ops.
// From here on only those matter that have a kernel of their own; of the rest
// the meaning is enough.

#include "dialects/Kernel/Routines.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Lower/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_INLINECOMPOSITES
#include "passes/Lower/Passes.h.inc"

/// Puts a copy of `callee`'s body before `op` and replaces it.
static void inlineBody(Operation *op, func::FuncOp callee) {
  OpBuilder builder(op);
  IRMapping values;
  Block &body = callee.front();
  values.map(body.getArguments(), op->getOperands());
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, values)->walk([&](Operation *copy) {
      copy->setLoc(op->getLoc());
    });
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(values.lookup(value));
  op->erase();
}

/// Whether a kernel computes the composite as a whole: routines do; attention
/// exists in f32.
static bool hasKernel(stablehlo::CompositeOp composite) {
  StringRef name = composite.getName();
  if (name == "chlo.erf" ||
      (name.consume_front("heddle.") && kernel::isRoutine(name)))
    return true;
  if (composite.getName() != "heddle.attention")
    return false;
  // Query, key and value; a mask may be of booleans.
  auto isF32 = [](Value value) {
    return getElementTypeOrSelf(value.getType()).isF32();
  };
  return composite->getNumOperands() >= 3 &&
         llvm::all_of(composite->getOperands().take_front(3), isF32) &&
         llvm::all_of(composite->getResults(), isF32);
}

namespace {
struct InlineComposites : impl::InlineCompositesBase<InlineComposites> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    auto main = symbols.lookup<func::FuncOp>("main");
    if (!main)
      return;
    // A body may hold composites again; the nesting is finite, as a
    // decomposition cannot contain itself.
    for (int depth = 0; depth < 64; ++depth) {
      SmallVector<std::pair<Operation *, func::FuncOp>> sites;
      main.walk([&](Operation *op) {
        FlatSymbolRefAttr callee;
        if (auto call = dyn_cast<func::CallOp>(op))
          callee = call.getCalleeAttr();
        auto composite = dyn_cast<stablehlo::CompositeOp>(op);
        if (composite && !hasKernel(composite))
          callee = composite.getDecompositionAttr();
        if (!callee)
          return;
        auto function = symbols.lookup<func::FuncOp>(callee.getValue());
        if (function && !function.isExternal())
          sites.push_back({op, function});
      });
      if (sites.empty())
        return removeUnused(module, symbols);
      for (auto [op, function] : sites)
        inlineBody(op, function);
    }
    main.emitError() << "functions call each other more than 64 deep";
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
