// Calls and composites that neither the neutral form nor a target knows by name
// become the operations of the functions they call.
//
// Later stages see one function per entry point.

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Target/Target.h"
#include "passes/Graph/CalledFunction.h"
#include "passes/Graph/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_INLINECALLS
#include "passes/Graph/Passes.h.inc"

namespace {

/// Operations that a program may grow to: a chain of functions that each call
/// the next one twice grows exponentially. A large program may grow to some
/// times its own size.
constexpr uint64_t kOperationLimit = 1 << 17;
constexpr uint64_t kGrowthLimit = 16;

/// Functions that may call each other in turn.
constexpr unsigned kCallDepthLimit = 256;

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  using InlineCallsBase::InlineCallsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    uint64_t operations = 0;
    module.walk([&](Operation *) { ++operations; });
    limit = std::max(kOperationLimit, kGrowthLimit * operations);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && (failed(measure(function, symbols, 1)) ||
                                     failed(inlineInto(function, symbols))))
        return signalPassFailure();
  }

private:
  /// The function that `op` is to be replaced by, if any: composites stay that
  /// targets claim, or whose regions say more than the function does.
  func::FuncOp calleeOf(Operation *op, SymbolTable &symbols) {
    auto composite = dyn_cast<stablehlo::CompositeOp>(op);
    if (composite && (isClaimedComposite(composite.getName()) ||
                      !composite.getCompositeRegions().empty()))
      return {};
    return calledFunction(op, symbols);
  }

  /// Calls in `function` that are to be replaced, with what they call.
  SmallVector<std::pair<Operation *, func::FuncOp>>
  callsIn(func::FuncOp function, SymbolTable &symbols) {
    SmallVector<std::pair<Operation *, func::FuncOp>> calls;
    function.walk([&](Operation *op) {
      if (func::FuncOp callee = calleeOf(op, symbols))
        calls.push_back({op, callee});
    });
    return calls;
  }

  /// Computes how many operations `function` will have, `depth` calls from
  /// where this began, before anything is copied.
  LogicalResult measure(func::FuncOp function, SymbolTable &symbols,
                        unsigned depth) {
    if (sizes.contains(function))
      return success();
    if (!active.insert(function).second)
      return emitError(function.getLoc(), ErrorCode::StableHloOperator)
             << "function @" << function.getName()
             << " calls itself, directly or not; recursion is not compiled";
    if (depth > kCallDepthLimit)
      return emitError(function.getLoc(), ErrorCode::TooDeep)
             << "function @" << function.getName() << " is called through "
             << kCallDepthLimit << " others";
    uint64_t size = 0;
    function.walk([&](Operation *) { ++size; });
    for (auto [op, callee] : callsIn(function, symbols)) {
      if (failed(measure(callee, symbols, depth + 1)))
        return failure();
      size += sizes.lookup(callee);
      if (size > limit)
        return emitError(op->getLoc(), ErrorCode::TooMany)
               << "inlining its calls makes @" << function.getName()
               << " larger than " << limit << " operations";
    }
    active.erase(function);
    sizes[function] = size;
    return success();
  }

  /// Makes `function` free of calls, its callees first.
  LogicalResult inlineInto(func::FuncOp function, SymbolTable &symbols) {
    if (!done.insert(function).second)
      return success();
    for (auto [op, callee] : callsIn(function, symbols)) {
      if (failed(inlineInto(callee, symbols)))
        return failure();
      replaceCall(op, callee);
    }
    return success();
  }

  void replaceCall(Operation *op, func::FuncOp callee) {
    if (op->getOperandTypes() != callee.getArgumentTypes() ||
        op->getResultTypes() != callee.getResultTypes())
      return;
    // An operation keeps its own node's name where it has one.
    Location call = op->getLoc();
    inlineBody(op, callee, [&](Operation *copy) -> Location {
      if (copy->getLoc()->findInstanceOf<NameLoc>())
        return copy->getLoc();
      return CallSiteLoc::get(copy->getLoc(), call);
    });
  }

  llvm::DenseSet<Operation *> active, done;
  llvm::DenseMap<Operation *, uint64_t> sizes;
  uint64_t limit = 0;
};

} // namespace
} // namespace heddle
