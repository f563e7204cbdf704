/* Devices as a caller sees them, and tensors in their memory. Argument: the
   folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-tensors \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

static const int64_t square[] = {10, 100}, row[] = {64};

static heddle_device *open_device(const char *name) {
  heddle_device *device = NULL;
  OK(heddle_device_open(name, &device));
  return device;
}

static void *allocate(heddle_device *device, size_t bytes) {
  void *memory = NULL;
  OK(heddle_device_allocate(device, bytes, &memory));
  CHECK(memory && (uintptr_t)memory % 64 == 0);
  return memory;
}

static void test_devices(void) {
  int cpu = 0, sim = 0;
  for (size_t i = 0; heddle_device_kind(i); ++i) {
    cpu += !strcmp(heddle_device_kind(i), "cpu");
    sim += !strcmp(heddle_device_kind(i), "sim");
  }
  CHECK(cpu == 1 && sim == 1);
  size_t count = 0;
  OK(heddle_device_count("sim", &count));
  CHECK(count == 2);
  OK(heddle_device_count("cpu", &count));
  CHECK(count == 1);
  EXPECT(heddle_device_count("abacus", &count), HEDDLE_DEVICE_MISSING,
         "'abacus'");
  setenv("HEDDLE_SIM", "nonsense", 1);
  EXPECT(heddle_device_count("sim", &count), HEDDLE_DEVICE_MISSING, "nonsense");
  setenv("HEDDLE_SIM", "", 1);
  heddle_device *device = NULL;
  EXPECT(heddle_device_open("sim:2", &device), HEDDLE_DEVICE_MISSING, "sim:2");
  EXPECT(heddle_device_open("abacus:0", &device), HEDDLE_DEVICE_MISSING,
         "'abacus'");
  const char *wrong[] = {"sim:", "sim:-1", "sim:1x", "sim:99999999999",
                         "sim:01"};
  for (int i = 0; i < 5; ++i)
    EXPECT(heddle_device_open(wrong[i], &device), HEDDLE_ARGUMENT_INVALID,
           wrong[i]);
  CHECK(!device);

  heddle_device_info info = HEDDLE_INIT(info);
  device = open_device("sim:1");
  OK(heddle_device_describe(device, &info));
  CHECK(!strcmp(info.name, "sim:1") && !info.is_host &&
        info.memory_bytes == (uint64_t)8192 << 20);
  heddle_device_close(device);
  device = open_device("cpu");
  OK(heddle_device_describe(device, &info));
  CHECK(info.is_host);
  heddle_device_close(device);
  heddle_device_close(NULL);
}

/* Through the memories of all devices and back. */
static void test_copies(void) {
  heddle_device *devices[] = {open_device("cpu"), open_device("sim"),
                              open_device("sim:1"), open_device("sim:0")};
  void *memories[4];
  char bytes[1000], back[1000] = {0};
  for (int i = 0; i < 1000; ++i)
    bytes[i] = (char)(i * 7);
  for (int i = 0; i < 4; ++i) {
    memories[i] = allocate(devices[i], 1000);
    OK(heddle_device_copy(devices[i], memories[i], i ? devices[i - 1] : NULL,
                          i ? memories[i - 1] : bytes, 1000));
  }
  OK(heddle_device_copy(NULL, back, devices[3], memories[3], 1000));
  CHECK(!memcmp(bytes, back, 1000));
  OK(heddle_device_copy(NULL, back, NULL, bytes + 1, 999));
  CHECK(!memcmp(bytes + 1, back, 999));
  OK(heddle_device_copy(devices[1], NULL, NULL, NULL, 0));
  EXPECT(heddle_device_copy(NULL, NULL, NULL, bytes, 1),
         HEDDLE_ARGUMENT_INVALID, NULL);
  EXPECT(heddle_device_copy(devices[1], memories[1], NULL, bytes, 1001 * 4096),
         HEDDLE_DEVICE_FAILED, "allocated");
  EXPECT(heddle_device_allocate(devices[1], 0, &memories[0]),
         HEDDLE_ARGUMENT_INVALID, NULL);
  void *none = NULL;
  EXPECT(heddle_device_allocate(devices[1], (size_t)1 << 40, &none),
         HEDDLE_DEVICE_MEMORY, "sim:0");
  for (int i = 0; i < 4; ++i) {
    heddle_device_free(devices[i], memories[i]);
    heddle_device_close(devices[i]);
  }
  heddle_device_free(NULL, NULL);
}

