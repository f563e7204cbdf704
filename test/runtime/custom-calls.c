/* Functions that the program registers: found by name, called with what the
   model says, and what they return. Argument: the folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-custom-calls \
RUN:   %heddle_build/test/runtime/models
*/

#include "test/runtime/check.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static const float input[6] = {-2, -1, 0, 1, 2, 3};
static atomic_int rounds;

typedef struct {
  int fail_in_round; /* of "step"; 0: never */
  int quietly;       /* without a message */
  int cancel_it;     /* sets cancel in the first round */
  int32_t cancel;
  int seen;
  void *call_user;          /* as the functions see it */
  heddle_context *destroys; /* in the first round, once `ready` */
  atomic_int ready;
} Plan;

static int32_t affine(const heddle_custom_call_frame *frame) {
  CHECK(frame->size == sizeof(*frame) && !strcmp(frame->name, "affine"));
  CHECK(frame->api_version == 4 && !frame->has_side_effect);
  CHECK(frame->operand_count == 1 && frame->result_count == 1);
  CHECK(frame->node_count == 1 && !strcmp(frame->nodes[0], "first"));
  CHECK(frame->backend_config_bytes == 0 && !*frame->backend_config);
  const heddle_tensor *x = frame->operands[0], *y = frame->results[0];
  CHECK(x->dtype == HEDDLE_F32 && x->rank == 2 && x->shape[0] == 2 &&
        x->shape[1] == 3 && !x->strides && x->bytes == 24);
  CHECK(frame->attribute_count == 6);
  const heddle_attribute *bias = heddle_find_attribute(frame, "bias");
  const heddle_attribute *factor = heddle_find_attribute(frame, "factor");
  const heddle_attribute *exact = heddle_find_attribute(frame, "exact");
  const heddle_attribute *list = heddle_find_attribute(frame, "list");
  const heddle_attribute *names = heddle_find_attribute(frame, "names");
  const heddle_attribute *none = heddle_find_attribute(frame, "none");
  CHECK(!heddle_find_attribute(frame, "bia") &&
        !heddle_find_attribute(frame, "biased"));
  CHECK(bias && bias->kind == HEDDLE_ATTRIBUTE_F64 && !bias->is_array);
  CHECK(exact && exact->kind == HEDDLE_ATTRIBUTE_BOOL && exact->integers[0]);
  CHECK(list && list->is_array && list->count == 2 && list->integers[0] == -1 &&
        list->integers[1] == INT64_MAX);
  CHECK(names && names->kind == HEDDLE_ATTRIBUTE_STRING && names->count == 2 &&
        names->string_bytes[1] == 3 && !memcmp(names->strings[1], "b\0c", 4));
  CHECK(none && none->is_array && none->count == 0);
  for (int i = 0; i < 6; ++i)
    ((float *)y->data)[i] =
        (float)((double)((const float *)x->data)[i] * factor->integers[0] +
                bias->floats[0]);
  return 0;
}

static int32_t step(const heddle_custom_call_frame *frame) {
  Plan *plan = frame->user;
  CHECK(frame->api_version == 1 && frame->has_side_effect);
  CHECK(!strcmp(frame->backend_config, "by two") &&
        frame->backend_config_bytes == 6);
  CHECK(frame->operands[0]->bytes == 0 && frame->operands[0]->shape[0] == 0);
  CHECK(frame->operands[1]->data == frame->results[0]->data);
  ++rounds;
  fesetround(FE_UPWARD); /* the runtime puts it back */
  if (plan && ++plan->seen == plan->fail_in_round) {
    if (!plan->quietly)
      snprintf(frame->message, frame->message_bytes, "round %d is too much",
               plan->seen);
    return -7;
  }
  if (plan && plan->cancel_it)
    plan->cancel = 1;
  if (plan)
    plan->call_user = frame->call_user;
  if (plan && plan->destroys) {
    while (!plan->ready)
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    heddle_context_destroy(plan->destroys);
    plan->destroys = NULL;
  }
  for (int i = 0; i < 6; ++i)
    ((float *)frame->results[0]->data)[i] *= 2;
  return 0;
}

