// Makes values inside a program its results, so that each can be compared.

#include "Probes.h"

#include "heddle/Driver/DiagnosticPrinter.h"
#include "heddle/Driver/Model.h"
#include "heddle/Support/SignatureAttributes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

static std::string nameOf(Operation &op, unsigned position) {
  PlaceInModel place = describeLocation(op.getLoc());
  if (!place.nodes.empty())
    return place.nodes.front();
  std::string name = op.getName().getStringRef().str();
  if (place.line)
    return name + " at " + std::to_string(place.line) + ":" +
           std::to_string(place.column);
  return name + ", operation " + std::to_string(position);
}

std::vector<Probe> heddle::listProbes(func::FuncOp entry) {
  std::vector<Probe> probes;
  for (auto [position, op] : llvm::enumerate(entry.front())) {
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue;
    for (OpResult result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (type && HostTensor::byteSize(type))
        probes.push_back({unsigned(position), result.getResultNumber(), type,
                          nameOf(op, position)});
    }
  }
  return probes;
}

static SmallVector<Operation *> operationsOf(func::FuncOp entry) {
  return llvm::map_to_vector(entry.front(), [](Operation &op) { return &op; });
}

/// Lets the entry return `values`; what only other results needed goes.
static void setResults(ModuleOp module, ArrayRef<Value> values,
                       ArrayRef<Probe> probes) {
  func::FuncOp entry = entryFunction(module);
  entry.front().getTerminator()->setOperands(values);
  MLIRContext *context = module.getContext();
  SmallVector<Type> types(ValueRange(values).getTypes());
  entry.setFunctionType(
      FunctionType::get(context, entry.getArgumentTypes(), types));
  entry.removeResAttrsAttr();
  SignatureAttributes attributes(entry);
  for (auto [i, probe] : llvm::enumerate(probes))
    attributes.result(i).set(
        "heddle.name",
        StringAttr::get(context, probe.name + "#" + std::to_string(i)));
  attributes.store();
}

/// Removes what nothing uses, functions too.
static void removeDead(ModuleOp module) {
  func::FuncOp entry = entryFunction(module);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(entry.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  PassManager manager(module.getContext());
  manager.addPass(createSymbolDCEPass());
  (void)manager.run(module);
}

OwningOpRef<ModuleOp> heddle::returningProbes(ModuleOp module,
                                              ArrayRef<Probe> probes) {
  OwningOpRef<ModuleOp> copy = module.clone();
  SmallVector<Operation *> ops = operationsOf(entryFunction(*copy));
  SmallVector<Value> values;
  for (const Probe &probe : probes)
    values.push_back(ops[probe.operation]->getResult(probe.result));
  setResults(*copy, values, probes);
  removeDead(*copy);
  return copy;
}

Slice heddle::cutOut(ModuleOp module, ArrayRef<unsigned> kept,
                     const Probe &target) {
  Slice slice;
  OwningOpRef<ModuleOp> copy = module.clone();
  func::FuncOp entry = entryFunction(*copy);
  SmallVector<Operation *> ops = operationsOf(entry);
  llvm::DenseSet<unsigned> keep(kept.begin(), kept.end());
  setResults(*copy, ops[target.operation]->getResult(target.result), target);

  Block &block = entry.front();
  MLIRContext *context = module.getContext();
  for (unsigned i = 0; i < block.getNumArguments(); ++i)
    slice.sources.push_back({std::nullopt, i});
  // Backwards: an operation that is cut off no longer uses its operands.
  for (size_t position = ops.size(); position-- > 0;) {
    Operation *op = ops[position];
    if (op->hasTrait<OpTrait::IsTerminator>())
      continue;
    if (keep.contains(position)) {
      ++slice.operations;
      continue;
    }
    if (op->hasTrait<OpTrait::ConstantLike>())
      continue;
    for (OpResult result : op->getResults()) {
      if (result.use_empty())
        continue;
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !HostTensor::byteSize(type))
        return {};
      Probe probe{unsigned(position), result.getResultNumber(), type,
                  nameOf(*op, position)};
      unsigned index = block.getNumArguments();
      if (failed(entry.insertArgument(
              index, type,
              DictionaryAttr::get(
                  context,
                  NamedAttribute(
                      StringAttr::get(context, "heddle.name"),
                      StringAttr::get(context, probe.name + "#" +
                                                   std::to_string(index)))),
              op->getLoc())))
        return {};
      result.replaceAllUsesWith(block.getArgument(index));
      slice.sources.push_back({probe, 0});
    }
    op->erase();
  }
  removeDead(*copy);
  for (unsigned i = block.getNumArguments(); i-- > 0;)
    if (block.getArgument(i).use_empty() && succeeded(entry.eraseArgument(i)))
      slice.sources.erase(slice.sources.begin() + i);
  slice.module = std::move(copy);
  return slice;
}
