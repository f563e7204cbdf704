// Makes commands over storages of the launches, loops and branches of a
// program.

#include "passes/Plan/PlanBuilder.h"

#include "dialects/Dist/Dist.h"
#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/LoadLaunches.h"
#include "dialects/Kernel/ScalarArguments.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/Weights.h"
#include "passes/Plan/CopiesAtOnce.h"
#include "passes/Plan/OrderUpdates.h"
#include "passes/Plan/SymbolSizes.h"
#include "passes/Plan/ValuePlaces.h"
#include "runtime/format/Limits.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

unsigned PlanBuilder::addStorage(plan::BufferKind kind, int64_t place,
                                 Type type, StringRef name, unsigned device) {
  int64_t bytes = *storedBytes(cast<RankedTensorType>(type));
  tree.storages.push_back(
      {kind, place, bytes, name.str(), trueBytes(type, sizes), {}, device});
  return tree.storages.size() - 1;
}

void PlanBuilder::resize(Location loc, unsigned source, unsigned target) {
  if (tree.storages[source].size != 0)
    add({Command::Kind::Resize, loc, {}, {source}, {target}});
}

void PlanBuilder::copy(Location loc, unsigned source, unsigned target) {
  if (source == target || tree.storages[source].size == 0)
    return;
  Command command{Command::Kind::Copy, loc, {}, {source}, {target}};
  // The device that is not the cpu can reach both.
  command.device =
      std::max(tree.storages[source].device, tree.storages[target].device);
  add(std::move(command));
}

void PlanBuilder::copyAll(Location loc, ArrayRef<unsigned> sources,
                          ArrayRef<unsigned> targets) {
  auto setAside = [&](unsigned storage) {
    Storage aside;
    aside.size = tree.storages[storage].size;
    aside.bytes = tree.storages[storage].bytes;
    aside.device = tree.storages[storage].device;
    tree.storages.push_back(std::move(aside));
    return tree.storages.size() - 1;
  };
  copyAtOnce(
      sources, targets,
      [&](unsigned source, unsigned target) { copy(loc, source, target); },
      setAside);
}

LogicalResult PlanBuilder::launch(kernel::LaunchOp op) {
  auto function = symbols.lookup<func::FuncOp>(op.getKernel());
  if (!function)
    return op.emitError() << "launches no function";
  Command command{Command::Kind::Launch, op.getLoc(), op.getKernelAttr()};
  command.device =
      deviceOf(op->getAttrOfType<StringAttr>(kernel::kPlaceAttrName));
  command.isCounted = isCounted(op);
  command.reads = storagesOf(op.getInputs());
  for (Value size : op.getSizes()) {
    FailureOr<size::ExpressionAttr> function = launchSize(main, size);
    if (failed(function))
      return failure();
    command.sizes.push_back(*function);
  }
  for (auto scalar : op.getScalars().getAsRange<TypedAttr>())
    command.integers.push_back(kernel::launchInteger(scalar));
  bool empty = true;
  for (Value result : op.getOutputs()) {
    unsigned storage = addStorage(result.getType(), command.device);
    storages[result] = storage;
    command.writes.push_back(storage);
    empty &= tree.storages[storage].size == 0;
  }
  if (empty && !kernel::hasSideEffect(function))
    return success();
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    auto tied =
        function.getArgAttrOfType<IntegerAttr>(i, kernel::kTiedAttrName);
    auto inPlace =
        function.getArgAttrOfType<IntegerAttr>(i, kernel::kInPlaceAttrName);
    if (!tied && !inPlace)
      continue;
    unsigned result = (tied ? tied : inPlace).getInt();
    command.inPlace.push_back({i, result});
    if (tied) {
      copy(op.getLoc(), command.reads[i], command.writes[result]);
      command.reads[i] = command.writes[result];
    }
  }
  add(std::move(command));
  return success();
}

void PlanBuilder::findCounted() {
  if (counted.empty())
    return;
  llvm::StringSet<> names;
  for (const CountedSize &size : counted)
    names.insert(size.symbol.getValue());
  main->walk([&](kernel::LaunchOp op) {
    auto [known, isNew] = countsOfKernels.try_emplace(op.getKernel());
    if (auto function = symbols.lookup<func::FuncOp>(op.getKernel());
        isNew && function)
      for (StringRef name : symbolsOf(function))
        if (names.contains(name))
          known->second.push_back(name);
    for (StringRef name : known->second)
      countingDevices[name.str()].insert(
          deviceOf(op->getAttrOfType<StringAttr>(kernel::kPlaceAttrName)));
  });
}

