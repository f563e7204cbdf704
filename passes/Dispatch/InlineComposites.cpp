// Composites are what a graph pass or a front end knew about a group of ops.
// From here on only those matter that have a kernel of their own; of the rest
// the meaning is enough.

#include "dialects/Kernel/Routines.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Dispatch/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_INLINECOMPOSITES
#include "passes/Dispatch/Passes.h.inc"

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
  return composite.getName() == "heddle.attention" &&
         getElementTypeOrSelf(composite->getOperand(0).getType()).isF32();
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

  void removeUnused(ModuleOp module, SymbolTable &symbols) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto function :
           llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
        if (!function.isPrivate() ||
            !SymbolTable::symbolKnownUseEmpty(function, module))
          continue;
        symbols.erase(function);
        changed = true;
      }
    }
  }
};
} // namespace
} // namespace heddle
