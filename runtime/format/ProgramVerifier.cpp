// Walks the commands of a program and checks what each reads and writes.

#include "runtime/format/ProgramVerifier.h"

#include "runtime/format/Collectives.h"
#include "runtime/format/Counts.h"
#include "runtime/format/CustomCalls.h"
#include "runtime/format/Devices.h"
#include "runtime/format/Scratch.h"

#include <algorithm>
#include <numeric>

using namespace heddle;
using namespace heddle::format;

Error format::verifyMemories(const ProgramView &view,
                             const MemoryList *memories,
                             const std::string &name) {
  for (uint32_t i = 0; i < length(memories); ++i) {
    int64_t bytes = view.values[memories->Get(i)->size()];
    if (bytes < 0 || bytes > maximumBytes)
      return invalidPlan("has no proper " + name + " size");
  }
  return {};
}

/// No binding may overlap one that is written, except for what the kernel
/// does in place.
Error ProgramVerifier::selfOverlap(const Accesses &accesses,
                                   const Kernel &kernel) const {
  std::vector<uint32_t> sorted(accesses.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    const MemoryAccess &x = accesses[a], &y = accesses[b];
    if (x.memory != y.memory)
      return x.memory < y.memory;
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
    if (other != none && accesses[other].memory == access.memory &&
        accesses[other].end > access.begin && !allowed(now, other))
      return invalidPlan("writes binding " + std::to_string(other) +
                         ", which overlaps binding " + std::to_string(now));
    auto extend = [&](uint32_t &furthest) {
      if (furthest == none || accesses[furthest].memory != access.memory ||
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
    if (!access.reads || access.memory >= state.size())
      continue;
    const MemoryMap &memory = state[access.memory];
    bool good = access.owner == none
                    ? memory.covers(access.begin, access.end)
                    : memory.holds(access.begin, access.end, access.owner);
    if (!good)
      return invalidPlan(
          "reads bytes [" + std::to_string(access.begin) + ", " +
          std::to_string(access.end) + ") of " +
          (access.memory < firstPersistent(view) ? "an arena" : "a buffer") +
          ", which do not hold that buffer's value");
  }
  for (const MemoryAccess &access : accesses)
    if (access.writes)
      state[access.memory].write(access.begin, access.end, access.owner);
  return {};
}

/// That `launch` may run kernel `index` on the queue's device.
Error ProgramVerifier::checkKernel(const Launch &launch, uint32_t index,
                                   uint32_t device,
                                   const Accesses &accesses) const {
  const Kernel &kernel = *view.variant.kernels()->Get(index);
  auto fail = [&](const std::string &what) {
    return invalidPlan("launch of '" + text(kernel.name()) + "' " + what);
  };
  if (length(launch.bindings()) != kernel.bindings())
    return fail("binds " + std::to_string(length(launch.bindings())) +
                " buffers instead of " + std::to_string(kernel.bindings()));
  // Alternatives may take fewer than there are for another.
  bool enough = length(launch.integers()) == kernel.integers() ||
                (length(launch.alternatives()) &&
                 length(launch.integers()) > kernel.integers());
  if (!enough)
    return fail("passes " + std::to_string(length(launch.integers())) +
                " integers instead of " + std::to_string(kernel.integers()));
  DeviceKind runs = kernel.custom_call()
                        ? DeviceKind::cpu
                        : view.variant.images()->Get(kernel.image())->device();
  if (view.variant.devices()->Get(device)->kind() != runs)
    return fail("is on a queue of " + deviceName(view.variant, device) +
                ", its code for " + EnumNameDeviceKind(runs));
  Error error = selfOverlap(accesses, kernel);
  if (!error && kernel.custom_call())
    error =
        verifyCustomCallBindings(*kernel.custom_call(), view, launch, accesses);
  return error ? fail(error.message()) : Error();
}

/// That `launch`, whose kernels are known, asks for no more scratch than these.
Error ProgramVerifier::checkScratch(const Launch &launch) const {
  if (launch.scratch() == none)
    return {};
  int64_t bytes = 0, most = int64_t(mostScratch(launch, view.variant));
  if (!view.value(launch.scratch(), bytes) || bytes < 0 || bytes > most)
    return invalidPlan("launch has no proper number of bytes of scratch: " +
                       std::to_string(bytes) + ", its kernels ask for " +
                       std::to_string(most));
  return {};
}

Error ProgramVerifier::checkNumbers(const Launch &launch) const {
  int64_t tiles = 0, chunk = 0;
  auto isWithin = [&](uint32_t number, int64_t value, int64_t least) {
    return (value >= least && value <= maximumBytes) ||
           counts.isTold(number, queue);
  };
  if (!view.value(launch.tiles(), tiles) ||
      !isWithin(launch.tiles(), tiles, 0) ||
      !view.value(launch.chunk(), chunk) || !isWithin(launch.chunk(), chunk, 1))
    return invalidPlan("launch has no proper tile count");
  // Drivers make the grid of the tiles: another one would not be the launch's.
  if (length(launch.grid()))
    return invalidPlan("launch has a grid of its own, which this version of "
                       "heddle does not run");
  if (launch.selector() == none && length(launch.alternatives()))
    return invalidPlan("launch has alternatives and selects none");
  return {};
}

/// That commands about counts may be in this queue of `device`: on other
/// devices than the cpu nothing but the one queue that they are in orders them.
Error ProgramVerifier::checkCountQueue(uint32_t device) {
  if (!readsCounts(view.variant.devices()->Get(device)->kind()))
    return invalidPlan("is about a count, which queues of " +
                       deviceName(view.variant, device) + " do not read");
  if (device == hostDevice)
    return {};
  if (!needs(view.variant.required_features(), deviceCountsFeature))
    return invalidPlan("is about a count on " +
                       deviceName(view.variant, device) +
                       ", of which the variant does not say that it needs it");
  if (countQueues.emplace(device, queue).first->second != queue)
    return invalidPlan("is about a count in a second queue of " +
                       deviceName(view.variant, device));
  return {};
}

/// That `launch` may be told the counts that it looks at, and that what is
/// chosen by one is code.
Error ProgramVerifier::checkCounts(const Launch &launch, uint32_t device) {
  bool isCounted = false;
  forEachNumber(launch,
                [&](uint32_t number) { isCounted |= counts.follows(number); });
  if (isCounted)
    if (Error error = checkCountQueue(device))
      return error;
  if (!length(launch.alternatives()) || !counts.follows(launch.selector()))
    return {};
  auto isCustomCall = [&](uint32_t kernel) {
    return kernel < length(view.variant.kernels()) &&
           view.variant.kernels()->Get(kernel)->custom_call();
  };
  bool hasCustomCall = isCustomCall(launch.kernel());
  for (uint32_t i = 0; i < length(launch.alternatives()); ++i)
    hasCustomCall |= isCustomCall(launch.alternatives()->Get(i));
  return hasCustomCall ? invalidPlan("launch chooses a custom call by a count")
                       : Error();
}

Error ProgramVerifier::launch(const Launch &launch, uint32_t device,
                              State &state, Accesses &touched) {
  if (Error error = checkNumbers(launch))
    return error;
  if (Error error = checkCounts(launch, device))
    return error;
  Accesses accesses(length(launch.bindings()));
  for (uint32_t i = 0; i < accesses.size(); ++i)
    if (Error error = places.resolve(launch.bindings()->Get(i), device,
                                     BufferPlaces::Reach::kernel, accesses[i]))
      return invalidPlan("launch " + error.message());
  if (Error error = checkKernel(launch, launch.kernel(), device, accesses))
    return error;
  for (uint32_t i = 0; i < length(launch.alternatives()); ++i)
    if (Error error = checkKernel(launch, launch.alternatives()->Get(i), device,
                                  accesses))
      return error;
  if (Error error = checkScratch(launch))
    return error;
  Error error = perform(accesses, state, touched);
  return error
             ? invalidPlan(
                   "launch of '" +
                   text(view.variant.kernels()->Get(launch.kernel())->name()) +
                   "' " + error.message())
             : Error();
}

Error ProgramVerifier::copy(const Copy &copy, uint32_t device, State &state,
                            Accesses &touched) {
  Accesses accesses(2);
  auto reach = BufferPlaces::Reach::copy;
  if (Error error = places.resolve(copy.source(), device, reach, accesses[0]))
    return error;
  if (Error error = places.resolve(copy.target(), device, reach, accesses[1]))
    return error;
  const MemoryAccess &source = accesses[0], &target = accesses[1];
  if (!source.reads || source.writes || !target.writes || target.reads ||
      source.end - source.begin != target.end - target.begin)
    return invalidPlan("copies between parts of different size or use");
  if (source.memory == target.memory && source.begin < target.end &&
      target.begin < source.end)
    return invalidPlan("copies between parts that overlap");
  return perform(accesses, state, touched);
}

Error ProgramVerifier::fill(const Fill &fill, uint32_t device, State &state,
                            Accesses &touched) {
  Accesses accesses(1);
  if (Error error = places.resolve(fill.target(), device,
                                   BufferPlaces::Reach::kernel, accesses[0]))
    return error;
  unsigned bytes = fill.pattern_bytes();
  if (!accesses[0].writes || accesses[0].reads)
    return invalidPlan("fills what is not to be written");
  if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) ||
      (accesses[0].end - accesses[0].begin) % bytes ||
      accesses[0].begin % bytes)
    return invalidPlan("fills with a pattern that does not fit");
  int64_t value = 0;
  if (fill.value() != none)
    value = view.values[fill.value()];
  int64_t limit = bytes == 8 ? INT64_MAX : (int64_t(1) << (8 * bytes - 1)) - 1;
  if (value > limit || value < -limit - 1)
    return invalidPlan("fills " + std::to_string(bytes) + " bytes with " +
                       std::to_string(value));
  return perform(accesses, state, touched);
}

