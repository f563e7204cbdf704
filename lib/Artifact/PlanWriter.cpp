// Writes programs of the plan dialect as the tables of an artifact.

#include "PlanWriter.h"

#include "dialects/Plan/DeviceNames.h"
#include "dialects/Size/DeclaredRanges.h"
#include "heddle/Artifact/DataTypes.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

namespace {
class PlanWriter {
public:
  PlanWriter(ModuleOp module, const llvm::StringMap<KernelFacts> &kernels,
             ArrayRef<WeightNumbers> weights, NodeTable &nodes)
      : kernels(kernels), weights(weights), nodes(nodes),
        ranges(size::declaredRanges(module)),
        constant(plan.expressions, module) {}

  format::PlanT write(ModuleOp module);

private:
  void mapQueues(plan::ProgramOp op);
  std::unique_ptr<format::ProgramT> writeProgram(plan::ProgramOp op);
  void addMemories(std::optional<ArrayAttr> memories,
                   std::vector<std::unique_ptr<format::MemoryT>> &list);
  void addBuffer(plan::BufferOp op);
  format::Binding bind(Value buffer, format::Access access) {
    assert(numbers.contains(buffer) && "buffers stand before their uses");
    return format::Binding(numbers.lookup(buffer), constant(0), format::none,
                           access);
  }
  format::CommandT &addCommand(plan::CommandOpInterface op, ArrayAttr nodes);
  uint32_t recordOf(const KernelFacts &facts, plan::LaunchOp op) const;
  std::optional<int64_t> mostBytes(size::Expression bytes) const;
  bool isMostOfCounts(ArrayRef<KernelFacts> facts) const;
  void addSizeArguments(ArrayRef<KernelFacts> facts,
                        ArrayRef<uint32_t> conditions, format::LaunchT &launch);
  void addLaunch(plan::LaunchOp op);
  void addCopy(plan::CopyOp op);
  void addResize(plan::ResizeOp op);
  void addExtent(plan::ExtentOp op);
  void addCollective(plan::CollectiveOp op);
  void addRank(plan::RankOp op);
  void addCount(plan::CountOp op);
  void addLoop(plan::LoopOp op);
  void addBranch(plan::BranchOp op);
  void addCommands(Block &block);
  uint32_t addBlock(Region &region);

  const llvm::StringMap<KernelFacts> &kernels;
  ArrayRef<WeightNumbers> weights;
  NodeTable &nodes;
  size::Ranges ranges;
  /// Symbols whose counts stand before the command that is written.
  llvm::StringSet<> counted;
  format::PlanT plan;
  ExpressionTable constant;
  /// The plan's queues that the program's are, and the kinds of their devices.
  std::vector<uint32_t> queueNumbers;
  std::vector<format::DeviceKind> queueKinds;
  format::ProgramT *program = nullptr;
  uint32_t current = 0; ///< The block that commands are added to.
  llvm::DenseMap<Value, uint32_t> numbers;
};
} // namespace

format::DeviceT heddle::toDevice(StringRef name) {
  plan::DeviceName parsed = *plan::parseDeviceName(name);
  format::DeviceT device;
  assert(llvm::any_of(format::EnumValuesDeviceKind(),
                      [&](format::DeviceKind kind) {
                        return parsed.kind == format::EnumNameDeviceKind(kind);
                      }) &&
         "the schema has each kind of device");
  for (format::DeviceKind kind : format::EnumValuesDeviceKind())
    if (parsed.kind == format::EnumNameDeviceKind(kind))
      device.kind = kind;
  device.ordinal = parsed.ordinal;
  return device;
}

static format::MemorySpace toFormat(plan::MemorySpace space) {
  switch (space) {
  case plan::MemorySpace::Host:
    return format::MemorySpace::host;
  case plan::MemorySpace::Device:
    return format::MemorySpace::device;
  case plan::MemorySpace::Pinned:
    return format::MemorySpace::pinned;
  case plan::MemorySpace::Managed:
    return format::MemorySpace::managed;
  }
  llvm_unreachable("no such space");
}

