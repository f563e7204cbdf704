/* Devices and tensors as DLPack describes them. Arguments: the folder of the
   test models, and a kind of device: "sim" or "cuda". */
/*
RUN: %heddle_build/test/runtime/runtime-dlpack \
RUN:   %heddle_build/test/runtime/models sim
*/
#include "check.h"

/* DLDeviceType. */
enum {
  dl_cpu = 1,
  dl_cuda = 2,
  dl_cuda_host = 3,
  dl_vulkan = 7,
  dl_rocm_host = 11,
  dl_extension = 12,
  dl_cuda_managed = 13
};

static const char *kind;
static int32_t type; /* what DLPack calls that kind */
static int64_t square[] = {10, 100}, row[] = {64};

/* `text` with the kind in place of %s. */
static const char *about_kind(const char *text) {
  static char buffer[256];
  snprintf(buffer, sizeof(buffer), text, kind);
  return buffer;
}

static heddle_device *open_device(void) {
  heddle_device *device = NULL;
  OK(heddle_device_open(kind, &device));
  return device;
}

static void expect_name(int32_t dl_type, int32_t number, const char *name) {
  heddle_device *device = NULL;
  heddle_device_info info = HEDDLE_INIT(info);
  OK(heddle_device_open_dlpack(dl_type, number, &device));
  OK(heddle_device_describe(device, &info));
  if (strcmp(info.name, name)) {
    fprintf(stderr, "type %d is '%s', not '%s'\n", (int)dl_type, info.name,
            name);
    ++failures;
  }
  heddle_device_close(device);
}

static void test_names(void) {
  expect_name(dl_cpu, 0, "cpu:0");
  expect_name(dl_cuda_host, 5, "cpu:0");
  expect_name(dl_rocm_host, 0, "cpu:0");
  expect_name(type, 0, about_kind("%s:0"));
  if (type == dl_cuda)
    expect_name(dl_cuda_managed, 0, "cuda:0");
  heddle_device *device = NULL;
  EXPECT(heddle_device_open_dlpack(dl_vulkan, 3, &device),
         HEDDLE_DEVICE_MISSING, "device 3 of DLPack's type 7");
  EXPECT(heddle_device_open_dlpack(type, -1, &device), HEDDLE_DEVICE_MISSING,
         "device -1 of DLPack's type");
  EXPECT(heddle_device_open_dlpack(type, 4096, &device), HEDDLE_DEVICE_MISSING,
         about_kind("%s:4096"));
  EXPECT(heddle_device_open_dlpack(type, 0, NULL), HEDDLE_ARGUMENT_INVALID,
         NULL);
  CHECK(!device);

  int32_t known = 0, number = -1;
  OK(heddle_device_open("cpu", &device));
  OK(heddle_device_dlpack(device, &known, &number));
  CHECK(known == dl_cpu && number == 0);
  OK(heddle_device_wait(device));
  heddle_device_close(device);
  device = open_device();
  OK(heddle_device_dlpack(device, &known, &number));
  CHECK(known == type && number == 0);
  OK(heddle_device_wait(device));
  EXPECT(heddle_device_dlpack(device, NULL, &number), HEDDLE_ARGUMENT_INVALID,
         NULL);
  EXPECT(heddle_device_wait(NULL), HEDDLE_ARGUMENT_INVALID, NULL);
  heddle_device_close(device);
}

/* A call of the model "staged" with tensors of the device, but for "right". */
typedef struct call {
  float left[1000], right[1000], sum[1000];
  int32_t counters[64];
  void *own_left, *own_sum, *own_counters;
  dl_tensor in[3], out[2];
} call;

static void set(call *data, heddle_device *device, float seed) {
  for (int i = 0; i < 1000; ++i) {
    data->left[i] = seed * (float)i;
    data->right[i] = seed;
    data->sum[i] = -1;
  }
  for (int i = 0; i < 64; ++i)
    data->counters[i] = i;
  OK(heddle_device_copy(device, data->own_left, NULL, data->left, 4000));
  OK(heddle_device_copy(device, data->own_counters, NULL, data->counters, 256));
  dl_tensor floats = {data->right, dl_cpu, 0, 2, 2, 32, 1, square, NULL, 0};
  dl_tensor integers = {data->own_counters, type, 0, 1, 0, 32, 1, row, NULL, 0};
  data->in[0] = data->in[1] = data->out[0] = floats;
  data->in[2] = data->out[1] = integers;
  data->in[0].data = data->own_left;
  data->out[0].data = data->own_sum;
  data->in[0].device_type = data->out[0].device_type = type;
}

