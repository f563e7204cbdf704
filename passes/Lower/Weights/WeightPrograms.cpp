// Makes weights of constants and what is computed from them, each program once.

#include "passes/Lower/Weights/WeightPrograms.h"

#include "dialects/Kernel/WeightText.h"
#include "passes/Graph/OperandSlice.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

/// Within a module scales are the same when their names are.
static std::string programText(kernel::WeightOp weight) {
  std::string text = kernel::weightText(weight);
  llvm::raw_string_ostream(text)
      << '\n'
      << weight.getScaleAttr() << ' ' << weight.getZeroPointAttr();
  return text;
}

WeightPrograms::WeightPrograms(ModuleOp module)
    : module(module), symbols(module) {
  for (auto weight : module.getOps<kernel::WeightOp>()) {
    byProgram.try_emplace(programText(weight), weight);
    ++next;
    last = weight;
  }
}

kernel::WeightOp WeightPrograms::unify(kernel::WeightOp fresh) {
  auto [known, inserted] = byProgram.try_emplace(programText(fresh), fresh);
  if (inserted) {
    symbols.insert(fresh);
    last = fresh;
    return fresh;
  }
  fresh.erase();
  return known->second;
}

kernel::WeightOp WeightPrograms::create(Location loc, Type type) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  if (last)
    builder.setInsertionPointAfter(last);
  auto weight = kernel::WeightOp::create(
      builder, loc, builder.getStringAttr("w" + Twine(next++)), type);
  weight.getBody().emplaceBlock();
  return weight;
}

kernel::WeightOp WeightPrograms::add(Value value) {
  auto slice =
      operandSlice(value.getDefiningOp(), [](Operation *) { return true; });
  kernel::WeightOp weight = create(value.getLoc(), value.getType());
  OpBuilder builder = OpBuilder::atBlockEnd(&weight.getBody().front());
  IRMapping values;
  for (Operation *op : *slice)
    builder.clone(*op, values);
  kernel::YieldOp::create(builder, value.getLoc(), values.lookup(value));
  return unify(weight);
}

kernel::WeightOp
WeightPrograms::derive(kernel::WeightOp weight, Finish finish,
                       StringRef packing,
                       function_ref<void(kernel::WeightOp)> note) {
  kernel::WeightOp fresh = create(weight.getLoc(), weight.getValueType());
  OpBuilder builder = OpBuilder::atBlockEnd(&fresh.getBody().front());
  IRMapping values;
  Block &source = weight.getBody().front();
  for (Operation &op : source.without_terminator())
    builder.clone(op, values);
  Value value =
      finish(builder, values.lookup(source.getTerminator()->getOperand(0)));
  kernel::YieldOp::create(builder, weight.getLoc(), value);
  fresh.setValueType(cast<RankedTensorType>(value.getType()));
  if (!packing.empty())
    fresh.setPacking(packing);
  if (note)
    note(fresh);
  return unify(fresh);
}

kernel::WeightOp WeightPrograms::referredTo(Value value) {
  auto reference = value.getDefiningOp<kernel::WeightRefOp>();
  if (!reference)
    return {};
  kernel::WeightOp weight = lookup(reference.getWeight());
  return weight && !weight.getPacking() ? weight : kernel::WeightOp();
}

Value WeightPrograms::reference(OpBuilder &builder, kernel::WeightOp weight) {
  return kernel::WeightRefOp::create(builder, weight.getLoc(),
                                     weight.getStoredType(), weight.getName());
}

void WeightPrograms::eraseUnused() {
  llvm::StringMap<bool> used;
  module.walk([&](kernel::WeightRefOp reference) {
    used[reference.getWeight()] = true;
  });
  SmallVector<kernel::WeightOp> all(module.getOps<kernel::WeightOp>());
  // Scales have no scales.
  for (kernel::WeightOp weight : all)
    if (used.contains(weight.getName()))
      for (auto name : {weight.getScale(), weight.getZeroPoint()})
        if (name)
          used[*name] = true;
  last = {};
  for (kernel::WeightOp weight : all)
    if (used.contains(weight.getName()))
      last = weight;
    else
      symbols.erase(weight);
}
