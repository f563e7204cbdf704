/* Calls that a child process submits to a context of its parent's. Argument:
   the folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-submit-forked \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

/* The thread sanitizer does not like a child with threads, but can follow it.
 */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "die_after_fork=0"; }

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

static void await_child(pid_t child) {
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
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

  submit(context, 2);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
  return finish();
}