/* The process's memory for devices, and devices' memory for the process. */
static void test_shared(void) {
  heddle_device *cpu = open_device("cpu"), *sim = open_device("sim");
  heddle_device_info info = HEDDLE_INIT(info);
  char bytes[1000], back[1000] = {0};
  for (int i = 0; i < 1000; ++i)
    bytes[i] = (char)(i * 11);
  void *address = NULL;

  OK(heddle_device_describe(cpu, &info));
  CHECK(info.can_import && info.can_map);
  OK(heddle_device_import(cpu, bytes, 1000, &address));
  CHECK(address == bytes);
  heddle_device_unimport(cpu, address);
  OK(heddle_device_map(cpu, bytes, 1000, &address));
  CHECK(address == bytes);
  heddle_device_unmap(cpu, address);
  OK(heddle_device_pin(cpu, bytes, 1000));
  heddle_device_unpin(cpu, bytes);

  OK(heddle_device_describe(sim, &info));
  CHECK(!info.can_import && info.can_map);
  address = NULL;
  EXPECT(heddle_device_import(sim, bytes, 1000, &address),
         HEDDLE_ARGUMENT_INVALID,
         "device 'sim:0' cannot use memory of the process in place: copy it");
  CHECK(!address);
  void *memory = allocate(sim, 1000);
  OK(heddle_device_map(sim, memory, 1000, &address));
  CHECK(address != memory);
  memcpy(address, bytes, 1000);
  heddle_device_unmap(sim, address);
  OK(heddle_device_pin(sim, back, 1000));
  EXPECT(heddle_device_pin(sim, back, 1000), HEDDLE_ARGUMENT_INVALID,
         "a second time");
  OK(heddle_device_copy(NULL, back, sim, memory, 1000));
  CHECK(!memcmp(bytes, back, 1000));
  heddle_device_unpin(sim, back);
  EXPECT(heddle_device_map(sim, bytes, 1000, &address), HEDDLE_ARGUMENT_INVALID,
         "sim:0");

  EXPECT(heddle_device_import(NULL, bytes, 1, &address),
         HEDDLE_ARGUMENT_INVALID, NULL);
  EXPECT(heddle_device_map(sim, memory, 0, &address), HEDDLE_ARGUMENT_INVALID,
         "no bytes");
  EXPECT(heddle_device_pin(cpu, NULL, 1), HEDDLE_ARGUMENT_INVALID, NULL);
  heddle_device_unimport(sim, NULL);
  heddle_device_unmap(NULL, NULL);
  heddle_device_unpin(sim, NULL);
  heddle_device_free(sim, memory);
  heddle_device_close(sim);
  heddle_device_close(cpu);
}

typedef struct call_data {
  float left[1000], right[1000], sum[1000];
  int32_t before[64], after[64];
  heddle_tensor inputs[3], outputs[2];
} call_data;

/* Tensors of the process. */
static void set(call_data *data, float seed) {
  for (int i = 0; i < 1000; ++i) {
    data->left[i] = seed * (float)i;
    data->right[i] = seed;
    data->sum[i] = -1;
  }
  for (int i = 0; i < 64; ++i) {
    data->before[i] = i;
    data->after[i] = -1;
  }
  data->inputs[0] = make_tensor(data->left, HEDDLE_F32, 2, square);
  data->inputs[1] = make_tensor(data->right, HEDDLE_F32, 2, square);
  data->inputs[2] = make_tensor(data->before, HEDDLE_I32, 1, row);
  data->outputs[0] = make_tensor(data->sum, HEDDLE_F32, 2, square);
  data->outputs[1] = make_tensor(data->after, HEDDLE_I32, 1, row);
}

static void check(const call_data *data) {
  int good = 1;
  for (int i = 0; i < 1000; ++i)
    good &= data->sum[i] == data->left[i] + data->right[i];
  for (int i = 0; i < 64; ++i)
    good &= data->after[i] == i + 1;
  CHECK(good);
}

