#include "PlanWriter.h"

using namespace mlir;
using namespace heddle;

uint32_t ConstantTable::operator()(int64_t value) {
  auto [entry, isNew] = known.try_emplace(value, table.size());
  if (isNew)
    table.emplace_back(value, 0, 0, format::ExpressionKind::constant);
  return entry->second;
}

uint32_t NodeTable::operator()(StringRef name) {
  auto [entry, isNew] = known.try_emplace(name, names.size());
  if (isNew)
    names.push_back(name.str());
  return entry->second;
}

namespace {
class PlanWriter {
public:
  PlanWriter(const llvm::StringMap<KernelFacts> &kernels,
             ArrayRef<uint32_t> weights, NodeTable &nodes)
      : kernels(kernels), weights(weights), nodes(nodes) {}

  format::PlanT write(plan::ProgramOp program);

private:
  void addBuffer(plan::BufferOp op);
  format::Binding bind(Value buffer, format::Access access) {
    return format::Binding(numbers.lookup(buffer), constant(0), format::none,
                           access);
  }
  format::CommandT &addCommand(ArrayAttr nodeNames);
  void addLaunch(plan::LaunchOp op);
  void addCopy(plan::CopyOp op);
  void addLoop(plan::LoopOp op);
  void addBranch(plan::BranchOp op);
  void addCommands(Block &block);
  uint32_t addBlock(Region &region);

  const llvm::StringMap<KernelFacts> &kernels;
  ArrayRef<uint32_t> weights;
  NodeTable &nodes;
  format::PlanT plan;
  ConstantTable constant{plan.expressions};
  format::ProgramT *program = nullptr;
  uint32_t current = 0; ///< The block that commands are added to.
  llvm::DenseMap<Value, uint32_t> numbers;
};
} // namespace

void PlanWriter::addBuffer(plan::BufferOp op) {
  auto buffer = std::make_unique<format::BufferT>();
  uint64_t place = op.getPlace();
  switch (op.getKind()) {
  case plan::BufferKind::Input:
    buffer->kind = format::BufferKind::input;
    break;
  case plan::BufferKind::Output:
    buffer->kind = format::BufferKind::output;
    break;
  case plan::BufferKind::Weight:
    buffer->kind = format::BufferKind::weight;
    place = weights[place];
    break;
  case plan::BufferKind::Arena:
    buffer->kind = format::BufferKind::arena;
    break;
  }
  bool inArena = op.getKind() == plan::BufferKind::Arena;
  buffer->index = inArena ? 0 : place;
  buffer->offset = constant(inArena ? place : 0);
  buffer->size = constant(op.getSize());
  buffer->name = op.getName().str();
  numbers[op.getResult()] = program->buffers.size();
  program->buffers.push_back(std::move(buffer));
}

format::CommandT &PlanWriter::addCommand(ArrayAttr nodeNames) {
  auto command = std::make_unique<format::CommandT>();
  for (Attribute name : nodeNames)
    command->nodes.push_back(nodes(cast<StringAttr>(name).getValue()));
  auto &commands = program->blocks[current]->commands;
  commands.push_back(std::move(command));
  return *commands.back();
}

void PlanWriter::addLaunch(plan::LaunchOp op) {
  KernelFacts facts = kernels.lookup(op.getKernel());
  format::LaunchT launch;
  launch.kernel = facts.index;
  int64_t traffic = 0;
  auto add = [&](ValueRange buffers, format::Access access) {
    for (Value buffer : buffers) {
      launch.bindings.push_back(bind(buffer, access));
      traffic += buffer.getDefiningOp<plan::BufferOp>().getSize();
    }
  };
  add(op.getReads(), format::Access::read);
  add(op.getWrites(), format::Access::write);
  launch.tiles = constant(facts.tiles);
  launch.chunk = constant(facts.chunk);
  launch.traffic = constant(traffic);
  if (facts.operations != 0)
    launch.operations = constant(facts.operations);
  addCommand(op.getNodes()).action.Set(std::move(launch));
}

void PlanWriter::addCopy(plan::CopyOp op) {
  format::CopyT copy;
  copy.source = std::make_unique<format::Binding>(
      bind(op.getSource(), format::Access::read));
  copy.target = std::make_unique<format::Binding>(
      bind(op.getTarget(), format::Access::write));
  addCommand(op.getNodes()).action.Set(std::move(copy));
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
  addCommand(op.getNodes()).action.Set(std::move(loop));
}

void PlanWriter::addBranch(plan::BranchOp op) {
  format::BranchT branch;
  branch.selector = std::make_unique<format::Binding>(
      bind(op.getSelector(), format::Access::read));
  for (Region &region : op.getCases())
    branch.blocks.push_back(addBlock(region));
  addCommand(op.getNodes()).action.Set(std::move(branch));
}

void PlanWriter::addCommands(Block &block) {
  for (Operation &op : block) {
    if (auto buffer = dyn_cast<plan::BufferOp>(op))
      addBuffer(buffer);
    else if (auto launch = dyn_cast<plan::LaunchOp>(op))
      addLaunch(launch);
    else if (auto loop = dyn_cast<plan::LoopOp>(op))
      addLoop(loop);
    else if (auto branch = dyn_cast<plan::BranchOp>(op))
      addBranch(branch);
    else
      addCopy(cast<plan::CopyOp>(op));
  }
}

format::PlanT PlanWriter::write(plan::ProgramOp op) {
  plan.devices.push_back(std::make_unique<format::DeviceT>());
  auto queue = std::make_unique<format::QueueT>();
  queue->name = "cpu";
  plan.queues.push_back(std::move(queue));
  plan.programs.push_back(std::make_unique<format::ProgramT>());
  program = plan.programs.front().get();
  program->blocks.push_back(std::make_unique<format::BlockT>());
  program->arena = constant(op.getArena());
  addCommands(op.getBody().front());
  return std::move(plan);
}

format::PlanT heddle::writePlan(plan::ProgramOp program,
                                const llvm::StringMap<KernelFacts> &kernels,
                                ArrayRef<uint32_t> weights, NodeTable &nodes) {
  return PlanWriter(kernels, weights, nodes).write(program);
}
