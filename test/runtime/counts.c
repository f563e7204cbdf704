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

static heddle_context *open_model(const char *folder, const char *name,
                                  heddle_program **program) {
  heddle_context *context = NULL;
  *program = load(folder, name, NULL);
  OK(heddle_context_create(*program, 0, NULL, &context));
  return context;
}

static void close_model(heddle_program *program, heddle_context *context) {
  heddle_context_destroy(context);
  heddle_program_destroy(program);
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
  heddle_program *program;
  heddle_context *context = open_model(folder, "counted-rest", &program);
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
  close_model(program, context);
}

static heddle_status call_two(heddle_context *context, int32_t n, int32_t m) {
  static int32_t found;
  heddle_tensor inputs[] = {make_tensor(x, HEDDLE_F32, 1, all),
                            make_tensor(&n, HEDDLE_I32, 0, NULL),
                            make_tensor(&m, HEDDLE_I32, 0, NULL)};
  heddle_tensor outputs[] = {make_tensor(&counted, HEDDLE_I32, 0, NULL),
                             make_tensor(&found, HEDDLE_I32, 0, NULL),
                             make_tensor(sum, HEDDLE_F32, 1, all)};
  for (int i = 0; i < most; ++i)
    sum[i] = -1;
  return call_entry(context, inputs, 3, outputs, 3, NULL);
}

/* What is left of one count when both are known, however large the other may be
   until then. */
static void test_two(const char *folder) {
  heddle_program *program;
  heddle_context *context = open_model(folder, "counted-two", &program);
  static const int32_t counts[][2] = {{5, 3}, {64, 0}, {2, 2}, {40, 7}};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    int32_t left = counts[i][0] - counts[i][1];
    OK(call_two(context, counts[i][0], counts[i][1]));
    for (int j = 0; j < most; ++j)
      CHECK(sum[j] == (j < left ? 2 * x[j] : -1));
  }
  EXPECT(call_two(context, 3, 30), HEDDLE_PLAN_INVALID,
         "no proper tile count behind a count: -1 in chunks of 1");
  OK(call_two(context, 30, 3));
  close_model(program, context);
}

/* A launch between two counts has the largest of the later, which may make no
   proper number of the earlier: it is not run with that. */
static void test_between(const char *folder) {
  heddle_program *program;
  heddle_context *context = open_model(folder, "counted-between", &program);
  OK(call_two(context, 64, 3));
  EXPECT(call_two(context, 5, 3), HEDDLE_PLAN_INVALID,
         "no proper tile count behind a count: -3 in chunks of 1");
  for (int j = 0; j < most; ++j)
    CHECK(sum[j] == -1);
  close_model(program, context);
}

/* A number of a launch in front of the count that it follows from is checked
   for each choice of the call's sizes. */
static void test_chunk(const char *folder) {
  heddle_program *program;
  heddle_context *context = open_model(folder, "counted-chunk", &program);
  int64_t shape, sizes[] = {-1, 1};
  heddle_call_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.sizes = sizes;
  options.size_count = 2;
  for (int32_t rows = 1; rows < 18; ++rows) {
    sizes[1] = rows;
    if (rows % 8)
      OK(call(context, 7, &shape, &options));
    else
      EXPECT(call(context, 7, &shape, &options), HEDDLE_PLAN_INVALID,
             "launch has no proper tile count");
  }
  close_model(program, context);
}

/* The number of elements of the sum that a call of so many rows wrote. */
static int64_t call_rows(heddle_context *context, int64_t rows, int code,
                         int line) {
  enum { room = 64 * 16 };
  static float values[room], results[room];
  const int64_t shape[] = {rows * 16}, sizes[] = {-1, rows};
  int32_t n = 5;
  heddle_tensor inputs[] = {make_tensor(values, HEDDLE_F32, 1, shape),
                            make_tensor(&n, HEDDLE_I32, 0, NULL)};
  heddle_tensor outputs[] = {make_tensor(&counted, HEDDLE_I32, 0, NULL),
                             make_tensor(results, HEDDLE_F32, 1, shape)};
  heddle_call_options options = HEDDLE_INIT(options);
  options.sizes = sizes;
  options.size_count = 2;
  for (int i = 0; i < room; ++i)
    values[i] = 1, results[i] = -1;
  expect(call_entry(context, inputs, 2, outputs, 2, &options), code, NULL,
         line);
  int64_t written = 0;
  for (int i = 0; i < room; ++i)
    written += results[i] != -1;
  return written;
}

/* A call that is refused for its sizes leaves none of its numbers to a later
   one at the sizes before. */
static void test_refused(const char *folder) {
  heddle_program *program = load(folder, "counted-arena", NULL);
  heddle_context_options options = HEDDLE_INIT(options);
  static _Alignas(4096) char arena[16384];
  options.threads = 1;
  options.arena = arena;
  options.arena_bytes = sizeof(arena);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, &options, &context));
  CHECK(call_rows(context, 2, HEDDLE_OK, __LINE__) == 32);
  CHECK(call_rows(context, 4, HEDDLE_OK, __LINE__) == 64);
  CHECK(call_rows(context, 64, HEDDLE_ARENA_TOO_SMALL, __LINE__) == 0);
  CHECK(call_rows(context, 4, HEDDLE_OK, __LINE__) == 64);
  CHECK(call_rows(context, 2, HEDDLE_OK, __LINE__) == 32);
  close_model(program, context);
}

/* A device that reads the count in its queue; a call behind one that failed
   finds nothing of that. */
static void test_placed(const char *folder) {
  heddle_program *program;
  heddle_context *context = open_model(folder, "counted-placed", &program);
  static const int32_t counts[] = {5, 64, 0, 17};
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); ++i) {
    int64_t shape = -1;
    EXPECT(call(context, 65, &shape, NULL), HEDDLE_TENSOR_SHAPE,
           "'count' must be from 0 to 64");
    OK(call(context, counts[i], &shape, NULL));
    CHECK(shape == counts[i]);
    for (int j = 0; j < counts[i]; ++j)
      CHECK(sum[j] == 2 * x[j]);
  }
  close_model(program, context);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  for (int i = 0; i < most; ++i)
    x[i] = (float)i;
  heddle_program *program;
  heddle_context *context = open_model(argv[1], "counted", &program);
  test_counts(context);
  test_tiles(context);
  test_wrong_counts(context);
  close_model(program, context);
  test_rest(argv[1]);
  test_two(argv[1]);
  test_between(argv[1]);
  test_chunk(argv[1]);
  test_refused(argv[1]);
  test_placed(argv[1]);
  return finish();
}
