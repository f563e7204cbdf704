// Copies the operations of a function to where it is called.

#include "passes/Graph/CalledFunction.h"

#include "dialects/Kernel/Composites.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

func::FuncOp heddle::calledFunction(Operation *op, const SymbolTable &symbols) {
  StringAttr name;
  if (auto call = dyn_cast<func::CallOp>(op))
    name = call.getCalleeAttr().getAttr();
  else if (auto composite = dyn_cast<stablehlo::CompositeOp>(op);
           composite && !kernel::isNeutralComposite(composite.getName()))
    name = composite.getDecompositionAttr().getAttr();
  if (!name)
    return {};
  auto callee = symbols.lookup<func::FuncOp>(name);
  return callee && callee.getBody().hasOneBlock() ? callee : func::FuncOp();
}

SmallVector<Value>
heddle::copyBody(OpBuilder &builder, Operation *op, func::FuncOp callee,
                 llvm::function_ref<Location(Operation *)> locate) {
  Block &body = callee.front();
  IRMapping values;
  values.map(body.getArguments(), op->getOperands());
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, values)->walk([&](Operation *copy) {
      copy->setLoc(locate(copy));
    });
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value result) { return values.lookup(result); });
}

void heddle::inlineBody(Operation *op, func::FuncOp callee,
                        llvm::function_ref<Location(Operation *)> locate) {
  OpBuilder builder(op);
  op->replaceAllUsesWith(copyBody(builder, op, callee, locate));
  op->erase();
}
