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
#include <stdlib.h>
#include <string.h>

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
  inputs[1].shape = NULL;
  EXPECT(output_shape(program, 0, inputs, 2, 0, shape), HEDDLE_TENSOR_RANK,
         "input 'right' has 2 dimensions, but its shape is a null pointer");
  inputs[0].shape = none;
  inputs[1].shape = fewer;
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
  /* Without elements any address will do. */
  static char anywhere[2];
  heddle_tensor inputs[] = {
      make_tensor(anywhere + 1, HEDDLE_F32, 2, SIZES(0, 5)),
      make_tensor(NULL, HEDDLE_F32, 2, SIZES(0, 5))};
  heddle_tensor output = make_tensor(anywhere + 1, HEDDLE_F32, 2, SIZES(0, 5));
  OK(call_entry(context, inputs, 2, &output, 1, NULL));
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

/* A result without elements shares no memory with what it lies within; one with
   an element does. */
static void test_nothing_within(const char *folder) {
  heddle_program *program = load(folder, "beside", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  static float beside[8], left[5], right[5];
  const int64_t eight[] = {8};
  for (int64_t rows = 0; rows < 2; ++rows) {
    heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, SIZES(rows, 5)),
                              make_tensor(right, HEDDLE_F32, 2, SIZES(rows, 5)),
                              make_tensor(beside, HEDDLE_F32, 1, eight)};
    heddle_tensor output =
        make_tensor(beside + 1, HEDDLE_F32, 2, SIZES(rows, 5));
    heddle_status status = call_entry(context, inputs, 3, &output, 1, NULL);
    if (rows == 0)
      OK(status);
    else
      EXPECT(status, HEDDLE_TENSOR_OVERLAP,
             "output 'sum' shares memory with input 'beside'");
  }
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

/* A call of the model "solved". */
static heddle_status call_solved(heddle_context *context, int64_t rows,
                                 int64_t mask, const int64_t *sizes,
                                 size_t count) {
  static float left[most], right[most], sum[most];
  static int8_t ones[256];
  const int64_t shape[] = {rows, 4};
  for (int64_t i = 0; i < most; ++i)
    left[i] = (float)i, right[i] = 3, sum[i] = -1;
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                            make_tensor(right, HEDDLE_F32, 2, shape),
                            make_tensor(ones, HEDDLE_I8, 1, &mask)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
  heddle_call_options options = HEDDLE_INIT(options);
  options.sizes = sizes;
  options.size_count = count;
  heddle_status status = call_entry(context, inputs, 3, &output, 1, &options);
  for (int64_t i = 0; i < most; ++i)
    CHECK(sum[i] == (!status.code && i < rows * 4 ? (float)i + 3 : -1));
  return status;
}

/* Sizes that follow from others, are given with the call, are multiples, and
   what a program takes for granted of them. */
