/* Several contexts in several threads, shared and own pools, the caller's
   threads, a child process. Argument: the folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-threads \
RUN:   %heddle_build/test/runtime/models
*/
#define _GNU_SOURCE
#include "forks.h"

#include <pthread.h>
#include <sched.h>

enum { callers = 4, rounds = 300 };
static const int64_t square[] = {10, 100};

struct caller {
  heddle_program *program;
  heddle_pool *pool;
  pthread_barrier_t *start;
  int wrong;
};

static int call_and_check(heddle_context *context, float seed) {
  float left[1000], right[1000], sum[1000];
  for (int i = 0; i < 1000; ++i) {
    left[i] = seed + (float)i;
    right[i] = seed - 3;
    sum[i] = 0;
  }
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, square),
                            make_tensor(right, HEDDLE_F32, 2, square)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, square);
  heddle_status status = call_entry(context, inputs, 2, &output, 1, NULL);
  int wrong = status.code != HEDDLE_OK;
  for (int i = 0; i < 1000; ++i)
    wrong |= sum[i] != (left[i] + right[i]) + 0.5f * (float)i + left[i];
  return wrong;
}

static void *call_often(void *argument) {
  struct caller *caller = argument;
  heddle_context_options options = HEDDLE_INIT(options);
  options.pool = caller->pool;
  heddle_context *context = NULL;
  if (heddle_context_create(caller->program, 0, &options, &context).code)
    caller->wrong = 1;
  for (int i = 0; i < rounds && !caller->wrong; ++i)
    caller->wrong |= call_and_check(context, (float)i);
  heddle_context_destroy(context);
  return NULL;
}

/* All callers share one pool: one has it, the others do their work alone. */
static void test_sharing(heddle_program *program, heddle_pool *pool) {
  pthread_t threads[callers];
  struct caller states[callers];
  for (int i = 0; i < callers; ++i) {
    states[i] = (struct caller){program, pool, NULL, 0};
    pthread_create(&threads[i], NULL, call_often, &states[i]);
  }
  for (int i = 0; i < callers; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(!states[i].wrong);
  }
}

/* Threads of the caller's own: started for each call here, which is slow but
 * shows the contract. */
struct work {
  void (*work)(void *state, int64_t worker);
  void *state;
  int64_t worker;
};

static void *run_one(void *argument) {
  struct work *work = argument;
  work->work(work->state, work->worker);
  return NULL;
}

static int runs = 0;

static void run_workers(void *user, int64_t workers,
                        void (*work)(void *, int64_t), void *state) {
  CHECK(user == &runs && workers == 3);
  ++runs;
  pthread_t threads[2];
  struct work jobs[2];
  for (int i = 0; i < 2; ++i) {
    jobs[i] = (struct work){work, state, i + 1};
    pthread_create(&threads[i], NULL, run_one, &jobs[i]);
  }
  work(state, 0);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
}

static void test_own_threads(heddle_program *program) {
  heddle_pool_options options = HEDDLE_INIT(options);
  options.threads = 3;
  options.run = run_workers;
  options.user = &runs;
  heddle_pool *pool = NULL;
  OK(heddle_pool_create(&options, &pool));
  CHECK(heddle_pool_threads(pool) == 3);
  heddle_context_options context_options = HEDDLE_INIT(context_options);
  context_options.pool = pool;
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, &context_options, &context));
  for (int i = 0; i < 20; ++i)
    CHECK(!call_and_check(context, (float)i));
  CHECK(runs == 20);
  heddle_context_destroy(context);
  heddle_pool_destroy(pool);
}

/* A pool whose threads sleep at once: every call has to wake them. */
static void test_sleeping(heddle_program *program) {
  heddle_pool_options options = HEDDLE_INIT(options);
  options.threads = 4;
  options.spin_us = 1;
  heddle_pool *pool = NULL;
  OK(heddle_pool_create(&options, &pool));
  heddle_context_options context_options = HEDDLE_INIT(context_options);
  context_options.pool = pool;
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, &context_options, &context));
  for (int i = 0; i < 200; ++i) {
    CHECK(!call_and_check(context, (float)i));
    if (i % 20 == 0)
      usleep(2000);
  }
  /* The context keeps the pool. */
  heddle_pool_destroy(pool);
  CHECK(!call_and_check(context, 1));
  heddle_context_destroy(context);
}

