/* Each way to call wrongly has its own code and names the tensor. Argument: the
 * folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-wrong-calls \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

static float left[1001], right[1001], sum[1001];
static heddle_context *context;
static heddle_tensor inputs[3], outputs[2];
static const int64_t square[] = {10, 100}, turned[] = {100, 10},
                     negative[] = {-10, -100}, strides[] = {1, 10},
                     good_strides[] = {100, 1};

/* Back to a call that is right. */
static void reset(void) {
  inputs[0] = make_tensor(left, HEDDLE_F32, 2, square);
  inputs[1] = make_tensor(right, HEDDLE_F32, 2, square);
  inputs[2] = inputs[0];
  outputs[0] = outputs[1] = make_tensor(sum, HEDDLE_F32, 2, square);
}

static heddle_status call(size_t input_count, size_t output_count) {
  heddle_status status =
      call_entry(context, inputs, input_count, outputs, output_count, NULL);
  reset();
  return status;
}

static void test_plain(void) {
  OK(call(2, 1));
  EXPECT(call(1, 1), HEDDLE_INPUT_MISSING, "input 'right' is missing");
  EXPECT(call(0, 1), HEDDLE_INPUT_MISSING, "input 'left' is missing");
  EXPECT(call(3, 1), HEDDLE_INPUT_EXTRA, "after 'right'");
  EXPECT(call(2, 0), HEDDLE_OUTPUT_MISSING, "output 'sum' is missing");
  EXPECT(call(2, 2), HEDDLE_OUTPUT_EXTRA, "after 'sum'");
  inputs[1].dtype = HEDDLE_I32;
  EXPECT(call(2, 1), HEDDLE_TENSOR_DTYPE,
         "input 'right' has type i32 instead of f32");
  outputs[0].dtype = (heddle_dtype)77;
  EXPECT(call(2, 1), HEDDLE_TENSOR_DTYPE,
         "output 'sum' has type ? instead of f32");
  inputs[0].rank = 1;
  EXPECT(call(2, 1), HEDDLE_TENSOR_RANK,
         "input 'left' has 1 dimensions instead of 2");
  inputs[0].rank = -1;
  EXPECT(call(2, 1), HEDDLE_TENSOR_RANK, "input 'left'");
  inputs[0].shape = NULL;
  EXPECT(call(2, 1), HEDDLE_TENSOR_RANK, "input 'left'");
  inputs[1].shape = turned;
  EXPECT(call(2, 1), HEDDLE_TENSOR_SHAPE,
         "input 'right' has shape [100, 10] instead of [10, 100]");
  inputs[1].shape = negative;
  EXPECT(call(2, 1), HEDDLE_TENSOR_SHAPE, "input 'right'");
  outputs[0].shape = turned;
  EXPECT(call(2, 1), HEDDLE_TENSOR_SHAPE, "output 'sum'");
  inputs[0].data = (char *)left + 1;
  EXPECT(call(2, 1), HEDDLE_TENSOR_UNALIGNED,
         "input 'left' does not start at a multiple of 4");
  outputs[0].data = (char *)sum + 2;
  EXPECT(call(2, 1), HEDDLE_TENSOR_UNALIGNED, "output 'sum'");
  inputs[1].strides = strides;
  EXPECT(call(2, 1), HEDDLE_TENSOR_LAYOUT, "input 'right' has strides [1, 10]");
  inputs[1].strides = good_strides;
  OK(call(2, 1));
  outputs[0].strides = strides;
  EXPECT(call(2, 1), HEDDLE_TENSOR_LAYOUT, "output 'sum'");
  outputs[0].bytes = 3999;
  EXPECT(call(2, 1), HEDDLE_OUTPUT_TOO_SMALL,
         "output 'sum' has 3999 bytes instead of 4000");
  inputs[0].bytes = 3999;
  EXPECT(call(2, 1), HEDDLE_TENSOR_SHAPE, "input 'left' has 3999 bytes");
  inputs[0].data = NULL;
  EXPECT(call(2, 1), HEDDLE_ARGUMENT_INVALID, "input 'left' has no memory");
  outputs[0].data = right + 1;
  EXPECT(call(2, 1), HEDDLE_TENSOR_OVERLAP,
         "output 'sum' shares memory with input 'right'");
}