static void test_solved(const char *folder) {
  heddle_program *program = load(folder, "solved", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  int64_t sizes[] = {-1, -1, 0, 0};
#define SOLVED(rows, mask) call_solved(context, rows, mask, sizes, 3)
  for (int64_t rows = 2; rows <= 64; rows += 2)
    for (int64_t past = 0; past <= 4; ++past) {
      sizes[2] = past;
      OK(SOLVED(rows, 3 * past + rows + 1));
    }
  sizes[2] = 2;
  EXPECT(SOLVED(3, 10), HEDDLE_TENSOR_SHAPE,
         "input 'left' has shape [3, 4]: 'rows' must be from 2 to 64 and a "
         "multiple of 2");
  EXPECT(SOLVED(4, 12), HEDDLE_TENSOR_SHAPE,
         "input 'mask' has shape [12] instead of [11]");
  EXPECT(SOLVED(4, 4), HEDDLE_TENSOR_SHAPE,
         "input 'mask' has shape [4]: dimension 0 makes 'past' -1, but 'past' "
         "must be from 0 to 8");
  EXPECT(SOLVED(4, 32), HEDDLE_TENSOR_SHAPE, "makes 'past' 9");
  EXPECT(SOLVED(4, INT64_MIN), HEDDLE_TENSOR_SHAPE, "input 'mask'");
  OK(SOLVED(4, 11));
  sizes[2] = 3;
  EXPECT(SOLVED(4, 11), HEDDLE_TENSOR_SHAPE,
         "past = limit does not hold: past is 2, limit is 3 (node attend wants "
         "it)");
  sizes[2] = 5;
  heddle_status status = SOLVED(4, 20);
  EXPECT(status, HEDDLE_TENSOR_SHAPE, NULL);
  CHECK(!strcmp(status.message, "past <= 4 does not hold: past is 5"));
  sizes[2] = 10;
  EXPECT(SOLVED(4, 11), HEDDLE_TENSOR_SHAPE,
         "the size 'limit' is given as 10: 'limit' must be from 0 to 9");
  EXPECT(call_solved(context, 4, 11, sizes, 2), HEDDLE_TENSOR_SHAPE,
         "the size 'limit' is told by no input: the call has to give it");
  EXPECT(call_solved(context, 4, 11, NULL, 0), HEDDLE_TENSOR_SHAPE, "'limit'");
  EXPECT(call_solved(context, 4, 11, NULL, 1), HEDDLE_ARGUMENT_INVALID, NULL);
  EXPECT(call_solved(context, 4, 11, sizes, 4), HEDDLE_ARGUMENT_INVALID,
         "4 sizes are given, the program has 3");
  /* What inputs tell may be given, too, and is to be the same. */
  sizes[2] = 2;
  sizes[0] = 4, sizes[1] = 2;
  OK(SOLVED(4, 11));
  sizes[0] = 6;
  EXPECT(SOLVED(4, 11), HEDDLE_TENSOR_SHAPE,
         "input 'left' has shape [4, 4] instead of [6, 4]");
  sizes[0] = -1, sizes[1] = 1;
  EXPECT(SOLVED(4, 11), HEDDLE_TENSOR_SHAPE,
         "input 'mask' has shape [11] instead of [8]");
  sizes[1] = -1;
  OK(SOLVED(6, 13));
#undef SOLVED

  heddle_size_info info = HEDDLE_INIT(info);
  CHECK(heddle_program_size_count(program) == 3);
  OK(heddle_program_size_info(program, 0, &info));
  CHECK(!strcmp(info.name, "rows") && info.minimum == 2 && info.maximum == 64 &&
        info.multiple == 2);
  EXPECT(heddle_program_size_info(program, 3, &info), HEDDLE_ARGUMENT_INVALID,
         NULL);
  for (size_t i = 0; i < 4; ++i)
    CHECK(heddle_program_entry_needs_size(program, 0, i) == (i == 2));
  CHECK(!heddle_program_entry_needs_size(program, 1, 2));
  CHECK(heddle_program_entry_assumption_count(program, 0) == 2 &&
        heddle_program_entry_assumption_count(program, 1) == 0);
  CHECK(!strcmp(heddle_program_entry_assumption(program, 0, 1), "past <= 4"));
  CHECK(!heddle_program_entry_assumption(program, 0, 2));

  const int64_t shape[] = {6, 4}, mask = 13;
  heddle_tensor tensors[] = {make_tensor(NULL, HEDDLE_F32, 2, shape),
                             make_tensor(NULL, HEDDLE_F32, 2, shape),
                             make_tensor(NULL, HEDDLE_I8, 1, &mask)};
  const heddle_tensor *inputs[] = {tensors, tensors + 1, tensors + 2};
  int64_t told[] = {0, 0};
  heddle_call_options options = HEDDLE_INIT(options);
  options.sizes = sizes;
  options.size_count = 3;
  OK(heddle_program_output_shape_in(program, 0, inputs, 3, &options, 0, told));
  CHECK(told[0] == 6 && told[1] == 4);
  EXPECT(heddle_program_output_shape(program, 0, inputs, 3, NULL, 0, 0, told),
         HEDDLE_TENSOR_SHAPE, "'limit'");

  /* Those of a submitted call are read when it is submitted. */
  static float left[most], right[most], sum[most];
  static int8_t ones[16];
  tensors[0].data = left, tensors[1].data = right, tensors[2].data = ones;
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
  const heddle_tensor *outputs[] = {&output};
  heddle_event *events[20];
  for (int i = 0; i < 20; ++i) {
    sizes[2] = i % 2 ? 2 : 3;
    OK(heddle_context_submit(context, inputs, 3, outputs, 1, &options, NULL,
                             &events[i]));
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT(heddle_event_wait(events[i], 0),
           i % 2 ? HEDDLE_OK : HEDDLE_TENSOR_SHAPE, NULL);
    heddle_event_destroy(events[i]);
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);

  /* A program of fixed sizes has none to give. */
  program = load(folder, "addition", NULL);
  OK(heddle_context_create(program, 0, NULL, &context));
  const int64_t fixed[] = {10, 100};
  static float more[3][1000];
  heddle_tensor both[] = {make_tensor(more[0], HEDDLE_F32, 2, fixed),
                          make_tensor(more[1], HEDDLE_F32, 2, fixed)};
  output = make_tensor(more[2], HEDDLE_F32, 2, fixed);
  options.size_count = 1;
  EXPECT(call_entry(context, both, 2, &output, 1, &options),
         HEDDLE_ARGUMENT_INVALID, "1 sizes are given, the program has 0");
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/* Whether a call of so many rows gives 2 * left + 3 * right. */
static heddle_status call_arena(heddle_context *context, int64_t rows) {
  float left[most], right[most], sum[most];
  const int64_t shape[] = {rows, 4};
  for (int64_t i = 0; i < rows * 4; ++i)
    left[i] = (float)i, right[i] = 2, sum[i] = -1;
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                            make_tensor(right, HEDDLE_F32, 2, shape)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
  heddle_status status = call_entry(context, inputs, 2, &output, 1, NULL);
  for (int64_t i = 0; i < rows * 4; ++i)
    CHECK(sum[i] == (status.code ? -1 : (float)(2 * i + 6)));
  return status;
}

/* An arena that is as large as a call's sizes take: what it is said to be, and
   one brought along that is enough for some of them. */
static void test_arena(const char *folder) {
  heddle_program *program = load(folder, "sized-arena", NULL);
  size_t largest = 0, same = 0, ten = 0, least = 0;
  int64_t size = -1;
  OK(heddle_program_arena_bytes(program, 0, NULL, 0, 1, &largest));
  OK(heddle_program_arena_bytes(program, 0, &size, 1, 1, &same));
  CHECK(same == largest);
  size = 10;
  OK(heddle_program_arena_bytes(program, 0, &size, 1, 1, &ten));
  size = 1;
  OK(heddle_program_arena_bytes(program, 0, &size, 1, 1, &least));
  /* In the pages of the process. */
  CHECK(largest >= 2048 && least >= 128 && least <= ten && ten <= largest);
  size = 65;
  EXPECT(heddle_program_arena_bytes(program, 0, &size, 1, 1, &ten),
         HEDDLE_TENSOR_SHAPE, "the size 'batch' is given as 65");
  EXPECT(heddle_program_arena_bytes(program, 0, NULL, 1, 1, &ten),
         HEDDLE_ARGUMENT_INVALID, NULL);
  EXPECT(heddle_program_arena_bytes(program, 0, &size, 2, 1, &ten),
         HEDDLE_ARGUMENT_INVALID, "2 sizes are given, the program has 1");

  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  static const int64_t rows[] = {1, 64, 2, 63, 10, 64, 1};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); ++i)
    OK(call_arena(context, rows[i]));
  heddle_context_destroy(context);

  /* Two parts of 160 bytes, each in 192. */
  heddle_context_options options = HEDDLE_INIT(options);
  char *memory = aligned_alloc(64, 448);
  memset(memory, 1, 448);
  options.threads = 1;
  options.arena = memory;
  options.arena_bytes = 384;
  OK(heddle_context_create(program, 0, &options, &context));
  OK(call_arena(context, 10));
  OK(call_arena(context, 12));
  EXPECT(call_arena(context, 13), HEDDLE_ARENA_TOO_SMALL,
         "a call of these sizes takes an arena of 512 bytes, there are 384");
  OK(call_arena(context, 1));
  for (int i = 384; i < 448; ++i)
    CHECK(memory[i] == 1);
  heddle_context_destroy(context);
  free(memory);
  heddle_program_destroy(program);
}

