// The functions of include/heddle/runtime.h for sizes that calls choose.

#include "runtime/Border.h"
#include "runtime/CallSizes.h"
#include "runtime/format/ManifestTables.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::runtime;

size_t heddle_program_size_count(const heddle_program *program) {
  return program ? program->program->symbols().size() : 0;
}

heddle_status heddle_program_size_info(const heddle_program *program,
                                       size_t number,
                                       heddle_size_info *out_info) {
  return guarded([&]() -> heddle_status {
    if (number >= heddle_program_size_count(program))
      return invalid("there is no size of that number");
    const format::Symbol &symbol = *program->program->manifest().symbols()->Get(
        static_cast<uint32_t>(number));
    heddle_size_info info = {};
    info.name = symbol.name() ? symbol.name()->c_str() : "";
    info.minimum = symbol.minimum();
    info.maximum = symbol.maximum();
    info.multiple = symbol.multiple();
    info.source = static_cast<heddle_size_source>(symbol.source());
    return writeResult(info, out_info) ? toStatus({}) : invalid(badSize);
  });
}

/// Null for an entry that is none.
static const EntrySpec *findEntry(const heddle_program *program, size_t entry) {
  return entry < heddle_program_entry_count(program)
             ? &program->program->entries()[entry]
             : nullptr;
}

int heddle_program_entry_needs_size(const heddle_program *program, size_t entry,
                                    size_t number) {
  const EntrySpec *spec = findEntry(program, entry);
  const auto *given = spec ? spec->record->given() : nullptr;
  return given &&
         std::find(given->begin(), given->end(), number) != given->end();
}

size_t heddle_program_entry_assumption_count(const heddle_program *program,
                                             size_t entry) {
  const EntrySpec *spec = findEntry(program, entry);
  return spec ? format::length(spec->record->assumptions()) : 0;
}

const char *heddle_program_entry_assumption(const heddle_program *program,
                                            size_t entry, size_t number) {
  if (number >= heddle_program_entry_assumption_count(program, entry))
    return nullptr;
  const flatbuffers::String *text = findEntry(program, entry)
                                        ->record->assumptions()
                                        ->Get(static_cast<uint32_t>(number))
                                        ->text();
  return text ? text->c_str() : "";
}

heddle_status heddle_program_output_shape_in(const heddle_program *program,
                                             size_t entry,
                                             const heddle_tensor *const *inputs,
                                             size_t input_count,
                                             const heddle_call_options *given,
                                             size_t index, int64_t *out_shape) {
  return guarded([&]() -> heddle_status {
    heddle_call_options options;
    const EntrySpec *spec = findEntry(program, entry);
    if (!spec)
      return toStatus({HEDDLE_ENTRY_UNKNOWN,
                       "there is no entry number " + std::to_string(entry)});
    if (Error error = readCallOptions(given, options))
      return toStatus(error);
    if (index >= spec->outputs.size())
      return invalid("there is no tensor of that number");
    const TensorSpec &output = spec->outputs[index];
    if ((input_count && !inputs) || (!output.shape.empty() && !out_shape))
      return invalid(nullPointer);
    std::vector<heddle_tensor> tensors(input_count);
    for (size_t i = 0; i < input_count; ++i)
      if (!inputs[i] || !readOptions(inputs[i], tensors[i]))
        return invalid(inputs[i] ? badSize : nullPointer);
    // A state without a length says nothing about shapes.
    const LoadedProgram &loaded = *program->program;
    bool anyLength = std::any_of(
        spec->states.begin(), spec->states.end(), [&](const auto *use) {
          return loaded.states()[use->state()].symbol != format::none;
        });
    std::vector<State *> known;
    if (anyLength || options.state_count)
      if (Error error = findStates(loaded, *spec, options.states,
                                   options.state_count, known))
        return toStatus(error);
    return toStatus(outputShape(loaded, *spec, {tensors.data(), input_count},
                                known, options.sizes, options.size_count,
                                output, out_shape));
  });
}

heddle_status heddle_program_output_shape(const heddle_program *program,
                                          size_t entry,
                                          const heddle_tensor *const *inputs,
                                          size_t input_count,
                                          heddle_state *const *states,
                                          size_t state_count, size_t index,
                                          int64_t *out_shape) {
  heddle_call_options options = {};
  options.size = sizeof(options);
  options.states = states;
  options.state_count = state_count;
  return heddle_program_output_shape_in(program, entry, inputs, input_count,
                                        &options, index, out_shape);
}
