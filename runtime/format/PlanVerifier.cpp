//===- PlanVerifier.cpp ---------------------------------------------------===//
//
// One walk over the commands in their order, with two abstractions: which
// bytes hold whose value (MemoryMap), and, when there are several queues, what
// is ordered before what (Hazards). Values are followed in the order of the
// list, which is enough because commands in conflict must be ordered.
//
//===----------------------------------------------------------------------===//

#include "runtime/format/PlanVerifier.h"

#include "runtime/format/Expressions.h"
#include "runtime/format/Hazards.h"
#include "runtime/format/ManifestVerifier.h"
#include "runtime/format/MemoryMap.h"

#include <algorithm>

using namespace heddle::format;

namespace {

constexpr uint32_t maximumQueues = 64;
constexpr uint32_t maximumDepth = 32;

Error invalid(const std::string &what) { return {HEDDLE_PLAN_INVALID, what}; }

/// The memories a program can touch are numbered: arena, persistent memory,
/// then inputs, outputs, weights.
enum : uint32_t { arenaSpace, persistentSpace, firstInputSpace };

/// What all writable memories hold; and inputs, which an output may replace.
using State = std::vector<MemoryMap>;
using Accesses = std::vector<MemoryAccess>;

/// Verifies one program. Stops at the first fault.
class ProgramVerifier {
public:
  ProgramVerifier(const Plan &plan, const Manifest &manifest,
                  const Variant &variant, const Program &program,
                  const std::vector<int64_t> &values,
                  const std::vector<int64_t> &manifestValues, bool isInit)
      : plan(plan), manifest(manifest), variant(variant), program(program),
        values(values), manifestValues(manifestValues), isInit(isInit) {}

  /// `persistent`: what init has written; filled in when this is init.
  Error verify(MemoryMap &persistent);

private:
  /// A buffer's place: bytes [begin, begin + size) of a memory.
  struct Place {
    uint32_t space;
    int64_t begin;
    int64_t size;
    uint32_t owner; ///< Equal for buffers that are the same by definition.
    bool writable;
  };

  bool value(uint32_t expression, int64_t &result) const {
    if (expression >= values.size())
      return false;
    result = values[expression];
    return true;
  }
  /// The bytes of tensor `index` of `tensors`, or -1.
  int64_t
  bytesOf(const flatbuffers::Vector<flatbuffers::Offset<Tensor>> *tensors,
          uint32_t index) const {
    return index < length(tensors)
               ? tensorBytes(*tensors->Get(index), manifestValues)
               : -1;
  }

  Error placeBuffers();
  Error placeBuffer(const Buffer &buffer, uint32_t index, Place &place);
  Error resolve(const Binding *binding, MemoryAccess &access,
                int64_t minimumBytes = 0);
  Error block(uint32_t index, State &state, Accesses &touched, uint32_t depth);
  Error command(const Command &command, State &state, Accesses &touched,
                uint32_t depth);
  Error launch(const Launch &launch, State &state, Accesses &touched);
  Error copy(const Copy &copy, State &state, Accesses &touched);
  Error fill(const Fill &fill, State &state, Accesses &touched);
  Error branch(const Branch &branch, State &state, Accesses &touched,
               uint32_t depth);
  Error loop(const Loop &loop, State &state, Accesses &touched, uint32_t depth);
  Error selfOverlap(Accesses accesses, const std::vector<uint32_t> &order,
                    const Kernel &kernel) const;
  Error perform(const Accesses &accesses, State &state, Accesses &touched);

  const Plan &plan;
  const Manifest &manifest;
  const Variant &variant;
  const Program &program;
  const std::vector<int64_t> &values;
  const std::vector<int64_t> &manifestValues;
  bool isInit;

