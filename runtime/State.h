// Memory that calls change and keep.

#ifndef HEDDLE_RUNTIME_STATE_H
#define HEDDLE_RUNTIME_STATE_H

#include "runtime/DeviceCopier.h"
#include "runtime/LoadedProgram.h"

#include <atomic>

namespace heddle::runtime {

/// A state of a program: memory where the plan wants it, and maybe a length.
/// Calls that read it may run together; whoever writes has it alone.
class State {
public:
  State(std::shared_ptr<LoadedProgram> program, uint32_t index)
      : program(std::move(program)), index(index) {}
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  /// Zeros, of length 0.
  Error create();

  Error reset();
  Error copyFrom(State &source);
  Error read(uint64_t offset, uint64_t bytes, void *data);
  Error write(uint64_t offset, uint64_t bytes, const void *data);
  Error setLength(int64_t value);
  /// -1: it has none.
  int64_t length() const { return currentLength.load(); }

  const StateSpec &spec() const { return program->states()[index]; }
  bool is(const LoadedProgram &of, uint32_t number) const {
    return program.get() == &of && index == number;
  }
  char *data() const { return memory.data(); }

  /// False while somebody else has it and one of both writes.
  bool acquire(bool forWriting);
  void release(bool forWriting);
  /// At the end of a call, by its only writer.
  void finishLength(int64_t value) { currentLength.store(value); }

private:
  class Hold;

  Error checkRange(uint64_t offset, uint64_t bytes) const;

  std::shared_ptr<LoadedProgram> program;
  uint32_t index;
  DeviceMemory memory;
  DeviceCopier copier;
  std::atomic<int64_t> currentLength{-1};
  std::atomic<int32_t> users{0}; ///< Readers; -1: a writer.
};

/// The state that is given as the `use`-th one of the entry; an error if it is
/// none of those.
Error findState(const LoadedProgram &program, const EntrySpec &entry,
                size_t use, heddle_state *given, State *&state);

/// The states that are given for a call of the entry, all of them.
Error findStates(const LoadedProgram &program, const EntrySpec &entry,
                 heddle_state *const *given, size_t count,
                 std::vector<State *> &states);

/// The states that a call has, while it runs.
class StateHolds {
public:
  /// `states` has room for those of `entry`.
  StateHolds(const EntrySpec &entry, std::vector<State *> &states)
      : entry(entry), states(states) {}
  ~StateHolds();
  StateHolds(const StateHolds &) = delete;
  StateHolds &operator=(const StateHolds &) = delete;

  Error acquire(const LoadedProgram &program,
                const heddle_call_options &options);

private:
  const EntrySpec &entry;
  std::vector<State *> &states;
  size_t held = 0;
};

} // namespace heddle::runtime

/// What the C interface hands out.
struct heddle_state {
  heddle::runtime::State state;
};

#endif // HEDDLE_RUNTIME_STATE_H
