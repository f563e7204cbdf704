// Makes programs of the plan dialect of a module's entries.

#include "dialects/Kernel/EntryFunctions.h"
#include "passes/Dynamic/BoundedSizes.h"
#include "passes/Plan/EmitPlan.h"
#include "passes/Plan/EntryTensors.h"
#include "passes/Plan/Passes.h"
#include "passes/Plan/PlanBuilder.h"
#include "passes/Plan/PlanDevices.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_BUILDPLAN
#include "passes/Plan/Passes.h.inc"

namespace {
struct BuildPlan : impl::BuildPlanBase<BuildPlan> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> entries = kernel::entryFunctions(getOperation());
    SmallVector<EntryState> states = statesOf(entries);
    FailureOr<std::vector<std::string>> devices =
        devicesOf(getOperation(), states);
    if (failed(devices))
      return signalPassFailure();
    llvm::DenseMap<StringAttr, unsigned> stateNumbers;
    for (auto [i, state] : llvm::enumerate(states))
      stateNumbers[state.name] = i;
    std::vector<PlanBuilder> builders;
    for (func::FuncOp entry : entries)
      builders.emplace_back(entry, symbols, *devices, stateNumbers);
    BoundedSizes sizes(getOperation());
    PlanEmitter emitter(getOperation(), *devices, sizes.ranges());
    for (PlanBuilder &builder : builders) {
      if (failed(builder.run()))
        return signalPassFailure();
      emitter.addWeights(builder.getTree());
    }
    emitter.emitStates(states);
    emitter.emitInit(symbols);
    for (PlanBuilder &builder : builders) {
      emitter.emit(builder.getMain(), builder.getTree());
      builder.getMain().erase();
    }
  }
};
} // namespace
} // namespace heddle