static heddle_status call(heddle_context *context, call_data *data,
                          uint32_t flags) {
  heddle_call_options options = HEDDLE_INIT(options);
  options.flags = flags;
  return call_entry(context, data->inputs, 3, data->outputs, 2, &options);
}

/* The program wants all but "right" on sim:0. */
static void test_tensors(const char *folder) {
  heddle_program *program = load(folder, "staged", NULL);
  heddle_tensor_info info = HEDDLE_INIT(info);
  OK(heddle_program_input_info(program, 0, 0, &info));
  CHECK(!strcmp(info.device, "sim:0"));
  OK(heddle_program_input_info(program, 0, 1, &info));
  CHECK(!strcmp(info.device, "cpu"));
  OK(heddle_program_output_info(program, 0, 1, &info));
  CHECK(!strcmp(info.device, "sim:0") && info.replaces == 2);
  CHECK(!strcmp(heddle_program_device(program, 0), "cpu") &&
        !strcmp(heddle_program_device(program, 1), "sim:0") &&
        !heddle_program_device(program, 2) && !heddle_program_device(NULL, 0));
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  static call_data data;
  set(&data, 1);
  EXPECT(call(context, &data, 0), HEDDLE_TENSOR_DEVICE,
         "input 'left' is on 'cpu:0', the program wants it on 'sim:0': put it "
         "there, or set HEDDLE_STAGE_TENSORS");
  for (int i = 1; i < 4; ++i) {
    set(&data, (float)i);
    OK(call(context, &data, HEDDLE_STAGE_TENSORS));
    check(&data);
    CHECK(data.before[63] == 63);
  }
  /* In place. */
  set(&data, 2);
  data.outputs[1].data = data.before;
  OK(call(context, &data, HEDDLE_STAGE_TENSORS));
  CHECK(data.before[0] == 1 && data.before[63] == 64 && data.after[0] == -1);

  /* Memory of the device; the counters in place. */
  heddle_device *first = open_device("sim:0"), *second = open_device("sim:1");
  void *left = allocate(first, 4000), *sum = allocate(first, 4000),
       *counters = allocate(first, 256), *other = allocate(second, 4000);
  set(&data, 3);
  OK(heddle_device_copy(first, left, NULL, data.left, 4000));
  OK(heddle_device_copy(first, counters, NULL, data.before, 256));
  data.inputs[0].data = left;
  data.outputs[0].data = sum;
  data.inputs[2].data = data.outputs[1].data = counters;
  data.inputs[0].device = data.inputs[2].device = first;
  data.outputs[0].device = data.outputs[1].device = first;
  OK(call(context, &data, 0));
  OK(heddle_device_copy(NULL, data.sum, first, sum, 4000));
  OK(heddle_device_copy(NULL, data.after, first, counters, 256));
  check(&data);
  /* One of each: what is there stays there. */
  memset(data.sum, 0, sizeof(data.sum));
  data.outputs[0] = make_tensor(data.sum, HEDDLE_F32, 2, square);
  data.inputs[2] = make_tensor(data.before, HEDDLE_I32, 1, row);
  OK(call(context, &data, HEDDLE_STAGE_TENSORS));
  OK(heddle_device_copy(NULL, data.after, first, counters, 256));
  check(&data);
  /* Another device than the one that is wanted, or one where none is. */
  data.inputs[0].data = other;
  data.inputs[0].device = second;
  EXPECT(call(context, &data, HEDDLE_STAGE_TENSORS), HEDDLE_TENSOR_DEVICE,
         "'left' is on 'sim:1', the program wants it on 'sim:0'");
  set(&data, 4);
  data.inputs[1].data = left;
  data.inputs[1].device = first;
  EXPECT(call(context, &data, HEDDLE_STAGE_TENSORS), HEDDLE_TENSOR_DEVICE,
         "'right' is on 'sim:0', the program wants it on 'cpu'");
  heddle_device_free(first, left);
  heddle_device_free(first, sum);
  heddle_device_free(first, counters);
  heddle_device_free(second, other);
  heddle_device_close(first);
  heddle_device_close(second);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  setenv("HEDDLE_SIM", "", 1);
  test_devices();
  test_copies();
  test_shared();
  test_tensors(argv[1]);
  return finish();
}
