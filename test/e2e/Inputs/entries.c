/* entries PREFILL DECODE BOTH: a cache that the caller hands from the program
   PREFILL to calls of the program DECODE, and one that is a state of the two
   entries of BOTH: equal bit for bit. The models are those of two_entries.py.
 */
#include "test/runtime/check.h"

enum { rows = 32, step_rows = 16, width = 64 };

static float prompt[rows * width], caches[2][rows * width], kept[rows * width];
static float x[step_rows * width], scores[2][step_rows * rows];

static heddle_context *open_entry(heddle_program *program, const char *name) {
  heddle_context *context = NULL;
  size_t entry = 9;
  OK(heddle_program_find_entry(program, name, &entry));
  OK(heddle_context_create(program, entry, NULL, &context));
  return context;
}

static heddle_program *load_program(const char *path) {
  heddle_program *program = NULL;
  OK(heddle_program_load_file(path, NULL, &program));
  return program;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  heddle_program *programs[3];
  for (int i = 0; i < 3; ++i)
    programs[i] = load_program(argv[i + 1]);
  if (failures)
    return 1;
  heddle_program *both = programs[2];
  heddle_context *prefill = open_entry(programs[0], "main"),
                 *decode = open_entry(programs[1], "main"),
                 *both_prefill = open_entry(both, "prefill"),
                 *both_decode = open_entry(both, "decode");
  CHECK(heddle_program_entry_count(both) == 2);
  CHECK(heddle_program_state_count(both) == 1);
  size_t number = 9;
  int32_t writes = 9;
  OK(heddle_program_entry_state(both, 0, 0, &number, &writes));
  CHECK(number == 0 && writes == 1 &&
        heddle_program_input_count(both, 0) == 1 &&
        heddle_program_output_count(both, 0) == 0);
  heddle_state *state = NULL;
  OK(heddle_state_create(both, 0, &state));
  heddle_call_options options = HEDDLE_INIT(options);
  options.states = &state;
  options.state_count = 1;

  static const int64_t cache[] = {rows, width}, some[] = {step_rows, width},
                       table[] = {step_rows, rows};
  for (int i = 0; i < rows * width; ++i)
    prompt[i] = (float)(i * 37 % 101) / 50 - 1;
  heddle_tensor given = make_tensor(prompt, HEDDLE_F32, 2, cache);
  heddle_tensor made = make_tensor(caches[0], HEDDLE_F32, 2, cache);
  OK(call_entry(prefill, &given, 1, &made, 1, NULL));
  OK(call_entry(both_prefill, &given, 1, NULL, 0, &options));
  OK(heddle_state_read(state, 0, sizeof(kept), kept));
  CHECK(!memcmp(caches[0], kept, sizeof(kept)));

  for (int32_t step = 0; step < 8; ++step) {
    int32_t position = step * 5 % 17;
    for (int i = 0; i < step_rows * width; ++i)
      x[i] = (float)((step + 1) * i % 61) / 30 - 1;
    heddle_tensor inputs[] = {
        make_tensor(x, HEDDLE_F32, 2, some),
        make_tensor(&position, HEDDLE_I32, 0, NULL),
        make_tensor(caches[step % 2], HEDDLE_F32, 2, cache)};
    heddle_tensor outputs[] = {
        make_tensor(scores[0], HEDDLE_F32, 2, table),
        make_tensor(caches[1 - step % 2], HEDDLE_F32, 2, cache)};
    OK(call_entry(decode, inputs, 3, outputs, 2, NULL));
    heddle_tensor output = make_tensor(scores[1], HEDDLE_F32, 2, table);
    OK(call_entry(both_decode, inputs, 2, &output, 1, &options));
    OK(heddle_state_read(state, 0, sizeof(kept), kept));
    CHECK(!memcmp(scores[0], scores[1], sizeof(scores[0])));
    CHECK(!memcmp(caches[1 - step % 2], kept, sizeof(kept)));
  }
  heddle_state_destroy(state);
  heddle_context *contexts[] = {prefill, decode, both_prefill, both_decode};
  for (int i = 0; i < 4; ++i)
    heddle_context_destroy(contexts[i]);
  for (int i = 0; i < 3; ++i)
    heddle_program_destroy(programs[i]);
  return failures != 0;
}