static int32_t finish_sum(const heddle_custom_call_frame *frame) {
  double sum = 0;
  CHECK(fegetround() == FE_TONEAREST);
  CHECK(frame->results[0]->rank == 0 && frame->results[1]->dtype == HEDDLE_I1);
  for (int i = 0; i < 6; ++i) {
    float value = ((const float *)frame->operands[0]->data)[i];
    sum += (double)value;
    ((uint8_t *)frame->results[1]->data)[i] = value < 0;
  }
  *(double *)frame->results[0]->data = sum;
  return 0;
}

#define CALL(name, function, user)                                             \
  {sizeof(heddle_custom_call), name, function, user}

static heddle_status load_with(const char *folder,
                               const heddle_custom_call *calls, size_t count,
                               heddle_program **program) {
  heddle_load_options options = HEDDLE_INIT(options);
  const heddle_custom_call *pointers[4];
  for (size_t i = 0; calls && i < count; ++i)
    pointers[i] = calls + i;
  options.custom_calls = calls ? pointers : NULL;
  options.custom_call_count = count;
  return heddle_program_load_file(model_path(folder, "custom"), &options,
                                  program);
}

static heddle_status call(heddle_context *context, double *sum, uint8_t *signs,
                          const heddle_call_options *options) {
  int64_t shape[] = {2, 3};
  heddle_tensor x = make_tensor((void *)(uintptr_t)input, HEDDLE_F32, 2, shape);
  heddle_tensor out[] = {make_tensor(sum, HEDDLE_F64, 0, NULL),
                         make_tensor(signs, HEDDLE_I1, 2, shape)};
  return call_entry(context, &x, 1, out, 2, options);
}

/* 8 * (3 * x + 0.5), summed. */
static const double wanted = 8 * (3 * 3 + 6 * 0.5);

static void *many_calls(void *argument) {
  heddle_program *program = argument;
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  for (int i = 0; i < 200; ++i) {
    double sum = 0;
    uint8_t signs[6];
    OK(call(context, &sum, signs, NULL));
    CHECK(sum == wanted && signs[0] && signs[1] && !signs[2]);
  }
  heddle_context_destroy(context);
  return NULL;
}

static void test_loading(const char *folder) {
  heddle_program *program = NULL;
  heddle_custom_call calls[] = {CALL("affine", affine, NULL),
                                CALL("finish", finish_sum, NULL),
                                CALL("step", step, NULL)};
  EXPECT(load_with(folder, NULL, 0, &program), HEDDLE_CUSTOM_CALL_MISSING,
         "calls 'affine', 'step' and 'finish'");
  EXPECT(load_with(folder, calls, 2, &program), HEDDLE_CUSTOM_CALL_MISSING,
         "calls 'step', which");
  EXPECT(load_with(folder, NULL, 1, &program), HEDDLE_ARGUMENT_INVALID,
         "custom_calls is a null pointer");
  calls[1].name = "affine";
  EXPECT(load_with(folder, calls, 3, &program), HEDDLE_ARGUMENT_INVALID,
         "'affine' is registered twice");
  calls[1].name = "";
  EXPECT(load_with(folder, calls, 3, &program), HEDDLE_ARGUMENT_INVALID,
         "custom_calls[1]");
  calls[1].name = "finish";
  calls[1].size = 3;
  EXPECT(load_with(folder, calls, 3, &program), HEDDLE_ARGUMENT_INVALID,
         "custom_calls[1]: a struct's size is not set");
  calls[1].size = sizeof(calls[1]);
  calls[1].function = NULL;
  EXPECT(load_with(folder, calls, 3, &program), HEDDLE_ARGUMENT_INVALID,
         "custom_calls[1]");
  CHECK(!program);
  /* A program without custom calls may be given functions. */
  heddle_load_options options = HEDDLE_INIT(options);
  const heddle_custom_call *first = calls;
  options.custom_calls = &first;
  options.custom_call_count = 1;
  heddle_program_destroy(load(folder, "addition", &options));
}