/// The number of the memory that a buffer is a part of.
static uint32_t
memoryOf(const format::BufferT &buffer,
         const std::vector<std::unique_ptr<format::MemoryT>> &memories) {
  auto found = llvm::find_if(memories, [&](const auto &memory) {
    return memory->device == buffer.device && memory->space == buffer.space;
  });
  assert(found != memories.end() && "a buffer lies in a memory of its program");
  return found - memories.begin();
}

void PlanWriter::addMemories(
    std::optional<ArrayAttr> memories,
    std::vector<std::unique_ptr<format::MemoryT>> &list) {
  if (!memories)
    return;
  for (auto known : memories->getAsRange<plan::MemoryAttr>()) {
    auto memory = std::make_unique<format::MemoryT>();
    memory->device = known.getDevice();
    memory->space = toFormat(known.getSpace());
    memory->size = constant(known.getSize());
    list.push_back(std::move(memory));
  }
}

/// The bytes of a buffer, by the sizes that the call chooses where it has such.
static size::Expression bytesOf(plan::BufferOp buffer) {
  return buffer.getBytes() ? size::Expression(*buffer.getBytes())
                           : size::Expression::constant(buffer.getContext(),
                                                        buffer.getSize());
}

void PlanWriter::addBuffer(plan::BufferOp op) {
  auto buffer = std::make_unique<format::BufferT>();
  buffer->device = op.getDevice();
  buffer->space = toFormat(op.getSpace());
  uint64_t place = op.getPlace(), offset = 0;
  switch (op.getKind()) {
  case plan::BufferKind::Input:
    buffer->kind = format::BufferKind::input;
    break;
  case plan::BufferKind::Output:
    buffer->kind = format::BufferKind::output;
    break;
  case plan::BufferKind::Weight:
    buffer->kind = format::BufferKind::weight;
    assert(place < weights.size() && "the packer has numbered all weights");
    if (weights[place].size() > 1)
      buffer->weights.assign(weights[place].begin(), weights[place].end());
    place = weights[place].front();
    break;
  case plan::BufferKind::Arena:
    buffer->kind = format::BufferKind::arena;
    offset = std::exchange(place, memoryOf(*buffer, program->arenas));
    break;
  case plan::BufferKind::Persistent:
    buffer->kind = format::BufferKind::persistent;
    offset = std::exchange(place, memoryOf(*buffer, plan.persistent));
    break;
  case plan::BufferKind::State:
    buffer->kind = format::BufferKind::state;
    break;
  }
  buffer->index = place;
  buffer->offset = op.getOffset() ? constant(size::Expression(*op.getOffset()))
                                  : constant(offset);
  buffer->size = constant(bytesOf(op));
  buffer->name = op.getName().str();
  numbers[op.getResult()] = program->buffers.size();
  program->buffers.push_back(std::move(buffer));
}

format::CommandT &PlanWriter::addCommand(plan::CommandOpInterface op,
                                         ArrayAttr nodeNames) {
  auto command = std::make_unique<format::CommandT>();
  command->queue = queueNumbers[op.getQueue()];
  for (int64_t event : op.getAfter().value_or(ArrayRef<int64_t>()))
    command->waits.push_back(event);
  for (int64_t event : op.getSignals().value_or(ArrayRef<int64_t>())) {
    command->signals.push_back(event);
    program->events = std::max<uint32_t>(program->events, event + 1);
  }
  for (Attribute name : nodeNames)
    command->nodes.push_back(nodes(cast<StringAttr>(name).getValue()));
  auto &commands = program->blocks[current]->commands;
  commands.push_back(std::move(command));
  return *commands.back();
}

/// The record of the kernel for the device of its queue.
uint32_t PlanWriter::recordOf(const KernelFacts &facts,
                              plan::LaunchOp op) const {
  auto other = facts.others.find(queueKinds[op.getQueue()]);
  return other == facts.others.end() ? facts.index : other->second;
}

