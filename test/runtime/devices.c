/* Programs that run on several devices: the CPU and simulated ones. Argument:
 * the folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-devices \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

#include <pthread.h>
#include <time.h>

static const char *folder;

/* For devices that are opened from now on. */
/* Devices of few MiB: an emulator of another processor keeps a record of each
   page that a device reserves. */
static void set_sim(const char *text) {
  char with_memory[128];
  snprintf(with_memory, sizeof with_memory, "memory=64%s%s", *text ? "," : "",
           text);
  setenv("HEDDLE_SIM", strstr(text, "memory=") ? text : with_memory, 1);
}

/* ---- The model "placed" ---- */

static const int64_t square[] = {10, 100};

typedef struct placed {
  float left[1000], right[1000], sum[1000];
} placed;

static heddle_status call_placed(heddle_context *context, placed *data,
                                 float first,
                                 const heddle_call_options *options) {
  for (int i = 0; i < 1000; ++i) {
    data->left[i] = first + 0.25f * (float)i;
    data->right[i] = 3.0f - (float)i;
    data->sum[i] = -1;
  }
  heddle_tensor inputs[] = {make_tensor(data->left, HEDDLE_F32, 2, square),
                            make_tensor(data->right, HEDDLE_F32, 2, square)};
  heddle_tensor output = make_tensor(data->sum, HEDDLE_F32, 2, square);
  return call_entry(context, inputs, 2, &output, 1, options);
}

static void check_placed(const placed *data) {
  int good = 1;
  for (int i = 0; i < 1000; ++i) {
    float l = data->left[i], r = data->right[i];
    good &= data->sum[i] == (((l + r) + 0.5f * (float)i) + (l + l)) + r;
  }
  CHECK(good);
}

static heddle_context *make_context(heddle_program *program) {
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  return context;
}

