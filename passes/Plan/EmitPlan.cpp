// Makes operations of the plan dialect of storages and commands, with places in
// arenas.

#include "passes/Plan/EmitPlan.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/Weights.h"
#include "passes/Plan/Arena.h"
#include "passes/Plan/NodeNames.h"
#include "passes/Plan/SizedArena.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

PlanEmitter::PlanEmitter(ModuleOp module,
                         const std::vector<std::string> &devices,
                         const size::Ranges &ranges)
    : module(module), attributes(module.getContext()), devices(devices),
      ranges(ranges), persistentBytes(devices.size(), 0) {
  for (auto weight : module.getOps<kernel::WeightOp>())
    positions.try_emplace(weight.getName(), positions.size());
}

void PlanEmitter::addWeights(const CommandTree &tree) {
  for (const Storage &storage : tree.storages) {
    if (storage.kind != plan::BufferKind::Persistent)
      continue;
    int64_t &end = persistentBytes[storage.device];
    if (!offsets.try_emplace({storage.name, storage.device}, end).second)
      continue;
    persistent.push_back({storage.name, storage.device, storage.size, end});
    end += llvm::alignTo(storage.size, plan::kBufferAlignment);
  }
}

/// One memory for each device but the cpu that needs some.
ArrayAttr PlanEmitter::memories(ArrayRef<int64_t> sizes) {
  SmallVector<Attribute> list;
  for (auto [device, size] : llvm::enumerate(sizes))
    if (device != 0 && size != 0)
      list.push_back(plan::MemoryAttr::get(module.getContext(), device,
                                           plan::MemorySpace::Device, size));
  return list.empty() ? ArrayAttr() : attributes.getArrayAttr(list);
}

plan::ProgramOp PlanEmitter::createProgram(OpBuilder &builder, Location loc,
                                           StringRef name,
                                           const Arenas &arenas) {
  SmallVector<StringRef> names(devices.begin(), devices.end());
  auto program = plan::ProgramOp::create(
      builder, loc, name, /*guard=*/size::ExpressionAttr(),
      arenas.bytes.front(), arenas.chosen,
      names.size() > 1 ? attributes.getStrArrayAttr(names) : ArrayAttr(),
      /*queues=*/DenseI64ArrayAttr(), memories(arenas.bytes),
      /*persistent=*/ArrayAttr(), /*init=*/FlatSymbolRefAttr());
  builder.createBlock(&program.getBody());
  return program;
}

Value PlanEmitter::createBuffer(OpBuilder &builder, Location loc,
                                const Storage &storage) {
  int64_t place = storage.place;
  if (storage.kind == plan::BufferKind::Weight) {
    assert(positions.contains(storage.name) && "the module has all weights");
    place = positions.lookup(storage.name);
  }
  if (storage.kind == plan::BufferKind::Persistent)
    place = offsets.at({storage.name, storage.device});
  return plan::BufferOp::create(
      builder, loc, plan::BufferType::get(builder.getContext()), storage.kind,
      place, storage.size, storage.name, storage.bytes, storage.offset,
      storage.device,
      storage.device ? plan::MemorySpace::Device : plan::MemorySpace::Host,
      storage.changed);
}

void PlanEmitter::emitStates(ArrayRef<EntryState> states) {
  OpBuilder builder(module.getBody(), module.getBody()->begin());
  for (const EntryState &state : states) {
    unsigned device =
        state.place
            ? llvm::find(devices, state.place.getValue()) - devices.begin()
            : 0;
    plan::StateOp::create(
        builder, module.getLoc(), state.name,
        *storedBytes(cast<RankedTensorType>(state.type)), device,
        device ? plan::MemorySpace::Device : plan::MemorySpace::Host);
  }
}

