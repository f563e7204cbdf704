// Places the buffers of a program in its memories, and checks that they lie
// inside.

#include "runtime/format/BufferPlaces.h"

using namespace heddle;
using namespace heddle::format;

Error format::invalidPlan(const std::string &what) {
  return {HEDDLE_PLAN_INVALID, what};
}

uint32_t format::outputMemory(const ProgramView &view, uint32_t index) {
  uint32_t alias = view.entry->outputs()->Get(index)->alias();
  return firstInput(view) + (alias != none ? alias : view.inputs() + index);
}

// Buffers of arenas are called by their numbers, persistent memory and states
// by `none`; inputs and outputs count down from there. Two buffers for one
// input are one, and so is an output that replaces it: it begins with the
// input's value.
uint32_t format::inputOwner(uint32_t index) { return none - 1 - index; }
uint32_t format::outputOwner(const ProgramView &view, uint32_t index) {
  uint32_t alias = view.entry->outputs()->Get(index)->alias();
  return inputOwner(alias != none ? alias : view.inputs() + index);
}

/// Of an arena or of persistent memory.
Error BufferPlaces::checkMemory(const Buffer &buffer) const {
  const auto *memories = buffer.kind() == BufferKind::arena
                             ? view.program.arenas()
                             : view.plan.persistent();
  if (buffer.index() >= length(memories))
    return invalidPlan("is in an unknown memory");
  const Memory &memory = *memories->Get(buffer.index());
  if (memory.device() != buffer.device() || memory.space() != buffer.space())
    return invalidPlan("is on another device than its memory");
  return {};
}

/// -1 when there is none of that number.
int64_t BufferPlaces::weightBytes(uint32_t index) const {
  return index < length(view.manifest.weights())
             ? static_cast<int64_t>(view.manifest.weights()->Get(index)->size())
             : -1;
}

/// The weights of ranks are alike, so that one is checked for all.
Error BufferPlaces::checkWeight(const Buffer &buffer) const {
  int64_t bytes = weightBytes(buffer.index());
  if (bytes < 0)
    return invalidPlan("stands for something unknown");
  if (buffer.device() != hostDevice)
    return invalidPlan("is a weight on " +
                       deviceName(view.variant, buffer.device()) +
                       ", where init has to copy it first");
  uint32_t count = length(buffer.weights());
  if (!count)
    return {};
  if (count != view.manifest.ranks() || !view.entry)
    return invalidPlan("has weights of " + std::to_string(count) +
                       " ranks, of which there are " +
                       std::to_string(view.entry ? view.manifest.ranks() : 0));
  if (buffer.weights()->Get(0) != buffer.index())
    return invalidPlan("has another weight than its first rank");
  for (uint32_t weight : *buffer.weights())
    if (weightBytes(weight) != bytes)
      return invalidPlan("has weights of several sizes");
  return {};
}

Error BufferPlaces::checkPlace(const Buffer &buffer) const {
  if (buffer.device() >= length(view.variant.devices()))
    return invalidPlan("is on an unknown device");
  if (!hasSpace(view.variant.devices()->Get(buffer.device())->kind(),
                buffer.space()))
    return invalidPlan("is in a space that its device does not have");
  uint32_t count = 0; // of what there is of the kind
  switch (buffer.kind()) {
  case BufferKind::arena:
  case BufferKind::persistent:
    return checkMemory(buffer);
  case BufferKind::weight:
    return checkWeight(buffer);
  case BufferKind::input:
    count = view.inputs();
    break;
  case BufferKind::output:
    count = view.outputs();
    break;
  case BufferKind::state:
    count = view.states();
    break;
  default:
    return invalidPlan("is of unknown kind");
  }
  if (buffer.index() >= count)
    return invalidPlan("stands for something unknown");
  if (buffer.kind() != BufferKind::state)
    return {};
  const Home &home = *view.plan.states()->Get(buffer.index());
  if (home.device() != buffer.device() || home.space() != buffer.space())
    return invalidPlan("is on another device than its state");
  return {};
}

/// Of an arena or of persistent memory.
Error BufferPlaces::placeInMemory(const Buffer &buffer, Place &place) const {
  bool isArena = buffer.kind() == BufferKind::arena;
  const auto *memories =
      isArena ? view.program.arenas() : view.plan.persistent();
  int64_t limit = view.values[memories->Get(buffer.index())->size()];
  place.begin = view.values[buffer.offset()];
  if (place.begin < 0 || place.begin % static_cast<int64_t>(weightAlignment) ||
      place.begin > limit || place.size > limit - place.begin)
    return invalidPlan("lies outside its memory");
  place.memory = (isArena ? 0 : firstPersistent(view)) + buffer.index();
  place.writable = isArena || !view.entry;
  return {};
}

