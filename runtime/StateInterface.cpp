// The functions of include/heddle/runtime.h for states.

#include "runtime/Border.h"
#include "runtime/State.h"

using namespace heddle;
using namespace heddle::runtime;

static constexpr char unknownState[] = "there is no state of that number";

size_t heddle_program_state_count(const heddle_program *program) {
  return program ? program->program->states().size() : 0;
}

heddle_status heddle_program_state_info(const heddle_program *program,
                                        size_t state,
                                        heddle_state_info *out_info) {
  return guarded([&]() -> heddle_status {
    if (state >= heddle_program_state_count(program))
      return invalid(unknownState);
    const StateSpec &spec = program->program->states()[state];
    heddle_state_info info = {};
    info.name = spec.name.c_str();
    info.dtype = static_cast<heddle_dtype>(spec.dtype);
    info.rank = static_cast<int32_t>(spec.shape.size());
    info.shape = spec.shape.data();
    info.bytes = static_cast<size_t>(spec.bytes);
    info.longest = spec.longest;
    info.dimension = spec.dimension == format::none
                         ? -1
                         : static_cast<int32_t>(spec.dimension);
    info.device = spec.deviceName.c_str();
    return writeResult(info, out_info) ? toStatus({}) : invalid(badSize);
  });
}

size_t heddle_program_entry_state_count(const heddle_program *program,
                                        size_t entry) {
  return entry < heddle_program_entry_count(program)
             ? program->program->entries()[entry].states.size()
             : 0;
}

heddle_status heddle_program_entry_state(const heddle_program *program,
                                         size_t entry, size_t use,
                                         size_t *out_state,
                                         int32_t *out_writes) {
  return guarded([&]() -> heddle_status {
    if (!out_state || !out_writes)
      return invalid(nullPointer);
    if (use >= heddle_program_entry_state_count(program, entry))
      return invalid(unknownState);
    const format::StateUse &known =
        *program->program->entries()[entry].states[use];
    *out_state = known.state();
    *out_writes = known.writes();
    return toStatus({});
  });
}

heddle_status heddle_state_create(heddle_program *program, size_t state,
                                  heddle_state **out_state) {
  return guarded([&]() -> heddle_status {
    if (!program || !out_state)
      return invalid(nullPointer);
    if (state >= heddle_program_state_count(program))
      return invalid(unknownState);
    std::unique_ptr<heddle_state> created(new heddle_state{
        State(program->program, static_cast<uint32_t>(state))});
    if (Error error = created->state.create())
      return toStatus(error);
    *out_state = created.release();
    return toStatus({});
  });
}

void heddle_state_destroy(heddle_state *state) { delete state; }

heddle_status heddle_state_reset(heddle_state *state) {
  return guarded([&]() -> heddle_status {
    return state ? toStatus(state->state.reset()) : invalid(nullPointer);
  });
}

heddle_status heddle_state_copy(heddle_state *target, heddle_state *source) {
  return guarded([&]() -> heddle_status {
    if (!target || !source)
      return invalid(nullPointer);
    return toStatus(target->state.copyFrom(source->state));
  });
}

heddle_status heddle_state_read(heddle_state *state, size_t offset,
                                size_t bytes, void *out_data) {
  return guarded([&]() -> heddle_status {
    if (!state || (bytes && !out_data))
      return invalid(nullPointer);
    return toStatus(state->state.read(offset, bytes, out_data));
  });
}

heddle_status heddle_state_write(heddle_state *state, size_t offset,
                                 size_t bytes, const void *data) {
  return guarded([&]() -> heddle_status {
    if (!state || (bytes && !data))
      return invalid(nullPointer);
    return toStatus(state->state.write(offset, bytes, data));
  });
}

int64_t heddle_state_length(const heddle_state *state) {
  return state ? state->state.length() : -1;
}

heddle_status heddle_state_set_length(heddle_state *state, int64_t length) {
  return guarded([&]() -> heddle_status {
    return state ? toStatus(state->state.setLength(length))
                 : invalid(nullPointer);
  });
}
