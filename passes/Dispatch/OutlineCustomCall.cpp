// A call to a function that is registered where the artifact is loaded becomes
// the launch of a kernel that has no body here.

#include "passes/Dispatch/OutlineCustomCall.h"

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/RegisteredCalls.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

/// The function of such a type, description and aliases, made if there is none.
func::FuncOp CustomCallOutliner::functionFor(CustomCallOp op,
                                             FunctionType type) {
  Builder builder(op.getContext());
  SmallVector<Attribute> arguments(type.getNumInputs(),
                                   builder.getDictionaryAttr({}));
  for (auto alias :
       op.getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>()) {
    ArrayRef<int64_t> place = alias.getOutputTupleIndices();
    arguments[alias.getOperandIndex()] =
        builder.getDictionaryAttr(builder.getNamedAttr(
            kernel::kTiedAttrName,
            builder.getI64IntegerAttr(place.empty() ? 0 : place.front())));
  }
  // The description names the target.
  Attribute description = op->getAttr(kDescriptionAttrName);
  func::FuncOp &function = known[builder.getArrayAttr(
      {TypeAttr::get(type), description, builder.getArrayAttr(arguments)})];
  if (function)
    return function;
  std::string stem = ("call." + op.getCallTargetName()).str(), name;
  unsigned &count = counts[op.getCallTargetNameAttr()];
  do {
    name = count == 0 ? stem : stem + "." + std::to_string(count);
    ++count;
  } while (symbols.lookup(name));
  OpBuilder at(op->getParentOfType<func::FuncOp>());
  function = func::FuncOp::create(at, op.getLoc(), name, type);
  function.setPrivate();
  function->setAttr(kernel::kEntryAttrName, builder.getUnitAttr());
  function->setAttr(kernel::kCustomCallAttrName, description);
  function.setAllArgAttrs(ArrayRef<Attribute>(arguments));
  symbols.insert(function);
  return function;
}

void CustomCallOutliner::outline(CustomCallOp op) {
  OpBuilder builder(op);
  auto type =
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes());
  auto launch = kernel::LaunchOp::create(
      builder, op.getLoc(), op->getResultTypes(),
      functionFor(op, type).getName(), op->getOperands(),
      /*sizes=*/ValueRange(), builder.getArrayAttr({}));
  op->replaceAllUsesWith(launch);
  op->erase();
}