Error ProgramVerifier::collective(const Collective &collective, uint32_t device,
                                  State &state, Accesses &touched) {
  Accesses accesses(2);
  auto reach = BufferPlaces::Reach::kernel;
  if (Error error =
          places.resolve(collective.source(), device, reach, accesses[0]))
    return error;
  if (Error error =
          places.resolve(collective.target(), device, reach, accesses[1]))
    return error;
  if (Error error =
          verifyCollective(collective, view, device, accesses[0], accesses[1]))
    return error;
  return perform(accesses, state, touched);
}

Error ProgramVerifier::rank(const Rank &rank, uint32_t device, State &state,
                            Accesses &touched) {
  Accesses accesses(1);
  if (Error error = places.resolve(rank.target(), device,
                                   BufferPlaces::Reach::kernel, accesses[0]))
    return error;
  if (Error error = verifyRank(view, device, accesses[0]))
    return error;
  return perform(accesses, state, touched);
}

Error ProgramVerifier::count(const Count &count, uint32_t device, State &state,
                             Accesses &touched) {
  if (!view.entry)
    return invalidPlan("counts before any call");
  if (!counts.pass(count.symbol(), queue))
    return invalidPlan("counts a size again");
  if (Error error = checkCountQueue(device))
    return error;
  Accesses source(1);
  if (Error error = places.resolve(count.source(), device,
                                   BufferPlaces::Reach::kernel, source[0]))
    return error;
  if (source[0].writes || source[0].end - source[0].begin != 4 ||
      source[0].begin % 4)
    return invalidPlan("counts by something that is no integer of 4 bytes");
  return perform(source, state, touched);
}

