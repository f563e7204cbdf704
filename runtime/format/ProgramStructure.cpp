// Walks all blocks of a program and looks up whatever they name.

#include "runtime/format/ProgramStructure.h"

#include "runtime/format/Limits.h"

#include <set>

using namespace heddle;
using namespace heddle::format;

Error format::verifyMemoryPlaces(const Plan &plan, const Variant &variant,
                                 const MemoryList *memories,
                                 const std::string &name) {
  std::set<std::pair<uint32_t, MemorySpace>> known;
  for (uint32_t i = 0; i < length(memories); ++i) {
    const Memory &memory = *memories->Get(i);
    if (memory.size() >= length(plan.expressions()))
      return invalidPlan("has no proper " + name + " size");
    if (memory.device() >= length(variant.devices()) ||
        !hasSpace(variant.devices()->Get(memory.device())->kind(),
                  memory.space()))
      return invalidPlan("has an " + name + " on an unknown device");
    if (!known.emplace(memory.device(), memory.space()).second)
      return invalidPlan("has two " + name + "s in one memory of " +
                         deviceName(variant, memory.device()));
  }
  return {};
}

Error ProgramStructure::number(uint32_t expression, const char *unknown) const {
  if (expression >= view.values.size())
    return invalidPlan(unknown);
  if (!view.entry && isSized(expression))
    return invalidPlan("follows from a size that calls choose, of which "
                       "nothing is known at load");
  return {};
}

Error ProgramStructure::buffer(const Buffer &buffer) const {
  if (Error error = number(buffer.size(), "has no proper size"))
    return error;
  if (Error error = places.checkPlace(buffer))
    return error;
  if (buffer.kind() == BufferKind::persistent &&
      (isSized(buffer.size()) || isSized(buffer.offset())))
    return invalidPlan("is in persistent memory, where its place follows from "
                       "a size that calls choose");
  bool hasOffset = buffer.kind() == BufferKind::arena ||
                   buffer.kind() == BufferKind::persistent;
  return hasOffset ? number(buffer.offset(), "lies outside its memory")
                   : Error();
}

Error ProgramStructure::binding(const Binding *binding) const {
  if (!binding || binding->buffer() >= length(view.program.buffers()))
    return invalidPlan("binds an unknown buffer");
  if (Error error = number(binding->offset(), "binds beyond the end"))
    return error;
  if (binding->size() != none)
    if (Error error = number(binding->size(), "binds beyond the end"))
      return error;
  auto mode = static_cast<unsigned>(binding->access());
  if (!mode || mode > static_cast<unsigned>(Access::MAX))
    return invalidPlan("binds buffer " + std::to_string(binding->buffer()) +
                       " for nothing");
  return {};
}

Error ProgramStructure::launch(const Launch &launch) const {
  uint32_t kernels = length(view.variant.kernels());
  bool isKnown = launch.kernel() < kernels;
  for (uint32_t i = 0; i < length(launch.alternatives()); ++i)
    isKnown &= launch.alternatives()->Get(i) < kernels;
  if (!isKnown)
    return invalidPlan("launches an unknown kernel");
  for (uint32_t i = 0; i < length(launch.integers()); ++i)
    if (Error error = number(launch.integers()->Get(i),
                             "launch passes an unknown integer"))
      return error;
  for (uint32_t expression : {launch.tiles(), launch.chunk()})
    if (Error error = number(expression, "launch has no proper tile count"))
      return error;
  for (uint32_t report : {launch.operations(), launch.traffic()})
    if (report != none)
      if (Error error = number(report, "launch reports an unknown number"))
        return error;
  if (launch.selector() != none)
    if (Error error = number(launch.selector(),
                             "launch selects by an unknown expression"))
      return error;
  if (launch.scratch() != none)
    if (Error error = number(launch.scratch(),
                             "launch has no proper number of bytes of scratch"))
      return error;
  for (uint32_t i = 0; i < length(launch.bindings()); ++i)
    if (Error error = binding(launch.bindings()->Get(i)))
      return invalidPlan("launch " + error.message());
  return {};
}

Error ProgramStructure::branch(const Branch &branch) const {
  if ((branch.value() == none) == !branch.selector())
    return invalidPlan("does not branch on one thing");
  if (Error error =
          branch.selector()
              ? binding(branch.selector())
              : number(branch.value(), "branches on an unknown expression"))
    return error;
  return length(branch.blocks()) ? Error() : invalidPlan("branches to nothing");
}

Error ProgramStructure::loop(const Loop &loop) const {
  return loop.trips() != none
             ? number(loop.trips(), "loops an unknown number of times")
             : binding(loop.flag());
}

