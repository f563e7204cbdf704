// Calls and composites that neither the neutral form nor a target knows by name
// become the operations of the functions they call.
//
// Later stages see one function per entry point.

#include "dialects/Kernel/Composites.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Target/Target.h"
#include "passes/Graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

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
  /// The function that `op` is to be replaced by, if any.
  func::FuncOp calleeOf(Operation *op, SymbolTable &symbols) {
    StringAttr name;
    if (auto call = dyn_cast<func::CallOp>(op))
      name = call.getCalleeAttr().getAttr();
    else if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
      if (!kernel::isNeutralComposite(composite.getName()) &&
          !isClaimedComposite(composite.getName()) &&
          composite.getCompositeRegions().empty())
        name = composite.getDecompositionAttr().getAttr();
    if (!name)
      return {};
    auto callee = symbols.lookup<func::FuncOp>(name);
    return callee && callee.getBody().hasOneBlock() ? callee : func::FuncOp();
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
    for (auto [op, callee] : callsIn(function, symbols))
      if (failed(inlineInto(callee, symbols)) ||
          failed(replaceCall(op, callee)))
        return failure();
    return success();
  }

  LogicalResult replaceCall(Operation *op, func::FuncOp callee) {
    Block &body = callee.getBody().front();
    if (op->getOperandTypes() != body.getArgumentTypes() ||
        op->getResultTypes() != callee.getResultTypes())
      return success();
    IRMapping mapping;
    mapping.map(body.getArguments(), op->getOperands());
    OpBuilder builder(op);
    for (Operation &inner : body.without_terminator()) {
      Operation *clone = builder.clone(inner, mapping);
      // An operation keeps its own node's name where it has one.
      clone->walk([&](Operation *nested) {
        if (!nested->getLoc()->findInstanceOf<NameLoc>())
          nested->setLoc(CallSiteLoc::get(nested->getLoc(), op->getLoc()));
      });
    }
    for (auto [result, value] :
         llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    op->erase();
    return success();
  }

  llvm::DenseSet<Operation *> active, done;
  llvm::DenseMap<Operation *, uint64_t> sizes;
  uint64_t limit = 0;
};

} // namespace
} // namespace heddle