Error ProgramVerifier::branch(const Branch &branch, uint32_t device,
                              State &state, Accesses &touched) {
  if (branch.selector()) {
    Accesses selector(1);
    if (Error error = places.resolve(branch.selector(), device,
                                     BufferPlaces::Reach::kernel, selector[0]))
      return error;
    int64_t bytes = selector[0].end - selector[0].begin;
    if (selector[0].writes || (bytes != 1 && bytes != 4 && bytes != 8) ||
        selector[0].begin % bytes)
      return invalidPlan("branches on something that is no integer");
    if (Error error = perform(selector, state, touched))
      return error;
  }
  for (uint32_t i = 0; i < length(branch.blocks()); ++i) {
    const MemoryEffects &one = effects.ofBlock(branch.blocks()->Get(i));
    Part before = copyOf(one, state);
    if (Error error = block(branch.blocks()->Get(i), state, touched))
      return error;
    restore(one, before, state);
  }
  for (const auto &[memory, effect] : effects.of(branch))
    effect.apply(state[memory]);
  return {};
}

Error ProgramVerifier::loop(const Loop &loop, uint32_t device, State &state,
                            Accesses &touched) {
  int64_t trips = 0;
  bool counted = loop.trips() != none;
  if (counted && (!view.value(loop.trips(), trips) || trips < 0))
    return invalidPlan("loops an unknown number of times");
  // At the head of any round holds what does before and after one.
  MemoryEffects round = effects.ofRound(loop);
  Part before = copyOf(round, state);
  for (const auto &[memory, effect] : round) {
    MemoryEffect head = effect;
    head.maybe();
    head.apply(state[memory]);
  }
  if (!counted) {
    if (Error error = block(loop.condition(), state, touched))
      return error;
    Accesses flag(1);
    if (Error error = places.resolve(loop.flag(), device,
                                     BufferPlaces::Reach::kernel, flag[0]))
      return error;
    if (flag[0].writes || flag[0].end - flag[0].begin != 1)
      return invalidPlan("loops on something that is no boolean");
    if (Error error = perform(flag, state, touched))
      return error;
  }
  if (Error error = block(loop.body(), state, touched))
    return error;
  restore(round, before, state);
  for (const auto &[memory, effect] : effects.of(loop))
    effect.apply(state[memory]);
  return {};
}

