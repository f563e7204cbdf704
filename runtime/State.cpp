// Memory that calls change and keep.

#include "runtime/State.h"

using namespace heddle;
using namespace heddle::runtime;

//===----------------------------------------------------------------------===//
// Who has it
//===----------------------------------------------------------------------===//

bool State::acquire(bool forWriting) {
  int32_t now = users.load();
  do {
    if (now < 0 || (forWriting && now > 0))
      return false;
  } while (!users.compare_exchange_weak(now, forWriting ? -1 : now + 1));
  return true;
}

void State::release(bool forWriting) {
  if (forWriting)
    users.store(0);
  else
    --users;
}

/// For the time of one function.
class State::Hold {
public:
  Hold(State &state, bool forWriting)
      : state(state), forWriting(forWriting), mine(state.acquire(forWriting)) {}
  ~Hold() {
    if (mine)
      state.release(forWriting);
  }
  Hold(const Hold &) = delete;
  Hold &operator=(const Hold &) = delete;

  Error check() const {
    if (mine)
      return {};
    return {HEDDLE_STATE_BUSY,
            "state '" + state.spec().name + "' is in use by a call"};
  }

private:
  State &state;
  bool forWriting;
  bool mine;
};

StateHolds::~StateHolds() {
  for (size_t i = 0; i < held; ++i)
    states[i]->release(entry.states[i]->writes());
}

static Error checkCount(const EntrySpec &entry, heddle_state *const *given,
                        size_t count) {
  if (count == entry.states.size() && (!count || given))
    return {};
  return {HEDDLE_STATE_MISSING,
          "entry '" + entry.name + "' uses " +
              std::to_string(entry.states.size()) + " states, " +
              std::to_string(given ? count : 0) + " are given"};
}

Error runtime::findState(const LoadedProgram &program, const EntrySpec &entry,
                         size_t use, heddle_state *given, State *&state) {
  uint32_t number = entry.states[use]->state();
  if (!given || !given->state.is(program, number))
    return {HEDDLE_STATE_MISSING,
            "state '" + program.states()[number].name + "' of entry '" +
                entry.name + "' is " +
                (given ? "given another state, or one of another program"
                       : "a null pointer")};
  state = &given->state;
  return {};
}

Error runtime::findStates(const LoadedProgram &program, const EntrySpec &entry,
                          heddle_state *const *given, size_t count,
                          std::vector<State *> &states) {
  if (Error error = checkCount(entry, given, count))
    return error;
  states.resize(count);
  for (size_t i = 0; i < count; ++i)
    if (Error error = findState(program, entry, i, given[i], states[i]))
      return error;
  return {};
}

Error StateHolds::acquire(const LoadedProgram &program,
                          const heddle_call_options &options) {
  if (Error error = checkCount(entry, options.states, options.state_count))
    return error;
  for (; held < entry.states.size(); ++held) {
    const format::StateUse &use = *entry.states[held];
    if (Error error =
            findState(program, entry, held, options.states[held], states[held]))
      return error;
    if (!states[held]->acquire(use.writes()))
      return {HEDDLE_STATE_BUSY, "state '" +
                                     program.states()[use.state()].name +
                                     "' is in use by another call"};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Its memory
//===----------------------------------------------------------------------===//

Error State::create() {
  const std::shared_ptr<Device> &device =
      program->devices()[spec().device]->device();
  if (Error error = memory.allocate(
          device, spec().space, static_cast<uint64_t>(spec().bytes), "a state"))
    return error;
  if (Error error = copier.create(device, spec().space))
    return error;
  return reset();
}

Error State::reset() {
  Hold hold(*this, /*forWriting=*/true);
  if (Error error = hold.check())
    return error;
  if (Error error = copier.clear(memory.data(), memory.size()))
    return error;
  currentLength.store(spec().longest < 0 ? -1 : 0);
  return {};
}

Error State::copyFrom(State &source) {
  if (&source == this)
    return {};
  if (!source.is(*program, index))
    return {HEDDLE_STATE_MISSING, "state '" + spec().name +
                                      "' is copied from another state, or one "
                                      "of another program"};
  Hold own(*this, /*forWriting=*/true), other(source, /*forWriting=*/false);
  if (Error error = own.check())
    return error;
  if (Error error = other.check())
    return error;
  if (Error error = copier.copy(memory.data(), true, source.memory.data(), true,
                                memory.size()))
    return error;
  currentLength.store(source.length());
  return {};
}

Error State::checkRange(uint64_t offset, uint64_t bytes) const {
  if (offset <= memory.size() && bytes <= memory.size() - offset)
    return {};
  return {HEDDLE_ARGUMENT_INVALID,
          "bytes [" + std::to_string(offset) + ", +" + std::to_string(bytes) +
              ") are not all in state '" + spec().name + "', which has " +
              std::to_string(memory.size())};
}

Error State::read(uint64_t offset, uint64_t bytes, void *data) {
  if (Error error = checkRange(offset, bytes))
    return error;
  Hold hold(*this, /*forWriting=*/false);
  if (Error error = hold.check())
    return error;
  return copier.copy(data, false, memory.data() + offset, true, bytes);
}

Error State::write(uint64_t offset, uint64_t bytes, const void *data) {
  if (Error error = checkRange(offset, bytes))
    return error;
  Hold hold(*this, /*forWriting=*/true);
  if (Error error = hold.check())
    return error;
  return copier.copy(memory.data() + offset, true, data, false, bytes);
}

Error State::setLength(int64_t value) {
  if (value < 0 || value > spec().longest)
    return {HEDDLE_STATE_LENGTH,
            spec().longest < 0
                ? "state '" + spec().name + "' has no length"
                : "state '" + spec().name + "' has at most the length " +
                      std::to_string(spec().longest) + ", not " +
                      std::to_string(value)};
  Hold hold(*this, /*forWriting=*/true);
  if (Error error = hold.check())
    return error;
  currentLength.store(value);
  return {};
}