static void run_placed(void) {
  heddle_program *program = load(folder, "placed", NULL);
  heddle_context *context = make_context(program);
  static placed data;
  for (int i = 0; i < 3; ++i) {
    OK(call_placed(context, &data, (float)i, NULL));
    check_placed(&data);
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/* ---- The models "placed-loop" and "placed-batch" ---- */

static const int64_t row[] = {64};

typedef struct looped {
  int32_t times, which;
  int32_t out[4][64];
} looped;

static heddle_status call_loop(heddle_context *context, looped *data,
                               int32_t times, int32_t which) {
  memset(data, 0xff, sizeof(*data));
  data->times = times;
  data->which = which;
  heddle_tensor inputs[] = {make_tensor(&data->times, HEDDLE_I32, 0, NULL),
                            make_tensor(&data->which, HEDDLE_I32, 0, NULL)};
  heddle_tensor outputs[4];
  for (int i = 0; i < 4; ++i)
    outputs[i] = make_tensor(data->out[i], HEDDLE_I32, 1, row);
  return call_entry(context, inputs, 2, outputs, 4, NULL);
}

static void check_loop(const looped *data) {
  int32_t wanted[] = {10, 10 + (data->times > 0 ? data->times : 0),
                      data->which == 0   ? 101
                      : data->which == 1 ? 203
                                         : 303,
                      data->which == 0 ? 8 : 9};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 64; ++j)
      if (data->out[i][j] != wanted[i]) {
        fprintf(stderr, "times %d, which %d: output %d is %d, not %d\n",
                data->times, data->which, i, data->out[i][j], wanted[i]);
        ++failures;
        break;
      }
}

static void run_loop(void) {
  heddle_program *program = load(folder, "placed-loop", NULL);
  heddle_context *context = make_context(program);
  static looped data;
  for (int32_t which = -1; which < 3; ++which) {
    OK(call_loop(context, &data, which * 2, which));
    check_loop(&data);
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

static void run_batch(void) {
  heddle_program *program = load(folder, "placed-batch", NULL);
  heddle_context *context = make_context(program);
  static float left[256], right[256], sum[256];
  static const int64_t batches[] = {1, 64, 7, 7, 16};
  for (int i = 0; i < 5; ++i) {
    int64_t shape[] = {batches[i], 4};
    int count = (int)batches[i] * 4, good = 1;
    for (int j = 0; j < count; ++j) {
      left[j] = (float)(i * j);
      right[j] = 0.5f;
    }
    heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                              make_tensor(right, HEDDLE_F32, 2, shape)};
    heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
    OK(call_entry(context, inputs, 2, &output, 1, NULL));
    for (int j = 0; j < count; ++j)
      good &= sum[j] == left[j] + 0.5f;
    CHECK(good);
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

static void test_orders(void) {
  char text[64];
  for (int seed = 1; seed <= 12; ++seed)
    for (int delay = 0; delay <= 200; delay += 100) {
      snprintf(text, sizeof(text), "seed=%d,delay=%d", seed, delay);
      set_sim(text);
      run_placed();
      run_loop();
      run_batch();
    }
  set_sim("");
}

/* ---- What a caller is told ---- */

static void on_step(void *user, const heddle_step *step) {
  static const char *names[] = {"copy", "copy", "add", "add",  "copy", "copy",
                                "add",  "copy", "add", "copy", "add"};
  uint32_t *steps = user;
  CHECK(*steps < 11 && step->number == *steps && step->command == *steps &&
        step->block == 0 && !strcmp(step->name, names[*steps]));
  CHECK(step->duration_ns < 10000000000u && step->start_ns > 0);
  ++*steps;
}

static void test_reports(void) {
  heddle_program *program = load(folder, "placed", NULL);
  heddle_context *context = make_context(program);
  static placed data;
  uint32_t steps = 0;
  heddle_call_options options = HEDDLE_INIT(options);
  options.on_step = on_step;
  options.user = &steps;
  OK(call_placed(context, &data, 1, &options));
  check_placed(&data);
  CHECK(steps == 11);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/* Each context has its own memory and queues. */
static void *call_often(void *given) {
  heddle_context *context = make_context(given);
  placed *data = malloc(sizeof(*data));
  for (int i = 0; i < 20; ++i) {
    OK(call_placed(context, data, (float)i, NULL));
    check_placed(data);
  }
  free(data);
  heddle_context_destroy(context);
  return NULL;
}

static void test_contexts(void) {
  heddle_program *program = load(folder, "placed", NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK(!pthread_create(&threads[i], NULL, call_often, program));
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  heddle_program_destroy(program);
}

static void *cancel_soon(void *flag) {
  struct timespec pause = {0, 20000000};
  nanosleep(&pause, NULL);
  __atomic_store_n((int32_t *)flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Commands that are late by a tenth of a second. */
static void test_stops(void) {
  set_sim("delay=100000");
  heddle_program *program = load(folder, "placed", NULL);
  heddle_context *context = make_context(program);
  static placed data;
  heddle_call_options options = HEDDLE_INIT(options);
  options.deadline_ns = now_ns() + 5000000;
  EXPECT(call_placed(context, &data, 1, &options), HEDDLE_DEADLINE_EXCEEDED,
         "deadline");
  options.deadline_ns = 0;
  int32_t cancel = 0;
  options.cancel = &cancel;
  pthread_t thread;
  CHECK(!pthread_create(&thread, NULL, cancel_soon, &cancel));
  EXPECT(call_placed(context, &data, 1, &options), HEDDLE_CANCELLED,
         "cancelled");
  pthread_join(thread, NULL);
  /* What was left undone is in nobody's way. */
  OK(call_placed(context, &data, 2, NULL));
  check_placed(&data);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  set_sim("");
}

/* ---- Failures ---- */

static void test_missing(void) {
  heddle_program *program = NULL;
  set_sim("devices=1");
  heddle_status status =
      heddle_program_load_file(model_path(folder, "placed"), NULL, &program);
  EXPECT(status, HEDDLE_DEVICE_MISSING,
         "'plain' (needs the device 'sim:1' "
         "(of 'sim' there are 1))");
  heddle_load_options options = HEDDLE_INIT(options);
  options.variant = "plain";
  status = heddle_program_load_file(model_path(folder, "placed"), &options,
                                    &program);
  EXPECT(status, HEDDLE_DEVICE_MISSING, "needs the device 'sim:1'");
  options.variant = "impossible";
  status = heddle_program_load_file(model_path(folder, "placed"), &options,
                                    &program);
  EXPECT(status, HEDDLE_TARGET_MISMATCH, "needs no-such-feature");
  set_sim("devices=nonsense");
  status =
      heddle_program_load_file(model_path(folder, "placed"), NULL, &program);
  EXPECT(status, HEDDLE_DEVICE_MISSING, "nonsense");
  set_sim("");
}

/* Code is chosen by the kinds of devices that are wanted. */
static void test_wanted_kinds(void) {
  set_sim("");
  heddle_load_options options = HEDDLE_INIT(options);
  for (int i = 0; i < 4; ++i) {
    static const char *const lists[] = {"sim", "cuda,sim", "cpu,cuda,sim", ""};
    options.devices = lists[i];
    heddle_program *program = NULL;
    heddle_status status = heddle_program_load_file(
        model_path(folder, "placed"), &options, &program);
    if (i < 3)
      OK(status);
    else
      EXPECT(status, HEDDLE_DEVICE_MISSING,
             "there is no code for '' that runs on this machine: there is");
    heddle_program_destroy(program);
  }
  options.devices = "cuda,cpu";
  heddle_program *program = NULL;
  EXPECT(heddle_program_load_file(model_path(folder, "placed"), &options,
                                  &program),
         HEDDLE_DEVICE_MISSING, "there is no code for 'cuda,cpu'");
  /* Part of a name is none. */
  options.devices = "simulated";
  EXPECT(heddle_program_load_file(model_path(folder, "placed"), &options,
                                  &program),
         HEDDLE_DEVICE_MISSING, "there is no code for 'simulated'");
}

/* Programs that are loaded until the memory of sim:0 is full; the last load
   fails. */
static int load_many(const char *model, heddle_program **programs, int most) {
  heddle_status status = {0, ""};
  int count = 0;
  while (count < most) {
    status = heddle_program_load_file(model_path(folder, model), NULL,
                                      &programs[count]);
    if (status.code)
      break;
    ++count;
  }
  EXPECT(status, HEDDLE_DEVICE_MEMORY, "device 'sim:0'");
  return count;
}

/* What a load lays out a weight from is given back: as many programs fit as
   where it only copies, but for the one that is being loaded. A load that fails
   leaves nothing behind. */
static void test_laid_out(void) {
  enum { most = 512 };
  static heddle_program *programs[most];
  set_sim("memory=1");
  int copied = load_many("placed", programs, most);
  for (int i = 0; i < copied; ++i)
    heddle_program_destroy(programs[i]);
  for (int round = 0; round < 3; ++round) {
    set_sim("memory=1");
    int count = load_many("laid-out", programs, most);
    CHECK(count >= copied - 4 && count < copied && copied > 20);
    for (int i = 0; i < 16; ++i) /* Contexts have arenas, too. */
      heddle_program_destroy(programs[--count]);
    heddle_program *again = NULL;
    OK(heddle_program_load_file(model_path(folder, "laid-out"), NULL, &again));
    heddle_context *context = make_context(again), *other = make_context(again);
    static placed data;
    OK(call_placed(context, &data, 1, NULL));
    check_placed(&data);
    OK(call_placed(other, &data, 2, NULL));
    check_placed(&data);
    heddle_context_destroy(context);
    heddle_context_destroy(other);
    heddle_program_destroy(again);
    while (count)
      heddle_program_destroy(programs[--count]);
  }
  set_sim("");
}

/* Lets operation `number` of each device fail; whether any did. */
static int fail_once(const char *model, int number) {
  char text[64];
  snprintf(text, sizeof(text), "fail=%d,delay=1", number);
  set_sim(text);
  int looped_model = !strcmp(model, "placed-loop");
  int failed = 0;
  heddle_program *program = NULL;
  heddle_context *context = NULL;
  heddle_status status;
  /* The devices stay open, so that they go on counting. */
  heddle_program *holder = NULL;
  for (int tries = 0; !holder && tries < 8; ++tries) {
    status = heddle_program_load_file(model_path(folder, model), NULL, &holder);
    if (!status.code)
      break;
    EXPECT(status, HEDDLE_DEVICE_FAILED, "failed, as HEDDLE_SIM asks");
    failed = 1;
    set_sim("");
  }
  program = holder;
  if (!program)
    return 1;
  for (int tries = 0; tries < 8; ++tries) {
    status = heddle_context_create(program, 0, NULL, &context);
    if (!status.code)
      break;
    EXPECT(status, HEDDLE_DEVICE_FAILED, "failed, as HEDDLE_SIM asks");
    failed = 1;
  }
  static placed data;
  static looped loop;
  int calls = 0, good = 0;
  while (context && good < 2 && ++calls < 10) {
    status = looped_model ? call_loop(context, &loop, 3, calls % 3)
                          : call_placed(context, &data, 1, NULL);
    if (status.code) {
      EXPECT(status, HEDDLE_DEVICE_FAILED, "failed, as HEDDLE_SIM asks");
      failed = 1;
      good = 0;
      continue;
    }
    if (looped_model)
      check_loop(&loop);
    else
      check_placed(&data);
    ++good;
  }
  CHECK(good == 2);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  return failed;
}

static void test_failures(const char *model, int least) {
  int number = 1;
  while (fail_once(model, number))
    ++number;
  printf("%s: %d operations failed\n", model, number - 1);
  CHECK(number > least);
  set_sim("");
}

static void test_memory(void) {
  set_sim("memory=1");
  heddle_program *program = load(folder, "placed", NULL);
  enum { most = 110 };
  heddle_context *contexts[most] = {NULL};
  int count = 0;
  heddle_status status = {0, ""};
  while (count < most) {
    status = heddle_context_create(program, 0, NULL, &contexts[count]);
    if (status.code)
      break;
    ++count;
  }
  EXPECT(status, HEDDLE_DEVICE_MEMORY, "device 'sim:");
  CHECK(count > 20);
  static placed data;
  if (count) {
    OK(call_placed(contexts[count - 1], &data, 1, NULL));
    check_placed(&data);
    heddle_context_destroy(contexts[--count]);
  }
  contexts[count] = make_context(program);
  OK(call_placed(contexts[count], &data, 2, NULL));
  check_placed(&data);
  while (count >= 0)
    heddle_context_destroy(contexts[count--]);
  heddle_program_destroy(program);
  set_sim("");
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  folder = argv[1];
  set_sim("");
  test_orders();
  test_reports();
  test_contexts();
  test_stops();
  test_missing();
  test_wanted_kinds();
  test_failures("placed", 15);
  test_failures("laid-out", 15);
  test_failures("placed-loop", 30);
  test_memory();
  test_laid_out();
  return finish();
}
