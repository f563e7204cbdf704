// Calls and composites that nobody knows by name become the operations of the
// functions they call.
//
// Later stages see one function per entry point. Composites `heddle.*` and
// `chlo.erf` stay: the kernels know them.

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "passes/Graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_INLINECALLS
#include "passes/Graph/Passes.h.inc"

namespace {

/// Operations that a program may grow to: a chain of functions that each call
/// the next one twice grows exponentially.
constexpr int64_t kOperationLimit = 1 << 20;

/// Composites that later stages lower by name.
bool isKnown(StringRef name) {
  return name.starts_with("heddle.") || name == "chlo.erf";
}

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  using InlineCallsBase::InlineCallsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && failed(inlineInto(function, symbols)))
        return signalPassFailure();
  }

private:
  /// The function that `op` is to be replaced by, if any.
  func::FuncOp calleeOf(Operation *op, SymbolTable &symbols) {
    StringAttr name;
    if (auto call = dyn_cast<func::CallOp>(op))
      name = call.getCalleeAttr().getAttr();
    else if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
      if (!isKnown(composite.getName()) &&
          composite.getCompositeRegions().empty())
        name = composite.getDecompositionAttr().getAttr();
    if (!name)
      return {};
    auto callee = symbols.lookup<func::FuncOp>(name);
    return callee && callee.getBody().hasOneBlock() ? callee : func::FuncOp();
  }

  /// Makes `function` free of calls, its callees first.
  LogicalResult inlineInto(func::FuncOp function, SymbolTable &symbols) {
    if (done.contains(function))
      return success();
    if (!active.insert(function).second)
      return emitError(function.getLoc(), ErrorCode::StableHloOperator)
             << "function @" << function.getName()
             << " calls itself, directly or not; recursion is not compiled";
    SmallVector<std::pair<Operation *, func::FuncOp>> calls;
    function.walk([&](Operation *op) {
      if (func::FuncOp callee = calleeOf(op, symbols))
        calls.push_back({op, callee});
    });
    for (auto [op, callee] : calls) {
      if (failed(inlineInto(callee, symbols)) ||
          failed(replaceCall(op, callee)))
        return failure();
    }
    active.erase(function);
    done.insert(function);
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
        ++operations;
      });
    }
    if (operations > kOperationLimit)
      return emitError(op->getLoc(), ErrorCode::TooMany)
             << "inlining its calls makes the program larger than "
             << kOperationLimit << " operations";
    for (auto [result, value] :
         llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    op->erase();
    return success();
  }

  llvm::DenseSet<Operation *> active, done;
  int64_t operations = 0;
};

} // namespace
} // namespace heddle