void PlanEmitter::emitInit(SymbolTable &symbols) {
  if (persistent.empty())
    return;
  OpBuilder builder(module.getBody(), module.getBody()->begin());
  Location loc = module.getLoc();
  auto program = createProgram(builder, loc, "init",
                               {std::vector<int64_t>(devices.size(), 0)});
  program.setPersistentAttr(memories(persistentBytes));
  SmallVector<std::pair<Value, Value>> pairs;
  for (const Persistent &part : persistent) {
    Storage source{plan::BufferKind::Weight, 0, part.size, part.weight};
    Storage target = source;
    target.kind = plan::BufferKind::Persistent;
    target.device = part.device;
    Value from = createBuffer(builder, loc, source);
    pairs.push_back({from, createBuffer(builder, loc, target)});
  }
  for (auto [part, pair] : llvm::zip_equal(persistent, pairs))
    plan::CopyOp::create(builder, loc, pair.first, pair.second,
                         attributes.getArrayAttr({}), part.device,
                         /*after=*/DenseI64ArrayAttr(),
                         /*signals=*/DenseI64ArrayAttr());
  program->remove();
  // With another name, if an entry has this one.
  init = FlatSymbolRefAttr::get(
      symbols.insert(program, module.getBody()->begin()));
}

bool PlanEmitter::placeBySizes(CommandTree &tree, ArrayRef<unsigned> ids,
                               ArrayRef<LiveRange> lives, Arenas &arenas) {
  std::vector<SizedBuffer> buffers;
  for (unsigned id : ids) {
    const Storage &storage = tree.storages[id];
    size::Expression bytes =
        storage.bytes
            ? size::Expression(storage.bytes)
            : size::Expression::constant(module.getContext(), storage.size);
    buffers.push_back({bytes, lives[id].first, lives[id].last});
  }
  std::optional<SizedLayout> layout =
      layOutSizedArena(buffers, plan::kBufferAlignment, ranges);
  if (!layout)
    return false;
  for (auto [i, id] : llvm::enumerate(ids)) {
    tree.storages[id].place = layout->largest[i];
    if (!layout->offsets[i].isConstant())
      tree.storages[id].offset = layout->offsets[i].attribute();
  }
  arenas.bytes.push_back(layout->largestBytes);
  if (!layout->bytes.isConstant())
    arenas.chosen = layout->bytes.attribute();
  return true;
}

PlanEmitter::Arenas PlanEmitter::placeInArenas(CommandTree &tree,
                                               ArrayRef<LiveRange> lives) {
  Arenas arenas;
  for (unsigned device = 0; device < devices.size(); ++device) {
    SmallVector<unsigned> ids;
    bool isSized = false;
    for (auto [i, storage] : llvm::enumerate(tree.storages))
      if (storage.kind == plan::BufferKind::Arena && storage.size != 0 &&
          storage.device == device && lives[i].last >= 0) {
        ids.push_back(i);
        isSized |= bool(storage.bytes);
      }
    // What is on other devices has the places of the largest sizes.
    if (device == 0 && isSized && placeBySizes(tree, ids, lives, arenas))
      continue;
    SmallVector<ArenaBuffer> buffers;
    for (unsigned id : ids)
      buffers.push_back(
          {tree.storages[id].size, lives[id].first, lives[id].last});
    ArenaLayout layout = layOutArena(buffers, plan::kBufferAlignment);
    for (auto [id, offset] : llvm::zip_equal(ids, layout.offsets))
      tree.storages[id].place = offset;
    arenas.bytes.push_back(layout.size);
  }
  return arenas;
}

namespace {
/// Makes the ops of commands.
class CommandEmitter {
public:
  CommandEmitter(OpBuilder &builder, const CommandTree &tree,
                 const llvm::DenseMap<unsigned, Value> &values)
      : builder(builder), tree(tree), values(values) {}

  void emitBlock(unsigned block);

private:
  SmallVector<Value> toValues(ArrayRef<unsigned> ids) {
    return llvm::map_to_vector(ids, [&](unsigned id) {
      assert(values.contains(id) && "what a command touches has a buffer");
      return values.lookup(id);
    });
  }
  Operation *emit(const Command &command);

  OpBuilder &builder;
  const CommandTree &tree;
  const llvm::DenseMap<unsigned, Value> &values;
};
} // namespace

