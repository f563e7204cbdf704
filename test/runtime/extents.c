/* Sizes that each call chooses: which of them a program takes, what it says of
   the others, and that one call leaves nothing to the next or to another
   thread's. Argument: the folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-extents \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

#include <pthread.h>
#include <stdint.h>

enum { most = 64 * 4, behind = 8 };

/* Whether a call of `rows` x `columns` gives the sum and writes nothing behind
   it. */
static int sums(heddle_context *context, int64_t rows, int64_t columns) {
  float left[most], right[most], sum[most + behind];
  const int64_t shape[] = {rows, columns}, count = rows * columns;
  for (int64_t i = 0; i < count; ++i)
    left[i] = (float)(i + rows), right[i] = (float)columns;
  for (int64_t i = 0; i < count + behind; ++i)
    sum[i] = -1;
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                            make_tensor(right, HEDDLE_F32, 2, shape)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
  int good = call_entry(context, inputs, 2, &output, 1, NULL).code == 0;
  for (int64_t i = 0; i < count; ++i)
    good &= sum[i] == (float)(i + rows + columns);
  for (int64_t i = 0; i < behind; ++i)
    good &= sum[count + i] == -1;
  return good;
}

/* A call with these shapes must end so; its memory is not looked at. */
static void refused(heddle_context *context, const int64_t *left,
                    const int64_t *right, const int64_t *sum, int code,
                    const char *part, int line) {
  static float memory[most];
  heddle_tensor inputs[] = {make_tensor(memory, HEDDLE_F32, 2, left),
                            make_tensor(memory, HEDDLE_F32, 2, right)};
  static float results[most];
  heddle_tensor output = make_tensor(results, HEDDLE_F32, 2, sum);
  expect(call_entry(context, inputs, 2, &output, 1, NULL), code, part, line);
}
#define REFUSED(left, right, sum, part)                                        \
  refused(context, left, right, sum, HEDDLE_TENSOR_SHAPE, part, __LINE__)
#define SIZES(rows, columns) ((const int64_t[]){rows, columns})

static void test_range(const char *folder) {
  heddle_program *program = load(folder, "dynamic", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  /* Growing, shrinking, the bound, again the least. */
  static const int64_t rows[] = {1, 64, 2, 63, 63, 7, 64, 1};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); ++i)
    CHECK(sums(context, rows[i], 4));
  static const int64_t outside[] = {0,         65,        -1,
                                    INT64_MAX, INT64_MIN, (int64_t)1 << 62};
  for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); ++i) {
    REFUSED(SIZES(outside[i], 4), SIZES(outside[i], 4), SIZES(outside[i], 4),
            "input 'left'");
    CHECK(sums(context, 5, 4));
  }
  /* One size for both inputs, and for what is made of them. */
  REFUSED(SIZES(3, 4), SIZES(5, 4), SIZES(3, 4), "input 'right'");
  REFUSED(SIZES(5, 4), SIZES(3, 4), SIZES(5, 4), "input 'right'");
  REFUSED(SIZES(5, 4), SIZES(5, 4), SIZES(3, 4), "output 'sum'");
  REFUSED(SIZES(5, 4), SIZES(5, 4), SIZES(64, 4), "output 'sum'");
  REFUSED(SIZES(5, 4), SIZES(5, 4), SIZES(-5, 4), "output 'sum'");
  REFUSED(SIZES(5, 3), SIZES(5, 4), SIZES(5, 4), "input 'left'");
  CHECK(sums(context, 5, 4));

  const int64_t fits[] = {9, 4}, fewer[] = {8, 4}, none[] = {0, 4};
  heddle_tensor inputs[] = {make_tensor(NULL, HEDDLE_F32, 2, fits),
                            make_tensor(NULL, HEDDLE_F32, 2, fits)};
  int64_t shape[2] = {0, 0};
  OK(output_shape(program, 0, inputs, 2, 0, shape));
  CHECK(shape[0] == 9 && shape[1] == 4);
  inputs[1].shape = fewer;
  EXPECT(output_shape(program, 0, inputs, 2, 0, shape), HEDDLE_TENSOR_SHAPE,
         "input 'right'");
  inputs[0].shape = none;
  EXPECT(output_shape(program, 0, inputs, 2, 0, shape), HEDDLE_TENSOR_SHAPE,
         "'batch' must be from 1 to 64");
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/* Sizes of 0, and such whose product is no number of bytes. */
static void test_products(const char *folder) {
  heddle_program *program = load(folder, "open", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  static const int64_t sizes[][2] = {
      {0, 0},  {3, 0}, {0, 5},  {16, 16},
      {1, 1},  {0, 0}, {2, 17}, {0, (int64_t)1 << 20},
      {256, 1}};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); ++i)
    CHECK(sums(context, sizes[i][0], sizes[i][1]));
  const int64_t large = (int64_t)1 << 33, largest = (int64_t)1 << 20;
  REFUSED(SIZES(large, large), SIZES(large, large), SIZES(large, large),
          "input 'left'");
  REFUSED(SIZES(2, 2), SIZES(large, large), SIZES(2, 2), "input 'right'");
  REFUSED(SIZES(2, 2), SIZES(2, 2), SIZES(large, large), "output 'sum'");
  REFUSED(SIZES(largest, largest), SIZES(1, 1), SIZES(1, 1), "input 'right'");
  REFUSED(SIZES(largest + 1, 1), SIZES(1, 1), SIZES(1, 1), "'rows' must be");
  REFUSED(SIZES(1, -1), SIZES(1, -1), SIZES(1, -1), "input 'left'");
  REFUSED(SIZES(0, 5), SIZES(0, 6), SIZES(0, 5), "input 'right'");
  REFUSED(SIZES(0, 5), SIZES(0, 5), SIZES(0, 4), "output 'sum'");
  CHECK(sums(context, 4, 4));
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/* Outputs whose shape, and memory, are left to the call. */
struct giver {
  float memory[most];
  size_t output, bytes, alignment;
  int64_t shape[2];
  int times, refuse;
};

