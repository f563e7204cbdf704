// A call to a function that is registered where the artifact is loaded stays an
// op of the program until kernels are outlined; then it is the launch of one
// that has no body here.

#include "passes/Lower/CustomCalls.h"

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/StableHlo/RegisteredCalls.h"
#include "passes/Lower/ControlFlow.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

/// The types of operands or results as the model has them: with signs, complex
/// ones whole.
static ArrayAttr modelTypes(Builder &builder, TypeRange types,
                            DenseI64ArrayAttr complex) {
  SmallVector<Type> list(types);
  for (int64_t number : complex ? complex.asArrayRef() : ArrayRef<int64_t>()) {
    auto view = cast<RankedTensorType>(list[number]);
    list[number] = RankedTensorType::get(
        view.getShape().drop_back(), ComplexType::get(view.getElementType()));
  }
  return builder.getTypeArrayAttr(list);
}

/// What the artifact says of the call, without its operands.
static DictionaryAttr describeCall(Builder &builder, CustomCallOp op) {
  auto complex = [&](StringRef name) {
    return op->getAttrOfType<DenseI64ArrayAttr>(name);
  };
  DictionaryAttr attributes;
  StringAttr config;
  for (Attribute given :
       {op.getBackendConfigAttr(), op->getAttr("mhlo.backend_config")}) {
    if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(given))
      attributes = dictionary;
    else if (auto text = dyn_cast_or_null<StringAttr>(given))
      config = text;
  }
  return builder.getDictionaryAttr({
      builder.getNamedAttr(
          "api_version",
          builder.getI32IntegerAttr(static_cast<int32_t>(op.getApiVersion()))),
      builder.getNamedAttr("attributes", attributes
                                             ? attributes
                                             : builder.getDictionaryAttr({})),
      builder.getNamedAttr("backend_config",
                           config ? config : builder.getStringAttr("")),
      builder.getNamedAttr("operands",
                           modelTypes(builder, op->getOperandTypes(),
                                      complex(kComplexOperandsAttrName))),
      builder.getNamedAttr("results",
                           modelTypes(builder, op->getResultTypes(),
                                      complex(kComplexResultsAttrName))),
      builder.getNamedAttr("side_effect",
                           builder.getBoolAttr(op.getHasSideEffect())),
      builder.getNamedAttr("target", op.getCallTargetNameAttr()),
  });
}

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

bool heddle::lowerCustomCall(GraphLowering &lowering, Operation *op) {
  if (!isRegisteredCall(op))
    return false;
  OpBuilder &b = lowering.builder;
  OperationState state(op->getLoc(), op->getName(),
                       lowering.lowered(op->getOperands()), {}, op->getAttrs());
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    state.addTypes(lowering.resultType(op, i));
  state.attributes.set(kDescriptionAttrName,
                       describeCall(b, cast<CustomCallOp>(op)));
  lowering.replace(op, b.create(state)->getResults());
  return true;
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

bool heddle::hasCallEffect(Operation *op) {
  if (auto call = dyn_cast<CustomCallOp>(op))
    return call.getHasSideEffect();
  return isControlFlow(op) && op->walk([](CustomCallOp call) {
                                  return call.getHasSideEffect()
                                             ? WalkResult::interrupt()
                                             : WalkResult::advance();
                                }).wasInterrupted();
}

bool heddle::sortKeepingEffects(Block &block) {
  // Between two ops with effects, each piece by itself: whoever formed groups
  // has let none reach over such an op.
  SmallVector<Operation *> effects;
  for (Operation &op : block)
    if (hasCallEffect(&op))
      effects.push_back(&op);
  bool sorted = true;
  Block::iterator begin = block.begin();
  for (Operation *effect : effects) {
    Operation *before = effect->getPrevNode();
    bool empty = begin == effect->getIterator();
    if (!empty)
      sorted &= sortTopologically(
          &block, llvm::make_range(begin, std::next(before->getIterator())));
    begin = std::next(effect->getIterator());
  }
  return sorted & sortTopologically(
                      &block, llvm::make_range(
                                  begin, block.getTerminator()->getIterator()));
}