  const Entry *entry = nullptr;
  uint32_t spaces = 0;
  std::vector<Place> places;
  std::vector<bool> entered; ///< Blocks that were reached.
  bool again = false;        ///< Blocks are walked once more, for a loop.
};

} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Error ProgramVerifier::placeBuffer(const Buffer &buffer, uint32_t index,
                                   Place &place) {
  std::string name =
      "buffer " + std::to_string(index) + " (" + text(buffer.name()) + ")";
  if (!value(buffer.size(), place.size) || place.size < 0 ||
      place.size > maximumBytes)
    return invalid(name + " has no proper size");
  if (buffer.device() >= length(plan.devices()) ||
      buffer.space() > MemorySpace::MAX)
    return invalid(name + " is on an unknown device");

  uint32_t inputs = entry ? length(entry->inputs()) : 0;
  uint32_t outputs = entry ? length(entry->outputs()) : 0;
  int64_t bytes = -1; // of what it stands for
  place.begin = 0;
  place.writable = false;
  switch (buffer.kind()) {
  case BufferKind::input:
    bytes = entry ? bytesOf(entry->inputs(), buffer.index()) : -1;
    place.space = firstInputSpace + buffer.index();
    break;
  case BufferKind::output:
    bytes = entry ? bytesOf(entry->outputs(), buffer.index()) : -1;
    place.space = firstInputSpace + inputs + buffer.index();
    if (bytes >= 0) {
      uint32_t alias = entry->outputs()->Get(buffer.index())->alias();
      if (alias != none && bytesOf(entry->inputs(), alias) != bytes)
        return invalid(name + " replaces an input of another size");
      if (alias != none)
        place.space = firstInputSpace + alias;
    }
    place.writable = true;
    break;
  case BufferKind::weight:
    if (buffer.index() < length(manifest.weights()))
      bytes =
          static_cast<int64_t>(manifest.weights()->Get(buffer.index())->size());
    place.space = firstInputSpace + inputs + outputs + buffer.index();
    break;
  case BufferKind::arena:
  case BufferKind::persistent: {
    bool isArena = buffer.kind() == BufferKind::arena;
    uint32_t limit = isArena ? program.arena() : plan.persistent();
    int64_t limitBytes = 0;
    value(limit, limitBytes);
    if (!value(buffer.offset(), place.begin) || place.begin < 0 ||
        place.begin % static_cast<int64_t>(weightAlignment) ||
        place.begin > limitBytes || place.size > limitBytes - place.begin)
      return invalid(name + " lies outside its memory");
    place.space = isArena ? arenaSpace : persistentSpace;
    place.writable = isArena || isInit;
    place.owner = isArena ? index : none;
    return {};
  }
  default:
    return invalid(name + " is of unknown kind");
  }
  if (bytes < 0)
    return invalid(name + " stands for something unknown");
  if (bytes != place.size)
    return invalid(name + " has " + std::to_string(place.size) +
                   " bytes, what it stands for " + std::to_string(bytes));
  // Two buffers for one input are one; an output that replaces it is not.
  place.owner = none - 1 - buffer.index();
  if (buffer.kind() == BufferKind::output)
    place.owner -= inputs;
  return {};
}

Error ProgramVerifier::placeBuffers() {
  uint32_t count = length(program.buffers());
  places.resize(count);
  for (uint32_t i = 0; i < count; ++i)
    if (Error error = placeBuffer(*program.buffers()->Get(i), i, places[i]))
      return error;
  return {};
}