Operation *CommandEmitter::emit(const Command &command) {
  llvm::SetVector<StringAttr> names;
  collectNodeNames(command.loc, names);
  SmallVector<Attribute> attributes(names.begin(), names.end());
  ArrayAttr nodes = builder.getArrayAttr(attributes);
  SmallVector<Value> reads = toValues(command.reads),
                     writes = toValues(command.writes);
  auto events = [&](ArrayRef<int64_t> list) {
    return list.empty() ? DenseI64ArrayAttr()
                        : builder.getDenseI64ArrayAttr(list);
  };
  IntegerAttr queue = builder.getI64IntegerAttr(command.queue);
  DenseI64ArrayAttr after = events(command.waits);
  DenseI64ArrayAttr signals =
      command.signal ? events(*command.signal) : DenseI64ArrayAttr();
  switch (command.kind) {
  case Command::Kind::Launch:
    return plan::LaunchOp::create(
        builder, command.loc, command.kernel, reads, writes,
        builder.getArrayAttr(
            SmallVector<Attribute>(command.sizes.begin(), command.sizes.end())),
        builder.getDenseI64ArrayAttr(command.integers),
        /*alternatives=*/ArrayAttr(), nodes, queue, after, signals);
  case Command::Kind::Copy:
    return plan::CopyOp::create(builder, command.loc, reads[0], writes[0],
                                nodes, queue, after, signals);
  case Command::Kind::Resize:
    return plan::ResizeOp::create(builder, command.loc, reads[0], writes[0],
                                  nodes, queue, after, signals);
  case Command::Kind::Extent:
    return plan::ExtentOp::create(builder, command.loc, command.symbol,
                                  writes[0], queue, after, signals);
  case Command::Kind::Collective: {
    auto get = [&](StringRef name) { return command.collective.get(name); };
    return plan::CollectiveOp::create(
        builder, command.loc, cast<StringAttr>(get("kind")),
        cast_or_null<StringAttr>(get("reduction")), reads[0], writes[0],
        cast<DenseI64ArrayAttr>(get("groups")),
        cast<IntegerAttr>(get("group_size")), cast<TypeAttr>(get("element")),
        cast<IntegerAttr>(get("channel")), nodes, queue, after, signals);
  }
  case Command::Kind::Rank:
    return plan::RankOp::create(builder, command.loc, writes[0], queue, after,
                                signals);
  case Command::Kind::Loop:
    return plan::LoopOp::create(builder, command.loc, reads[0], nodes, queue,
                                after, signals);
  case Command::Kind::Branch:
    return plan::BranchOp::create(builder, command.loc, reads[0],
                                  /*conditions=*/ArrayAttr(), nodes, queue,
                                  after, signals, command.blocks.size());
  }
  llvm_unreachable("no such command");
}

void CommandEmitter::emitBlock(unsigned block) {
  for (const Command &command : tree.blocks[block]) {
    Operation *op = emit(command);
    for (auto [i, inner] : llvm::enumerate(command.blocks)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&op->getRegion(i));
      emitBlock(inner);
    }
  }
}

plan::ProgramOp PlanEmitter::emit(func::FuncOp main, CommandTree &tree) {
  std::vector<LiveRange> lives = liveRanges(tree);
  Arenas arenas = placeInArenas(tree, lives);
  OpBuilder builder(main);
  plan::ProgramOp program =
      createProgram(builder, main.getLoc(), main.getName(), arenas);
  llvm::DenseMap<unsigned, Value> values;
  bool usesPersistent = false;
  // Only what commands touch, and the entry's own.
  for (auto [i, storage] : llvm::enumerate(tree.storages)) {
    bool entry = storage.kind == plan::BufferKind::Input ||
                 storage.kind == plan::BufferKind::Output;
    if (!entry && lives[i].last < 0)
      continue;
    values[i] = createBuffer(builder, main.getLoc(), storage);
    usesPersistent |= storage.kind == plan::BufferKind::Persistent;
  }
  if (usesPersistent)
    program.setInitAttr(init);
  if (tree.queues.size() > tree.devices.size())
    program.setQueuesAttr(builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(tree.queues.begin(), tree.queues.end())));
  CommandEmitter(builder, tree, values).emitBlock(0);
  return program;
}