/// The facts of the kernels that a launch may run, the last where no condition
/// holds, and the conditions of the others.
static SmallVector<KernelFacts>
factsOf(plan::LaunchOp op, const llvm::StringMap<KernelFacts> &kernels,
        ExpressionTable &table, SmallVectorImpl<uint32_t> &conditions) {
  SmallVector<KernelFacts> facts;
  if (op.getAlternatives())
    for (auto alternative :
         op.getAlternatives()->getAsRange<plan::AlternativeAttr>()) {
      assert(kernels.contains(alternative.getKernel().getValue()) &&
             "alternatives are compiled, too");
      facts.push_back(kernels.lookup(alternative.getKernel().getValue()));
      conditions.push_back(table(size::Expression(alternative.getCondition())));
    }
  assert(kernels.contains(op.getKernel()) && "launched kernels are compiled");
  facts.push_back(kernels.lookup(op.getKernel()));
  return facts;
}

/// What the kernels take behind the numbers that their functions say: as many
/// as the one that takes most of them, of which the chosen one finds its own in
/// front.
void PlanWriter::addSizeArguments(ArrayRef<KernelFacts> facts,
                                  ArrayRef<uint32_t> conditions,
                                  format::LaunchT &launch) {
  size_t most = 0;
  for (const KernelFacts &each : facts)
    most = std::max(most, each.sizeArguments.size());
  for (size_t i = 0; i < most; ++i)
    launch.integers.push_back(constant.choose(
        conditions, llvm::map_to_vector(facts, [&](const KernelFacts &each) {
          return i < each.sizeArguments.size() ? constant(each.sizeArguments[i])
                                               : constant(0);
        })));
}

/// The bytes of a call of the largest sizes, if no other takes more: contexts
/// have what that one takes.
std::optional<int64_t> PlanWriter::mostBytes(size::Expression bytes) const {
  size::Expression most =
      ranges.withLargest(bytes, [](StringRef) { return true; });
  if (!most || !ranges.isNeverNegative(most - bytes))
    return std::nullopt;
  return most.asConstant();
}

/// Whether a call of any sizes has, before it counts, the scratch that the
/// launch takes behind its counts, whichever of the kernels these choose.
bool PlanWriter::isMostOfCounts(ArrayRef<KernelFacts> facts) const {
  auto isCounted = [&](StringRef name) { return counted.contains(name); };
  if (llvm::none_of(facts, [&](const KernelFacts &each) {
        return llvm::any_of(each.scratch.symbols(), isCounted) ||
               llvm::any_of(each.tiles.symbols(), isCounted);
      }))
    return true;
  return llvm::all_of(facts, [&](const KernelFacts &before) {
    size::Expression most = ranges.withLargest(before.scratch, isCounted);
    return most && llvm::all_of(facts, [&](const KernelFacts &behind) {
             return ranges.isNeverNegative(most - behind.scratch);
           });
  });
}