/// The bytes that `binding` means, which must be at least `minimumBytes`.
Error ProgramVerifier::resolve(const Binding *binding, MemoryAccess &access,
                               int64_t minimumBytes) {
  if (!binding || binding->buffer() >= places.size())
    return invalid("binds an unknown buffer");
  const Place &place = places[binding->buffer()];
  int64_t offset = 0, size = 0;
  if (!value(binding->offset(), offset) || offset < 0 || offset > place.size)
    return invalid("binds beyond the end of buffer " +
                   std::to_string(binding->buffer()));
  size = place.size - offset;
  if (binding->size() != none &&
      (!value(binding->size(), size) || size < 0 || size > place.size - offset))
    return invalid("binds beyond the end of buffer " +
                   std::to_string(binding->buffer()));
  if (size < minimumBytes)
    return invalid("reads a flag from too few bytes");
  unsigned mode = static_cast<unsigned>(binding->access());
  if (!mode || mode > static_cast<unsigned>(Access::MAX))
    return invalid("binds a buffer for nothing");
  access = {place.space,
            place.begin + offset,
            place.begin + offset + size,
            place.owner,
            (mode & static_cast<unsigned>(Access::read)) != 0,
            (mode & static_cast<unsigned>(Access::write)) != 0};
  if (access.writes && !place.writable)
    return invalid("writes buffer " + std::to_string(binding->buffer()) +
                   ", which can only be read");
  return {};
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// No binding may overlap one that is written, except for what the kernel
/// does in place. `order[i]` is the binding behind accesses[i].
Error ProgramVerifier::selfOverlap(Accesses accesses,
                                   const std::vector<uint32_t> &order,
                                   const Kernel &kernel) const {
  std::vector<uint32_t> sorted(order);
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    const MemoryAccess &x = accesses[a], &y = accesses[b];
    if (x.space != y.space)
      return x.space < y.space;
    if (x.begin != y.begin)
      return x.begin < y.begin;
    return x.writes > y.writes;
  });
  auto allowed = [&](uint32_t a, uint32_t b) {
    const MemoryAccess &x = accesses[a], &y = accesses[b];
    if (x.begin != y.begin || x.end != y.end)
      return false;
    for (uint32_t i = 0; i < length(kernel.in_place()); ++i) {
      const InPlace &pair = *kernel.in_place()->Get(i);
      if ((pair.output() == a && pair.input() == b) ||
          (pair.output() == b && pair.input() == a))
        return true;
    }
    return false;
  };
  // The ones before that reach furthest: of all, and of those that write.
  uint32_t any = none, writer = none;
  for (uint32_t now : sorted) {
    const MemoryAccess &access = accesses[now];
    if (access.begin == access.end)
      continue;
    uint32_t other = access.writes ? any : writer;
    if (other != none && accesses[other].space == access.space &&
        accesses[other].end > access.begin && !allowed(now, other))
      return invalid("writes binding " + std::to_string(other) +
                     ", which overlaps binding " + std::to_string(now));
    auto extend = [&](uint32_t &furthest) {
      if (furthest == none || accesses[furthest].space != access.space ||
          accesses[furthest].end < access.end)
        furthest = now;
    };
    extend(any);
    if (access.writes)
      extend(writer);
  }
  return {};
}

/// Reads, then writes.
Error ProgramVerifier::perform(const Accesses &accesses, State &state,
                               Accesses &touched) {
  for (const MemoryAccess &access : accesses) {
    touched.push_back(access);
    if (!access.reads || access.space >= state.size())
      continue;
    const MemoryMap &memory = state[access.space];
    bool good = access.owner == none
                    ? memory.covers(access.begin, access.end)
                    : memory.holds(access.begin, access.end, access.owner);
    if (!good)
      return invalid("reads bytes [" + std::to_string(access.begin) + ", " +
                     std::to_string(access.end) + ") of " +
                     (access.space == arenaSpace ? "the arena" : "a buffer") +
                     ", which do not hold that buffer's value");
  }
  for (const MemoryAccess &access : accesses)
    if (access.writes)
      state[access.space].write(access.begin, access.end, access.owner);
  return {};
}

Error ProgramVerifier::launch(const Launch &launch, State &state,
                              Accesses &touched) {
  if (launch.kernel() >= length(variant.kernels()))
    return invalid("launches an unknown kernel");
  const Kernel &kernel = *variant.kernels()->Get(launch.kernel());
  auto fail = [&](const std::string &what) {
    return invalid("launch of '" + text(kernel.name()) + "' " + what);
  };
  if (length(launch.bindings()) != kernel.bindings())
    return fail("binds " + std::to_string(length(launch.bindings())) +
                " buffers instead of " + std::to_string(kernel.bindings()));
  if (length(launch.integers()) != kernel.integers())
    return fail("passes " + std::to_string(length(launch.integers())) +
                " integers instead of " + std::to_string(kernel.integers()));
  int64_t ignored = 0, tiles = 0, chunk = 0;
  for (uint32_t i = 0; i < length(launch.integers()); ++i)
    if (!value(launch.integers()->Get(i), ignored))
      return fail("passes an unknown integer");
  if (!value(launch.tiles(), tiles) || tiles < 0 || tiles > maximumBytes ||
      !value(launch.chunk(), chunk) || chunk < 1 || chunk > maximumBytes)
    return fail("has no proper tile count");
  for (uint32_t report : {launch.operations(), launch.traffic()})
    if (report != none && !value(report, ignored))
      return fail("reports an unknown number");

  Accesses accesses(length(launch.bindings()));
  std::vector<uint32_t> order(accesses.size());
  for (uint32_t i = 0; i < accesses.size(); ++i) {
    order[i] = i;
    if (Error error = resolve(launch.bindings()->Get(i), accesses[i]))
      return fail(error.message());
  }
  Error error = selfOverlap(accesses, order, kernel);
  if (!error)
    error = perform(accesses, state, touched);
  return error ? fail(error.message()) : Error();
}

