// A pass outside the tree, against the installed headers: says how many additions a module has.

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {
struct CountAdds : PassWrapper<CountAdds, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountAdds)
  StringRef getArgument() const override { return "count-adds"; }
  StringRef getDescription() const override { return "counts stablehlo.add"; }
  void runOnOperation() override {
    unsigned count = 0;
    getOperation()->walk([&](heddle::stablehlo::AddOp) { ++count; });
    getOperation().emitRemark() << count << " additions";
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "CountAdds", "0.1",
          [] { PassRegistration<CountAdds>(); }};
}