static void *give(void *user, size_t output, const heddle_tensor *wanted,
                  size_t alignment) {
  struct giver *giver = user;
  CHECK(wanted->size == sizeof(*wanted) && wanted->dtype == HEDDLE_F32 &&
        wanted->rank == 2);
  giver->output = output;
  giver->bytes = wanted->bytes;
  giver->alignment = alignment;
  memcpy(giver->shape, wanted->shape, sizeof(giver->shape));
  ++giver->times;
  return giver->refuse ? NULL : giver->memory;
}

static void test_sizes_of_the_call(const char *folder) {
  heddle_program *program = load(folder, "dynamic", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  float left[most], right[most], sum[most];
  for (int i = 0; i < most; ++i)
    left[i] = (float)i, right[i] = 2;
  int64_t shape[] = {9, 4}, told[2] = {-1, -1};
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                            make_tensor(right, HEDDLE_F32, 2, shape)};

  /* A place for the shape, beside memory that is large enough. */
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, NULL);
  output.out_shape = told;
  output.bytes = sizeof(sum);
  OK(call_entry(context, inputs, 2, &output, 1, NULL));
  CHECK(told[0] == 9 && told[1] == 4 && sum[35] == 37);
  /* What is too small, or does not say, is not written to; nor is the shape. */
  told[0] = -1;
  for (size_t bytes = 0; bytes <= 9 * 16 - 1; bytes += 9 * 16 - 1) {
    output.bytes = bytes;
    EXPECT(call_entry(context, inputs, 2, &output, 1, NULL),
           HEDDLE_OUTPUT_TOO_SMALL, "output 'sum'");
  }
  output.bytes = sizeof(sum);
  output.rank = 3;
  EXPECT(call_entry(context, inputs, 2, &output, 1, NULL), HEDDLE_TENSOR_RANK,
         "output 'sum'");
  output.rank = 2;
  shape[0] = 65;
  EXPECT(call_entry(context, inputs, 2, &output, 1, NULL), HEDDLE_TENSOR_SHAPE,
         "input 'left'");
  CHECK(told[0] == -1);

  /* A function that gives the memory. */
  struct giver giver = {.times = 0};
  output.data = NULL;
  output.bytes = 0;
  output.allocate = give;
  output.user = &giver;
  for (shape[0] = 1; shape[0] <= 64; shape[0] += 21) {
    OK(call_entry(context, inputs, 2, &output, 1, NULL));
    CHECK(told[0] == shape[0] && giver.shape[0] == shape[0] &&
          giver.shape[1] == 4 && giver.output == 0 && giver.alignment == 4 &&
          giver.bytes == (size_t)shape[0] * 16);
    CHECK(giver.memory[shape[0] * 4 - 1] == (float)(shape[0] * 4 + 1));
  }
  CHECK(giver.times == 4);
  giver.refuse = 1;
  shape[0] = 2;
  EXPECT(call_entry(context, inputs, 2, &output, 1, NULL), HEDDLE_OUT_OF_MEMORY,
         "output 'sum': there are no 32 bytes");
  /* Not asked when there is memory, or when something is wrong before. */
  giver.times = 0;
  output.data = sum;
  output.bytes = sizeof(sum);
  OK(call_entry(context, inputs, 2, &output, 1, NULL));
  output.data = NULL;
  inputs[1].dtype = HEDDLE_F64;
  EXPECT(call_entry(context, inputs, 2, &output, 1, NULL), HEDDLE_TENSOR_DTYPE,
         "input 'right'");
  CHECK(giver.times == 0);
  inputs[1].dtype = HEDDLE_F32;
  output.out_shape = NULL;
  EXPECT(call_entry(context, inputs, 2, &output, 1, NULL),
         HEDDLE_ARGUMENT_INVALID, "has allocate, but no out_shape");
  inputs[0].out_shape = told;
  EXPECT(call_entry(context, inputs, 2, &output, 1, NULL),
         HEDDLE_ARGUMENT_INVALID, "input 'left' is no output");
  heddle_context_destroy(context);
  heddle_program_destroy(program);

  /* The same where sizes are fixed. */
  program = load(folder, "addition", NULL);
  OK(heddle_context_create(program, 0, NULL, &context));
  static float more[3][1000];
  const int64_t fixed[] = {10, 100};
  heddle_tensor both[] = {make_tensor(more[0], HEDDLE_F32, 2, fixed),
                          make_tensor(more[1], HEDDLE_F32, 2, fixed)};
  output = make_tensor(more[2], HEDDLE_F32, 2, NULL);
  output.out_shape = told;
  output.bytes = sizeof(more[2]);
  OK(call_entry(context, both, 2, &output, 1, NULL));
  CHECK(told[0] == 10 && told[1] == 100 && more[2][2] == 1);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

