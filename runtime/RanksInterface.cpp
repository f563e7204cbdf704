// The functions of include/heddle/runtime.h for ranks.

#include "runtime/Border.h"
#include "runtime/Ranks.h"

using namespace heddle;
using namespace heddle::runtime;

struct heddle_ranks {
  Ranks ranks;
};

uint32_t heddle_program_ranks(const heddle_program *program) {
  return program ? program->program->manifest().ranks() : 0;
}

heddle_status heddle_ranks_create(heddle_program *program, size_t entry,
                                  const heddle_ranks_options *given,
                                  heddle_ranks **out_ranks) {
  return guarded([&]() -> heddle_status {
    heddle_ranks_options options;
    if (!program || !out_ranks)
      return invalid(nullPointer);
    if (!readOptions(given, options))
      return invalid(badSize);
    if (entry >= heddle_program_entry_count(program))
      return toStatus({HEDDLE_ENTRY_UNKNOWN,
                       "there is no entry number " + std::to_string(entry)});
    if (options.threads > 4096)
      return invalid("more than 4096 threads");
    std::unique_ptr<heddle_ranks> ranks(
        new heddle_ranks{{program->program, entry}});
    if (Error error = ranks->ranks.create(options))
      return toStatus(error);
    *out_ranks = ranks.release();
    return toStatus({});
  });
}

void heddle_ranks_destroy(heddle_ranks *ranks) { delete ranks; }

heddle_status
heddle_ranks_call(heddle_ranks *ranks, const heddle_tensor *const *inputs,
                  size_t input_count, const heddle_tensor *const *outputs,
                  size_t output_count, const heddle_call_options *given) {
  return guarded([&]() -> heddle_status {
    heddle_call_options options;
    if (!ranks || (input_count && !inputs) || (output_count && !outputs))
      return invalid(nullPointer);
    if (Error error = readCallOptions(given, options))
      return toStatus(error);
    return toStatus(
        ranks->ranks.call(inputs, input_count, outputs, output_count, options));
  });
}