Error ProgramVerifier::copy(const Copy &copy, State &state, Accesses &touched) {
  Accesses accesses(2);
  if (Error error = resolve(copy.source(), accesses[0]))
    return error;
  if (Error error = resolve(copy.target(), accesses[1]))
    return error;
  const MemoryAccess &source = accesses[0], &target = accesses[1];
  if (!source.reads || source.writes || !target.writes || target.reads ||
      source.end - source.begin != target.end - target.begin)
    return invalid("copies between parts of different size or use");
  if (source.space == target.space && source.begin < target.end &&
      target.begin < source.end)
    return invalid("copies between parts that overlap");
  return perform(accesses, state, touched);
}

Error ProgramVerifier::fill(const Fill &fill, State &state, Accesses &touched) {
  Accesses accesses(1);
  if (Error error = resolve(fill.target(), accesses[0]))
    return error;
  unsigned bytes = fill.pattern_bytes();
  if (!accesses[0].writes || accesses[0].reads)
    return invalid("fills what is not to be written");
  if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) ||
      (accesses[0].end - accesses[0].begin) % bytes ||
      accesses[0].begin % bytes)
    return invalid("fills with a pattern that does not fit");
  return perform(accesses, state, touched);
}

Error ProgramVerifier::branch(const Branch &branch, State &state,
                              Accesses &touched, uint32_t depth) {
  Accesses selector(1);
  if (Error error = resolve(branch.selector(), selector[0]))
    return error;
  int64_t bytes = selector[0].end - selector[0].begin;
  if (selector[0].writes || (bytes != 1 && bytes != 4 && bytes != 8) ||
      selector[0].begin % bytes)
    return invalid("branches on something that is no integer");
  if (Error error = perform(selector, state, touched))
    return error;
  if (!length(branch.blocks()))
    return invalid("branches to nothing");
  State merged;
  for (uint32_t i = 0; i < length(branch.blocks()); ++i) {
    State after = state;
    if (Error error = block(branch.blocks()->Get(i), after, touched, depth + 1))
      return error;
    if (i == 0)
      merged = std::move(after);
    else
      for (size_t space = 0; space < merged.size(); ++space)
        merged[space].intersect(after[space]);
  }
  state = std::move(merged);
  return {};
}

Error ProgramVerifier::loop(const Loop &loop, State &state, Accesses &touched,
                            uint32_t depth) {
  int64_t trips = 0;
  bool counted = loop.trips() != none;
  if (counted && (!value(loop.trips(), trips) || trips < 0))
    return invalid("loops an unknown number of times");
  bool wasAgain = again;
  // Until what holds at the head no longer shrinks. It shrinks by whole
  // buffers in practice; a plan that needs many rounds is not one of ours.
  for (unsigned round = 0; round < 16; ++round) {
    State head = state;
    State exit;
    if (!counted) {
      if (Error error = block(loop.condition(), head, touched, depth + 1))
        return error;
      Accesses flag(1);
      if (Error error = resolve(loop.flag(), flag[0], 1))
        return error;
      if (flag[0].writes || flag[0].end - flag[0].begin != 1)
        return invalid("loops on something that is no boolean");
      if (Error error = perform(flag, head, touched))
        return error;
      exit = head;
    }
    if (Error error = block(loop.body(), head, touched, depth + 1))
      return error;
    again = true;
    State merged = state;
    for (size_t space = 0; space < merged.size(); ++space)
      merged[space].intersect(head[space]);
    if (merged == state) {
      again = wasAgain;
      if (!counted)
        state = std::move(exit);
      else if (trips > 0)
        state = std::move(head);
      return {};
    }
    state = std::move(merged);
  }
  return invalid("loops over memory in a way that cannot be followed");
}

