/* Loading, asking, calling: what goes right. Argument: the folder of the test
 * models. */
/*
RUN: %heddle_build/test/runtime/runtime-calls \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

#include <time.h>

static const int64_t square[] = {10, 100};
static const int64_t scalar_shape[] = {0};
static float left[1000], right[1000], sum[1000];

static void check_sum(void) {
  int good = 1;
  for (int i = 0; i < 1000; ++i)
    good &= sum[i] == (left[i] + right[i]) + 0.5f * (float)i + left[i];
  CHECK(good);
}

static void call_addition(heddle_context *context,
                          const heddle_call_options *options) {
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, square),
                            make_tensor(right, HEDDLE_F32, 2, square)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, square);
  memset(sum, 0, sizeof(sum));
  OK(call_entry(context, inputs, 2, &output, 1, options));
  check_sum();
}

static void on_step(void *user, const heddle_step *step) {
  static const char *nodes[] = {"Add_0", "Add_1", "Add_2"};
  int *steps = user;
  CHECK(step->size == sizeof(*step) && step->number == (uint64_t)*steps);
  CHECK(!strcmp(step->name, "add") && step->tiles == 8 &&
        step->operations == 1000 && step->traffic == 12000);
  CHECK(step->node_count == 1 && !strcmp(step->nodes[0], nodes[*steps % 3]));
  CHECK(step->block == 0 && step->command == (uint32_t)*steps &&
        step->start_ns > 0);
  ++*steps;
}

static void test_addition(const char *folder) {
  heddle_program *program = load(folder, "addition", NULL);
  CHECK(heddle_program_entry_count(program) == 2);
  CHECK(!strcmp(heddle_program_entry_name(program, 0), "main"));
  CHECK(!heddle_program_entry_name(program, 2));
  size_t entry = 9;
  OK(heddle_program_find_entry(program, "empty", &entry));
  CHECK(entry == 1);
  EXPECT(heddle_program_find_entry(program, "other", &entry),
         HEDDLE_ENTRY_UNKNOWN, "'main' 'empty'");
  CHECK(heddle_program_input_count(program, 0) == 2 &&
        heddle_program_output_count(program, 0) == 1);
  heddle_tensor_info info = HEDDLE_INIT(info);
  OK(heddle_program_input_info(program, 0, 1, &info));
  CHECK(!strcmp(info.name, "right") && info.dtype == HEDDLE_F32 &&
        info.rank == 2 && info.shape[1] == 100);
  CHECK(info.shape_min[0] == 10 && info.bytes == 4000 && info.alignment == 4);
  EXPECT(heddle_program_output_info(program, 0, 1, &info),
         HEDDLE_ARGUMENT_INVALID, NULL);
  EXPECT(heddle_program_output_info(program, 7, 0, &info), HEDDLE_ENTRY_UNKNOWN,
         NULL);

  heddle_load_report report = HEDDLE_INIT(report);
  OK(heddle_program_report(program, &report));
  CHECK(!strcmp(report.variant, "plain") && report.weights_bytes == 4012 &&
        report.verify_ns > 0);

  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  call_addition(context, NULL);
  int steps = 0;
  heddle_call_options options = HEDDLE_INIT(options);
  options.on_step = on_step;
  options.user = &steps;
  call_addition(context, &options);
  CHECK(steps == 3);

  /* One thread, three threads, a context of the other entry; a context outlives
   * the program's handle. */
  for (uint32_t threads = 1; threads <= 3; threads += 2) {
    heddle_context_options one = HEDDLE_INIT(one);
    one.threads = threads;
    heddle_context *other = NULL;
    OK(heddle_context_create(program, 0, &one, &other));
    CHECK(heddle_context_threads(other) == threads);
    call_addition(other, NULL);
    heddle_context_destroy(other);
  }
  heddle_context *empty = NULL;
  OK(heddle_context_create(program, 1, NULL, &empty));
  OK(call_entry(empty, NULL, 0, NULL, 0, NULL));
  heddle_context_destroy(empty);
  heddle_program_destroy(program);
  call_addition(context, NULL);
  heddle_context_destroy(context);
}