void PlanWriter::addLaunch(plan::LaunchOp op) {
  format::LaunchT launch;
  SmallVector<uint32_t> conditions;
  SmallVector<KernelFacts> facts = factsOf(op, kernels, constant, conditions);
  launch.kernel = recordOf(facts.back(), op);
  SmallVector<uint32_t> selected;
  for (const KernelFacts &other : ArrayRef(facts).drop_back()) {
    launch.alternatives.push_back(recordOf(other, op));
    selected.push_back(constant(int64_t(launch.alternatives.size())));
  }
  if (!conditions.empty()) {
    selected.push_back(constant(int64_t(0)));
    launch.selector = constant.choose(conditions, selected);
  }
  auto choose = [&](llvm::function_ref<uint32_t(const KernelFacts &)> fact) {
    return constant.choose(
        conditions, llvm::map_to_vector(facts, [&](const KernelFacts &each) {
          return fact(each);
        }));
  };
  auto traffic = size::Expression::constant(op.getContext(), 0);
  auto add = [&](ValueRange buffers, format::Access access) {
    for (Value buffer : buffers) {
      launch.bindings.push_back(bind(buffer, access));
      traffic = traffic + bytesOf(buffer.getDefiningOp<plan::BufferOp>());
    }
  };
  add(op.getReads(), format::Access::read);
  add(op.getWrites(), format::Access::write);
  for (auto size : op.getSizes().getAsRange<size::ExpressionAttr>())
    launch.integers.push_back(constant(size::Expression(size)));
  for (int64_t integer : op.getIntegers())
    launch.integers.push_back(constant(integer));
  addSizeArguments(facts, conditions, launch);
  launch.tiles =
      choose([&](const KernelFacts &each) { return constant(each.tiles); });
  launch.chunk =
      choose([&](const KernelFacts &each) { return constant(each.chunk); });
  // Other devices have scratch of their own. Beside a kernel that always needs
  // the same, the others may need more, and so may one that only smaller sizes
  // choose.
  std::optional<int64_t> most =
      facts.back().scratch ? mostBytes(facts.back().scratch) : std::nullopt;
  if (queueKinds[op.getQueue()] == format::DeviceKind::cpu && most &&
      llvm::all_of(facts,
                   [&](const KernelFacts &each) {
                     return each.scratch && mostBytes(each.scratch) == most;
                   }) &&
      isMostOfCounts(facts))
    launch.scratch =
        choose([&](const KernelFacts &each) { return constant(each.scratch); });
  // A sum of more terms than an expression has is not told.
  if (traffic)
    launch.traffic = constant(traffic);
  if (llvm::all_of(
          facts, [](const KernelFacts &each) { return bool(each.operations); }))
    launch.operations = choose(
        [&](const KernelFacts &each) { return constant(each.operations); });
  addCommand(op, op.getNodes()).action.Set(std::move(launch));
}

void PlanWriter::addCopy(plan::CopyOp op) {
  format::CopyT copy;
  copy.source = std::make_unique<format::Binding>(
      bind(op.getSource(), format::Access::read));
  copy.target = std::make_unique<format::Binding>(
      bind(op.getTarget(), format::Access::write));
  addCommand(op, op.getNodes()).action.Set(std::move(copy));
}

/// A copy of as many bytes as the smaller buffer has at a call; a larger target
/// ends in zeros. A buffer that says no `bytes` is as large as any.
void PlanWriter::addResize(plan::ResizeOp op) {
  auto source = op.getSource().getDefiningOp<plan::BufferOp>(),
       target = op.getTarget().getDefiningOp<plan::BufferOp>();
  bool grows = bool(source.getBytes());
  size::Expression less = bytesOf(grows ? source : target);
  if (source.getBytes() && target.getBytes()) {
    less = size::Expression::minimum(bytesOf(source), bytesOf(target));
    grows = !ranges.isNeverNegative(bytesOf(source) - bytesOf(target));
  }
  uint32_t bytes = constant(less);
  format::CopyT copy;
  copy.source = std::make_unique<format::Binding>(
      numbers.lookup(op.getSource()), constant(0), bytes, format::Access::read);
  copy.target = std::make_unique<format::Binding>(
      numbers.lookup(op.getTarget()), constant(0), bytes,
      format::Access::write);
  format::CommandT &first = addCommand(op, op.getNodes());
  first.action.Set(std::move(copy));
  if (!grows)
    return;
  format::FillT rest;
  rest.target =
      std::make_unique<format::Binding>(numbers.lookup(op.getTarget()), bytes,
                                        format::none, format::Access::write);
  // What waits for the command waits for the second half of it.
  first.signals.clear();
  addCommand(op, op.getNodes()).action.Set(std::move(rest));
}

void PlanWriter::addExtent(plan::ExtentOp op) {
  format::FillT fill;
  fill.target = std::make_unique<format::Binding>(
      bind(op.getTarget(), format::Access::write));
  fill.pattern_bytes = 4;
  fill.value = constant.symbol(op.getSymbol());
  addCommand(op, ArrayAttr::get(op.getContext(), {}))
      .action.Set(std::move(fill));
}

