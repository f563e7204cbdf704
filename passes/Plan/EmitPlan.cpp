// Makes operations of the plan dialect of storages and commands, with places in
// arenas.

#include "passes/Plan/EmitPlan.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/Weights.h"
#include "passes/Plan/Arena.h"
#include "passes/Plan/NodeNames.h"
#include "passes/Plan/SizedArena.h"

#include "llvm/ADT/Sequence.h"
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

PlanEmitter::PartName PlanEmitter::partName(const Storage &storage) {
  if (!storage.laidOutBy)
    return {storage.device, "", {storage.name}};
  PartName name = {storage.device, storage.laidOutBy.getValue().str(), {}};
  for (const auto &[weight, bytes] : storage.laidOutFrom)
    std::get<2>(name).push_back(weight);
  return name;
}

void PlanEmitter::addWeights(const CommandTree &tree) {
  for (const Storage &storage : tree.storages) {
    if (storage.kind != plan::BufferKind::Persistent)
      continue;
    int64_t &end = persistentBytes[storage.device];
    if (!offsets.try_emplace(partName(storage), end).second)
      continue;
    persistent.push_back(storage);
    end += llvm::alignTo(storage.size, plan::kBufferAlignment);
  }
}

static plan::MemorySpace spaceOf(unsigned device) {
  return device ? plan::MemorySpace::Device : plan::MemorySpace::Host;
}

/// One memory for each device that needs some; for the cpu only `withHost`.
ArrayAttr PlanEmitter::memories(ArrayRef<int64_t> sizes, bool withHost) {
  SmallVector<Attribute> list;
  for (auto [device, size] : llvm::enumerate(sizes))
    if ((device != 0 || withHost) && size != 0)
      list.push_back(plan::MemoryAttr::get(module.getContext(), device,
                                           spaceOf(device), size));
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
      /*queues=*/DenseI64ArrayAttr(),
      memories(arenas.bytes, /*withHost=*/false),
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
    place = offsets.at(partName(storage));
  return plan::BufferOp::create(
      builder, loc, plan::BufferType::get(builder.getContext()), storage.kind,
      place, storage.size, storage.name, storage.bytes, storage.offset,
      storage.device, spaceOf(storage.device), storage.changed);
}

void PlanEmitter::emitStates(ArrayRef<EntryState> states) {
  OpBuilder builder(module.getBody(), module.getBody()->begin());
  for (const EntryState &state : states) {
    unsigned device =
        state.place
            ? llvm::find(devices, state.place.getValue()) - devices.begin()
            : 0;
    plan::StateOp::create(builder, module.getLoc(), state.name,
                          *storedBytes(cast<RankedTensorType>(state.type)),
                          device, spaceOf(device));
  }
}

/// Copies weights to their devices, or lays them out there: what they are laid
/// out from is in an arena until then, which `init` has for itself.
CommandTree PlanEmitter::initCommands() {
  CommandTree tree;
  tree.devices = devices;
  llvm::append_range(tree.queues,
                     llvm::seq<unsigned>(1, unsigned(devices.size())));
  std::vector<Command> &commands = tree.blocks.emplace_back();
  auto addStorage = [&](Storage storage) {
    tree.storages.push_back(std::move(storage));
    return unsigned(tree.storages.size() - 1);
  };
  auto add = [&](Command::Kind kind, const Storage &part,
                 ArrayRef<unsigned> sources, unsigned target) {
    Command command{kind, attributes.getUnknownLoc(), part.laidOutBy};
    command.reads.assign(sources.begin(), sources.end());
    command.writes = {target};
    command.device = command.queue = part.device;
    commands.push_back(std::move(command));
  };
  auto weight = [&](StringRef name, int64_t bytes) {
    return addStorage({plan::BufferKind::Weight, 0, bytes, name.str()});
  };
  /// What the kernel before has read, by device and name: the next one may read
  /// the same.
  std::map<std::pair<unsigned, std::string>, unsigned> brought;
  auto bring = [&](const Storage &part, StringRef name, int64_t bytes) {
    unsigned source = weight(name, bytes);
    // A kernel of the cpu reads the weight where it is mapped.
    if (part.device == 0)
      return source;
    Storage place;
    place.size = bytes;
    place.device = part.device;
    unsigned arena = addStorage(place);
    add(Command::Kind::Copy, part, source, arena);
    return arena;
  };
  for (const Storage &part : persistent) {
    if (!part.laidOutBy) {
      unsigned source = weight(part.name, part.size);
      add(Command::Kind::Copy, part, source, addStorage(part));
      continue;
    }
    auto before = std::exchange(brought, {});
    SmallVector<unsigned> sources;
    for (const auto &[name, bytes] : part.laidOutFrom) {
      auto known = before.find({part.device, name});
      sources.push_back(known == before.end() ? bring(part, name, bytes)
                                              : known->second);
      brought[{part.device, name}] = sources.back();
    }
    add(Command::Kind::Launch, part, sources, addStorage(part));
  }
  return tree;
}

void PlanEmitter::emitInit(SymbolTable &symbols) {
  if (persistent.empty())
    return;
  CommandTree tree = initCommands();
  orderCommands(tree);
  OpBuilder builder(module.getBody(), module.getBody()->begin());
  plan::ProgramOp program = emit(builder, module.getLoc(), "init", tree);
  program.setPersistentAttr(memories(persistentBytes, /*withHost=*/true));
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
  case Command::Kind::Count:
    return plan::CountOp::create(builder, command.loc, command.symbol, reads[0],
                                 queue, after, signals);
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

plan::ProgramOp PlanEmitter::emit(OpBuilder &builder, Location loc,
                                  StringRef name, CommandTree &tree) {
  std::vector<LiveRange> lives = liveRanges(tree);
  Arenas arenas = placeInArenas(tree, lives);
  plan::ProgramOp program = createProgram(builder, loc, name, arenas);
  llvm::DenseMap<unsigned, Value> values;
  // Only what commands touch, and the entry's own.
  for (auto [i, storage] : llvm::enumerate(tree.storages)) {
    bool entry = storage.kind == plan::BufferKind::Input ||
                 storage.kind == plan::BufferKind::Output;
    if (!entry && lives[i].last < 0)
      continue;
    values[i] = createBuffer(builder, loc, storage);
  }
  if (tree.queues.size() > tree.devices.size())
    program.setQueuesAttr(builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(tree.queues.begin(), tree.queues.end())));
  CommandEmitter(builder, tree, values).emitBlock(0);
  return program;
}

plan::ProgramOp PlanEmitter::emit(func::FuncOp main, CommandTree &tree) {
  OpBuilder builder(main);
  plan::ProgramOp program = emit(builder, main.getLoc(), main.getName(), tree);
  if (llvm::any_of(program.getBody().getOps<plan::BufferOp>(),
                   [](plan::BufferOp buffer) {
                     return buffer.getKind() == plan::BufferKind::Persistent;
                   }))
    program.setInitAttr(init);
  return program;
}
