/* heddle's compiler as a C interface: models in, artifacts out. To run an
   artifact, heddle/runtime.h is all that is needed.

   Every function can be called from any thread. Each symbol says since when it
   exists; within a major version they are only added to. */
#ifndef HEDDLE_COMPILER_H
#define HEDDLE_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#if defined(HEDDLE_COMPILER_BUILD)
#define HEDDLE_COMPILER_API __attribute__((visibility("default")))
#else
#define HEDDLE_COMPILER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The outcome of a function: as the exit codes of the `heddle` tool. Since 0.1.
 */
typedef enum heddle_outcome {
  HEDDLE_COMPILED = 0,
  HEDDLE_BAD_INPUT = 1,
  HEDDLE_USAGE = 2,
  HEDDLE_UNSUPPORTED = 3,
  HEDDLE_TARGET_UNAVAILABLE = 5,
  HEDDLE_RESOURCE_LIMIT = 6,
  HEDDLE_ARTIFACT_REJECTED = 7,
  HEDDLE_INTERNAL_ERROR = 70
} heddle_outcome;

/* Lists end with a NULL pointer; a NULL list is empty. Since 0.1. */
typedef struct heddle_compile_options {
  size_t size;
  const char *const *targets; /* names as in `heddle targets`; none: native */
  const char *const *shapes;  /* "input_ids=1x128" */
  const char *const *dims;    /* "batch=8" */
  const char *const *
      binds; /* "params=@params.npz": StableHLO arguments that become weights */
  const char *const
      *custom_calls; /* "my_op": custom calls to functions that are registered
                        where the artifact is loaded */
  int flush_subnormals; /* 1: programs take subnormal numbers for zeros */
} heddle_compile_options;

/* Compiles the model at model_path into an artifact at artifact_path, which is
   replaced if it exists. options may be NULL. *out_json, if out_json is not
   NULL, gets a document with the phases and what was built, or with the errors
   ("diagnostics": code, nodes, message, help); free it with heddle_string_free.
   Since 0.1. */
HEDDLE_COMPILER_API heddle_outcome
heddle_compile_file(const char *model_path, const char *artifact_path,
                    const heddle_compile_options *options, char **out_json);

/* What is in a model or artifact, as a JSON document; nothing is executed.
 * Since 0.1. */
HEDDLE_COMPILER_API heddle_outcome heddle_inspect_file(const char *path,
                                                       char **out_json);

/* "0.1.0". Since 0.1. */
HEDDLE_COMPILER_API const char *heddle_compiler_version(void);

/* NULL is fine. Since 0.1. */
HEDDLE_COMPILER_API void heddle_string_free(char *string);

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_COMPILER_H */