Error ProgramVerifier::command(const Command &command, State &state,
                               Accesses &touched, uint32_t depth) {
  switch (command.action_type()) {
  case Action::Launch:
    if (const Launch *action = command.action_as_Launch())
      return launch(*action, state, touched);
    break;
  case Action::Copy:
    if (const Copy *action = command.action_as_Copy())
      return copy(*action, state, touched);
    break;
  case Action::Fill:
    if (const Fill *action = command.action_as_Fill())
      return fill(*action, state, touched);
    break;
  case Action::Branch:
    if (const Branch *action = command.action_as_Branch())
      return branch(*action, state, touched, depth);
    break;
  case Action::Loop:
    if (const Loop *action = command.action_as_Loop())
      return loop(*action, state, touched, depth);
    break;
  default:
    break;
  }
  return invalid("has no action that is known");
}

Error ProgramVerifier::block(uint32_t index, State &state, Accesses &touched,
                             uint32_t depth) {
  if (index >= length(program.blocks()))
    return invalid("enters an unknown block");
  if (depth > maximumDepth)
    return invalid("blocks are nested too deeply");
  if (entered[index] && !again)
    return invalid("block " + std::to_string(index) + " is entered twice");
  entered[index] = true;

  uint32_t queues = length(plan.queues());
  Hazards hazards(queues);
  std::map<uint32_t, Hazards::Clock> fired; // events of this run
  const auto *commands = program.blocks()->Get(index)->commands();
  for (uint32_t i = 0; i < length(commands); ++i) {
    const Command &now = *commands->Get(i);
    auto fail = [&](const std::string &what) {
      return invalid("block " + std::to_string(index) + ", command " +
                     std::to_string(i) + ": " + what);
    };
    if (now.queue() >= queues)
      return fail("is on an unknown queue");
    std::vector<const Hazards::Clock *> waits;
    for (uint32_t j = 0; j < length(now.waits()); ++j) {
      auto event = fired.find(now.waits()->Get(j));
      if (event == fired.end())
        return fail("waits for event " + std::to_string(now.waits()->Get(j)) +
                    ", which no command before it signals");
      waits.push_back(&event->second);
    }
    for (uint32_t j = 0; j < length(now.nodes()); ++j)
      if (now.nodes()->Get(j) >= length(manifest.nodes()))
        return fail("names an unknown node");
    hazards.start(now.queue(), waits);
    size_t first = touched.size();
    if (Error error = command(now, state, touched, depth))
      return fail(error.message());
    if (queues > 1)
      for (size_t j = first; j < touched.size(); ++j)
        if (!hazards.touch(touched[j]))
          return fail("touches bytes [" + std::to_string(touched[j].begin) +
                      ", " + std::to_string(touched[j].end) +
                      ") while a command it does not wait for may");
    for (uint32_t j = 0; j < length(now.signals()); ++j) {
      uint32_t event = now.signals()->Get(j);
      if (event >= program.events())
        return fail("signals an unknown event");
      if (!fired.emplace(event, hazards.done()).second)
        return fail("signals event " + std::to_string(event) + " again");
    }
  }
  return {};
}