Error ProgramVerifier::command(const Command &command, uint32_t device,
                               State &state, Accesses &touched) {
  if (const Launch *action = command.action_as_Launch())
    return launch(*action, device, state, touched);
  if (const Copy *action = command.action_as_Copy())
    return copy(*action, device, state, touched);
  if (const Fill *action = command.action_as_Fill())
    return fill(*action, device, state, touched);
  if (const Branch *action = command.action_as_Branch())
    return branch(*action, device, state, touched);
  if (const Loop *action = command.action_as_Loop())
    return loop(*action, device, state, touched);
  if (const Collective *action = command.action_as_Collective())
    return collective(*action, device, state, touched);
  if (const Rank *action = command.action_as_Rank())
    return rank(*action, device, state, touched);
  if (const Count *action = command.action_as_Count())
    return count(*action, device, state, touched);
  return invalidPlan("has no action that is known");
}

ProgramVerifier::Part ProgramVerifier::copyOf(const MemoryEffects &effects,
                                              const State &state) {
  Part part;
  for (const auto &[memory, effect] : effects)
    effect.restore(part[memory], state[memory]);
  return part;
}

void ProgramVerifier::restore(const MemoryEffects &effects, const Part &part,
                              State &state) {
  for (const auto &[memory, effect] : effects)
    effect.restore(state[memory], part.at(memory));
}

Error ProgramVerifier::block(uint32_t index, State &state, Accesses &touched) {
  uint32_t queues = length(view.plan.queues());
  Hazards hazards(queues);
  std::map<uint32_t, Hazards::Clock> fired; // events of this run
  const auto *commands = view.program.blocks()->Get(index)->commands();
  for (uint32_t i = 0; i < length(commands); ++i) {
    const Command &now = *commands->Get(i);
    auto fail = [&](const std::string &what) {
      return invalidPlan("block " + std::to_string(index) + ", command " +
                         std::to_string(i) + ": " + what);
    };
    std::vector<const Hazards::Clock *> waits;
    for (uint32_t j = 0; j < length(now.waits()); ++j) {
      auto event = fired.find(now.waits()->Get(j));
      if (event == fired.end())
        return fail("waits for event " + std::to_string(now.waits()->Get(j)) +
                    ", which no command before it signals");
      waits.push_back(&event->second);
    }
    hazards.start(now.queue(), waits);
    queue = now.queue();
    size_t first = touched.size();
    uint32_t device = view.plan.queues()->Get(now.queue())->device();
    if (now.action_type() == Action::Count && index != view.program.body())
      return fail("counts within a loop or a branch");
    if (Error error = command(now, device, state, touched))
      return fail(error.message());
    if (queues > 1)
      for (size_t j = first; j < touched.size(); ++j)
        if (!hazards.touch(touched[j]))
          return fail("touches bytes [" + std::to_string(touched[j].begin) +
                      ", " + std::to_string(touched[j].end) +
                      ") while a command it does not wait for may");
    for (uint32_t j = 0; j < length(now.signals()); ++j) {
      uint32_t event = now.signals()->Get(j);
      if (!fired.emplace(event, hazards.done()).second)
        return fail("signals event " + std::to_string(event) + " again");
    }
  }
  return {};
}

Error ProgramVerifier::verify(std::vector<MemoryMap> &persistent) {
  if (Error error = verifyMemories(view, view.program.arenas(), "arena"))
    return error;
  if (Error error = places.place())
    return error;

  counts = PassedCounts(view.plan, view.program);
  // Weights need no map: they always hold their values.
  State state(firstWeight(view));
  std::copy(persistent.begin(), persistent.end(),
            state.begin() + firstPersistent(view));
  for (uint32_t i = 0; i < view.states(); ++i)
    state[firstState(view) + i].write(0, view.stateBytes[i], none);
  for (uint32_t i = 0; i < view.inputs(); ++i)
    state[firstInput(view) + i].write(0, view.inputBytes(i), inputOwner(i));

  Accesses touched;
  if (Error error = block(view.program.body(), state, touched))
    return error;
  if (!view.entry)
    std::copy_n(state.begin() + firstPersistent(view), persistent.size(),
                persistent.begin());

  for (uint32_t i = 0; i < view.outputs(); ++i)
    if (!state[outputMemory(view, i)].holds(0, view.outputBytes(i),
                                            outputOwner(view, i)))
      return invalidPlan("leaves output '" +
                         text(view.entry->outputs()->Get(i)->name()) +
                         "' unwritten in part");
  return {};
}
