/* growing_states ARTIFACT: steps of decode_step.py's model until its caches are
   full, counting what the process allocates from the second one on. */
#include "test/runtime/check.h"

#include <stdlib.h>

enum { batch = 2, words = 50, caches = 4 };

/* All allocations of the process come by here. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
static long allocations;

void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *realloc(void *memory, size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  heddle_program *program = NULL;
  heddle_context *context = NULL;
  OK(heddle_program_load_file(argv[1], NULL, &program));
  if (failures)
    return 1;
  OK(heddle_context_create(program, 0, NULL, &context));
  heddle_state *states[caches] = {NULL};
  heddle_state_info info = HEDDLE_INIT(info);
  CHECK(heddle_program_entry_state_count(program, 0) == caches);
  for (size_t i = 0; i < caches; ++i) {
    OK(heddle_state_create(program, i, &states[i]));
    OK(heddle_program_state_info(program, i, &info));
    CHECK(info.longest == 71 && info.dimension == 2 && info.shape[2] == 71);
  }
  heddle_call_options options = HEDDLE_INIT(options);
  options.states = states;
  options.state_count = caches;
  int64_t ids[batch];
  float logits[batch * words];
  static const int64_t column[] = {batch, 1}, table[] = {batch, 1, words};
  heddle_tensor input = make_tensor(ids, HEDDLE_I64, 2, column);
  heddle_tensor output = make_tensor(logits, HEDDLE_F32, 3, table);
  long counted = 0;
  for (int step = 0; step < 71; ++step) {
    for (int i = 0; i < batch; ++i)
      ids[i] = (step * 7 + i * 13) % words;
    long before = allocations;
    OK(call_entry(context, &input, 1, &output, 1, &options));
    if (step > 0)
      counted += allocations - before;
    CHECK(heddle_state_length(states[caches - 1]) == step + 1);
  }
  printf("71 steps, %ld allocations\n", counted);
  EXPECT(call_entry(context, &input, 1, &output, 1, &options),
         HEDDLE_STATE_LENGTH, "is full");
  for (size_t i = 0; i < caches; ++i)
    heddle_state_destroy(states[i]);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  return failures != 0;
}
