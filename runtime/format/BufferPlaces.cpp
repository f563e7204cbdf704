//===- BufferPlaces.cpp ---------------------------------------------------===//

#include "runtime/format/BufferPlaces.h"

using namespace heddle;
using namespace heddle::format;

Error format::invalidPlan(const std::string &what) {
  return {HEDDLE_PLAN_INVALID, what};
}

uint32_t format::outputSpace(const ProgramView &view, uint32_t index) {
  uint32_t alias = view.entry->outputs()->Get(index)->alias();
  return firstInputSpace + (alias != none ? alias : view.inputs() + index);
}

// Buffers of the arena are called by their numbers, persistent memory by
// `none`; inputs and outputs count down from there. Two buffers for one input
// are one, and so is an output that replaces it: it begins with the input's
// value.
uint32_t format::inputOwner(uint32_t index) { return none - 1 - index; }
uint32_t format::outputOwner(const ProgramView &view, uint32_t index) {
  uint32_t alias = view.entry->outputs()->Get(index)->alias();
  return inputOwner(alias != none ? alias : view.inputs() + index);
}

/// Of the arena or of persistent memory.
Error BufferPlaces::placeInMemory(const Buffer &buffer, Place &place) const {
  bool isArena = buffer.kind() == BufferKind::arena;
  int64_t limit = 0;
  view.value(isArena ? view.program.arena() : view.plan.persistent(), limit);
  if (!view.value(buffer.offset(), place.begin) || place.begin < 0 ||
      place.begin % static_cast<int64_t>(weightAlignment) ||
      place.begin > limit || place.size > limit - place.begin)
    return invalidPlan("lies outside its memory");
  place.space = isArena ? arenaSpace : persistentSpace;
  place.writable = isArena || !view.entry;
  return {};
}

Error BufferPlaces::placeOne(const Buffer &buffer, uint32_t index,
                             Place &place) const {
  if (!view.value(buffer.size(), place.size) || place.size < 0 ||
      place.size > maximumBytes)
    return invalidPlan("has no proper size");
  if (buffer.device() >= length(view.plan.devices()) ||
      buffer.space() > MemorySpace::MAX)
    return invalidPlan("is on an unknown device");

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
    place.space = firstInputSpace + buffer.index();
    place.owner = inputOwner(buffer.index());
    break;
  case BufferKind::output:
    bytes = view.outputBytes(buffer.index());
    if (bytes < 0)
      break;
    place.space = outputSpace(view, buffer.index());
    place.owner = outputOwner(view, buffer.index());
    place.writable = true;
    if (place.space < firstInputSpace + view.inputs() &&
        view.inputBytes(place.space - firstInputSpace) != bytes)
      return invalidPlan("replaces an input of another size");
    break;
  case BufferKind::weight:
    if (buffer.index() < length(view.manifest.weights()))
      bytes = static_cast<int64_t>(
          view.manifest.weights()->Get(buffer.index())->size());
    place.space =
        firstInputSpace + view.inputs() + view.outputs() + buffer.index();
    break;
  default:
    return invalidPlan("is of unknown kind");
  }
  if (bytes < 0)
    return invalidPlan("stands for something unknown");
  if (bytes != place.size)
    return invalidPlan("has " + std::to_string(place.size) +
                       " bytes, what it stands for " + std::to_string(bytes));
  return {};
}

Error BufferPlaces::place() {
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

Error BufferPlaces::resolve(const Binding *binding,
                            MemoryAccess &access) const {
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
  access = {place.space,
            place.begin + offset,
            place.begin + offset + size,
            place.owner,
            (mode & static_cast<unsigned>(Access::read)) != 0,
            (mode & static_cast<unsigned>(Access::write)) != 0};
  if (access.writes && !place.writable)
    return invalidPlan("writes " + name + ", which can only be read");
  return {};
}
