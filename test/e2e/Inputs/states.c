/* states PLAIN STATEFUL: decodes with a cache that the caller hands from call
   to call, and with the cache as a state of the program: equal bit for bit.
   Both are Inputs/cache.mlir of test/tools/heddle. */
#include "test/runtime/check.h"

enum { rows = 16, width = 8 };

static heddle_context *open_context(const char *path,
                                    heddle_program **program) {
  heddle_context *context = NULL;
  OK(heddle_program_load_file(path, NULL, program));
  OK(heddle_context_create(*program, 0, NULL, &context));
  return context;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  heddle_program *plain = NULL, *stateful = NULL;
  heddle_context *by_hand = open_context(argv[1], &plain);
  heddle_context *keeping = open_context(argv[2], &stateful);
  if (failures)
    return 1;
  CHECK(heddle_program_input_count(plain, 0) == 3);
  CHECK(heddle_program_input_count(stateful, 0) == 2);
  CHECK(heddle_program_output_count(stateful, 0) == 1);
  heddle_state *state = NULL;
  OK(heddle_state_create(stateful, 0, &state));
  heddle_call_options options = HEDDLE_INIT(options);
  options.states = &state;
  options.state_count = 1;

  static float caches[2][rows * width], kept[rows * width];
  static const int64_t row[] = {1, width}, table[] = {rows, width},
                       line[] = {1, rows};
  float x[width], scores[2][rows];
  for (int32_t step = 0; step < 2 * rows; ++step) {
    int32_t position = step % rows;
    for (int i = 0; i < width; ++i)
      x[i] = (float)((step * 31 + i * 17) % 23) / 7 - 1;
    float *past = caches[step % 2], *present = caches[1 - step % 2];
    heddle_tensor inputs[] = {make_tensor(x, HEDDLE_F32, 2, row),
                              make_tensor(&position, HEDDLE_I32, 0, NULL),
                              make_tensor(past, HEDDLE_F32, 2, table)};
    heddle_tensor outputs[] = {make_tensor(scores[0], HEDDLE_F32, 2, line),
                               make_tensor(present, HEDDLE_F32, 2, table)};
    OK(call_entry(by_hand, inputs, 3, outputs, 2, NULL));
    heddle_tensor output = make_tensor(scores[1], HEDDLE_F32, 2, line);
    OK(call_entry(keeping, inputs, 2, &output, 1, &options));
    OK(heddle_state_read(state, 0, sizeof(kept), kept));
    CHECK(!memcmp(scores[0], scores[1], sizeof(scores[0])));
    CHECK(!memcmp(present, kept, sizeof(kept)));
    CHECK(kept[position * width] == 2 * x[0]);
  }
  heddle_state_destroy(state);
  heddle_context_destroy(by_hand);
  heddle_context_destroy(keeping);
  heddle_program_destroy(plain);
  heddle_program_destroy(stateful);
  return failures != 0;
}