static heddle_status run(heddle_context *context, const call *data,
                         uint32_t flags) {
  const void *in[] = {&data->in[0], &data->in[1], &data->in[2]},
             *out[] = {&data->out[0], &data->out[1]};
  heddle_call_options options = HEDDLE_INIT(options);
  options.flags = flags;
  return heddle_context_call_dlpack(context, in, 3, out, 2, &options);
}

static void check_sum(const call *data) {
  int good = 1;
  for (int i = 0; i < 1000; ++i)
    good &= data->sum[i] == data->left[i] + data->right[i];
  CHECK(good);
}

static void test_in_place(heddle_context *context, heddle_device *device,
                          call *data) {
  for (int managed = 0; managed <= (type == dl_cuda); ++managed) {
    set(data, device, 2 + (float)managed);
    if (managed)
      data->in[0].device_type = dl_cuda_managed;
    OK(run(context, data, 0));
    OK(heddle_device_copy(NULL, data->sum, device, data->own_sum, 4000));
    OK(heddle_device_copy(NULL, data->counters, device, data->own_counters,
                          256));
    check_sum(data);
    for (int i = 0; i < 64; ++i)
      if (data->counters[i] != i + 1) {
        CHECK(!"counted in place");
        break;
      }
  }
}

static void test_staged(heddle_context *context, heddle_device *device,
                        call *data) {
  set(data, device, 5);
  data->in[0].data = data->left;
  data->in[0].device_type = dl_cpu;
  data->out[0].data = data->sum;
  data->out[0].device_type = dl_cuda_host;
  EXPECT(run(context, data, 0), HEDDLE_TENSOR_DEVICE,
         about_kind("input 'left' is on 'cpu:0', the program wants it on "
                    "'%s:0': put it there, or set HEDDLE_STAGE_TENSORS"));
  OK(run(context, data, HEDDLE_STAGE_TENSORS));
  check_sum(data);
}

/* On other devices, which need not be there: both places are named. */
static void test_elsewhere(heddle_context *context, heddle_device *device,
                           call *data) {
  set(data, device, 1);
  data->in[0].device_id = 1;
  char text[128];
  snprintf(text, sizeof(text),
           "input 'left' is on '%s:1', the program wants it on '%s:0'", kind,
           kind);
  EXPECT(run(context, data, HEDDLE_STAGE_TENSORS), HEDDLE_TENSOR_DEVICE, text);
  set(data, device, 1);
  data->out[0].device_type = type == dl_cuda ? dl_extension : dl_cuda;
  snprintf(text, sizeof(text),
           "output 'sum' is on '%s:0', the program wants it on '%s:0'",
           type == dl_cuda ? "sim" : "cuda", kind);
  EXPECT(run(context, data, HEDDLE_STAGE_TENSORS), HEDDLE_TENSOR_DEVICE, text);
  set(data, device, 1);
  data->in[1].data = data->own_left;
  data->in[1].device_type = type;
  EXPECT(run(context, data, HEDDLE_STAGE_TENSORS), HEDDLE_TENSOR_DEVICE,
         about_kind("input 'right' is on '%s:0', the program wants it on "
                    "'cpu'"));
  set(data, device, 1);
  data->in[1].device_type = dl_vulkan;
  data->in[1].device_id = 3;
  EXPECT(run(context, data, 0), HEDDLE_TENSOR_DEVICE,
         "input 'right' is on device 3 of DLPack's type 7, the program wants "
         "it on 'cpu'");
}

static void *allocate(heddle_device *device, size_t bytes) {
  void *memory = NULL;
  OK(heddle_device_allocate(device, bytes, &memory));
  return memory;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  kind = argv[2];
  type = strcmp(kind, "cuda") ? dl_extension : dl_cuda;
  test_names();
  heddle_program *program =
      load(argv[1], type == dl_cuda ? "staged-cuda" : "staged", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  heddle_device *device = open_device();
  static call data;
  data.own_left = allocate(device, 4000);
  data.own_sum = allocate(device, 4000);
  data.own_counters = allocate(device, 256);
  if (!failures) {
    test_in_place(context, device, &data);
    test_staged(context, device, &data);
    test_elsewhere(context, device, &data);
  }
  heddle_device_free(device, data.own_left);
  heddle_device_free(device, data.own_sum);
  heddle_device_free(device, data.own_counters);
  heddle_device_close(device);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  return finish();
}