Error ProgramVerifier::verify(MemoryMap &persistent) {
  if (!isInit) {
    if (program.entry() >= length(manifest.entries()))
      return invalid("is for an unknown entry");
    entry = manifest.entries()->Get(program.entry());
  }
  int64_t arena = 0;
  if (!value(program.arena(), arena) || arena < 0 || arena > maximumBytes)
    return invalid("has no proper arena size");
  if (Error error = placeBuffers())
    return error;

  // Weights need no map: they always hold their values.
  uint32_t inputs = entry ? length(entry->inputs()) : 0;
  uint32_t outputs = entry ? length(entry->outputs()) : 0;
  spaces = firstInputSpace + inputs + outputs;
  State state(spaces);
  for (uint32_t i = 0; i < inputs; ++i)
    state[firstInputSpace + i].write(0, bytesOf(entry->inputs(), i),
                                     none - 1 - i);
  state[persistentSpace] = persistent;

  entered.assign(length(program.blocks()), false);
  Accesses touched;
  if (Error error = block(program.body(), state, touched, 0))
    return error;
  if (isInit)
    persistent = state[persistentSpace];

  for (uint32_t i = 0; i < outputs; ++i) {
    uint32_t alias = entry->outputs()->Get(i)->alias();
    uint32_t space = firstInputSpace + (alias != none ? alias : inputs + i);
    if (!state[space].holds(0, bytesOf(entry->outputs(), i),
                            none - 1 - inputs - i))
      return invalid("leaves output '" +
                     text(entry->outputs()->Get(i)->name()) +
                     "' unwritten in part");
  }
  for (size_t i = 0; i < entered.size(); ++i)
    if (!entered[i])
      return invalid("never enters block " + std::to_string(i));
  return {};
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The parts of a plan that its programs share.
static Error verifyTables(const Plan &plan,
                          const std::vector<int64_t> &values) {
  for (uint32_t i = 0; i < length(plan.devices()); ++i)
    if (plan.devices()->Get(i)->kind() > DeviceKind::MAX)
      return invalid("device " + std::to_string(i) + " is of unknown kind");
  if (length(plan.queues()) > maximumQueues)
    return invalid("has more than " + std::to_string(maximumQueues) +
                   " queues");
  for (uint32_t i = 0; i < length(plan.queues()); ++i)
    if (plan.queues()->Get(i)->device() >= length(plan.devices()))
      return invalid("queue " + std::to_string(i) + " is on an unknown device");
  if (plan.persistent() != none &&
      (plan.persistent() >= values.size() || values[plan.persistent()] < 0 ||
       values[plan.persistent()] > maximumBytes))
    return invalid("has no proper size of persistent memory");
  return {};
}

Error heddle::format::verifyPlan(const Plan &plan, const Manifest &manifest,
                                 const Variant &variant,
                                 const std::vector<int64_t> &symbols) {
  std::vector<int64_t> values, manifestValues;
  if (Error error =
          evaluate(plan.expressions(), symbols, HEDDLE_PLAN_INVALID, values))
    return error;
  if (Error error = evaluate(manifest.expressions(), symbols,
                             HEDDLE_MANIFEST_INVALID, manifestValues))
    return error;
  if (Error error = verifyTables(plan, values))
    return error;

  MemoryMap persistent;
  auto run = [&](const Program &program, bool isInit) {
    ProgramVerifier verifier(plan, manifest, variant, program, values,
                             manifestValues, isInit);
    Error error = verifier.verify(persistent);
    if (!error)
      return error;
    std::string name =
        isInit ? "init"
        : program.entry() < length(manifest.entries())
            ? "'" + text(manifest.entries()->Get(program.entry())->name()) + "'"
            : "an unknown entry";
    return invalid("the plan of " + name + ": " + error.message());
  };
  if (plan.init())
    if (Error error = run(*plan.init(), true))
      return error;
  std::vector<bool> served(length(manifest.entries()), false);
  for (uint32_t i = 0; i < length(plan.programs()); ++i) {
    const Program &program = *plan.programs()->Get(i);
    if (Error error = run(program, false))
      return error;
    if (served[program.entry()])
      return invalid("an entry has two programs");
    served[program.entry()] = true;
  }
  if (std::find(served.begin(), served.end(), false) != served.end())
    return invalid("an entry has no program");
  return {};
}

Error heddle::format::verifyPlan(const Plan &plan, const Manifest &manifest,
                                 const Variant &variant) {
  return verifyPlan(plan, manifest, variant, leastSymbols(manifest));
}
