#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "heddle/Support/Weights.h"
#include "passes/Plan/Arena.h"
#include "passes/Plan/NodeNames.h"
#include "passes/Plan/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_BUILDPLAN
#include "passes/Plan/Passes.h.inc"

namespace {
/// A buffer while the plan is being made.
struct Storage {
  plan::BufferKind kind;
  int64_t place = 0;
  int64_t size = 0;
  std::string name;
  /// Commands that touch it; none yet: first > last.
  int64_t first = INT64_MAX, last = -1;
};

/// A command; `writes` may repeat one of `reads`.
struct Command {
  Location loc;
  FlatSymbolRefAttr kernel; // null: a copy
  SmallVector<unsigned> reads, writes;
};

class PlanBuilder {
public:
  PlanBuilder(func::FuncOp main, SymbolTable &symbols)
      : main(main), symbols(symbols) {}

  LogicalResult run();
  plan::ProgramOp emit();

private:
  unsigned addStorage(plan::BufferKind kind, int64_t place, Type type,
                      StringRef name);
  unsigned storageOf(Value value) { return storages.at(value); }
  LogicalResult launch(kernel::LaunchOp op);
  void copy(Location loc, unsigned source, unsigned target);
  void returnResults(func::ReturnOp op);
  bool diesHere(Value value, Operation *op);
  void touch();

  func::FuncOp main;
  SymbolTable &symbols;
  std::vector<Storage> buffers;
  DenseMap<Value, unsigned> storages;
  llvm::StringMap<unsigned> weights;
  std::vector<Command> commands;
};
} // namespace

static int64_t bytesOf(Type type) {
  return *storedBytes(cast<RankedTensorType>(type));
}

unsigned PlanBuilder::addStorage(plan::BufferKind kind, int64_t place,
                                 Type type, StringRef name) {
  Storage storage;
  storage.kind = kind;
  storage.place = place;
  storage.size = bytesOf(type);
  storage.name = name.str();
  buffers.push_back(std::move(storage));
  return buffers.size() - 1;
}

void PlanBuilder::copy(Location loc, unsigned source, unsigned target) {
  if (buffers[source].size != 0)
    commands.push_back({loc, {}, {source}, {target}});
}

/// Whether no op after `op` reads the storage of `value`: neither by this
/// value nor by a reshape of it.
bool PlanBuilder::diesHere(Value value, Operation *op) {
  SmallVector<Value> aliases = {value};
  // Up to where the tensor was made, then down through all its reshapes.
  while (Operation *source = aliases.front().getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(source))
      break;
    aliases.front() = source->getOperand(0);
  }
  for (unsigned i = 0; i < aliases.size(); ++i)
    for (Operation *user : aliases[i].getUsers()) {
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
        aliases.push_back(user->getResult(0));
      else if (user != op && (!user->isBeforeInBlock(op)))
        return false;
    }
  // Twice among the operands: one of them would be read after the write.
  return llvm::count_if(op->getOperands(), [&](Value operand) {
           return storageOf(operand) == storageOf(value);
         }) == 1;
}

LogicalResult PlanBuilder::launch(kernel::LaunchOp op) {
  auto function = symbols.lookup<func::FuncOp>(op.getKernel());
  if (!function)
    return op.emitError() << "launches no function";
  Command command{op.getLoc(), op.getKernelAttr(), {}, {}};
  for (Value input : op.getInputs())
    command.reads.push_back(storageOf(input));
  command.writes.assign(op->getNumResults(), ~0u);
  bool empty = true;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    auto tied =
        function.getArgAttrOfType<IntegerAttr>(i, kernel::kTiedAttrName);
    auto inPlace =
        function.getArgAttrOfType<IntegerAttr>(i, kernel::kInPlaceAttrName);
    if (!tied && !inPlace)
      continue;
    unsigned result = (tied ? tied : inPlace).getInt();
    unsigned storage = storageOf(input);
    if (buffers[storage].kind == plan::BufferKind::Arena &&
        buffers[storage].size == bytesOf(op->getResult(result).getType()) &&
        diesHere(input, op)) {
      command.writes[result] = storage;
    } else if (tied) {
      unsigned fresh = addStorage(plan::BufferKind::Arena, 0,
                                  op->getResult(result).getType(), "");
      copy(op.getLoc(), storage, fresh);
      command.reads[i] = command.writes[result] = fresh;
    }
  }
  for (auto [i, result] : llvm::enumerate(op.getOutputs())) {
    unsigned &storage = command.writes[i];
    if (storage == ~0u)
      storage = addStorage(plan::BufferKind::Arena, 0, result.getType(), "");
    storages[result] = storage;
    empty &= buffers[storage].size == 0;
  }
  if (!empty)
    commands.push_back(std::move(command));
  return success();
}