/* A child has none of the threads: it notices, and starts its own. */
static void test_fork(heddle_program *program) {
  heddle_context_options options = HEDDLE_INIT(options);
  options.threads = 3;
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, &options, &context));
  CHECK(!call_and_check(context, 1));
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int wrong = 0;
    for (int i = 0; i < 50; ++i)
      wrong |= call_and_check(context, (float)i);
    heddle_context_destroy(context);
    _exit(wrong);
  }
  await_child(child);
  CHECK(!call_and_check(context, 2));
  heddle_context_destroy(context);
}

/* Two threads of a child that call at once: one of them starts the threads
   anew, the other must not take what is half started. */
static void *call_once(void *argument) {
  struct caller *caller = argument;
  heddle_context_options options = HEDDLE_INIT(options);
  options.pool = caller->pool;
  heddle_context *context = NULL;
  if (heddle_context_create(caller->program, 0, &options, &context).code)
    caller->wrong = 1;
  pthread_barrier_wait(caller->start);
  for (int i = 0; i < 3 && !caller->wrong; ++i)
    caller->wrong |= call_and_check(context, (float)i);
  heddle_context_destroy(context);
  return NULL;
}

static int call_from_two_threads(heddle_program *program, heddle_pool *pool) {
  pthread_t threads[2];
  struct caller states[2];
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, 2);
  int wrong = 0;
  for (int i = 0; i < 2; ++i) {
    states[i] = (struct caller){program, pool, &start, 0};
    pthread_create(&threads[i], NULL, call_once, &states[i]);
  }
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
    wrong |= states[i].wrong;
  }
  pthread_barrier_destroy(&start);
  return wrong;
}

static void test_fork_with_threads(heddle_program *program) {
  heddle_pool_options options = HEDDLE_INIT(options);
  options.threads = 4;
  options.spin_us = 1;
  heddle_pool *pool = NULL;
  OK(heddle_pool_create(&options, &pool));
  CHECK(!call_from_two_threads(program, pool));
  fflush(stdout);
  int failed = 0;
  for (int i = 0; i < 100 && !failed; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20); /* a hang is a failure */
      int wrong = call_from_two_threads(program, pool);
      heddle_pool_destroy(pool);
      _exit(wrong);
    }
    int status = 1;
    waitpid(child, &status, 0);
    failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  CHECK(!failed);
  CHECK(!call_from_two_threads(program, pool));
  heddle_pool_destroy(pool);
}

/* Whether a child that does `work` ends well, and does not hang. */
static int child_works(int (*work)(void *), void *argument) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(20); /* a hang is a failure */
    _exit(work(argument));
  }
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Loads programs until it is told to end. */
struct loader {
  const char *folder;
  _Atomic int end;
};

static void *load_often(void *argument) {
  struct loader *loader = argument;
  while (!loader->end)
    heddle_program_destroy(load(loader->folder, "addition", NULL));
  return NULL;
}

static int load_once(void *argument) {
  heddle_program_destroy(load(argument, "addition", NULL));
  return 0;
}

/* A child that is forked while another thread opens the device: nothing that
   this thread holds at that moment is waited for. No program is loaded that
   would keep it open. */
static void test_fork_while_loading(const char *folder) {
  struct loader loader = {folder, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, load_often, &loader);
  int good = 1;
  for (int i = 0; i < 600 && good; ++i) {
    usleep(500);
    good = child_works(load_once, (void *)folder);
  }
  CHECK(good);
  loader.end = 1;
  pthread_join(thread, NULL);
}

static int make_context(void *argument) {
  heddle_context *context = NULL;
  int wrong = heddle_context_create(argument, 0, NULL, &context).code ||
              call_and_check(context, 1);
  heddle_context_destroy(context);
  return wrong;
}

static void *make_first_context(void *argument) {
  return make_context(argument) ? argument : NULL;
}

/* The same while another thread starts the pool that contexts of the program
   share. Not with the thread sanitizer: a child waits for ever for a lock of
   the sanitizer's own that a thread which starts held at the fork. */
static void test_fork_while_starting(const char *folder) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  puts("skipped: forks while threads start, with the thread sanitizer");
  return;
