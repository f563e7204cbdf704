/* Calls that nobody waits for: order, signals, events, failures. Argument: the
   folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-submit \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

#include <signal.h>
#include <time.h>

static const char *folder;
static const int64_t square[] = {10, 100};

typedef struct numbers {
  float left[1000], right[1000], sum[1000];
} numbers;

static uint64_t soon_ns(uint64_t after) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + after;
}

/* "addition" or "placed" of left and right. */
static heddle_event *submit(heddle_context *context, const float *left,
                            numbers *data,
                            const heddle_call_options *call_options,
                            const heddle_submit_options *options) {
  int64_t shape[] = {10, 100};
  heddle_tensor inputs[] = {make_tensor((void *)left, HEDDLE_F32, 2, shape),
                            make_tensor(data->right, HEDDLE_F32, 2, shape)};
  heddle_tensor output = make_tensor(data->sum, HEDDLE_F32, 2, shape);
  const heddle_tensor *ins[] = {&inputs[0], &inputs[1]}, *outs[] = {&output};
  heddle_event *event = NULL;
  OK(heddle_context_submit(context, ins, 2, outs, 1, call_options, options,
                           &event));
  /* All that describes the call has been read. */
  memset(inputs, 0xff, sizeof(inputs));
  memset(&output, 0xff, sizeof(output));
  memset(shape, 0xff, sizeof(shape));
  return event;
}

static void set(numbers *data, float seed) {
  for (int i = 0; i < 1000; ++i) {
    data->left[i] = seed + (float)i;
    data->right[i] = seed;
    data->sum[i] = -1;
  }
}

static void check_sum(const float *left, const numbers *data) {
  int good = 1;
  for (int i = 0; i < 1000; ++i)
    good &=
        data->sum[i] == (left[i] + data->right[i]) + 0.5f * (float)i + left[i];
  CHECK(good);
}

static int untouched(const numbers *data) {
  return data->sum[0] == -1 && data->sum[999] == -1;
}

static heddle_context *make_context(heddle_program *program) {
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  return context;
}

static heddle_status end(heddle_event *event) {
  heddle_status status = heddle_event_wait(event, 0);
  CHECK(heddle_event_done(event) == 1);
  heddle_event_destroy(event);
  return status;
}

/* ---- Order ---- */

static int called[8], call_count;

static void note(void *user, const heddle_status *status) {
  CHECK(!status->code && call_count < 8);
  called[call_count++] = *(int *)user;
}

static void test_order(void) {
  heddle_program *program = load(folder, "addition", NULL);
  heddle_context *context = make_context(program);
  static numbers data[5];
  static int order[5];
  heddle_event *events[5];
  for (int i = 0; i < 5; ++i) {
    order[i] = i;
    set(&data[i], (float)i);
    heddle_submit_options options = HEDDLE_INIT(options);
    options.on_done = note;
    options.user = &order[i];
    events[i] = submit(context, data[i].left, &data[i], NULL, &options);
  }
  OK(heddle_event_wait(events[4], 0));
  for (int i = 0; i < 5; ++i) {
    CHECK(heddle_event_done(events[i]) == 1);
    check_sum(data[i].left, &data[i]);
    OK(heddle_event_wait(events[i], 1));
    heddle_event_destroy(events[i]);
  }
  /* Waits for the last callback, too. */
  heddle_context_destroy(context);
  CHECK(call_count == 5);
  for (int i = 0; i < 5; ++i)
    CHECK(called[i] == i);
  heddle_program_destroy(program);
}

/* ---- Destroyed from inside ---- */

static int destroyed;

static void destroy(void *user, const heddle_status *status) {
  CHECK(!status->code);
  heddle_context_destroy(user);
  ++destroyed;
}

/* The calls behind the one whose callback destroys the context are made. */
static void test_destroyed_by_a_callback(void) {
  heddle_program *program = load(folder, "addition", NULL);
  heddle_context *context = make_context(program);
  static numbers data[4];
  static int order[4];
  heddle_event *slow, *events[4];
  /* Commands of the device are late: the calls behind wait for it. */
  setenv("HEDDLE_SIM", "memory=64,delay=100000", 1);
  heddle_program *late = load(folder, "placed", NULL);
  heddle_context *first = make_context(late);
  static numbers more;
  set(&more, 1);
  slow = submit(first, more.left, &more, NULL, NULL);
  call_count = destroyed = 0;
  for (int i = 0; i < 4; ++i) {
    order[i] = i;
    set(&data[i], (float)i);
    heddle_submit_options options = HEDDLE_INIT(options);
    options.waits = &slow;
    options.wait_count = 1;
    options.on_done = i ? note : destroy;
    options.user = i ? (void *)&order[i] : context;
    events[i] = submit(context, data[i].left, &data[i], NULL, &options);
  }
  heddle_program_destroy(program);
  for (int i = 0; i < 4; ++i) {
    OK(end(events[i]));
    check_sum(data[i].left, &data[i]);
  }
  CHECK(destroyed == 1 && call_count >= 2);
  heddle_event_destroy(slow);
  heddle_context_destroy(first);
  heddle_program_destroy(late);
  setenv("HEDDLE_SIM", "memory=64", 1);
}

