/* What the runtime's C tests have in common. */
#ifndef HEDDLE_TEST_RUNTIME_CHECK_H
#define HEDDLE_TEST_RUNTIME_CHECK_H

#include "heddle/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

/* The call must end with this code; a message, if not NULL, must hold `part`.
 */
static inline void expect(heddle_status status, int code, const char *part,
                          int line) {
  if (status.code != code || (part && !strstr(status.message, part))) {
    fprintf(stderr, "line %d: got %s '%s', wanted %s '%s'\n", line,
            heddle_code_name(status.code), status.message,
            heddle_code_name(code), part ? part : "");
    ++failures;
  }
}
#define EXPECT(call, code, part) expect(call, code, part, __LINE__)
#define OK(call) expect(call, HEDDLE_OK, NULL, __LINE__)

static inline heddle_tensor make_tensor(void *data, heddle_dtype dtype,
                                        int32_t rank, const int64_t *shape) {
  heddle_tensor tensor = {data, dtype, rank, shape, NULL, 0};
  return tensor;
}

/* FOLDER/NAME.heddle, in a buffer that the next call overwrites. */
static inline const char *model_path(const char *folder, const char *name) {
  static char path[4096];
  snprintf(path, sizeof(path), "%s/%s.heddle", folder, name);
  return path;
}

static inline heddle_program *load(const char *folder, const char *name,
                                   const heddle_load_options *options) {
  heddle_program *program = NULL;
  heddle_status status =
      heddle_program_load_file(model_path(folder, name), options, &program);
  if (status.code) {
    fprintf(stderr, "cannot load %s: %s\n", name, status.message);
    exit(1);
  }
  return program;
}

static inline int finish(void) {
  if (!failures)
    puts("all checks passed");
  return failures ? 1 : 0;
}

#endif
