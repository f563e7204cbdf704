// Makes commands over storages of the launches, loops and branches of a
// program.

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/ScalarArguments.h"
#include "dialects/Plan/Plan.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/Weights.h"
#include "passes/Plan/DonatedInputs.h"
#include "passes/Plan/EmitPlan.h"
#include "passes/Plan/EntryTensors.h"
#include "passes/Plan/OrderUpdates.h"
#include "passes/Plan/Passes.h"
#include "runtime/format/Limits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

#include <map>
#include <set>

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_BUILDPLAN
#include "passes/Plan/Passes.h.inc"

namespace {
class PlanBuilder {
public:
  PlanBuilder(func::FuncOp main, SymbolTable &symbols,
              const std::vector<std::string> &devices,
              const llvm::DenseMap<StringAttr, unsigned> &states)
      : main(main), symbols(symbols), states(states) {
    tree.devices = devices;
  }

  LogicalResult run();
  func::FuncOp getMain() { return main; }
  CommandTree &getTree() { return tree; }

private:
  unsigned addStorage(plan::BufferKind kind, int64_t place, Type type,
                      StringRef name, unsigned device = 0);
  unsigned addStorage(Type type, unsigned device = 0) {
    return addStorage(plan::BufferKind::Arena, 0, type, "", device);
  }
  /// Of a weight as it is on a device.
  unsigned weightStorage(kernel::WeightRefOp reference, unsigned device);
  unsigned deviceOf(StringAttr name) {
    return name ? llvm::find(tree.devices, name.getValue()) -
                      tree.devices.begin()
                : 0;
  }
  unsigned storageOf(Value value) { return storages.at(value); }
  SmallVector<unsigned> storagesOf(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return storageOf(v); });
  }
  void add(Command command) {
    tree.blocks[current].push_back(std::move(command));
  }
  LogicalResult build(Block &block);
  /// A new block of commands made of `block`, and then by `finish`.
  FailureOr<unsigned> nested(Block &block, llvm::function_ref<void()> finish);
  LogicalResult launch(kernel::LaunchOp op);
  void transfer(kernel::TransferOp op);
  LogicalResult loop(stablehlo::WhileOp op);
  LogicalResult branch(Operation *op, ArrayRef<Block *> cases);
  void copy(Location loc, unsigned source, unsigned target);
  void copyAll(Location loc, ArrayRef<unsigned> sources,
               ArrayRef<unsigned> targets);
  void resize(Location loc, unsigned source, unsigned target);
  FailureOr<AffineMap> sizeOf(Value size);
  AffineMapAttr chosenBytes(AffineMapAttr shape, int64_t largest);
  unsigned addOutput(unsigned result, unsigned number);
  unsigned addInput(BlockArgument argument, unsigned number);
  void addStates();
  void addInputs();
  void returnResults(func::ReturnOp op);

  func::FuncOp main;
  SymbolTable &symbols;
  /// Their numbers.
  const llvm::DenseMap<StringAttr, unsigned> &states;
  CommandTree tree;
  /// Of the results, as far as they are known.
  SmallVector<std::optional<unsigned>> outputs;
  unsigned current = 0; ///< The block that commands are added to.
  unsigned depth = 1;   ///< Of blocks, the outermost included.
  DenseMap<Value, unsigned> storages;
  std::map<std::pair<std::string, unsigned>, unsigned> weights;
};
} // namespace

static int64_t bytesOf(Type type) {
  return *storedBytes(cast<RankedTensorType>(type));
}

unsigned PlanBuilder::addStorage(plan::BufferKind kind, int64_t place,
                                 Type type, StringRef name, unsigned device) {
  tree.storages.push_back({kind, place, bytesOf(type), name.str(), {}, device});
  return tree.storages.size() - 1;
}

void PlanBuilder::resize(Location loc, unsigned source, unsigned target) {
  if (tree.storages[source].size != 0)
    add({Command::Kind::Resize, loc, {}, {source}, {target}});
}