static void count_step(void *user, const heddle_step *told) {
  *(int *)user += !strcmp(told->name, "step");
}

static void test_failures(heddle_context *context, Plan *plan) {
  double sum = 0;
  uint8_t signs[6];
  *plan = (Plan){.fail_in_round = 2};
  rounds = 0;
  EXPECT(call(context, &sum, signs, NULL), HEDDLE_CUSTOM_CALL_FAILED,
         "custom call 'step' of 'round': round 2 is too much");
  CHECK(rounds == 2);
  *plan = (Plan){.fail_in_round = 1, .quietly = 1};
  EXPECT(call(context, &sum, signs, NULL), HEDDLE_CUSTOM_CALL_FAILED,
         "custom call 'step' of 'round' returned -7");

  /* Looked at after a function, too. */
  *plan = (Plan){.cancel_it = 1};
  heddle_call_options options = HEDDLE_INIT(options);
  options.cancel = &plan->cancel;
  rounds = 0;
  EXPECT(call(context, &sum, signs, &options), HEDDLE_CANCELLED, NULL);
  CHECK(rounds == 1);
  options.cancel = NULL;
  options.deadline_ns = 1;
  EXPECT(call(context, &sum, signs, &options), HEDDLE_DEADLINE_EXCEEDED, NULL);
  CHECK(rounds == 1);

  /* And the context is as good as before. */
  *plan = (Plan){0};
  int steps = 0;
  options = (heddle_call_options)HEDDLE_INIT(options);
  options.on_step = count_step;
  options.user = &steps;
  OK(call(context, &sum, signs, &options));
  CHECK(sum == wanted && steps == 3 && plan->call_user == &steps);
  OK(call(context, &sum, signs, NULL));
  CHECK(!plan->call_user);
}

/* A function destroys the context that calls it: what was submitted is done. */
static void test_destroyed_inside(heddle_context *context, Plan *plan) {
  double sums[2] = {0};
  uint8_t signs[2][6];
  int64_t shape[] = {2, 3};
  heddle_event *events[2] = {NULL};
  plan->destroys = context;
  plan->ready = 0;
  for (int i = 0; i < 2; ++i) {
    heddle_tensor x =
        make_tensor((void *)(uintptr_t)input, HEDDLE_F32, 2, shape);
    heddle_tensor out[] = {make_tensor(&sums[i], HEDDLE_F64, 0, NULL),
                           make_tensor(signs[i], HEDDLE_I1, 2, shape)};
    const heddle_tensor *in = &x, *outs[] = {&out[0], &out[1]};
    OK(heddle_context_submit(context, &in, 1, outs, 2, NULL, NULL, &events[i]));
  }
  plan->ready = 1;
  for (int i = 0; i < 2; ++i) {
    OK(heddle_event_wait(events[i], 0));
    CHECK(sums[i] == wanted);
    heddle_event_destroy(events[i]);
  }
  CHECK(!plan->destroys);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  test_loading(argv[1]);
  Plan plan = {0};
  heddle_custom_call calls[] = {
      CALL("finish", finish_sum, NULL), CALL("unused", affine, NULL),
      CALL("affine", affine, NULL), CALL("step", step, &plan)};
  heddle_program *program = NULL;
  OK(load_with(argv[1], calls, 4, &program));
  for (uint32_t threads = 1; threads <= 2; ++threads) {
    heddle_context_options options = HEDDLE_INIT(options);
    options.threads = threads;
    heddle_context *context = NULL;
    OK(heddle_context_create(program, 0, &options, &context));
    test_failures(context, &plan);
    test_destroyed_inside(context, &plan);
  }
  heddle_program_destroy(program);

  /* Several contexts at once; the list of functions may be gone. */
  calls[3].user = NULL;
  OK(load_with(argv[1], calls, 4, &program));
  memset(calls, 0, sizeof(calls));
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, many_calls, program);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  heddle_program_destroy(program);
  return finish();
}