/* Tensors of other versions of the interface. */
static void test_sizes_of_structs(void) {
  float left[1000] = {0}, right[1000] = {0}, sum[1000];
  static const int64_t shape[] = {10, 100};
  heddle_tensor x = make_tensor(left, HEDDLE_F32, 2, shape);
  heddle_tensor z = make_tensor(sum, HEDDLE_F32, 2, shape);
  struct {
    heddle_tensor tensor;
    void *later;
  } larger = {make_tensor(right, HEDDLE_F32, 2, shape), NULL};
  larger.tensor.size = sizeof(larger);
  const heddle_tensor *inputs[] = {&x, &larger.tensor}, *output = &z;
  OK(heddle_context_call(context, inputs, 2, &output, 1, NULL));
  larger.later = &x; /* a wish that this version does not know */
  EXPECT(heddle_context_call(context, inputs, 2, &output, 1, NULL),
         HEDDLE_ARGUMENT_INVALID, "input 'right' cannot be read");
  larger.tensor.size = 0;
  EXPECT(heddle_context_call(context, inputs, 2, &output, 1, NULL),
         HEDDLE_ARGUMENT_INVALID, "use HEDDLE_INIT");
  inputs[1] = NULL;
  EXPECT(heddle_context_call(context, inputs, 2, &output, 1, NULL),
         HEDDLE_ARGUMENT_INVALID, "input 'right' is a null pointer");
  /* An earlier one, without what came last. */
  larger.tensor.size = offsetof(heddle_tensor, out_shape);
  inputs[1] = &larger.tensor;
  larger.tensor.out_shape = (int64_t *)sum;
  OK(heddle_context_call(context, inputs, 2, &output, 1, NULL));
}

static void test_dlpack(void) {
  int64_t shape[] = {10, 100}, bad_strides[] = {1, 10};
  dl_tensor good = {left, 1, 0, 2, 2, 32, 1, shape, NULL, 0};
  dl_tensor a = good, b = good, out = good;
  b.data = right;
  out.data = sum;
  const void *in[] = {&a, &b}, *result[] = {&out};
  OK(heddle_context_call_dlpack(context, in, 2, result, 1, NULL));
  b.byte_offset = 4;
  OK(heddle_context_call_dlpack(context, in, 2, result, 1, NULL));
  CHECK(sum[0] == left[0] + right[1] + left[0]);
  b.byte_offset = 0;
  EXPECT(heddle_context_call_dlpack(context, in, 1, result, 1, NULL),
         HEDDLE_INPUT_MISSING, "'right'");
  b.device_type = 2;
  EXPECT(heddle_context_call_dlpack(context, in, 2, result, 1, NULL),
         HEDDLE_TENSOR_DEVICE, "input 'right'");
  b.device_type = 1;
  b.lanes = 4;
  EXPECT(heddle_context_call_dlpack(context, in, 2, result, 1, NULL),
         HEDDLE_TENSOR_DTYPE, "input 'right'");
  b.lanes = 1;
  b.bits = 16;
  EXPECT(heddle_context_call_dlpack(context, in, 2, result, 1, NULL),
         HEDDLE_TENSOR_DTYPE, "has type f16");
  b.code = 4;
  EXPECT(heddle_context_call_dlpack(context, in, 2, result, 1, NULL),
         HEDDLE_TENSOR_DTYPE, "has type bf16");
  b = good;
  b.data = right;
  b.strides = bad_strides;
  EXPECT(heddle_context_call_dlpack(context, in, 2, result, 1, NULL),
         HEDDLE_TENSOR_LAYOUT, "input 'right'");
  in[0] = NULL;
  EXPECT(heddle_context_call_dlpack(context, in, 2, result, 1, NULL),
         HEDDLE_ARGUMENT_INVALID, "input 'left'");
}