/* ---- Signals ---- */

static volatile sig_atomic_t notices, faults;

static void on_notice(int number) {
  (void)number;
  ++notices;
}

static void on_fault(int number) {
  (void)number;
  ++faults;
}

static void raise_both(void *user, const heddle_status *status) {
  (void)user;
  CHECK(!status->code);
  raise(SIGUSR1);
  raise(SIGFPE);
}

/* Signals to the process are for its own threads; what the thread of submitted
   calls does itself comes to the program's handler there. */
static void test_signals(void) {
  void (*old_notice)(int) = signal(SIGUSR1, on_notice),
       (*old_fault)(int) = signal(SIGFPE, on_fault);
  heddle_program *program = load(folder, "addition", NULL);
  heddle_context *context = make_context(program);
  static numbers data;
  set(&data, 1);
  notices = faults = 0;
  heddle_submit_options options = HEDDLE_INIT(options);
  options.on_done = raise_both;
  OK(end(submit(context, data.left, &data, NULL, &options)));
  heddle_context_destroy(context); /* Waits for the callback, too. */
  CHECK(notices == 0 && faults == 1);
  heddle_program_destroy(program);
  signal(SIGUSR1, old_notice);
  signal(SIGFPE, old_fault);
}

/* ---- Order between contexts ---- */

/* What one context computes is another's input. */
static void test_events(void) {
  heddle_program *program = load(folder, "addition", NULL);
  heddle_context *contexts[] = {make_context(program), make_context(program)};
  static numbers data[9];
  heddle_event *before = NULL;
  for (int i = 0; i < 9; ++i) {
    set(&data[i], (float)i);
    heddle_submit_options options = HEDDLE_INIT(options);
    options.waits = &before;
    options.wait_count = before != NULL;
    heddle_event *event =
        submit(contexts[i % 2], i ? data[i - 1].sum : data[i].left, &data[i],
               NULL, &options);
    /* Who waits for it keeps what he needs. */
    heddle_event_destroy(before);
    before = event;
  }
  OK(end(before));
  for (int i = 0; i < 9; ++i)
    check_sum(i ? data[i - 1].sum : data[i].left, &data[i]);
  heddle_context_destroy(contexts[0]);
  heddle_context_destroy(contexts[1]);
  heddle_program_destroy(program);
}

/* ---- Failures ---- */

static void test_failures(void) {
  heddle_program *program = load(folder, "addition", NULL);
  heddle_context *contexts[] = {make_context(program), make_context(program)};
  static numbers data[4];
  for (int i = 0; i < 4; ++i)
    set(&data[i], 1);
  int32_t cancel = 1;
  heddle_call_options cancelled = HEDDLE_INIT(cancelled);
  cancelled.cancel = &cancel;
  heddle_event *first =
      submit(contexts[0], data[0].left, &data[0], &cancelled, NULL);
  heddle_submit_options options = HEDDLE_INIT(options);
  options.waits = &first;
  options.wait_count = 1;
  heddle_event *second =
      submit(contexts[1], data[1].left, &data[1], NULL, &options);
  heddle_event *both[] = {second, first};
  options.waits = both;
  options.wait_count = 2;
  heddle_event *third =
      submit(contexts[0], data[2].left, &data[2], NULL, &options);
  heddle_event *alone = submit(contexts[0], data[3].left, &data[3], NULL, NULL);
  OK(end(alone));
  check_sum(data[3].left, &data[3]);
  EXPECT(end(third), HEDDLE_CANCELLED, "cancelled");
  EXPECT(end(second), HEDDLE_CANCELLED, "cancelled");
  EXPECT(end(first), HEDDLE_CANCELLED, "cancelled");
  CHECK(untouched(&data[1]) && untouched(&data[2]));

  /* What is wrong with the arguments is told at once. */
  heddle_tensor tensor = make_tensor(data[0].left, HEDDLE_F32, 1, square);
  const heddle_tensor *list[] = {&tensor, &tensor};
  heddle_event *none = NULL;
  EXPECT(
      heddle_context_submit(contexts[0], list, 1, list, 1, NULL, NULL, &none),
      HEDDLE_INPUT_MISSING, NULL);
  EXPECT(
      heddle_context_submit(contexts[0], list, 2, list, 1, NULL, NULL, &none),
      HEDDLE_TENSOR_RANK, NULL);
  EXPECT(heddle_context_submit(contexts[0], list, 2, list, 1, NULL, NULL, NULL),
         HEDDLE_ARGUMENT_INVALID, NULL);
  options.waits = &none;
  options.wait_count = 1;
  EXPECT(heddle_context_submit(contexts[0], list, 2, list, 1, NULL, &options,
                               &none),
         HEDDLE_ARGUMENT_INVALID, "event");
  EXPECT(heddle_event_wait(NULL, 0), HEDDLE_ARGUMENT_INVALID, NULL);
  CHECK(!none && !heddle_event_done(NULL));
  /* And what only the call finds, by the event. */
  tensor = make_tensor(data[0].left, HEDDLE_F64, 2, square);
  OK(heddle_context_submit(contexts[0], list, 2, list, 1, NULL, NULL, &none));
  EXPECT(end(none), HEDDLE_TENSOR_DTYPE, "'left'");
  heddle_context_destroy(contexts[0]);
  heddle_context_destroy(contexts[1]);
  heddle_program_destroy(program);
}