Error ProgramStructure::collective(const Collective &collective) const {
  if (Error error = binding(collective.source()))
    return error;
  if (Error error = binding(collective.target()))
    return error;
  for (uint32_t i = 0; i < length(collective.group()); ++i)
    if (Error error = number(collective.group()->Get(i),
                             "has an unknown rank in a group"))
      return error;
  return {};
}

Error ProgramStructure::count(const Count &count) const {
  if (count.symbol() >= length(view.manifest.symbols()) ||
      view.manifest.symbols()->Get(count.symbol())->source() !=
          SymbolSource::device)
    return invalidPlan("counts what is no size that programs compute");
  return binding(count.source());
}

Error ProgramStructure::command(const Command &command) const {
  if (const Launch *action = command.action_as_Launch())
    return launch(*action);
  if (const Copy *action = command.action_as_Copy()) {
    Error error = binding(action->source());
    return error ? error : binding(action->target());
  }
  if (const Fill *action = command.action_as_Fill()) {
    if (action->value() != none)
      if (Error error =
              number(action->value(), "fills with an unknown expression"))
        return error;
    return binding(action->target());
  }
  if (const Branch *action = command.action_as_Branch())
    return branch(*action);
  if (const Loop *action = command.action_as_Loop())
    return loop(*action);
  if (const Collective *action = command.action_as_Collective())
    return collective(*action);
  if (const Rank *action = command.action_as_Rank())
    return binding(action->target());
  if (const Count *action = command.action_as_Count())
    return count(*action);
  if (command.action_type() == Action::Send ||
      command.action_type() == Action::Receive)
    return invalidPlan(std::string("is a '") +
                       EnumNameAction(command.action_type()) +
                       "', which this version of heddle does not have");
  return invalidPlan("has no action that is known");
}

Error ProgramStructure::block(const Block &block) const {
  for (uint32_t i = 0; i < length(block.commands()); ++i) {
    const Command &now = *block.commands()->Get(i);
    auto fail = [&](const std::string &what) {
      return invalidPlan("command " + std::to_string(i) + ": " + what);
    };
    if (now.queue() >= length(view.plan.queues()))
      return fail("is on an unknown queue");
    for (uint32_t j = 0; j < length(now.nodes()); ++j)
      if (now.nodes()->Get(j) >= length(view.manifest.nodes()))
        return fail("names an unknown node");
    for (uint32_t j = 0; j < length(now.signals()); ++j)
      if (now.signals()->Get(j) >= view.program.events())
        return fail("signals an unknown event");
    if (Error error = command(now))
      return fail(error.message());
  }
  return {};
}

Error ProgramStructure::nesting(uint32_t index, uint32_t depth) {
  if (index >= length(view.program.blocks()))
    return invalidPlan("enters an unknown block");
  if (depth >= maximumBlockDepth)
    return invalidPlan("blocks are nested too deeply");
  if (entered[index])
    return invalidPlan("block " + std::to_string(index) + " is entered twice");
  entered[index] = true;
  const auto *commands = view.program.blocks()->Get(index)->commands();
  for (uint32_t i = 0; i < length(commands); ++i) {
    Error error;
    if (const Loop *loop = commands->Get(i)->action_as_Loop()) {
      if (loop->trips() == none)
        error = nesting(loop->condition(), depth + 1);
      if (!error)
        error = nesting(loop->body(), depth + 1);
    } else if (const Branch *branch = commands->Get(i)->action_as_Branch()) {
      for (uint32_t j = 0; !error && j < length(branch->blocks()); ++j)
        error = nesting(branch->blocks()->Get(j), depth + 1);
    }
    if (error)
      return invalidPlan("block " + std::to_string(index) + ", command " +
                         std::to_string(i) + ": " + error.message());
  }
  return {};
}

Error ProgramStructure::verify() {
  if (Error error = verifyMemoryPlaces(view.plan, view.variant,
                                       view.program.arenas(), "arena"))
    return error;
  for (uint32_t i = 0; i < view.arenas(); ++i)
    if (Error error = number(view.program.arenas()->Get(i)->size(),
                             "has no proper arena size"))
      return invalidPlan("arena " + std::to_string(i) + " " + error.message());
  for (uint32_t i = 0; i < length(view.program.buffers()); ++i)
    if (Error error = buffer(*view.program.buffers()->Get(i)))
      return invalidPlan("buffer " + std::to_string(i) + " (" +
                         text(view.program.buffers()->Get(i)->name()) + ") " +
                         error.message());
  entered.assign(length(view.program.blocks()), false);
  if (Error error = nesting(view.program.body(), 0))
    return error;
  for (uint32_t i = 0; i < entered.size(); ++i) {
    if (!entered[i])
      return invalidPlan("never enters block " + std::to_string(i));
    if (Error error = block(*view.program.blocks()->Get(i)))
      return invalidPlan("block " + std::to_string(i) + ", " + error.message());
  }
  return {};
}
