// Custom calls that heddle knows by name become StableHLO and composites.
// All that are unknown are reported at once.

#include "passes/Graph/CustomCalls/CustomCalls.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/RegisteredCalls.h"
#include "heddle/Support/Diagnostics.h"
#include "passes/Graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_EXPANDCUSTOMCALLS
#include "passes/Graph/Passes.h.inc"

namespace {
struct ExpandCustomCalls : impl::ExpandCustomCallsBase<ExpandCustomCalls> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<stablehlo::CustomCallOp> calls;
    module.walk([&](stablehlo::CustomCallOp op) { calls.push_back(op); });
    llvm::MapVector<StringRef, SmallVector<stablehlo::CustomCallOp>> unknown;
    bool ok = true;
    for (stablehlo::CustomCallOp op : calls) {
      StringRef target = op.getCallTargetName();
      if (isSettledLater(target) || stablehlo::isRegisteredCall(op))
        continue;
      if (const CustomCallRule *rule = findCustomCallRule(target))
        // Those of open sizes are expanded when all is of the bounds.
        ok &= size::isSized(op) || succeeded(replace(op, *rule));
      else
        unknown[target].push_back(op);
    }
    for (auto &[target, ops] : unknown)
      refuse(target, ops);
    if (!ok || !unknown.empty())
      signalPassFailure();
  }

private:
  /// Says something about shapes: holds or does not once these are known.
  static bool isSettledLater(StringRef target) {
    return target == "shape_assertion";
  }

  static LogicalResult replace(stablehlo::CustomCallOp op,
                               const CustomCallRule &rule) {
    OpBuilder builder(op);
    SmallVector<Value> results;
    if (failed(rule.expand(builder, op, results)))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
      if (value)
        result.replaceAllUsesWith(value);
    op->erase();
    return success();
  }

  static void refuse(StringRef target,
                     MutableArrayRef<stablehlo::CustomCallOp> ops) {
    InFlightDiagnostic error =
        emitError(ops.front().getLoc(), ErrorCode::CustomCallUnknown)
        << "custom call '" << target << "' is not known to heddle; "
        << ops.size()
        << (ops.size() == 1 ? " operation calls it" : " operations call it");
    constexpr size_t kShown = 8;
    for (stablehlo::CustomCallOp op : ops.drop_front().take_front(kShown))
      error.attachNote(op.getLoc()) << "called here too";
    error.attachNote() << "export the program without it, or with what "
                          "StableHLO has in its place; --custom-call "
                       << target
                       << " compiles a call to a function that you register "
                          "where the artifact is loaded";
  }
};
} // namespace
} // namespace heddle