/* ---- Calls that take long ---- */

/* Commands of the device are late by a tenth of a second. */
static void test_waiting(void) {
  setenv("HEDDLE_SIM", "memory=64,delay=100000", 1);
  heddle_program *slow = load(folder, "placed", NULL),
                 *program = load(folder, "addition", NULL);
  heddle_context *first = make_context(slow), *second = make_context(program);
  static numbers data[3];
  for (int i = 0; i < 3; ++i)
    set(&data[i], 1);
  heddle_event *late = submit(first, data[0].left, &data[0], NULL, NULL);
  CHECK(!heddle_event_done(late));
  EXPECT(heddle_event_wait(late, soon_ns(1000000)), HEDDLE_DEADLINE_EXCEEDED,
         "goes on");
  heddle_tensor output = make_tensor(data[0].sum, HEDDLE_F32, 2, square);
  heddle_tensor inputs[] = {make_tensor(data[0].left, HEDDLE_F32, 2, square),
                            make_tensor(data[0].right, HEDDLE_F32, 2, square)};
  EXPECT(call_entry(first, inputs, 2, &output, 1, NULL), HEDDLE_CONTEXT_BUSY,
         "submitted");

  /* Cancelled, or too late, while they wait for it. */
  int32_t cancel = 0;
  heddle_call_options options = HEDDLE_INIT(options);
  options.cancel = &cancel;
  heddle_submit_options after = HEDDLE_INIT(after);
  after.waits = &late;
  after.wait_count = 1;
  heddle_event *cancelled =
      submit(second, data[1].left, &data[1], &options, &after);
  CHECK(!heddle_event_done(cancelled));
  __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  EXPECT(end(cancelled), HEDDLE_CANCELLED, NULL);
  options.cancel = NULL;
  options.deadline_ns = soon_ns(2000000);
  EXPECT(end(submit(second, data[1].left, &data[1], &options, &after)),
         HEDDLE_DEADLINE_EXCEEDED, NULL);
  CHECK(untouched(&data[1]) && !heddle_event_done(late));

  OK(heddle_event_wait(late, 0));
  OK(call_entry(first, inputs, 2, &output, 1, NULL));
  heddle_event *unfinished = submit(first, data[2].left, &data[2], NULL, NULL);
  heddle_context_destroy(first);
  CHECK(heddle_event_done(unfinished));
  OK(end(unfinished));
  CHECK(data[2].sum[10] == data[0].sum[10] && !untouched(&data[2]));
  heddle_event_destroy(late);
  heddle_context_destroy(second);
  heddle_program_destroy(program);
  heddle_program_destroy(slow);
  setenv("HEDDLE_SIM", "memory=64", 1);
}

static void test_states(void) {
  heddle_program *program = load(folder, "placed-state", NULL);
  heddle_context *context = make_context(program);
  heddle_state *state = NULL;
  OK(heddle_state_create(program, 0, &state));
  static const int64_t row[] = {8};
  int32_t now[4][8];
  heddle_event *events[4];
  for (int i = 0; i < 4; ++i) {
    heddle_tensor output = make_tensor(now[i], HEDDLE_I32, 1, row);
    const heddle_tensor *outs[] = {&output};
    heddle_state *states[] = {state};
    heddle_call_options options = HEDDLE_INIT(options);
    options.states = states;
    options.state_count = 1;
    OK(heddle_context_submit(context, NULL, 0, outs, 1, &options, NULL,
                             &events[i]));
    states[0] = NULL;
  }
  for (int i = 3; i >= 0; --i) {
    OK(end(events[i]));
    CHECK(now[i][0] == i + 1 && now[i][7] == i + 1);
  }
  CHECK(heddle_state_length(state) == 4);
  heddle_context_destroy(context);
  heddle_state_destroy(state);
  heddle_program_destroy(program);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  folder = argv[1];
  for (int i = 0; i < 20; ++i) {
    call_count = 0;
    test_order();
    test_signals();
    test_events();
    test_failures();
  }
  test_waiting();
  test_destroyed_by_a_callback();
  test_states();
  return finish();
}
