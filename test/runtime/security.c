/* Where code may come from: no page is ever writable and executable, a process
   that may not make memory executable can load, a place mounted noexec gives a
   typed error; names of kernels for perf. Argument: the folder of the test
   models. */
/*
RUN: %heddle_build/test/runtime/runtime-security \
RUN:   %heddle_build/test/runtime/models
*/
#include "check.h"

#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

static void run(heddle_program *program) {
  static int32_t counters[2];
  const int64_t two[] = {2};
  heddle_tensor output = make_tensor(counters, HEDDLE_I32, 1, two);
  heddle_context *context = NULL;
  OK(heddle_context_create(program, 0, NULL, &context));
  OK(call_entry(context, NULL, 0, &output, 1, NULL));
  CHECK(counters[1] == 200);
  heddle_context_destroy(context);
}

static size_t read_whole(const char *path, char *bytes, size_t room) {
  FILE *file = fopen(path, "rb");
  size_t count = file ? fread(bytes, 1, room, file) : 0;
  if (file)
    fclose(file);
  return count;
}

static char bytes[1 << 20];

static void test_maps(void) {
  size_t count = read_whole("/proc/self/maps", bytes, sizeof(bytes) - 1);
  bytes[count] = '\0';
  CHECK(strstr(bytes, "r-xp"));
  CHECK(!strstr(bytes, "rwx"));
}

static void test_perf_map(const char *folder) {
  heddle_load_options options = HEDDLE_INIT(options);
  options.flags = HEDDLE_SYMBOLS_PERF | HEDDLE_SYMBOLS_GDB;
  heddle_program *program = load(folder, "steps", &options);
  char path[64];
  snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
  size_t count = read_whole(path, bytes, sizeof(bytes) - 1);
  bytes[count] = '\0';
  CHECK(strstr(bytes, " heddle:count\n"));
  unlink(path);
  run(program);
  heddle_program_destroy(program);
}

/* A file system that is mounted noexec, if this machine has one that we may
 * write to. */
static void test_noexec(const char *folder) {
  char line[4096], place[2048], options[2048], path[4096];
  FILE *mounts = fopen("/proc/mounts", "r");
  size_t count = read_whole(model_path(folder, "steps"), bytes, sizeof(bytes));
  int tried = 0;
  while (!tried && fgets(line, sizeof(line), mounts)) {
    if (sscanf(line, "%*s %2047s %*s %2047s", place, options) != 2 ||
        !strstr(options, "noexec"))
      continue;
    snprintf(path, sizeof(path), "%s/heddle-test-%d.heddle", place,
             (int)getpid());
    FILE *copy = fopen(path, "wb");
    if (!copy)
      continue;
    tried = fwrite(bytes, 1, count, copy) == count;
    fclose(copy);
    heddle_program *program = NULL;
    if (tried)
      EXPECT(heddle_program_load_file(path, NULL, &program),
             HEDDLE_CODE_NOT_EXECUTABLE, "noexec");
    unlink(path);
  }
  fclose(mounts);
  if (!tried)
    puts("skipped: no place that is mounted noexec");
}

/* The names are the linker's. */
char *__real_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name);

/* Whether this process has more rights than who started it, as that function
   sees it. */
static int has_more_rights = 0;
char *__wrap_secure_getenv(const char *name) {
  return has_more_rights ? NULL : __real_secure_getenv(name);
}

/* Who starts such a process does not choose the library that it opens. */
static void test_variables(void) {
  setenv("HEDDLE_CUDA_LIBRARY", "/nowhere/chosen.so", 1);
  has_more_rights = 1;
  size_t count = 0;
  heddle_status status = heddle_device_count("cuda", &count);
  CHECK(!strstr(status.message, "chosen.so"));
  has_more_rights = 0;
  /* A library that is open stays. */
  if (status.code)
    EXPECT(heddle_device_count("cuda", &count), HEDDLE_DEVICE_MISSING,
           "chosen.so");
  unsetenv("HEDDLE_CUDA_LIBRARY");
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  test_variables();
  test_perf_map(argv[1]);
  test_noexec(argv[1]);
  /* Like systemd's MemoryDenyWriteExecute; from here on for good. */
  if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
    puts("skipped: this system cannot deny memory that becomes executable");
  heddle_program *file = load(argv[1], "steps", NULL), *memory = NULL;
  size_t count = read_whole(model_path(argv[1], "steps"), bytes, sizeof(bytes));
  OK(heddle_program_load_memory(bytes, count, NULL, &memory));
  run(file);
  run(memory);
  heddle_program_destroy(memory);
  test_maps();
  heddle_program_destroy(file);
  return finish();
}