Error BufferPlaces::placeState(const Buffer &buffer, Place &place) const {
  const StateUse *use = uses[buffer.index()];
  if (!use)
    return invalidPlan("is a state that the entry does not use");
  place.memory = firstState(view) + buffer.index();
  place.owner = none;
  place.writable = use->writes();
  return {};
}

Error BufferPlaces::placeOne(const Buffer &buffer, uint32_t index,
                             Place &place) const {
  place.size = view.values[buffer.size()];
  if (place.size < 0 || place.size > maximumBytes)
    return invalidPlan("has no proper size");
  place.device = buffer.device();
  place.space = buffer.space();

  int64_t bytes = -1; // of what it stands for
  switch (buffer.kind()) {
  case BufferKind::arena:
    place.owner = index;
    return placeInMemory(buffer, place);
  case BufferKind::persistent:
    place.owner = none;
    return placeInMemory(buffer, place);
  case BufferKind::input:
    bytes = view.inputBytes(buffer.index());
    place.memory = firstInput(view) + buffer.index();
    place.owner = inputOwner(buffer.index());
    break;
  case BufferKind::output:
    bytes = view.outputBytes(buffer.index());
    place.memory = outputMemory(view, buffer.index());
    place.owner = outputOwner(view, buffer.index());
    place.writable = true;
    break;
  case BufferKind::weight:
    bytes = weightBytes(buffer.index());
    place.memory = firstWeight(view) + buffer.index();
    break;
  case BufferKind::state:
    bytes = view.stateBytes[buffer.index()];
    if (Error error = placeState(buffer, place))
      return error;
    break;
  }
  if (bytes != place.size)
    return invalidPlan("has " + std::to_string(place.size) +
                       " bytes, what it stands for " + std::to_string(bytes));
  return {};
}

Error BufferPlaces::place() {
  uses.assign(view.states(), nullptr);
  for (uint32_t i = 0; view.entry && i < length(view.entry->states()); ++i) {
    const StateUse *use = view.entry->states()->Get(i);
    uses[use->state()] = use;
  }
  places.resize(length(view.program.buffers()));
  for (uint32_t i = 0; i < places.size(); ++i) {
    const Buffer &buffer = *view.program.buffers()->Get(i);
    places[i] = {};
    if (Error error = placeOne(buffer, i, places[i]))
      return invalidPlan("buffer " + std::to_string(i) + " (" +
                         text(buffer.name()) + ") " + error.message());
  }
  return {};
}

/// A device reaches its own memories, the cpu also what others share with it;
/// copies reach the memory of the process, too.
bool BufferPlaces::reaches(const Place &place, uint32_t device,
                           Reach reach) const {
  if (place.device == device)
    return true;
  bool shared =
      place.space == MemorySpace::pinned || place.space == MemorySpace::managed;
  return (device == hostDevice && shared) ||
         (reach == Reach::copy && place.device == hostDevice);
}

Error BufferPlaces::resolve(const Binding *binding, uint32_t device,
                            Reach reach, MemoryAccess &access) const {
  if (!binding || binding->buffer() >= places.size())
    return invalidPlan("binds an unknown buffer");
  std::string name = "buffer " + std::to_string(binding->buffer());
  const Place &place = places[binding->buffer()];
  int64_t offset = 0;
  if (!view.value(binding->offset(), offset) || offset < 0 ||
      offset > place.size)
    return invalidPlan("binds beyond the end of " + name);
  int64_t size = place.size - offset;
  if (binding->size() != none && (!view.value(binding->size(), size) ||
                                  size < 0 || size > place.size - offset))
    return invalidPlan("binds beyond the end of " + name);
  auto mode = static_cast<unsigned>(binding->access());
  if (!mode || mode > static_cast<unsigned>(Access::MAX))
    return invalidPlan("binds " + name + " for nothing");
  if (!reaches(place, device, reach))
    return invalidPlan("runs on " + deviceName(view.variant, device) +
                       ", which cannot reach " + name + ", in " +
                       EnumNameMemorySpace(place.space) + " memory of " +
                       deviceName(view.variant, place.device));
  access = {place.memory,
            place.begin + offset,
            place.begin + offset + size,
            place.owner,
            (mode & static_cast<unsigned>(Access::read)) != 0,
            (mode & static_cast<unsigned>(Access::write)) != 0};
  if (access.writes && !place.writable)
    return invalidPlan("writes " + name + ", which can only be read");
  return {};
}