bool PlanBuilder::isCounted(kernel::LaunchOp op) const {
  auto known = countsOfKernels.find(op.getKernel());
  return known != countsOfKernels.end() && !known->second.empty();
}

unsigned PlanBuilder::storageOn(unsigned device, Value value) {
  for (Value at = value; at;) {
    auto known = storages.find(at);
    if (known != storages.end() &&
        tree.storages[known->second].device == device)
      return known->second;
    Operation *op = at.getDefiningOp();
    at = isReshape(op) || isa_and_nonnull<kernel::TransferOp>(op)
             ? op->getOperand(0)
             : Value();
  }
  unsigned brought = addStorage(value.getType(), device);
  copy(value.getLoc(), storageOf(value), brought);
  return brought;
}

void PlanBuilder::count(Operation *op) {
  for (const CountedSize &size : counted) {
    if (size.value.getDefiningOp() != op)
      continue;
    for (unsigned device : countingDevices[size.symbol.str()]) {
      Command command{Command::Kind::Count, size.value.getLoc()};
      command.reads = {storageOn(device, size.value)};
      command.symbol = size.symbol;
      command.device = device;
      command.isCounted = true;
      add(std::move(command));
    }
  }
}

void PlanBuilder::collective(kernel::CollectiveOp op) {
  unsigned source = storageOf(op.getSource()),
           target = addStorage(op.getType());
  assert(tree.storages[source].device == 0 &&
         "what runs on the cpu has its operands there");
  storages[op.getResult()] = target;
  Command command{
      Command::Kind::Collective, op.getLoc(), {}, {source}, {target}};
  command.collective = op->getAttrDictionary();
  add(std::move(command));
}

unsigned PlanBuilder::weightStorage(kernel::WeightRefOp reference,
                                    unsigned device) {
  auto [known, isNew] = weights.try_emplace(
      {reference.getWeight().str(), device}, tree.storages.size());
  if (isNew)
    addStorage(device ? plan::BufferKind::Persistent : plan::BufferKind::Weight,
               0, reference.getType(), reference.getWeight(), device);
  return known->second;
}

/// Where `init` has what `op` makes of weights.
unsigned PlanBuilder::laidOutWeight(kernel::LaunchOp op) {
  unsigned device =
      deviceOf(op->getAttrOfType<StringAttr>(kernel::kPlaceAttrName));
  std::vector<std::string> names;
  std::vector<std::pair<std::string, int64_t>> weights;
  for (Value input : op.getInputs()) {
    auto weight = input.getDefiningOp<kernel::WeightRefOp>();
    names.push_back(weight.getWeight().str());
    weights.emplace_back(names.back(), *storedBytes(weight.getType()));
  }
  auto [known, isNew] = laidOut.try_emplace(
      {op.getKernel().str(), device, names}, tree.storages.size());
  if (isNew) {
    addStorage(plan::BufferKind::Persistent, 0, op.getOutputs()[0].getType(),
               names.front(), device);
    tree.storages.back().laidOutBy = op.getKernelAttr();
    tree.storages.back().laidOutFrom = std::move(weights);
  }
  return known->second;
}

/// Whether each rank has a weight of its own.
bool PlanBuilder::differsByDevice(kernel::WeightRefOp reference) {
  auto weight = symbols.lookup<kernel::WeightOp>(reference.getWeight());
  return dist::hasParts(weight.getBody().front());
}

/// Weights are on their devices from the start, but for those that each rank
/// has others of: what is there before any call is the same for all.
void PlanBuilder::transfer(kernel::TransferOp op) {
  StringAttr name = op.getDeviceAttr();
  unsigned device = deviceOf(name);
  auto weight = op.getSource().getDefiningOp<kernel::WeightRefOp>();
  if (weight && !differsByDevice(weight)) {
    storages[op.getResult()] = weightStorage(weight, device);
    return;
  }
  storages[op.getResult()] = addStorage(op.getType(), device);
  copy(op.getLoc(), storageOf(op.getSource()), storageOf(op.getResult()));
}

FailureOr<unsigned> PlanBuilder::nested(Block &block,
                                        llvm::function_ref<void()> finish) {
  if (++depth > format::maximumBlockDepth)
    return emitError(block.getParentOp()->getLoc(), ErrorCode::TooMany)
           << "control flow is nested more than "
           << format::maximumBlockDepth - 1 << " deep";
  unsigned fresh = tree.blocks.size();
  tree.blocks.emplace_back();
  unsigned outer = std::exchange(current, fresh);
  if (failed(build(block)))
    return failure();
  finish();
  current = outer;
  --depth;
  return fresh;
}