/// The number of a kind or a reduction in the schema: the verifier of the
/// operation knows the same names.
template <typename Enum, size_t count>
static Enum byName(const Enum (&values)[count], const char *(*name)(Enum),
                   StringRef wanted) {
  for (Enum value : values)
    if (wanted == name(value))
      return value;
  llvm_unreachable("the schema has each kind and reduction");
}

void PlanWriter::addCollective(plan::CollectiveOp op) {
  format::CollectiveT collective;
  collective.kind = byName(format::EnumValuesCollectiveKind(),
                           format::EnumNameCollectiveKind, op.getKind());
  if (op.getReduction())
    collective.reduction =
        byName(format::EnumValuesReductionKind(), format::EnumNameReductionKind,
               *op.getReduction());
  collective.dtype = dataType(op.getElement());
  collective.source = std::make_unique<format::Binding>(
      bind(op.getSource(), format::Access::read));
  collective.target = std::make_unique<format::Binding>(
      bind(op.getTarget(), format::Access::write));
  for (int64_t rank : op.getGroups())
    collective.group.push_back(constant(rank));
  collective.group_size = op.getGroupSize();
  collective.channel = op.getChannel();
  addCommand(op, op.getNodes()).action.Set(std::move(collective));
}

void PlanWriter::addRank(plan::RankOp op) {
  format::RankT rank;
  rank.target = std::make_unique<format::Binding>(
      bind(op.getTarget(), format::Access::write));
  addCommand(op, ArrayAttr::get(op.getContext(), {}))
      .action.Set(std::move(rank));
}

void PlanWriter::addCount(plan::CountOp op) {
  format::CountT count;
  counted.insert(op.getSymbol());
  count.symbol = constant.numberOf(op.getSymbol());
  count.source = std::make_unique<format::Binding>(
      bind(op.getSource(), format::Access::read));
  addCommand(op, ArrayAttr::get(op.getContext(), {}))
      .action.Set(std::move(count));
}

uint32_t PlanWriter::addBlock(Region &region) {
  auto number = static_cast<uint32_t>(program->blocks.size());
  program->blocks.push_back(std::make_unique<format::BlockT>());
  uint32_t outer = std::exchange(current, number);
  addCommands(region.front());
  current = outer;
  return number;
}

void PlanWriter::addLoop(plan::LoopOp op) {
  format::LoopT loop;
  loop.flag = std::make_unique<format::Binding>(
      bind(op.getFlag(), format::Access::read));
  loop.condition = addBlock(op.getCondition());
  loop.body = addBlock(op.getBody());
  addCommand(op, op.getNodes()).action.Set(std::move(loop));
}

void PlanWriter::addBranch(plan::BranchOp op) {
  format::BranchT branch;
  if (op.getSelector()) {
    branch.selector = std::make_unique<format::Binding>(
        bind(op.getSelector(), format::Access::read));
  } else {
    SmallVector<uint32_t> conditions;
    for (auto condition :
         op.getConditions()->getAsRange<size::ExpressionAttr>())
      conditions.push_back(constant(size::Expression(condition)));
    branch.value = constant.choose(
        conditions,
        llvm::map_to_vector(llvm::seq<int64_t>(0, conditions.size() + 1),
                            [&](int64_t number) { return constant(number); }));
  }
  for (Region &region : op.getCases())
    branch.blocks.push_back(addBlock(region));
  addCommand(op, op.getNodes()).action.Set(std::move(branch));
}

void PlanWriter::addCommands(Block &block) {
  for (Operation &op : block) {
    if (auto buffer = dyn_cast<plan::BufferOp>(op))
      addBuffer(buffer);
    else if (auto launch = dyn_cast<plan::LaunchOp>(op))
      addLaunch(launch);
    else if (auto resize = dyn_cast<plan::ResizeOp>(op))
      addResize(resize);
    else if (auto extent = dyn_cast<plan::ExtentOp>(op))
      addExtent(extent);
    else if (auto collective = dyn_cast<plan::CollectiveOp>(op))
      addCollective(collective);
    else if (auto rank = dyn_cast<plan::RankOp>(op))
      addRank(rank);
    else if (auto count = dyn_cast<plan::CountOp>(op))
      addCount(count);
    else if (auto loop = dyn_cast<plan::LoopOp>(op))
      addLoop(loop);
    else if (auto branch = dyn_cast<plan::BranchOp>(op))
      addBranch(branch);
    else
      addCopy(cast<plan::CopyOp>(op));
  }
}

