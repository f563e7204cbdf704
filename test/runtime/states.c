/* States: memory that calls change and keep, in the process and on a simulated
   device. Argument: the folder of the test models. */
/*
RUN: %heddle_build/test/runtime/runtime-states \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

enum { main_entry, peek_entry };

static heddle_program *program;
static heddle_context *contexts[2]; /* by entry */

/* The state's numbers, by the entry's output "now". */
static heddle_status call(int entry, heddle_state *state, int32_t *now,
                          void (*on_step)(void *, const heddle_step *),
                          void *user) {
  static const int64_t row[] = {8};
  heddle_tensor output = make_tensor(now, HEDDLE_I32, 1, row);
  heddle_call_options options = HEDDLE_INIT(options);
  options.states = &state;
  options.state_count = 1;
  options.on_step = on_step;
  options.user = user;
  memset(now, 0xff, 8 * sizeof(*now));
  return call_entry(contexts[entry], NULL, 0, &output, 1, &options);
}

static void check_state(heddle_state *state, int32_t value, int64_t length) {
  int32_t now[8];
  OK(call(peek_entry, state, now, NULL, NULL));
  for (int i = 0; i < 8; ++i)
    CHECK(now[i] == value);
  CHECK(heddle_state_length(state) == length);
}

static heddle_state *make_state(void) {
  heddle_state *state = NULL;
  OK(heddle_state_create(program, 0, &state));
  return state;
}

static void test_questions(const char *device) {
  CHECK(heddle_program_state_count(program) == 1);
  CHECK(heddle_program_state_count(NULL) == 0);
  heddle_state_info info = HEDDLE_INIT(info);
  OK(heddle_program_state_info(program, 0, &info));
  CHECK(!strcmp(info.name, "counters") && info.dtype == HEDDLE_I32 &&
        info.rank == 1 && info.shape[0] == 8 && info.bytes == 32 &&
        info.longest == 8 && !strcmp(info.device, device));
  EXPECT(heddle_program_state_info(program, 1, &info), HEDDLE_ARGUMENT_INVALID,
         "number");
  CHECK(heddle_program_entry_state_count(program, main_entry) == 1 &&
        heddle_program_entry_state_count(program, 2) == 0);
  size_t state = 9;
  int32_t writes = 9;
  OK(heddle_program_entry_state(program, main_entry, 0, &state, &writes));
  CHECK(state == 0 && writes == 1);
  OK(heddle_program_entry_state(program, peek_entry, 0, &state, &writes));
  CHECK(writes == 0);
  EXPECT(heddle_program_entry_state(program, peek_entry, 1, &state, &writes),
         HEDDLE_ARGUMENT_INVALID, "number");
  heddle_state *none = NULL;
  EXPECT(heddle_state_create(program, 1, &none), HEDDLE_ARGUMENT_INVALID,
         "number");
}

/* The entry's states have lengths, by which shapes may go. */
static void test_shapes(void) {
  heddle_state *state = make_state();
  int64_t shape[1] = {0};
  OK(heddle_program_output_shape(program, main_entry, NULL, 0, &state, 1, 0,
                                 shape));
  CHECK(shape[0] == 8);
  EXPECT(heddle_program_output_shape(program, main_entry, NULL, 0, NULL, 0, 0,
                                     shape),
         HEDDLE_STATE_MISSING, "uses 1 states, 0 are given");
  heddle_state *none = NULL;
  EXPECT(heddle_program_output_shape(program, main_entry, NULL, 0, &none, 1, 0,
                                     shape),
         HEDDLE_STATE_MISSING, "a null pointer");
  heddle_state_destroy(state);
}

static void test_contents(void) {
  int32_t now[8];
  heddle_state *state = make_state(), *other = make_state();
  check_state(state, 0, 0);
  for (int i = 1; i <= 3; ++i) {
    OK(call(main_entry, state, now, NULL, NULL));
    CHECK(now[0] == i && now[7] == i);
  }
  check_state(state, 3, 3);
  OK(heddle_state_copy(other, state));
  OK(heddle_state_copy(other, other));
  OK(call(main_entry, other, now, NULL, NULL));
  check_state(other, 4, 4);
  check_state(state, 3, 3);

  const int32_t written[] = {100, 200};
  int32_t read[3] = {0};
  OK(heddle_state_write(state, 4, 8, written));
  OK(heddle_state_read(state, 0, 12, read));
  CHECK(read[0] == 3 && read[1] == 100 && read[2] == 200);
  OK(heddle_state_read(state, 32, 0, NULL));
  EXPECT(heddle_state_read(state, 28, 8, read), HEDDLE_ARGUMENT_INVALID,
         "'counters', which has 32");
  EXPECT(heddle_state_write(state, SIZE_MAX, 8, read), HEDDLE_ARGUMENT_INVALID,
         NULL);
  OK(heddle_state_reset(state));
  check_state(state, 0, 0);
  heddle_state_destroy(state);
  heddle_state_destroy(other);
  heddle_state_destroy(NULL);
}

static void test_lengths(void) {
  int32_t now[8];
  heddle_state *state = make_state();
  EXPECT(heddle_state_set_length(state, 9), HEDDLE_STATE_LENGTH,
         "at most the length 8");
  EXPECT(heddle_state_set_length(state, -1), HEDDLE_STATE_LENGTH, NULL);
  OK(heddle_state_set_length(state, 7));
  OK(call(main_entry, state, now, NULL, NULL));
  check_state(state, 1, 8);
  EXPECT(call(main_entry, state, now, NULL, NULL), HEDDLE_STATE_LENGTH,
         "would have the length 9");
  check_state(state, 1, 8);
  heddle_state_destroy(state);
}

