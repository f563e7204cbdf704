// A call to a function that is registered where the artifact is loaded becomes
// the launch of a kernel that has no body here.

#include "passes/Dispatch/OutlineCustomCall.h"

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/RegisteredCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

/// The function of such a description, type and aliases, made if there is none.
static func::FuncOp functionFor(CustomCallOp op, FunctionType type,
                                DictionaryAttr description) {
  auto caller = op->getParentOfType<func::FuncOp>();
  auto module = caller->getParentOfType<ModuleOp>();
  Builder builder(op.getContext());
  SmallVector<DictionaryAttr> arguments(type.getNumInputs(),
                                        builder.getDictionaryAttr({}));
  for (auto alias :
       op.getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>()) {
    ArrayRef<int64_t> place = alias.getOutputTupleIndices();
    arguments[alias.getOperandIndex()] =
        builder.getDictionaryAttr(builder.getNamedAttr(
            kernel::kTiedAttrName,
            builder.getI64IntegerAttr(place.empty() ? 0 : place.front())));
  }
  std::string stem = ("call." + op.getCallTargetName()).str(), name = stem;
  for (unsigned number = 1;; ++number) {
    Operation *existing = SymbolTable::lookupSymbolIn(module, name);
    if (!existing)
      break;
    auto function = dyn_cast<func::FuncOp>(existing);
    if (function && function.getFunctionType() == type &&
        function->getAttr(kernel::kCustomCallAttrName) == description) {
      bool same = true;
      for (auto [i, argument] : llvm::enumerate(arguments))
        same &= function.getArgAttrDict(i) == argument ||
                (argument.empty() && !function.getArgAttrDict(i));
      if (same)
        return function;
    }
    name = stem + "." + std::to_string(number);
  }
  OpBuilder at(caller);
  auto function = func::FuncOp::create(at, op.getLoc(), name, type);
  function.setPrivate();
  function->setAttr(kernel::kEntryAttrName, builder.getUnitAttr());
  function->setAttr(kernel::kCustomCallAttrName, description);
  function.setAllArgAttrs(arguments);
  return function;
}

void heddle::outlineCustomCall(CustomCallOp op) {
  OpBuilder builder(op);
  auto type =
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes());
  func::FuncOp function = functionFor(
      op, type, op->getAttrOfType<DictionaryAttr>(kDescriptionAttrName));
  auto launch = kernel::LaunchOp::create(
      builder, op.getLoc(), op->getResultTypes(), function.getName(),
      op->getOperands(), /*sizes=*/ValueRange(), builder.getArrayAttr({}));
  op->replaceAllUsesWith(launch);
  op->erase();
}