/// What is carried has a storage of its own for the whole loop.
LogicalResult PlanBuilder::loop(stablehlo::WhileOp op) {
  Location loc = op.getLoc();
  Block &condition = op.getCond().front(), &body = op.getBody().front();
  SmallVector<unsigned> carried;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    carried.push_back(addStorage(operand.getType()));
    copy(loc, storageOf(operand), carried.back());
    for (Value value : {Value(condition.getArgument(i)),
                        Value(body.getArgument(i)), Value(op->getResult(i))})
      storages[value] = carried.back();
  }
  Command command{Command::Kind::Loop, loc};
  FailureOr<unsigned> test = nested(condition, [] {});
  if (failed(test))
    return failure();
  command.reads = {storageOf(condition.getTerminator()->getOperand(0))};
  FailureOr<unsigned> again = nested(body, [&] {
    copyAll(loc, storagesOf(body.getTerminator()->getOperands()), carried);
  });
  if (failed(again))
    return failure();
  command.blocks = {*test, *again};
  add(std::move(command));
  return success();
}

LogicalResult PlanBuilder::branch(Operation *op, ArrayRef<Block *> cases) {
  Command command{Command::Kind::Branch, op->getLoc()};
  command.reads = {storageOf(op->getOperand(0))};
  SmallVector<unsigned> results;
  for (Value result : op->getResults()) {
    results.push_back(addStorage(result.getType()));
    storages[result] = results.back();
  }
  for (Block *block : cases) {
    FailureOr<unsigned> made = nested(*block, [&] {
      copyAll(op->getLoc(), storagesOf(block->getTerminator()->getOperands()),
              results);
    });
    if (failed(made))
      return failure();
    command.blocks.push_back(*made);
  }
  add(std::move(command));
  return success();
}

LogicalResult PlanBuilder::build(Block &block) {
  orderUpdates(block, symbols);
  bool isEntry = &block == &main.front();
  if (isEntry) {
    FailureOr<SmallVector<CountedSize>> ordered = orderCounts(main, symbols);
    if (failed(ordered))
      return failure();
    counted = std::move(*ordered);
    findCounted();
    count(nullptr);
  }
  for (Operation &op : block) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      storages[op.getResult(0)] = storageOf(op.getOperand(0));
    } else if (isa<kernel::SizeOp>(op)) {
      continue; // What launches it is given to say.
    } else if (auto reference = dyn_cast<kernel::WeightRefOp>(op)) {
      storages[reference.getResult()] = weightStorage(reference, 0);
    } else if (auto transferOp = dyn_cast<kernel::TransferOp>(op)) {
      transfer(transferOp);
    } else if (auto launchOp = dyn_cast<kernel::LaunchOp>(op)) {
      if (op.hasAttr(kernel::kAtLoadAttrName))
        storages[op.getResult(0)] = laidOutWeight(launchOp);
      else if (failed(launch(launchOp)))
        return failure();
    } else if (auto collectiveOp = dyn_cast<kernel::CollectiveOp>(op)) {
      collective(collectiveOp);
    } else if (auto rankOp = dyn_cast<kernel::RankOp>(op)) {
      storages[rankOp.getResult()] = addStorage(rankOp.getType());
      add({Command::Kind::Rank,
           rankOp.getLoc(),
           {},
           {},
           {storageOf(rankOp.getResult())}});
    } else if (auto whileOp = dyn_cast<stablehlo::WhileOp>(op)) {
      if (failed(loop(whileOp)))
        return failure();
    } else if (auto ifOp = dyn_cast<stablehlo::IfOp>(op)) {
      // By the number in the condition: 0, then 1.
      if (failed(branch(&op, {&ifOp.getFalseBranch().front(),
                              &ifOp.getTrueBranch().front()})))
        return failure();
    } else if (auto caseOp = dyn_cast<stablehlo::CaseOp>(op)) {
      if (failed(branch(&op, llvm::map_to_vector(caseOp.getBranches(),
                                                 [](Region &region) {
                                                   return &region.front();
                                                 }))))
        return failure();
    } else if (auto terminator = dyn_cast<func::ReturnOp>(op)) {
      returnResults(terminator);
    } else if (!isa<stablehlo::ReturnOp>(op)) {
      return op.emitError()
             << "'" << op.getName() << "' cannot be part of a plan";
    }
    if (isEntry)
      count(&op);
  }
  return success();
}

LogicalResult PlanBuilder::run() {
  tree.blocks.emplace_back();
  addInputs();
  if (failed(build(main.front())))
    return failure();
  shareStorages(tree);
  assignQueues(tree, targetOf(main).get());
  orderCommands(tree);
  return success();
}
