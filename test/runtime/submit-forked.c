/* Calls that a child process submits to a context of its parent's. Argument:
   the folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-submit-forked \
RUN:   %heddle_build/test/runtime/models
*/
#include "forks.h"

enum { points = 1000 };

/* One call of "addition", from submission to its result. */
static void submit(heddle_context *context, float seed) {
  static float left[points], right[points], sum[points];
  for (int i = 0; i < points; ++i) {
    left[i] = seed + (float)i;
    right[i] = seed;
    sum[i] = -1;
  }
  int64_t shape[] = {10, 100};
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                            make_tensor(right, HEDDLE_F32, 2, shape)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
  const heddle_tensor *ins[] = {&inputs[0], &inputs[1]}, *outs[] = {&output};
  heddle_event *event = NULL;
  OK(heddle_context_submit(context, ins, 2, outs, 1, NULL, NULL, &event));
  OK(heddle_event_wait(event, 0));
  heddle_event_destroy(event);
  int good = 1;
  for (int i = 0; i < points; ++i)
    good &= sum[i] == (left[i] + right[i]) + 0.5f * (float)i + left[i];
  CHECK(good);
}

/* Ends a child process; what its checks said is its exit code. */
static void end_child(heddle_context *context) {
  heddle_context_destroy(context);
  _exit(finish());
}

/* A step that ends when there is something to read. */
static int gate[2];
static void wait_at_gate(void *user, const heddle_step *step) {
  (void)user;
  (void)step;
  char byte;
  CHECK(read(gate[0], &byte, 1) == 1);
}

/* What a child has of calls that its parent had not done at the fork: each use
   says so, at once. */
static void test_lost_calls(heddle_program *program) {
  static float left[points], right[points], sum[points];
  int64_t shape[] = {10, 100};
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                            make_tensor(right, HEDDLE_F32, 2, shape)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
  const heddle_tensor *ins[] = {&inputs[0], &inputs[1]}, *outs[] = {&output};
  heddle_call_options options = HEDDLE_INIT(options);
  options.on_step = wait_at_gate;
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  heddle_event *lost = NULL, *event = NULL;
  CHECK(pipe(gate) == 0);
  OK(heddle_context_submit(context, ins, 2, outs, 1, &options, NULL, &lost));
  pid_t child = fork();
  if (!child) {
    alarm(20);
    const char *why = "were not done when this process was forked";
    EXPECT(heddle_context_call(context, ins, 2, outs, 1, NULL),
           HEDDLE_CONTEXT_BUSY, why);
    EXPECT(heddle_context_submit(context, ins, 2, outs, 1, NULL, NULL, &event),
           HEDDLE_CONTEXT_BUSY, why);
    CHECK(!heddle_event_done(lost));
    EXPECT(heddle_event_wait(lost, 0), HEDDLE_CONTEXT_BUSY, why);
    heddle_submit_options after = HEDDLE_INIT(after);
    after.waits = &lost;
    after.wait_count = 1;
    heddle_context *own = NULL;
    OK(heddle_context_create(program, 0, NULL, &own));
    OK(heddle_context_submit(own, ins, 2, outs, 1, NULL, &after, &event));
    EXPECT(heddle_event_wait(event, 0), HEDDLE_CONTEXT_BUSY, why);
    heddle_event_destroy(event);
    submit(own, 3);
    heddle_event_destroy(lost);
    heddle_context_destroy(own);
    end_child(context);
  }
  await_child(child);
  /* More than there are steps. */
  CHECK(write(gate[1], "................", 16) == 16);
  OK(heddle_event_wait(lost, 0));
  heddle_event_destroy(lost);
  heddle_context_destroy(context);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  heddle_program *program = load(argv[1], "addition", NULL);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  submit(context, 1);

  pid_t child = fork();
  if (!child) {
    alarm(20); /* A thread that is not there would be waited for for ever. */
    for (int i = 0; i < 3; ++i)
      submit(context, (float)i);
    end_child(context);
  }
  await_child(child);

  /* A child that submits nothing can end the context, too. */
  child = fork();
  if (!child) {
    alarm(20);
    end_child(context);
  }
  await_child(child);

  test_lost_calls(program);
  submit(context, 2);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  return finish();
}