/// The bytes of a tensor of the shape that `shape` gives, whose largest has
/// `largest`; null without a shape.
AffineMapAttr PlanBuilder::chosenBytes(AffineMapAttr shape, int64_t largest) {
  if (!shape)
    return {};
  MLIRContext *context = shape.getContext();
  SmallVector<AffineExpr> maxima;
  if (auto symbols =
          main->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
              kSymbolsAttrName))
    for (auto symbol : symbols.getAsRange<DictionaryAttr>())
      maxima.push_back(getAffineConstantExpr(
          symbol.getAs<IntegerAttr>("maximum").getInt(), context));
  AffineMap map = shape.getValue();
  AffineExpr elements = getAffineConstantExpr(1, context);
  for (AffineExpr extent : map.getResults())
    elements = elements * extent;
  auto most =
      dyn_cast<AffineConstantExpr>(elements.replaceDimsAndSymbols({}, maxima));
  int64_t each = most && most.getValue() ? largest / most.getValue() : 0;
  return AffineMapAttr::get(
      AffineMap::get(0, map.getNumSymbols(), elements * each, context));
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

/// Copies as if all at once: what a loop carries may change places.
void PlanBuilder::copyAll(Location loc, ArrayRef<unsigned> sources,
                          ArrayRef<unsigned> targets) {
  struct Move {
    unsigned source, target;
  };
  SmallVector<Move> moves;
  // By storage: the moves from it, those of them still to do, the moves to it.
  DenseMap<unsigned, SmallVector<unsigned>> readers, writers;
  DenseMap<unsigned, unsigned> left;
  std::set<unsigned> open;
  for (auto [source, target] : llvm::zip_equal(sources, targets)) {
    if (source == target)
      continue;
    open.insert(moves.size());
    readers[source].push_back(moves.size());
    writers[target].push_back(moves.size());
    ++left[source];
    moves.push_back({source, target});
  }
  // Those whose target nobody still has to read.
  std::set<unsigned> ready;
  auto release = [&](unsigned storage) {
    for (unsigned move : writers.lookup(storage))
      if (open.count(move))
        ready.insert(move);
  };
  for (const Move &move : moves)
    if (!left.contains(move.target))
      release(move.target);
  while (!open.empty()) {
    if (!ready.empty()) {
      unsigned next = *ready.begin();
      auto [source, target] = moves[next];
      copy(loc, source, target);
      ready.erase(next);
      open.erase(next);
      if (--left[source] == 0)
        release(source);
      continue;
    }
    // All that are left go around in circles: one value steps aside.
    unsigned source = moves[*open.begin()].source;
    unsigned aside = tree.storages.size();
    tree.storages.push_back({plan::BufferKind::Arena,
                             0,
                             tree.storages[source].size,
                             "",
                             {},
                             tree.storages[source].device});
    copy(loc, source, aside);
    left[aside] = std::exchange(left[source], 0);
    for (unsigned move : readers.lookup(source))
      moves[move].source = aside;
    release(source);
  }
}

/// What a launch is given, as a function of the program's symbols.
FailureOr<AffineMap> PlanBuilder::sizeOf(Value size) {
  APInt number;
  if (matchPattern(size, m_ConstantInt(&number)))
    return AffineMap::getConstantMap(number.getSExtValue(), size.getContext());
  auto op = size.getDefiningOp<kernel::SizeOp>();
  if (!op)
    return emitError(size.getLoc()) << "is no size that is known before a call";
  SmallVector<AffineExpr> symbols;
  unsigned count = 0;
  for (Value holder : op.getSymbols()) {
    auto argument = dyn_cast<BlockArgument>(holder);
    auto number = argument && argument.getOwner() == &main.front()
                      ? main.getArgAttrOfType<IntegerAttr>(
                            argument.getArgNumber(), kExtentAttrName)
                      : IntegerAttr();
    if (!number)
      return op.emitError() << "reads a symbol from what is no argument with '"
                            << kExtentAttrName << "'";
    symbols.push_back(getAffineSymbolExpr(number.getInt(), op.getContext()));
    count = std::max<unsigned>(count, number.getInt() + 1);
  }
  return op.getFunction().replaceDimsAndSymbols({}, symbols, 0, count);
}

