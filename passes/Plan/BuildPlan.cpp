#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/ScalarArguments.h"
#include "dialects/Plan/Plan.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/Weights.h"
#include "passes/Plan/Arena.h"
#include "passes/Plan/CommandTree.h"
#include "passes/Plan/DonatedInputs.h"
#include "passes/Plan/NodeNames.h"
#include "passes/Plan/OrderUpdates.h"
#include "passes/Plan/Passes.h"
#include "runtime/format/Limits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_BUILDPLAN
#include "passes/Plan/Passes.h.inc"

namespace {
class PlanBuilder {
public:
  PlanBuilder(func::FuncOp main, SymbolTable &symbols)
      : main(main), symbols(symbols) {}

  LogicalResult run();
  plan::ProgramOp emit();

private:
  unsigned addStorage(plan::BufferKind kind, int64_t place, Type type,
                      StringRef name);
  unsigned addStorage(Type type) {
    return addStorage(plan::BufferKind::Arena, 0, type, "");
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
  LogicalResult loop(stablehlo::WhileOp op);
  LogicalResult branch(Operation *op, ArrayRef<Block *> cases);
  void copy(Location loc, unsigned source, unsigned target);
  void copyAll(Location loc, ArrayRef<unsigned> sources,
               ArrayRef<unsigned> targets);
  void resize(Location loc, unsigned source, unsigned target);
  AffineMapAttr chosenBytes(AffineMapAttr shape, int64_t largest);
  unsigned addOutput(unsigned number);
  void addInputs();
  void returnResults(func::ReturnOp op);
  void emitBlock(OpBuilder &builder, unsigned block);

  func::FuncOp main;
  SymbolTable &symbols;
  CommandTree tree;
  SmallVector<std::optional<unsigned>> outputs;
  unsigned current = 0; ///< The block that commands are added to.
  unsigned depth = 1;   ///< Of blocks, the outermost included.
  DenseMap<Value, unsigned> storages;
  llvm::StringMap<unsigned> weights;
  DenseMap<unsigned, Value> values; ///< Of storages, while emitting.
};
} // namespace

static int64_t bytesOf(Type type) {
  return *storedBytes(cast<RankedTensorType>(type));
}

unsigned PlanBuilder::addStorage(plan::BufferKind kind, int64_t place,
                                 Type type, StringRef name) {
  tree.storages.push_back({kind, place, bytesOf(type), name.str()});
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
  if (source != target && tree.storages[source].size != 0)
    add({Command::Kind::Copy, loc, {}, {source}, {target}});
}

/// Copies as if all at once: what a loop carries may change places.
void PlanBuilder::copyAll(Location loc, ArrayRef<unsigned> sources,
                          ArrayRef<unsigned> targets) {
  SmallVector<std::pair<unsigned, unsigned>> open;
  for (auto pair : llvm::zip_equal(sources, targets))
    if (std::get<0>(pair) != std::get<1>(pair))
      open.push_back({std::get<0>(pair), std::get<1>(pair)});
  while (!open.empty()) {
    // One whose target nobody still has to read.
    auto *next = llvm::find_if(open, [&](auto pair) {
      return llvm::none_of(
          open, [&](auto other) { return other.first == pair.second; });
    });
    if (next != open.end()) {
      copy(loc, next->first, next->second);
      open.erase(next);
      continue;
    }
    // All that are left go around in circles: one value steps aside.
    unsigned source = open.front().first;
    unsigned aside = tree.storages.size();
    tree.storages.push_back(
        {plan::BufferKind::Arena, 0, tree.storages[source].size, ""});
    copy(loc, source, aside);
    for (auto &pair : open)
      if (pair.first == source)
        pair.first = aside;
  }
}

LogicalResult PlanBuilder::launch(kernel::LaunchOp op) {
  auto function = symbols.lookup<func::FuncOp>(op.getKernel());
  if (!function)
    return op.emitError() << "launches no function";
  Command command{Command::Kind::Launch, op.getLoc(), op.getKernelAttr()};
  command.reads = storagesOf(op.getInputs());
  for (auto scalar : op.getScalars().getAsRange<TypedAttr>())
    command.integers.push_back(kernel::launchInteger(scalar));
  bool empty = true;
  for (Value result : op.getOutputs()) {
    unsigned storage = addStorage(result.getType());
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

unsigned PlanBuilder::addOutput(unsigned number) {
  StringRef given = nameOf(main.getResultAttrDict(number));
  unsigned storage = addStorage(
      plan::BufferKind::Output, number, main.getResultTypes()[number],
      given.empty() ? "out" + std::to_string(number) : given.str());
  tree.storages[storage].bytes = chosenBytes(
      main.getResultAttrOfType<AffineMapAttr>(number, kShapeAttrName),
      tree.storages[storage].size);
  return storage;
}

/// An output that replaces an input is one storage with it.
void PlanBuilder::addInputs() {
  outputs.resize(main.getNumResults());
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (auto symbol = main.getArgAttrOfType<IntegerAttr>(i, kExtentAttrName)) {
      storages[argument] = addStorage(argument.getType());
      Command command{Command::Kind::Extent, argument.getLoc()};
      command.writes = {storages[argument]};
      command.symbol = symbol.getInt();
      add(std::move(command));
      continue;
    }
    StringRef given = nameOf(main.getArgAttrDict(i));
    unsigned storage =
        addStorage(plan::BufferKind::Input, i, argument.getType(),
                   given.empty() ? "arg" + std::to_string(i) : given.str());
    storages[argument] = storage;
    auto shape = main.getArgAttrOfType<AffineMapAttr>(i, kShapeAttrName);
    if (!shape)
      continue;
    tree.storages[storage].bytes =
        chosenBytes(shape, tree.storages[storage].size);
    storages[argument] = addStorage(argument.getType());
    resize(argument.getLoc(), storage, storages[argument]);
  }
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (std::optional<unsigned> input = replacedInput(main, i)) {
      outputs[i] = addOutput(i);
      storages[main.getArgument(*input)] = *outputs[i];
    }
}

void PlanBuilder::returnResults(func::ReturnOp op) {
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (!outputs[i])
      outputs[i] = addOutput(i);
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
    } else if (auto reference = dyn_cast<kernel::WeightRefOp>(op)) {
      auto [known, isNew] =
          weights.try_emplace(reference.getWeight(), tree.storages.size());
      if (isNew)
        addStorage(plan::BufferKind::Weight, 0, reference.getType(),
                   reference.getWeight());
      storages[reference.getResult()] = known->second;
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
  return success();
}

void PlanBuilder::emitBlock(OpBuilder &builder, unsigned block) {
  auto toValues = [&](ArrayRef<unsigned> ids) {
    return llvm::map_to_vector(ids, [&](unsigned id) { return values[id]; });
  };
  for (const Command &command : tree.blocks[block]) {
    llvm::SetVector<StringAttr> names;
    collectNodeNames(command.loc, names);
    SmallVector<Attribute> attributes(names.begin(), names.end());
    ArrayAttr nodes = builder.getArrayAttr(attributes);
    Operation *op = nullptr;
    switch (command.kind) {
    case Command::Kind::Launch:
      plan::LaunchOp::create(builder, command.loc, command.kernel,
                             toValues(command.reads), toValues(command.writes),
                             builder.getDenseI64ArrayAttr(command.integers),
                             nodes);
      break;
    case Command::Kind::Copy:
      plan::CopyOp::create(builder, command.loc, values[command.reads[0]],
                           values[command.writes[0]], nodes);
      break;
    case Command::Kind::Resize:
      plan::ResizeOp::create(builder, command.loc, values[command.reads[0]],
                             values[command.writes[0]], nodes);
      break;
    case Command::Kind::Extent:
      plan::ExtentOp::create(builder, command.loc, command.symbol,
                             values[command.writes[0]]);
      break;
    case Command::Kind::Loop:
      op = plan::LoopOp::create(builder, command.loc, values[command.reads[0]],
                                nodes);
      break;
    case Command::Kind::Branch:
      op =
          plan::BranchOp::create(builder, command.loc, values[command.reads[0]],
                                 nodes, command.blocks.size());
      break;
    }
    for (auto [i, inner] : llvm::enumerate(command.blocks)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&op->getRegion(i));
      emitBlock(builder, inner);
    }
  }
}

plan::ProgramOp PlanBuilder::emit() {
  // Only what commands touch, and the entry's own.
  SmallVector<unsigned> used;
  SmallVector<ArenaBuffer> arena;
  SmallVector<unsigned> inArena;
  std::vector<LiveRange> ranges = liveRanges(tree);
  for (auto [i, storage] : llvm::enumerate(tree.storages)) {
    bool touched = ranges[i].last >= 0;
    if (storage.kind == plan::BufferKind::Arena && storage.size != 0 &&
        touched) {
      arena.push_back({storage.size, ranges[i].first, ranges[i].last});
      inArena.push_back(i);
    }
    bool entry = storage.kind == plan::BufferKind::Input ||
                 storage.kind == plan::BufferKind::Output;
    if (entry || touched)
      used.push_back(i);
  }
  ArenaLayout layout = layOutArena(arena, plan::kBufferAlignment);
  for (auto [i, offset] : llvm::zip_equal(inArena, layout.offsets))
    tree.storages[i].place = offset;
  // Weights by their place among the module's.
  int64_t position = 0;
  for (auto weight :
       main->getParentOfType<ModuleOp>().getOps<kernel::WeightOp>()) {
    auto known = weights.find(weight.getName());
    if (known != weights.end())
      tree.storages[known->second].place = position;
    ++position;
  }

  OpBuilder builder(main);
  auto program = plan::ProgramOp::create(builder, main.getLoc(), main.getName(),
                                         layout.size);
  builder.createBlock(&program.getBody());
  for (unsigned i : used) {
    const Storage &storage = tree.storages[i];
    values[i] = plan::BufferOp::create(
        builder, main.getLoc(), plan::BufferType::get(builder.getContext()),
        storage.kind, storage.place, storage.size, storage.name, storage.bytes);
  }
  emitBlock(builder, 0);
  return program;
}

namespace {
struct BuildPlan : impl::BuildPlanBase<BuildPlan> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> entries;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(kernel::kEntryAttrName) && !function.isExternal())
        entries.push_back(function);
    for (func::FuncOp function : entries) {
      PlanBuilder builder(function, symbols);
      if (failed(builder.run()))
        return signalPassFailure();
      builder.emit();
      function.erase();
    }
  }
};
} // namespace
} // namespace heddle
