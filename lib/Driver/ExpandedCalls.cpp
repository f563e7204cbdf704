#include "ExpandedCalls.h"

#include "passes/Graph/CustomCalls/CustomCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace heddle;

/// No symbol of a program begins so.
static constexpr StringLiteral kEntry = "@call";

/// A module with a function `kEntry` that computes what the call does, from
/// arguments of the given types; null after an error.
static OwningOpRef<ModuleOp> expand(stablehlo::CustomCallOp call,
                                    const CustomCallRule &rule,
                                    TypeRange arguments) {
  Location loc = call.getLoc();
  OpBuilder builder(call.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());
  // Comparators and the like.
  for (Attribute callee : call.getCalledComputations())
    if (Operation *function = SymbolTable::lookupNearestSymbolFrom(
            call, cast<SymbolRefAttr>(callee)))
      builder.clone(*function);
  auto entry = func::FuncOp::create(
      builder, loc, kEntry,
      builder.getFunctionType(arguments, call.getResultTypes()));
  Block *block = entry.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping values;
  values.map(call->getOperands(), block->getArguments());
  auto copy = cast<stablehlo::CustomCallOp>(builder.clone(*call, values));
  func::ReturnOp::create(builder, loc, copy->getResults());
  builder.setInsertionPoint(copy);
  SmallVector<Value> results;
  if (failed(rule.expand(builder, copy, results)))
    return nullptr;
  copy->replaceAllUsesWith(results);
  copy->erase();
  return module;
}

bool heddle::interpretExpandedCall(Operation *op,
                                   ArrayRef<InterpreterValue> operands,
                                   SmallVectorImpl<InterpreterValue> &results) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  const CustomCallRule *rule =
      call ? findCustomCallRule(call.getCallTargetName()) : nullptr;
  if (!rule)
    return false;
  SmallVector<HostTensor> tensors;
  SmallVector<Type> types;
  for (auto [value, operand] : llvm::zip_equal(operands, op->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!value.tensor || !type)
      return false;
    tensors.push_back(value.tensor);
    // Sizes that the program leaves open are known by now.
    types.push_back(type.clone(value.tensor.shape()));
  }
  OwningOpRef<ModuleOp> module = expand(call, *rule, types);
  FailureOr<SmallVector<HostTensor>> values = failure();
  if (module)
    values = interpret(module->lookupSymbol<func::FuncOp>(kEntry), tensors);
  if (failed(values)) {
    // One more than there are results: the interpreter stops here.
    results.resize(op->getNumResults() + 1);
    return true;
  }
  for (HostTensor &value : *values)
    results.push_back(std::move(value));
  return true;
}