struct caller {
  heddle_program *program;
  heddle_pool *pool;
  int64_t first;
  int wrong;
};

/* Other sizes in each call than in the one before and the other thread's. */
static void *call_often(void *argument) {
  struct caller *caller = argument;
  heddle_context_options options = HEDDLE_INIT(options);
  options.pool = caller->pool;
  heddle_context *context = NULL;
  if (heddle_context_create(caller->program, 0, &options, &context).code)
    caller->wrong = 1;
  for (int64_t i = 0; i < 300 && !caller->wrong; ++i)
    caller->wrong = !sums(context, 1 + (caller->first + 37 * i) % 64, 4);
  heddle_context_destroy(context);
  return NULL;
}

static void test_threads(const char *folder) {
  heddle_program *program = load(folder, "dynamic", NULL);
  heddle_pool_options options = HEDDLE_INIT(options);
  options.threads = 2;
  heddle_pool *pool = NULL;
  OK(heddle_pool_create(&options, &pool));
  /* Of their own threads, and of one pool. */
  for (int shared = 0; shared < 2; ++shared) {
    pthread_t threads[2];
    struct caller callers[2];
    for (int i = 0; i < 2; ++i) {
      callers[i] = (struct caller){program, shared ? pool : NULL, 20 * i, 0};
      pthread_create(&threads[i], NULL, call_often, &callers[i]);
    }
    for (int i = 0; i < 2; ++i) {
      pthread_join(threads[i], NULL);
      CHECK(!callers[i].wrong);
    }
  }
  heddle_pool_destroy(pool);
  heddle_program_destroy(program);
}

/* Programs, kernels and blocks that the extent selects, one after the other in
   one context. */
static void test_selection(const char *folder) {
  heddle_program *program = load(folder, "select", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 64, 2, 4, 1, 3};
  static const int32_t more[] = {1, 10, 1, 10, 20, 20, 10, 10, 1, 1};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); ++i) {
    int32_t x[64], numbers[64];
    for (int32_t j = 0; j < 64; ++j)
      x[j] = 100 * j, numbers[j] = -1;
    heddle_tensor input = make_tensor(x, HEDDLE_I32, 1, &sizes[i]);
    heddle_tensor output = make_tensor(numbers, HEDDLE_I32, 1, &sizes[i]);
    OK(call_entry(context, &input, 1, &output, 1, NULL));
    for (int32_t j = 0; j < 64; ++j)
      CHECK(numbers[j] == (j < sizes[i] ? 100 * j + more[i] : -1));
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  test_range(argv[1]);
  test_selection(argv[1]);
  test_products(argv[1]);
  test_sizes_of_the_call(argv[1]);
  test_threads(argv[1]);
  return finish();
}