static void test_own_arena(const char *folder) {
  heddle_program *program = load(folder, "addition", NULL);
  size_t bytes = 0;
  OK(heddle_program_arena_bytes(program, 0, NULL, 0, 1, &bytes));
  CHECK(bytes >= 8192);
  char *memory = aligned_alloc(64, bytes + 64);
  heddle_context_options options = HEDDLE_INIT(options);
  options.threads = 1;
  options.arena = memory;
  options.arena_bytes = bytes - 1;
  heddle_context *context = NULL;
  EXPECT(heddle_context_create(program, 0, &options, &context),
         HEDDLE_ARENA_TOO_SMALL, NULL);
  options.arena_bytes = bytes;
  options.arena = memory + 4;
  EXPECT(heddle_context_create(program, 0, &options, &context),
         HEDDLE_ARENA_TOO_SMALL, "64");
  options.arena = memory;
  OK(heddle_context_create(program, 0, &options, &context));
  call_addition(context, NULL);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  free(memory);
}

static void test_memory(const char *folder) {
  FILE *file = fopen(model_path(folder, "addition"), "rb");
  char *bytes = aligned_alloc(64, 1 << 20);
  size_t count = fread(bytes + 1, 1, (1 << 20) - 1, file);
  fclose(file);
  for (int aligned = 0; aligned < 2; ++aligned) {
    if (aligned)
      memmove(bytes, bytes + 1, count);
    heddle_load_options options = HEDDLE_INIT(options);
    options.flags = HEDDLE_VERIFY_WEIGHTS | HEDDLE_WEIGHTS_HUGE;
    heddle_program *program = NULL;
    OK(heddle_program_load_memory(bytes + !aligned, count, &options, &program));
    heddle_context *context = NULL;
    OK(heddle_context_create(program, 0, NULL, &context));
    call_addition(context, NULL);
    heddle_context_destroy(context);
    heddle_program_destroy(program);
  }
  free(bytes);
}

/* KiB of the artifact that are mapped to memory. */
static long mapped_kib(const char *path) {
  FILE *file = fopen("/proc/self/smaps", "r");
  char line[4096];
  long total = 0, rss;
  int inside = 0;
  while (file && fgets(line, sizeof(line), file)) {
    unsigned long begin, end;
    if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
      inside = strstr(line, path) != NULL;
    else if (inside && sscanf(line, "Rss: %ld kB", &rss) == 1)
      total += rss;
  }
  if (file)
    fclose(file);
  return total;
}

/* Pages of weights that are in memory are mapped when loading, so that the
   first call does not fault for each. */
static void test_weights_mapped(const char *folder) {
  char path[4096];
  snprintf(path, sizeof(path), "%s", model_path(folder, "large"));
  heddle_load_options options = HEDDLE_INIT(options);
  /* Reads them: now they are in memory. */
  options.flags = HEDDLE_VERIFY_WEIGHTS;
  heddle_program_destroy(load(folder, "large", &options));
  options.flags = HEDDLE_WEIGHTS_PREFAULT;
  heddle_program *program = load(folder, "large", &options);
  int tells = mapped_kib(path) >= 16 * 1024;
  heddle_program_destroy(program);
  if (!tells) {
    printf("not checked: this system (an emulator, or Linux before 5.14) does "
           "not map pages ahead\n");
    return;
  }
  options.flags = HEDDLE_WEIGHTS_LAZY;
  program = load(folder, "large", &options);
  CHECK(mapped_kib(path) < 8 * 1024);
  heddle_program_destroy(program);
  program = load(folder, "large", NULL);
  CHECK(mapped_kib(path) >= 16 * 1024);
  heddle_program_destroy(program);
}

