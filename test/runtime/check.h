/* What the runtime's C tests have in common. */
#ifndef HEDDLE_TEST_RUNTIME_CHECK_H
#define HEDDLE_TEST_RUNTIME_CHECK_H

#include "heddle/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
inline int failures = 0; /* of all files of a test */
#else
static int failures = 0;
#endif

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
  heddle_tensor tensor;
  memset(&tensor, 0, sizeof(tensor));
  tensor.size = sizeof(tensor);
  tensor.data = data;
  tensor.dtype = dtype;
  tensor.rank = rank;
  tensor.shape = shape;
  return tensor;
}

/* DLPack's DLTensor. */
typedef struct dl_tensor {
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} dl_tensor;

enum { most_tensors = 8 };

/* The interface takes pointers; tests have arrays. */
static inline heddle_status
call_entry(heddle_context *context, const heddle_tensor *inputs,
           size_t input_count, const heddle_tensor *outputs,
           size_t output_count, const heddle_call_options *options) {
  const heddle_tensor *ins[most_tensors], *outs[most_tensors];
  for (size_t i = 0; inputs && i < input_count; ++i)
    ins[i] = inputs + i;
  for (size_t i = 0; outputs && i < output_count; ++i)
    outs[i] = outputs + i;
  return heddle_context_call(context, inputs ? ins : NULL, input_count,
                             outputs ? outs : NULL, output_count, options);
}

static inline heddle_status output_shape(const heddle_program *program,
                                         size_t entry,
                                         const heddle_tensor *inputs,
                                         size_t input_count, size_t index,
                                         int64_t *out_shape) {
  const heddle_tensor *ins[most_tensors];
  for (size_t i = 0; inputs && i < input_count; ++i)
    ins[i] = inputs + i;
  return heddle_program_output_shape(program, entry, inputs ? ins : NULL,
                                     input_count, NULL, 0, index, out_shape);
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