#endif
#endif
  int good = 1;
  for (useconds_t i = 0; i < 200 && good; ++i) {
    heddle_program *program = load(folder, "addition", NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, make_first_context, program);
    usleep(i);
    good = child_works(make_context, program);
    void *wrong = NULL;
    pthread_join(thread, &wrong);
    good &= !wrong;
    heddle_program_destroy(program);
  }
  CHECK(good);
}

/* Two threads that give one context DLPack tensors at once: one has its call,
   with its own tensors, the other is told. */
struct sharer {
  heddle_context *context;
  float seed;
  int wrong;
};

static void *share_context(void *argument) {
  struct sharer *sharer = argument;
  int64_t shape[] = {10, 100};
  float left[1000], right[1000], sum[1000];
  void *memories[] = {left, right, sum};
  dl_tensor tensors[3];
  for (int i = 0; i < 3; ++i)
    tensors[i] = (dl_tensor){memories[i], 1, 0, 2, 2, 32, 1, shape, NULL, 0};
  const void *inputs[] = {&tensors[0], &tensors[1]}, *output = &tensors[2];
  for (int i = 0; i < 1000; ++i) {
    left[i] = sharer->seed;
    right[i] = 1;
  }
  for (int done = 0; done < 5000 && !sharer->wrong; ++done) {
    memset(sum, 0, sizeof(sum));
    heddle_status status;
    for (;;) {
      status = heddle_context_call_dlpack(sharer->context, inputs, 2, &output,
                                          1, NULL);
      if (status.code != HEDDLE_CONTEXT_BUSY)
        break;
      sched_yield();
    }
    sharer->wrong = status.code != HEDDLE_OK;
    for (int i = 0; i < 1000; ++i)
      sharer->wrong |=
          sum[i] != (sharer->seed + 1) + 0.5f * (float)i + sharer->seed;
  }
  return NULL;
}

static void test_dlpack_in_two_threads(heddle_program *program) {
  heddle_context_options options = HEDDLE_INIT(options);
  options.threads = 1;
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, &options, &context));
  struct sharer sharers[2];
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    sharers[i] = (struct sharer){context, i ? 100.0f : 3.0f, 0};
    pthread_create(&threads[i], NULL, share_context, &sharers[i]);
  }
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(!sharers[i].wrong);
  }
  heddle_context_destroy(context);
}

/* One context in two calls at once. */
static void call_again(void *user, const heddle_step *step) {
  (void)step;
  EXPECT(call_entry(user, NULL, 0, NULL, 0, NULL), HEDDLE_CONTEXT_BUSY, NULL);
}

static void test_busy(heddle_program *program) {
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  static float left[1000], right[1000], sum[1000];
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, square),
                            make_tensor(right, HEDDLE_F32, 2, square)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, square);
  heddle_call_options options = HEDDLE_INIT(options);
  options.on_step = call_again;
  options.user = context;
  OK(call_entry(context, inputs, 2, &output, 1, &options));
  heddle_context_destroy(context);
}

/* The default is what the affinity mask leaves. */
static void test_default(void) {
  cpu_set_t all, one;
  CHECK(sched_getaffinity(0, sizeof(all), &all) == 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all)) {
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
    }
  for (int limited = 0; limited < 2; ++limited) {
    CHECK(sched_setaffinity(0, sizeof(all), limited ? &one : &all) == 0);
    heddle_pool *pool = NULL;
    OK(heddle_pool_create(NULL, &pool));
    size_t threads = heddle_pool_threads(pool);
    CHECK(threads >= 1 && threads <= (size_t)CPU_COUNT(limited ? &one : &all));
    printf("default threads: %zu\n", threads);
    heddle_pool_destroy(pool);
  }
  CHECK(sched_setaffinity(0, sizeof(all), &all) == 0);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  test_default();
  if (may_fork()) {
    test_fork_while_loading(argv[1]);
    test_fork_while_starting(argv[1]);
  }
  heddle_program *program = load(argv[1], "addition", NULL);
  heddle_pool_options options = HEDDLE_INIT(options);
  options.threads = 3;
  heddle_pool *pool = NULL;
  OK(heddle_pool_create(&options, &pool));
  test_sharing(program, pool);
  test_sharing(program, NULL);
  heddle_pool_destroy(pool);
  test_own_threads(program);
  test_sleeping(program);
  test_busy(program);
  test_fork(program);
  test_fork_with_threads(program);
  test_dlpack_in_two_threads(program);
  heddle_program_destroy(program);
  return finish();
}
