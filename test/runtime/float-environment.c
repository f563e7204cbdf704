/* Rounding and subnormal numbers are the program's affair, on every worker,
   whatever the caller's thread is set to; and that stays as it was. Argument:
   the folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-float-environment \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

#include <pthread.h>
#include <stdint.h>

#if defined(__x86_64__)
enum { usual = 0x1f80, flushing = 0x9fc0, upward = 0x5f80, bits = 0xffc0 };
static uint64_t control(void) { return __builtin_ia32_stmxcsr() & bits; }
static void set_control(uint64_t value) {
  __builtin_ia32_ldmxcsr((unsigned)value);
}
#else
enum { usual = 0, flushing = 1 << 24, upward = 1 << 22 };
static uint64_t control(void) {
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
static void set_control(uint64_t value) {
  __asm__ volatile("msr fpcr, %0" ::"r"(value));
}
#endif

/* The bits of a float that is subnormal: an integer compares in any state. */
enum { left_bits = 71362, right_bits = 3 };

struct work {
  void (*work)(void *state, int64_t worker);
  void *state;
  uint64_t control;
  int kept;
};

static void *run_one(void *argument) {
  struct work *job = argument;
  set_control(job->control);
  job->work(job->state, 1);
  job->kept = control() == job->control;
  return NULL;
}

/* Another thread, set as this one is, does all the work before it begins. */
static void run_workers(void *user, int64_t workers,
                        void (*work)(void *, int64_t), void *state) {
  CHECK(workers == 2);
  struct work job = {work, state, *(const uint64_t *)user, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, run_one, &job);
  pthread_join(thread, NULL);
  CHECK(job.kept);
  work(state, 0);
}

static void test_sums(const char *folder, const char *name, uint64_t caller,
                      uint32_t wanted) {
  set_control(caller);
  heddle_program *program = load(folder, name, NULL);
  heddle_load_report report = HEDDLE_INIT(report);
  OK(heddle_program_report(program, &report));
  CHECK(report.flushes_subnormals == (wanted == 0));
  heddle_pool_options pool_options = HEDDLE_INIT(pool_options);
  pool_options.threads = 2;
  pool_options.run = run_workers;
  pool_options.user = &caller;
  heddle_pool *pool = NULL;
  OK(heddle_pool_create(&pool_options, &pool));
  heddle_context_options options = HEDDLE_INIT(options);
  options.pool = pool;
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, &options, &context));
  uint32_t left[1000], right[1000], sum[1000];
  for (int i = 0; i < 1000; ++i) {
    left[i] = left_bits;
    right[i] = right_bits;
  }
  int64_t shape[] = {1000};
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 1, shape),
                            make_tensor(right, HEDDLE_F32, 1, shape)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 1, shape);
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
    memset(sum, 0xff, sizeof(sum));
    OK(call_entry(context, inputs, 2, &output, 1, NULL));
    for (int i = 0; i < 1000; ++i)
      wrong += sum[i] != wanted;
  }
  CHECK(!wrong);
  CHECK(control() == caller);
  heddle_context_destroy(context);
  heddle_pool_destroy(pool);
  heddle_program_destroy(program);
  set_control(usual);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const uint64_t callers[] = {usual, flushing, upward};
  for (int i = 0; i < 3; ++i) {
    test_sums(argv[1], "kept", callers[i], left_bits + right_bits);
    test_sums(argv[1], "flushed", callers[i], 0);
  }
  return finish();
}