LogicalResult PlanBuilder::launch(kernel::LaunchOp op) {
  auto function = symbols.lookup<func::FuncOp>(op.getKernel());
  if (!function)
    return op.emitError() << "launches no function";
  Command command{Command::Kind::Launch, op.getLoc(), op.getKernelAttr()};
  command.device =
      deviceOf(op->getAttrOfType<StringAttr>(kernel::kPlaceAttrName));
  command.reads = storagesOf(op.getInputs());
  for (Value size : op.getSizes()) {
    FailureOr<AffineMap> function = sizeOf(size);
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

unsigned PlanBuilder::weightStorage(kernel::WeightRefOp reference,
                                    unsigned device) {
  auto [known, isNew] = weights.try_emplace(
      {reference.getWeight().str(), device}, tree.storages.size());
  if (isNew)
    addStorage(device ? plan::BufferKind::Persistent : plan::BufferKind::Weight,
               0, reference.getType(), reference.getWeight(), device);
  return known->second;
}

/// Weights are on their devices from the start.
void PlanBuilder::transfer(kernel::TransferOp op) {
  StringAttr name = op.getDeviceAttr();
  unsigned device = deviceOf(name);
  if (auto weight = op.getSource().getDefiningOp<kernel::WeightRefOp>()) {
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

/// The name that the model gives an argument or a result.
static StringRef nameOf(DictionaryAttr attributes) {
  auto name =
      attributes ? attributes.getAs<StringAttr>("heddle.name") : StringAttr();
  return name ? name.getValue() : StringRef();
}

unsigned PlanBuilder::addOutput(unsigned result, unsigned number) {
  StringRef given = nameOf(main.getResultAttrDict(result));
  unsigned storage = addStorage(
      plan::BufferKind::Output, number, main.getResultTypes()[result],
      given.empty() ? "out" + std::to_string(result) : given.str());
  tree.storages[storage].bytes = chosenBytes(
      main.getResultAttrOfType<AffineMapAttr>(result, kShapeAttrName),
      tree.storages[storage].size);
  return storage;
}

/// The storage where the program finds what the caller gives.
unsigned PlanBuilder::addInput(BlockArgument argument, unsigned number) {
  unsigned i = argument.getArgNumber();
  StringRef given = nameOf(main.getArgAttrDict(i));
  unsigned storage =
      addStorage(plan::BufferKind::Input, number, argument.getType(),
                 given.empty() ? "arg" + std::to_string(i) : given.str());
  auto shape = main.getArgAttrOfType<AffineMapAttr>(i, kShapeAttrName);
  if (!shape)
    return storage;
  tree.storages[storage].bytes =
      chosenBytes(shape, tree.storages[storage].size);
  unsigned largest = addStorage(argument.getType());
  resize(argument.getLoc(), storage, largest);
  return largest;
}

/// What is read from a state and what it keeps are one storage.
void PlanBuilder::addStates() {
  llvm::DenseMap<StringAttr, unsigned> known;
  auto storageOf = [&](StringAttr name, Type type, StringAttr place) {
    auto [entry, isNew] = known.try_emplace(name, tree.storages.size());
    if (isNew)
      addStorage(plan::BufferKind::State, states.at(name), type, name,
                 deviceOf(place));
    return entry->second;
  };
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (StringAttr name = stateOfArgument(main, i))
      storages[argument] =
          storageOf(name, argument.getType(), placeOfArgument(main, i));
  }
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    if (StringAttr name = stateOfResult(main, i)) {
      outputs[i] = storageOf(name, type, placeOfResult(main, i));
      tree.storages[*outputs[i]].changed = true;
    }
}

/// An output that replaces an input is one storage with it.
void PlanBuilder::addInputs() {
  outputs.resize(main.getNumResults());
  addStates();
  SmallVector<std::optional<unsigned>> numbers = inputNumbers(main);
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (numbers[i]) {
      storages[argument] = addInput(argument, *numbers[i]);
      continue;
    }
    auto symbol = main.getArgAttrOfType<IntegerAttr>(i, kExtentAttrName);
    // Sizes of launches are no values in memory.
    if (!symbol ||
        llvm::all_of(argument.getUsers(), llvm::IsaPred<kernel::SizeOp>))
      continue;
    storages[argument] = addStorage(argument.getType());
    Command command{Command::Kind::Extent, argument.getLoc()};
    command.writes = {storages[argument]};
    command.symbol = symbol.getInt();
    add(std::move(command));
  }
  for (auto [i, number] : llvm::enumerate(outputNumbers(main)))
    if (std::optional<unsigned> input = replacedInput(main, i)) {
      outputs[i] = addOutput(i, *number);
      storages[main.getArgument(*input)] = *outputs[i];
    }
}

void PlanBuilder::returnResults(func::ReturnOp op) {
  for (auto [i, number] : llvm::enumerate(outputNumbers(main)))
    if (!outputs[i])
      outputs[i] = addOutput(i, *number);
  SmallVector<unsigned> sources, targets;
  for (auto [operand, output] : llvm::zip_equal(op.getOperands(), outputs)) {
    unsigned source = storageOf(operand);
    if (tree.storages[*output].bytes) {
      resize(op.getLoc(), source, *output);
      continue;
    }
    sources.push_back(source);
    targets.push_back(*output);
  }
  copyAll(op.getLoc(), sources, targets);
}

LogicalResult PlanBuilder::build(Block &block) {
  orderUpdates(block, symbols);
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
      if (failed(launch(launchOp)))
        return failure();
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

namespace {
/// The devices that a module names, by kind and number.
class DeviceList {
public:
  LogicalResult add(Operation *op, StringAttr place) {
    if (!place)
      return success();
    std::optional<plan::DeviceName> name = plan::parseDeviceName(place);
    if (!name || name->text() != place.getValue())
      return op->emitError() << place << " is the name of no device";
    if (name->kind != plan::kCpu)
      placed.insert({name->kind.str(), name->ordinal});
    return success();
  }
  /// The cpu, and the others.
  std::vector<std::string> names() const {
    std::vector<std::string> names = {plan::kCpu.str()};
    for (auto &[kind, ordinal] : placed)
      names.push_back(plan::DeviceName{kind, ordinal}.text());
    return names;
  }

private:
  std::set<std::pair<std::string, unsigned>> placed;
};
} // namespace

/// The devices of launches, transfers and states.
static FailureOr<std::vector<std::string>>
devicesOf(ModuleOp module, ArrayRef<EntryState> states) {
  DeviceList list;
  WalkResult result = module.walk([&](Operation *op) {
    auto place = op->getAttrOfType<StringAttr>(kernel::kPlaceAttrName);
    if (auto transfer = dyn_cast<kernel::TransferOp>(op))
      place = transfer.getDeviceAttr();
    return failed(list.add(op, place)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (const EntryState &state : states)
    if (failed(list.add(module, state.place)))
      return failure();
  return list.names();
}

namespace {
struct BuildPlan : impl::BuildPlanBase<BuildPlan> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> entries = kernel::entryFunctions(getOperation());
    SmallVector<EntryState> states = statesOf(entries);
    FailureOr<std::vector<std::string>> devices =
        devicesOf(getOperation(), states);
    if (failed(devices))
      return signalPassFailure();
    llvm::DenseMap<StringAttr, unsigned> stateNumbers;
    for (auto [i, state] : llvm::enumerate(states))
      stateNumbers[state.name] = i;
    std::vector<PlanBuilder> builders;
    for (func::FuncOp entry : entries)
      builders.emplace_back(entry, symbols, *devices, stateNumbers);
    PlanEmitter emitter(getOperation(), *devices);
    for (PlanBuilder &builder : builders) {
      if (failed(builder.run()))
        return signalPassFailure();
      emitter.addWeights(builder.getTree());
    }
    emitter.emitStates(states);
    emitter.emitInit(symbols);
    for (PlanBuilder &builder : builders) {
      emitter.emit(builder.getMain(), builder.getTree());
      builder.getMain().erase();
    }
  }
};
} // namespace
} // namespace heddle