/* A call has the state while it runs. */
static void try_others(void *user, const heddle_step *step) {
  heddle_state *state = user, *other = NULL;
  int writes = !strcmp(step->name, "count");
  int32_t number = 0;
  int code = writes ? HEDDLE_STATE_BUSY : HEDDLE_OK;
  EXPECT(heddle_state_read(state, 0, 4, &number), code, NULL);
  OK(heddle_state_create(program, 0, &other));
  EXPECT(heddle_state_copy(other, state), code, NULL);
  heddle_state_destroy(other);
  EXPECT(heddle_state_write(state, 0, 4, &number), HEDDLE_STATE_BUSY,
         "'counters' is in use");
  EXPECT(heddle_state_reset(state), HEDDLE_STATE_BUSY, NULL);
  EXPECT(heddle_state_set_length(state, 0), HEDDLE_STATE_BUSY, NULL);
  int32_t now[8];
  heddle_context *context = contexts[peek_entry];
  OK(heddle_context_create(program, peek_entry, NULL, &contexts[peek_entry]));
  EXPECT(call(peek_entry, state, now, NULL, NULL), code, NULL);
  heddle_context_destroy(contexts[peek_entry]);
  contexts[peek_entry] = context;
}

static void try_writer(void *user, const heddle_step *step) {
  int32_t now[8];
  (void)step;
  EXPECT(call(main_entry, user, now, NULL, NULL), HEDDLE_STATE_BUSY,
         "in use by another call");
}

static void stop_at_count(void *user, const heddle_step *step) {
  if (!strcmp(step->name, "count"))
    try_others(user, step);
}

static void test_sharing(void) {
  int32_t now[8];
  heddle_state *state = make_state();
  OK(call(main_entry, state, now, stop_at_count, state));
  OK(call(peek_entry, state, now, try_others, state));
  OK(call(peek_entry, state, now, try_writer, state));
  check_state(state, 1, 1);
  heddle_state_destroy(state);
}

static void test_wrong(const char *folder, const char *name) {
  int32_t now[8];
  heddle_tensor output = make_tensor(now, HEDDLE_I32, 1, (int64_t[]){8});
  EXPECT(call_entry(contexts[0], NULL, 0, &output, 1, NULL),
         HEDDLE_STATE_MISSING, "uses 1 states, 0 are given");
  EXPECT(call(main_entry, NULL, now, NULL, NULL), HEDDLE_STATE_MISSING,
         "'counters' of entry 'main' is a null pointer");
  heddle_program *other = load(folder, name, NULL);
  heddle_state *state = NULL, *own = make_state();
  OK(heddle_state_create(other, 0, &state));
  EXPECT(call(main_entry, state, now, NULL, NULL), HEDDLE_STATE_MISSING,
         "another program");
  EXPECT(heddle_state_copy(own, state), HEDDLE_STATE_MISSING,
         "another program");
  /* It keeps its program. */
  heddle_program_destroy(other);
  OK(heddle_state_reset(state));
  heddle_state_destroy(state);
  heddle_state_destroy(own);
}

/* A device that fails leaves the length as it was, and the state usable. */
static void test_failures(const char *folder) {
  int failed = 1, number = 0;
  while (failed) {
    char text[64];
    snprintf(text, sizeof(text), "memory=64,fail=%d,delay=1", ++number);
    setenv("HEDDLE_SIM", text, 1);
    failed = 0;
    program = load(folder, "placed-state", NULL);
    heddle_state *state = NULL;
    heddle_status status = {1, ""};
    for (int entry = 0; entry < 2; ++entry) {
      status =
          heddle_context_create(program, (size_t)entry, NULL, &contexts[entry]);
      if (status.code) {
        failed = 1;
        OK(heddle_context_create(program, (size_t)entry, NULL,
                                 &contexts[entry]));
      }
    }
    status = heddle_state_create(program, 0, &state);
    if (status.code) {
      EXPECT(status, HEDDLE_DEVICE_FAILED, "HEDDLE_SIM");
      failed = 1;
      OK(heddle_state_create(program, 0, &state));
    }
    int32_t now[8];
    status = call(main_entry, state, now, NULL, NULL);
    if (status.code) {
      EXPECT(status, HEDDLE_DEVICE_FAILED, "HEDDLE_SIM");
      CHECK(heddle_state_length(state) == 0);
      failed = 1;
      OK(heddle_state_reset(state));
      OK(call(main_entry, state, now, NULL, NULL));
    }
    status = call(peek_entry, state, now, NULL, NULL);
    if (status.code) {
      EXPECT(status, HEDDLE_DEVICE_FAILED, "HEDDLE_SIM");
      failed = 1;
      OK(call(peek_entry, state, now, NULL, NULL));
    }
    CHECK(now[0] == 1 && now[7] == 1 && heddle_state_length(state) == 1);
    heddle_state_destroy(state);
    heddle_context_destroy(contexts[0]);
    heddle_context_destroy(contexts[1]);
    heddle_program_destroy(program);
  }
  CHECK(number > 8);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  for (int placed = 0; placed < 2; ++placed) {
    const char *name = placed ? "placed-state" : "state";
    setenv("HEDDLE_SIM", "memory=64,delay=5", 1);
    program = load(argv[1], name, NULL);
    for (size_t i = 0; i < 2; ++i)
      OK(heddle_context_create(program, i, NULL, &contexts[i]));
    test_questions(placed ? "sim:0" : "cpu");
    test_shapes();
    test_contents();
    test_lengths();
    test_sharing();
    test_wrong(argv[1], name);
    heddle_context_destroy(contexts[0]);
    heddle_context_destroy(contexts[1]);
    heddle_program_destroy(program);
  }
  test_failures(argv[1]);
  return finish();
}
