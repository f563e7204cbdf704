/* Kernels for the runtime's tests, as the compiler would make them: one
   position-independent image that calls nothing. */
#include "runtime/format/kernel_abi.h"

/* integers: elements, elements per tile. */
#define TILE_LOOP(i)                                                           \
  for (int64_t i = args->tile_begin * args->integers[1],                       \
               end_ = args->tile_end * args->integers[1];                      \
       i < (end_ < args->integers[0] ? end_ : args->integers[0]); ++i)

/* buffers: left, right, sum. */
void add(const heddle_kernel_args *args) {
  const float *left = args->buffers[0], *right = args->buffers[1];
  float *sum = args->buffers[2];
  TILE_LOOP(i) sum[i] = left[i] + right[i];
}

/* buffers: counters (int32, in and out). Each element is counted up once. */
void count(const heddle_kernel_args *args) {
  int32_t *counters = args->buffers[0];
  TILE_LOOP(i) counters[i] += 1;
}

/* The same by ten. */
void count_ten(const heddle_kernel_args *args) {
  int32_t *counters = args->buffers[0];
  TILE_LOOP(i) counters[i] += 10;
}

/* Takes a while: integers[2] rounds per element. buffers: numbers (out). */
void churn(const heddle_kernel_args *args) {
  int32_t *numbers = args->buffers[0];
  TILE_LOOP(i) {
    uint32_t x = (uint32_t)i + 1;
    for (int64_t round = 0; round < args->integers[2]; ++round)
      x = x * 1664525u + 1013904223u;
    numbers[i] = (int32_t)x;
  }
}

/* buffers: left (int32 scalar), left minus one (in place allowed), flag (byte):
 * whether it is positive. */
void countdown(const heddle_kernel_args *args) {
  const int32_t *left = args->buffers[0];
  int32_t next = *left - 1;
  *(int32_t *)args->buffers[1] = next;
  *(uint8_t *)args->buffers[2] = next > 0;
}

/* buffers: flag: set from an int32 scalar. */
void positive(const heddle_kernel_args *args) {
  *(uint8_t *)args->buffers[1] = *(const int32_t *)args->buffers[0] > 0;
}

static const int32_t one = 11, two = 22, three = 33;
/* Needs relocations; not const, or the compiler finds a way without. */
static const int32_t *volatile table[] = {&one, &two, &three};

/* buffers: index (int32), entry of the table (out). */
void lookup(const heddle_kernel_args *args) {
  *(int32_t *)args->buffers[1] = *table[*(const int32_t *)args->buffers[0] % 3];
}

/* Uses its scratch: buffers: numbers (int32, in), doubled (out). */
void doubled(const heddle_kernel_args *args) {
  const int32_t *numbers = args->buffers[0];
  int32_t *out = args->buffers[1];
  volatile int32_t *scratch = args->scratch;
  TILE_LOOP(i) {
    scratch[i % 16] = numbers[i];
    out[i] = 2 * scratch[i % 16];
  }
}