/// The programs share queues: the first of a device is the first of that for
/// all of them.
void PlanWriter::mapQueues(plan::ProgramOp op) {
  SmallVector<StringRef> devices = op.deviceNames();
  SmallVector<unsigned> seen(devices.size(), 0);
  queueNumbers.clear();
  queueKinds.clear();
  for (int64_t device : op.queueDevices()) {
    unsigned wanted = seen[device]++, number = 0, same = 0;
    for (; number < plan.queues.size(); ++number)
      if (plan.queues[number]->device == device && same++ == wanted)
        break;
    if (number == plan.queues.size()) {
      auto queue = std::make_unique<format::QueueT>();
      queue->device = device;
      queue->name = devices[device].str();
      if (wanted)
        queue->name += "." + std::to_string(wanted);
      plan.queues.push_back(std::move(queue));
    }
    queueNumbers.push_back(number);
    queueKinds.push_back(toDevice(devices[device]).kind);
  }
}

std::unique_ptr<format::ProgramT> PlanWriter::writeProgram(plan::ProgramOp op) {
  auto written = std::make_unique<format::ProgramT>();
  program = written.get();
  mapQueues(op);
  program->blocks.push_back(std::make_unique<format::BlockT>());
  // Also for buffers without bytes alone: these have a place, too.
  bool usesArena = llvm::any_of(
      op.getBody().getOps<plan::BufferOp>(), [](plan::BufferOp buffer) {
        return buffer.getKind() == plan::BufferKind::Arena &&
               buffer.getDevice() == 0;
      });
  if (usesArena) {
    auto arena = std::make_unique<format::MemoryT>();
    arena->size = op.getArenaBytes()
                      ? constant(size::Expression(*op.getArenaBytes()))
                      : constant(op.getArena());
    program->arenas.push_back(std::move(arena));
  }
  addMemories(op.getArenas(), program->arenas);
  addCommands(op.getBody().front());
  return written;
}

/// The program that fills the persistent memory; null if there is none.
static plan::ProgramOp initOf(ModuleOp module) {
  for (auto program : module.getOps<plan::ProgramOp>())
    if (program.getPersistent())
      return program;
  return {};
}

format::PlanT PlanWriter::write(ModuleOp module) {
  for (auto state : module.getOps<plan::StateOp>())
    plan.states.emplace_back(state.getDevice(), toFormat(state.getSpace()));
  if (plan::ProgramOp init = initOf(module)) {
    addMemories(init.getPersistent(), plan.persistent);
    plan.init = writeProgram(init);
    plan.init->entry = format::none;
  }
  uint32_t entry = 0;
  for (plan::ProgramOp program : entryPrograms(module)) {
    plan.programs.push_back(writeProgram(program));
    plan.programs.back()->entry = entry;
    if (program.getGuard())
      plan.programs.back()->guard =
          constant(size::Expression(*program.getGuard()));
    else
      ++entry;
  }
  return std::move(plan);
}

SmallVector<plan::ProgramOp> heddle::entryPrograms(ModuleOp module) {
  SmallVector<plan::ProgramOp> programs;
  for (auto program : module.getOps<plan::ProgramOp>())
    if (!program.getPersistent())
      programs.push_back(program);
  return programs;
}

format::PlanT heddle::writePlan(ModuleOp module,
                                const llvm::StringMap<KernelFacts> &kernels,
                                ArrayRef<WeightNumbers> weights,
                                NodeTable &nodes) {
  return PlanWriter(module, kernels, weights, nodes).write(module);
}
