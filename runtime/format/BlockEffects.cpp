// Composes what blocks do to memories from what their commands write.

#include "runtime/format/BlockEffects.h"

using namespace heddle::format;

void BlockEffects::add(const Binding *binding, uint32_t device,
                       BufferPlaces::Reach reach,
                       MemoryEffects &effects) const {
  MemoryAccess access;
  if (!places.resolve(binding, device, reach, access) && access.writes)
    effects[access.memory].write(access.begin, access.end, access.owner);
}

void BlockEffects::add(const Command &command, MemoryEffects &effects) {
  uint32_t device = view.plan.queues()->Get(command.queue())->device();
  if (const Launch *launch = command.action_as_Launch())
    for (uint32_t i = 0; i < length(launch->bindings()); ++i)
      add(launch->bindings()->Get(i), device, BufferPlaces::Reach::kernel,
          effects);
  if (const Copy *copy = command.action_as_Copy())
    add(copy->target(), device, BufferPlaces::Reach::copy, effects);
  if (const Fill *fill = command.action_as_Fill())
    add(fill->target(), device, BufferPlaces::Reach::kernel, effects);
  if (const Collective *collective = command.action_as_Collective())
    add(collective->target(), device, BufferPlaces::Reach::kernel, effects);
  if (const Rank *rank = command.action_as_Rank())
    add(rank->target(), device, BufferPlaces::Reach::kernel, effects);
  if (const Branch *branch = command.action_as_Branch())
    chain(effects, of(*branch));
  if (const Loop *loop = command.action_as_Loop())
    chain(effects, of(*loop));
}

const MemoryEffects &BlockEffects::ofBlock(uint32_t index) {
  auto known = blocks.find(index);
  if (known != blocks.end())
    return known->second;
  MemoryEffects effects;
  const auto *commands = view.program.blocks()->Get(index)->commands();
  for (uint32_t i = 0; i < length(commands); ++i)
    add(*commands->Get(i), effects);
  return blocks.emplace(index, std::move(effects)).first->second;
}

MemoryEffects BlockEffects::of(const Branch &branch) {
  // Joined in pairs: each is looked at as often as the number of blocks can be
  // halved.
  std::vector<MemoryEffects> effects;
  for (uint32_t i = 0; i < length(branch.blocks()); ++i)
    effects.push_back(ofBlock(branch.blocks()->Get(i)));
  for (; effects.size() > 1; effects.resize((effects.size() + 1) / 2)) {
    for (size_t i = 0; i + 1 < effects.size(); i += 2)
      effects[i / 2] = join(std::move(effects[i]), effects[i + 1]);
    if (effects.size() % 2)
      effects[effects.size() / 2] = std::move(effects.back());
  }
  return effects.empty() ? MemoryEffects() : std::move(effects.front());
}

MemoryEffects BlockEffects::ofRound(const Loop &loop) {
  if (loop.trips() != none)
    return ofBlock(loop.body());
  MemoryEffects effects = ofBlock(loop.condition());
  chain(effects, ofBlock(loop.body()));
  return effects;
}

MemoryEffects BlockEffects::of(const Loop &loop) {
  // Two rounds do what one does: see MemoryEffect.
  MemoryEffects effects = ofRound(loop);
  int64_t trips = 0;
  bool counted = loop.trips() != none;
  if (counted && view.value(loop.trips(), trips) && trips > 0)
    return effects;
  for (auto &[memory, effect] : effects)
    effect.maybe();
  if (!counted)
    chain(effects, ofBlock(loop.condition()));
  return effects;
}