/* Scratch follows a call's sizes, and lies behind what these take of the
   arena. */
static void test_scratch(const char *folder) {
  heddle_program *program = load(folder, "sized-scratch", NULL);
  size_t largest = 0, ten = 0;
  int64_t size = 10;
  OK(heddle_program_arena_bytes(program, 0, NULL, 0, 2, &largest));
  OK(heddle_program_arena_bytes(program, 0, &size, 1, 2, &ten));
  CHECK(largest >= 2048 + 2 * 256 * 1024 && largest < 600 * 1024);
  CHECK(ten >= 384 + 2 * 40 * 1024 && ten < 100 * 1024);

  heddle_context_options options = HEDDLE_INIT(options);
  const size_t bytes = 384 + 40 * 1024;
  char *memory = aligned_alloc(64, bytes + 64);
  memset(memory, 1, bytes + 64);
  options.threads = 1;
  options.arena = memory;
  options.arena_bytes = bytes;
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, &options, &context));
  OK(call_arena(context, 10));
  EXPECT(call_arena(context, 11), HEDDLE_ARENA_TOO_SMALL,
         "a call of these sizes takes an arena of 45440 bytes, there are "
         "41344");
  OK(call_arena(context, 10));
  OK(call_arena(context, 1));
  for (int i = 0; i < 64; ++i)
    CHECK(memory[bytes + i] == 1);
  heddle_context_destroy(context);
  free(memory);
  heddle_program_destroy(program);

  /* More than the kernel says that it needs. */
  program = load(folder, "little-scratch", NULL);
  OK(heddle_context_create(program, 0, NULL, &context));
  OK(call_arena(context, 10));
  EXPECT(call_arena(context, 11), HEDDLE_PLAN_INVALID,
         "launch has no proper number of bytes of scratch: 45056");
  OK(call_arena(context, 9));
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/* What was right for the sizes before is looked at again for others. */
static void test_overlap(const char *folder) {
  heddle_program *program = load(folder, "overlapping", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  OK(call_arena(context, 4));
  OK(call_arena(context, 1));
  EXPECT(call_arena(context, 5), HEDDLE_PLAN_INVALID, "overlaps binding");
  OK(call_arena(context, 3));
  EXPECT(call_arena(context, 64), HEDDLE_PLAN_INVALID, NULL);
  OK(call_arena(context, 4));
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/* An output that replaces an input is a copy of it at first, also where no
   command of the plan touches it: at sizes where it is smaller there is no
   call. */
static void test_replaced(const char *folder) {
  heddle_program *program = load(folder, "halved", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  static const int64_t sizes[] = {1, 64, 1, 2, 2, 1};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); ++i) {
    int32_t before[64], after[64];
    for (int32_t j = 0; j < 64; ++j)
      before[j] = 7, after[j] = -1;
    const int64_t half = (sizes[i] + 1) / 2;
    heddle_tensor input = make_tensor(before, HEDDLE_I32, 1, &sizes[i]);
    heddle_tensor output = make_tensor(after, HEDDLE_I32, 1, &half);
    heddle_status status = call_entry(context, &input, 1, &output, 1, NULL);
    if (sizes[i] == 1)
      OK(status);
    else
      EXPECT(status, HEDDLE_MANIFEST_INVALID,
             "the input 'before', which it replaces, has");
    for (int32_t j = 0; j < 64; ++j)
      CHECK(after[j] == (sizes[i] == 1 && j == 0 ? 7 : -1));
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
  test_nothing_within(argv[1]);
  test_sizes_of_the_call(argv[1]);
  test_threads(argv[1]);
  test_solved(argv[1]);
  test_arena(argv[1]);
  test_scratch(argv[1]);
  test_overlap(argv[1]);
  test_replaced(argv[1]);
  return finish();
}