/// The name that the model gives an argument or a result.
static StringRef nameOf(DictionaryAttr attributes) {
  auto name =
      attributes ? attributes.getAs<StringAttr>("heddle.name") : StringAttr();
  return name ? name.getValue() : "";
}

void PlanBuilder::returnResults(func::ReturnOp op) {
  ArrayAttr attributes = main.getAllResultAttrs();
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    std::string name = "out" + std::to_string(i);
    if (attributes) {
      StringRef given = nameOf(cast<DictionaryAttr>(attributes[i]));
      if (!given.empty())
        name = given.str();
    }
    unsigned storage = storageOf(value);
    if (buffers[storage].kind == plan::BufferKind::Arena) {
      // It may as well have been there from the start.
      buffers[storage].kind = plan::BufferKind::Output;
      buffers[storage].place = i;
      buffers[storage].name = name;
      continue;
    }
    unsigned output =
        addStorage(plan::BufferKind::Output, i, value.getType(), name);
    copy(op.getLoc(), storage, output);
  }
}

void PlanBuilder::touch() {
  for (auto [i, command] : llvm::enumerate(commands))
    for (unsigned storage :
         llvm::concat<unsigned>(command.reads, command.writes)) {
      buffers[storage].first = std::min<int64_t>(buffers[storage].first, i);
      buffers[storage].last = std::max<int64_t>(buffers[storage].last, i);
    }
}

LogicalResult PlanBuilder::run() {
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    StringRef given = nameOf(main.getArgAttrDict(i));
    storages[argument] =
        addStorage(plan::BufferKind::Input, i, argument.getType(),
                   given.empty() ? "arg" + std::to_string(i) : given.str());
  }
  for (Operation &op : main.front()) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      storages[op.getResult(0)] = storageOf(op.getOperand(0));
    } else if (auto reference = dyn_cast<kernel::WeightRefOp>(op)) {
      auto [known, isNew] =
          weights.try_emplace(reference.getWeight(), buffers.size());
      if (isNew)
        addStorage(plan::BufferKind::Weight, 0, reference.getType(),
                   reference.getWeight());
      storages[reference.getResult()] = known->second;
    } else if (auto launchOp = dyn_cast<kernel::LaunchOp>(op)) {
      if (failed(launch(launchOp)))
        return failure();
    } else if (auto terminator = dyn_cast<func::ReturnOp>(op)) {
      returnResults(terminator);
    } else {
      return op.emitError()
             << "'" << op.getName() << "' cannot be part of a plan";
    }
  }
  touch();
  return success();
}

plan::ProgramOp PlanBuilder::emit() {
  // Only what commands touch, and the entry's own.
  SmallVector<unsigned> used;
  SmallVector<ArenaBuffer> arena;
  SmallVector<unsigned> inArena;
  for (auto [i, storage] : llvm::enumerate(buffers)) {
    if (storage.kind == plan::BufferKind::Arena && storage.size != 0 &&
        storage.last >= 0) {
      arena.push_back({storage.size, storage.first, storage.last});
      inArena.push_back(i);
    }
    bool entry = storage.kind == plan::BufferKind::Input ||
                 storage.kind == plan::BufferKind::Output;
    if (entry || storage.last >= 0)
      used.push_back(i);
  }
  ArenaLayout layout = layOutArena(arena, plan::kBufferAlignment);
  for (auto [i, offset] : llvm::zip_equal(inArena, layout.offsets))
    buffers[i].place = offset;
  // Weights by their place among the module's.
  int64_t position = 0;
  for (auto weight :
       main->getParentOfType<ModuleOp>().getOps<kernel::WeightOp>()) {
    auto known = weights.find(weight.getName());
    if (known != weights.end())
      buffers[known->second].place = position;
    ++position;
  }

  OpBuilder builder(main);
  auto program = plan::ProgramOp::create(builder, main.getLoc(), main.getName(),
                                         layout.size);
  builder.createBlock(&program.getBody());
  DenseMap<unsigned, Value> values;
  for (unsigned i : used) {
    const Storage &storage = buffers[i];
    values[i] = plan::BufferOp::create(
        builder, main.getLoc(), plan::BufferType::get(builder.getContext()),
        storage.kind, storage.place, storage.size, storage.name);
  }
  auto toValues = [&](ArrayRef<unsigned> ids) {
    return llvm::map_to_vector(ids, [&](unsigned id) { return values[id]; });
  };
  for (const Command &command : commands) {
    llvm::SetVector<StringAttr> names;
    collectNodeNames(command.loc, names);
    SmallVector<Attribute> attributes(names.begin(), names.end());
    ArrayAttr nodes = builder.getArrayAttr(attributes);
    if (command.kernel)
      plan::LaunchOp::create(builder, command.loc, command.kernel,
                             toValues(command.reads), toValues(command.writes),
                             nodes);
    else
      plan::CopyOp::create(builder, command.loc, values[command.reads[0]],
                           values[command.writes[0]], nodes);
  }
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