static void test_control(const char *folder) {
  heddle_program *program = load(folder, "control", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  const int64_t shape[] = {64};
  int32_t results[5][64];
  const int32_t chosen[] = {100, 200, 300, 300}, found[] = {11, 22, 33, 11};
  for (int32_t which = 0; which < 4; ++which) {
    int32_t times = which * 3;
    heddle_tensor inputs[] = {make_tensor(&times, HEDDLE_I32, 0, scalar_shape),
                              make_tensor(&which, HEDDLE_I32, 0, NULL)};
    heddle_tensor outputs[5];
    for (int i = 0; i < 5; ++i)
      outputs[i] = make_tensor(results[i], HEDDLE_I32, 1, shape);
    memset(results, -1, sizeof(results));
    OK(call_entry(context, inputs, 2, outputs, 5, NULL));
    int good = 1;
    for (int i = 0; i < 64; ++i)
      good &= results[0][i] == 5 && results[1][i] == times &&
              results[2][i] == chosen[which] &&
              results[3][i] == 2 * 0x01020304 &&
              results[4][i] == (i ? 0 : found[which]);
    CHECK(good);
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/* Blocks nest as deeply as the format lets them. */
static void test_deep(const char *folder) {
  heddle_program *program = load(folder, "deep", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  const int64_t shape[] = {2};
  int32_t counters[2] = {-1, -1};
  heddle_tensor output = make_tensor(counters, HEDDLE_I32, 1, shape);
  OK(call_entry(context, NULL, 0, &output, 1, NULL));
  CHECK(counters[0] == 3 && counters[1] == 3);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

/* An output that replaces an input: in one memory updated in place; in two, the
 * caller's input stays as it is. Anything between is an error. */
static void test_donated(const char *folder) {
  heddle_program *program = load(folder, "donated", NULL);
  heddle_tensor_info info = HEDDLE_INIT(info);
  OK(heddle_program_output_info(program, 0, 0, &info));
  CHECK(info.replaces == 0);
  OK(heddle_program_output_info(program, 0, 1, &info));
  CHECK(info.replaces == -1);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  const int64_t shape[] = {64};
  int32_t state[80], other[64], fresh[64], copied[64];
  for (int i = 0; i < 80; ++i)
    state[i] = i;
  memset(other, 0, sizeof(other));
  heddle_tensor inputs[] = {make_tensor(state, HEDDLE_I32, 1, shape),
                            make_tensor(other, HEDDLE_I32, 1, shape)};
  heddle_tensor outputs[] = {make_tensor(fresh, HEDDLE_I32, 1, shape),
                             make_tensor(copied, HEDDLE_I32, 1, shape)};
  OK(call_entry(context, inputs, 2, outputs, 2, NULL));
  int good = 1;
  for (int i = 0; i < 64; ++i)
    good &= fresh[i] == i + 1 && state[i] == i && copied[i] == i;
  CHECK(good);
  outputs[0].data = state;
  for (int round = 1; round <= 3; ++round)
    OK(call_entry(context, inputs, 2, outputs, 2, NULL));
  good = 1;
  for (int i = 0; i < 80; ++i)
    good &= state[i] == (i < 64 ? i + 3 : i);
  for (int i = 0; i < 64; ++i)
    good &= copied[i] == i + 2;
  CHECK(good);
  outputs[0].data = state + 16;
  EXPECT(call_entry(context, inputs, 2, outputs, 2, NULL),
         HEDDLE_TENSOR_OVERLAP, "shares memory with input 'before'");
  outputs[0].data = other;
  EXPECT(call_entry(context, inputs, 2, outputs, 2, NULL),
         HEDDLE_TENSOR_OVERLAP, "shares memory with input 'other'");
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

static void test_dynamic(const char *folder) {
  heddle_program *program = load(folder, "dynamic", NULL);
  heddle_tensor_info info = HEDDLE_INIT(info);
  OK(heddle_program_input_info(program, 0, 0, &info));
  CHECK(info.shape[0] == 64 && info.shape_min[0] == 1 && info.bytes == 1024);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  for (int64_t batch = 1; batch <= 65; batch += 8) {
    const int64_t shape[] = {batch, 4}, other[] = {batch + 1, 4};
    for (int i = 0; i < batch * 4; ++i)
      left[i] = (float)i, right[i] = 1;
    heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                              make_tensor(right, HEDDLE_F32, 2, shape)};
    heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
    heddle_status status = call_entry(context, inputs, 2, &output, 1, NULL);
    if (batch == 65) {
      EXPECT(status, HEDDLE_TENSOR_SHAPE, "'batch' must be from 1 to 64");
      break;
    }
    OK(status);
    int good = 1;
    for (int i = 0; i < batch * 4; ++i)
      good &= sum[i] == (float)i + 1;
    CHECK(good);
    inputs[1].shape = other;
    EXPECT(call_entry(context, inputs, 2, &output, 1, NULL),
           HEDDLE_TENSOR_SHAPE, "input 'right'");
  }
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void cancel_at_once(void *user, const heddle_step *step) {
  (void)step;
  *(int32_t *)user = 1;
}

static void test_stopping(const char *folder) {
  heddle_program *program = load(folder, "churn", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  static int32_t numbers[4096];
  const int64_t shape[] = {4096};
  heddle_tensor output = make_tensor(numbers, HEDDLE_I32, 1, shape);
  heddle_call_options options = HEDDLE_INIT(options);
  options.deadline_ns = now_ns() + 100000; /* the call takes some 5 ms */
  uint64_t start = now_ns();
  EXPECT(call_entry(context, NULL, 0, &output, 1, &options),
         HEDDLE_DEADLINE_EXCEEDED, NULL);
  uint64_t early = now_ns() - start;
  options.deadline_ns = now_ns() + 60000000000u;
  start = now_ns();
  OK(call_entry(context, NULL, 0, &output, 1, &options));
  CHECK(early < now_ns() - start);
  CHECK(numbers[4095] != 0);
  int32_t cancel = 1;
  options.cancel = &cancel;
  EXPECT(call_entry(context, NULL, 0, &output, 1, &options), HEDDLE_CANCELLED,
         NULL);
  /* A stopped context can be used again. */
  cancel = 0;
  OK(call_entry(context, NULL, 0, &output, 1, &options));
  heddle_context_destroy(context);
  heddle_program_destroy(program);

  program = load(folder, "addition", NULL);
  OK(heddle_context_create(program, 0, NULL, &context));
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, square),
                            make_tensor(right, HEDDLE_F32, 2, square)};
  output = make_tensor(sum, HEDDLE_F32, 2, square);
  options.on_step = cancel_at_once;
  options.user = &cancel;
  EXPECT(call_entry(context, inputs, 2, &output, 1, &options), HEDDLE_CANCELLED,
         NULL);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

static void test_precision_tiers(const char *folder) {
  struct {
    const char *model, *wanted, *message;
  } cases[] = {{"kept", "V", NULL},
               {"lowered", NULL, NULL},
               {"lowered", "E", "only in none"},
               {"estimated", "E", NULL},
               {"estimated", "V",
                "computes with bf16 in 1 of 1, and its errors "
                "are not known in tier V, only in E"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    heddle_program *program = NULL;
    heddle_load_options options = HEDDLE_INIT(options);
    options.precision_tier = cases[i].wanted;
    heddle_status status = heddle_program_load_file(
        model_path(folder, cases[i].model), &options, &program);
    if (cases[i].message) {
      EXPECT(status, HEDDLE_PRECISION_TIER, cases[i].message);
      CHECK(!program);
      continue;
    }
    OK(status);
    heddle_load_report report = HEDDLE_INIT(report);
    OK(heddle_program_report(program, &report));
    CHECK(strcmp(report.precision,
                 strcmp(cases[i].model, "kept") ? "bf16 in 1 of 1" : "") == 0);
    CHECK(strcmp(report.precision_tiers,
                 strcmp(cases[i].model, "estimated") ? "" : "E") == 0);
    heddle_program_destroy(program);
  }
  heddle_program *program = NULL;
  heddle_load_options options = HEDDLE_INIT(options);
  options.precision_tier = "EV";
  EXPECT(
      heddle_program_load_file(model_path(folder, "kept"), &options, &program),
      HEDDLE_ARGUMENT_INVALID, "precision_tier is 'EV'; E or V is wanted");
}

static void test_variants(const char *folder) {
  heddle_program *program = NULL;
  heddle_load_options options = HEDDLE_INIT(options);
  options.variant = "plain";
  OK(heddle_program_load_file(model_path(folder, "addition"), &options,
                              &program));
  heddle_program_destroy(program);
  options.variant = "impossible";
  EXPECT(heddle_program_load_file(model_path(folder, "addition"), &options,
                                  &program),
         HEDDLE_TARGET_MISMATCH, "no-such-feature");
  options.variant = "other";
  EXPECT(heddle_program_load_file(model_path(folder, "addition"), &options,
                                  &program),
         HEDDLE_VARIANT_UNKNOWN, "'plain'");
  CHECK(!heddle_cpu_has("no-such-feature") && !heddle_cpu_has(NULL));
#if defined(__x86_64__)
  CHECK(heddle_cpu_has("sse2") && heddle_cpu_has("SSE2") == 0);
#endif
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  for (int i = 0; i < 1000; ++i) {
    left[i] = (float)i * 0.25f;
    right[i] = 7 - (float)i;
  }
  CHECK(heddle_runtime_version() == HEDDLE_RUNTIME_VERSION);
  CHECK(!strcmp(heddle_code_name(HEDDLE_TENSOR_SHAPE), "HEDDLE_TENSOR_SHAPE"));
  CHECK(!strcmp(heddle_dtype_name(HEDDLE_BF16), "bf16") &&
        heddle_dtype_bytes(HEDDLE_C128) == 16);
  /* Not the type whose number these end in. */
  CHECK(!strcmp(heddle_dtype_name((heddle_dtype)(256 + HEDDLE_F32)), "?") &&
        heddle_dtype_bytes((heddle_dtype)(256 + HEDDLE_F32)) == 0);
  test_addition(argv[1]);
  test_own_arena(argv[1]);
  test_memory(argv[1]);
  test_control(argv[1]);
  test_variants(argv[1]);
  test_precision_tiers(argv[1]);
  test_stopping(argv[1]);
  test_deep(argv[1]);
  test_donated(argv[1]);
  test_dynamic(argv[1]);
  test_weights_mapped(argv[1]);
  return finish();
}