static void test_arguments(const char *folder) {
  heddle_program *program = NULL, *unchanged = (heddle_program *)&program;
  heddle_program *out = unchanged;
  EXPECT(heddle_program_load_file("/no/such/file", NULL, &out),
         HEDDLE_FILE_UNREADABLE, "/no/such/file");
  EXPECT(heddle_program_load_file(folder, NULL, &out), HEDDLE_FILE_UNREADABLE,
         NULL);
  EXPECT(heddle_program_load_file("/dev/null", NULL, &out),
         HEDDLE_FILE_UNREADABLE, "not a regular file");
  EXPECT(heddle_program_load_memory("\x89HEDDLE", 7, NULL, &out),
         HEDDLE_ARTIFACT_TRUNCATED, NULL);
  EXPECT(heddle_program_load_memory("ELF", 3, NULL, &out),
         HEDDLE_NOT_AN_ARTIFACT, NULL);
  EXPECT(heddle_program_load_memory("", 0, NULL, &out), HEDDLE_NOT_AN_ARTIFACT,
         NULL);
  EXPECT(heddle_program_load_file(NULL, NULL, &out), HEDDLE_ARGUMENT_INVALID,
         NULL);
  CHECK(out == unchanged);

  /* A struct without a size, and one of a later version that asks for something
   * new. */
  heddle_load_options options = {0};
  EXPECT(
      heddle_program_load_file(model_path(folder, "addition"), &options, &out),
      HEDDLE_ARGUMENT_INVALID, "size");
  struct {
    heddle_load_options known;
    uint64_t unknown;
  } later = {{.size = sizeof(later)}, 0};
  OK(heddle_program_load_file(model_path(folder, "addition"), &later.known,
                              &program));
  later.unknown = 1;
  EXPECT(heddle_program_load_file(model_path(folder, "addition"), &later.known,
                                  &out),
         HEDDLE_ARGUMENT_INVALID, NULL);
  heddle_context *none = NULL;
  EXPECT(heddle_context_create(program, 5, NULL, &none), HEDDLE_ENTRY_UNKNOWN,
         "5");
  EXPECT(heddle_context_create(NULL, 0, NULL, &none), HEDDLE_ARGUMENT_INVALID,
         NULL);
  EXPECT(call_entry(NULL, NULL, 0, NULL, 0, NULL), HEDDLE_ARGUMENT_INVALID,
         NULL);
  heddle_pool_options pool = HEDDLE_INIT(pool);
  pool.threads = 5000;
  heddle_pool *no_pool = NULL;
  EXPECT(heddle_pool_create(&pool, &no_pool), HEDDLE_ARGUMENT_INVALID, NULL);
  heddle_program_destroy(program);
  heddle_program_destroy(NULL);
  heddle_context_destroy(NULL);
  heddle_pool_destroy(NULL);
}

/* Bits that no flag of this version has, wherever flags are given. */
static void test_flags(const char *folder) {
  const char *why = "a flag is set that this version of heddle does not know";
  const heddle_tensor *ins[] = {&inputs[0], &inputs[1]},
                      *outs[] = {&outputs[0]};
  heddle_event *event = NULL;
  int64_t shape[2];
  heddle_program *program = NULL;
  heddle_load_options loading = HEDDLE_INIT(loading);
  OK(heddle_program_load_file(model_path(folder, "addition"), &loading,
                              &program));
  for (int bit = 1; bit < 32; ++bit) {
    heddle_call_options options = HEDDLE_INIT(options);
    options.flags = 1u << bit | HEDDLE_STAGE_TENSORS;
    EXPECT(heddle_context_call(context, ins, 2, outs, 1, &options),
           HEDDLE_ARGUMENT_INVALID, why);
    EXPECT(
        heddle_context_submit(context, ins, 2, outs, 1, &options, NULL, &event),
        HEDDLE_ARGUMENT_INVALID, why);
    EXPECT(
        heddle_program_output_shape_in(program, 0, ins, 2, &options, 0, shape),
        HEDDLE_ARGUMENT_INVALID, why);
    if (bit < 6)
      continue;
    heddle_program *none = NULL;
    loading.flags = 1u << bit | HEDDLE_WEIGHTS_LAZY;
    EXPECT(heddle_program_load_file(model_path(folder, "addition"), &loading,
                                    &none),
           HEDDLE_ARGUMENT_INVALID, why);
  }
  heddle_program_destroy(program);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  heddle_program *program = load(argv[1], "addition", NULL);
  OK(heddle_context_create(program, 0, NULL, &context));
  for (int i = 0; i < 1001; ++i) {
    left[i] = (float)i;
    right[i] = 1;
  }
  right[1] = 5;
  reset();
  test_plain();
  test_dlpack();
  test_sizes_of_structs();
  test_arguments(argv[1]);
  test_flags(argv[1]);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  return finish();
}
