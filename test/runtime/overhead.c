/* What a call costs beside its work. Argument: the folder of the test models.
   Prints nanoseconds; with a second argument, a limit for the empty call, and a
   third, one for what a new size costs, it fails above them. */
/*
REQUIRES: release-tree
RUN: %heddle_build/test/runtime/runtime-overhead \
RUN:   %heddle_build/test/runtime/models 2000 20000
*/
#include "check.h"

#include <time.h>

static double now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  return *(const double *)a < *(const double *)b ? -1 : 1;
}

/* Median over batches of the time of one call. */
static double measure(heddle_context *context, const heddle_tensor *inputs,
                      size_t input_count, const heddle_tensor *outputs,
                      size_t output_count) {
  enum { batches = 101, calls = 100 };
  double times[batches];
  for (int i = 0; i < batches; ++i) {
    double start = now();
    for (int j = 0; j < calls; ++j)
      OK(call_entry(context, inputs, input_count, outputs, output_count, NULL));
    times[i] = (now() - start) / calls;
  }
  qsort(times, batches, sizeof(double), ascending);
  return times[batches / 2];
}

/* What calls of other sizes than the one before take longer than others, with
   about 2,000 bindings and, beside constants, 1,300 expressions. */
static double measure_new_size(const char *folder) {
  heddle_program *program = load(folder, "many-sizes", NULL);
  heddle_context_options options = HEDDLE_INIT(options);
  options.threads = 1;
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, &options, &context));
  static float left[256], right[256], sum[256];
  enum { batches = 101, calls = 20 };
  double times[2][batches];
  for (int i = 0; i < batches; ++i)
    for (int changes = 0; changes < 2; ++changes) {
      double start = now();
      for (int j = 0; j < calls; ++j) {
        const int64_t shape[] = {changes ? 1 + j % 2 : 2, 4};
        heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                                  make_tensor(right, HEDDLE_F32, 2, shape)};
        heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
        OK(call_entry(context, inputs, 2, &output, 1, NULL));
      }
      times[changes][i] = (now() - start) / calls;
    }
  for (int changes = 0; changes < 2; ++changes)
    qsort(times[changes], batches, sizeof(double), ascending);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  return times[1][batches / 2] - times[0][batches / 2];
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  heddle_program *program = load(argv[1], "addition", NULL);
  static float left[1000], right[1000], sum[1000];
  const int64_t shape[] = {10, 100};
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                            make_tensor(right, HEDDLE_F32, 2, shape)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
  heddle_program *steps = load(argv[1], "steps", NULL);
  int32_t counters[2] = {0, 0};
  const int64_t two[] = {2};
  heddle_tensor counted = make_tensor(counters, HEDDLE_I32, 1, two);
  double empty_ns = 0;
  for (uint32_t threads = 1; threads <= 2; ++threads) {
    heddle_context_options options = HEDDLE_INIT(options);
    options.threads = threads;
    heddle_context *empty = NULL, *addition = NULL, *stepping = NULL;
    OK(heddle_context_create(program, 1, &options, &empty));
    OK(heddle_context_create(program, 0, &options, &addition));
    OK(heddle_context_create(steps, 0, &options, &stepping));
    double ns = measure(empty, NULL, 0, NULL, 0);
    if (ns > empty_ns)
      empty_ns = ns;
    printf("%u thread(s): empty call %.0f ns, three steps of 8 tiles %.0f ns, "
           "a step of 2 empty tiles %.0f ns\n",
           threads, ns, measure(addition, inputs, 2, &output, 1),
           measure(stepping, NULL, 0, &counted, 1) / 200);
    CHECK(counters[0] == 200 && counters[1] == 200);
    heddle_context_destroy(empty);
    heddle_context_destroy(addition);
    heddle_context_destroy(stepping);
  }
  double new_size_ns = measure_new_size(argv[1]);
  printf("a new size %.0f ns\n", new_size_ns);
  heddle_program_destroy(steps);
  heddle_program_destroy(program);
  if (argc > 2)
    CHECK(empty_ns <= atof(argv[2]));
  if (argc > 3)
    CHECK(new_size_ns <= atof(argv[3]));
  return finish();
}
