/* Sizes that the program computes: launches behind the count do as much as it
   says, in each call anew, and results have the memory of the most. Argument:
   the folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-counts \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

#include <stdint.h>

enum { most = 64 };

static float x[most], sum[most];
static int32_t counted;

static const int64_t all[] = {most};

static heddle_status call(heddle_context *context, int32_t n,
                          int64_t *out_shape,
                          const heddle_call_options *options) {
  heddle_tensor inputs[] = {make_tensor(x, HEDDLE_F32, 1, all),
                            make_tensor(&n, HEDDLE_I32, 0, NULL)};
  heddle_tensor outputs[] = {make_tensor(&counted, HEDDLE_I32, 0, NULL),
                             make_tensor(sum, HEDDLE_F32, 1, all)};
  outputs[1].out_shape = out_shape;
  outputs[1].bytes = sizeof(sum);
  for (int i = 0; i < most; ++i)
    sum[i] = -1;
  return call_entry(context, inputs, 2, outputs, 2, options);
}

/* Adds up the tiles of launches. */
static void add_tiles(void *user, const heddle_step *step) {
  *(int64_t *)user += step->tiles;
}

static void test_counts(heddle_context *context) {
  /* Fewer, more, none, all. */
  static const int32_t counts[] = {5, 17, 1, 0, 64, 63, 0, 33};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    int32_t count = counts[i];
    int64_t shape = -1;
    OK(call(context, count, &shape, NULL));
    CHECK(shape == count && counted == count);
    for (int j = 0; j < most; ++j)
      CHECK(sum[j] == (j < count ? 2 * x[j] : -1));
  }
}

static void test_tiles(heddle_context *context) {
  int64_t shape, tiles;
  heddle_call_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.on_step = add_tiles;
  options.user = &tiles;
  /* A copy of 4 bytes is told as 4 tiles. */
  tiles = -4;
  OK(call(context, 33, &shape, &options));
  CHECK(tiles == 3);
  tiles = -4;
  OK(call(context, 16, &shape, &options));
  CHECK(tiles == 1);
}

/* Nothing is done behind a count that is no size of the program's. */
static void test_wrong_counts(heddle_context *context) {
  static const int32_t counts[] = {65, -1, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    int64_t shape = -1;
    EXPECT(call(context, counts[i], &shape, NULL), HEDDLE_TENSOR_SHAPE,
           "'count' must be from 0 to 64");
    for (int j = 0; j < most; ++j)
      CHECK(sum[j] == -1);
    OK(call(context, 7, &shape, NULL));
    CHECK(shape == 7);
  }
}

/* Fewer where more is counted: memory is that of no count at all. */
static void test_rest(const char *folder) {
  heddle_program *program = load(folder, "counted-rest", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  heddle_tensor_info info = HEDDLE_INIT(info);
  OK(heddle_program_output_info(program, 0, 1, &info));
  CHECK(info.shape[0] == 60 && info.bytes == 240);
  int64_t shape = -1;
  heddle_tensor given[] = {make_tensor(NULL, HEDDLE_F32, 1, all),
                           make_tensor(NULL, HEDDLE_I32, 0, NULL)};
  const heddle_tensor *inputs[] = {&given[0], &given[1]};
  OK(heddle_program_output_shape(program, 0, inputs, 2, NULL, 0, 1, &shape));
  CHECK(shape == 60);
  static const int32_t counts[] = {60, 0, 17, 59, 1};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    OK(call(context, counts[i], &shape, NULL));
    CHECK(shape == 60 - counts[i]);
    for (int j = 0; j < most; ++j)
      CHECK(sum[j] == (j < shape ? 2 * x[j] : -1));
  }
  EXPECT(call(context, 61, &shape, NULL), HEDDLE_TENSOR_SHAPE,
         "output 'sum' would have the extent -1 in dimension 0, its memory has "
         "60");
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  for (int i = 0; i < most; ++i)
    x[i] = (float)i;
  heddle_program *program = load(argv[1], "counted", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  test_counts(context);
  test_tiles(context);
  test_wrong_counts(context);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  test_rest(argv[1]);
  return finish();
}
