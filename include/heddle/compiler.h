/* heddle's compiler as a C interface: models in, artifacts out. To run an
   artifact, heddle/runtime.h is all that is needed.

   Every function can be called from any thread. Each symbol says since when it
   exists; within a major version they are only added to.

   No exception leaves a function. Where the system refuses threads, the work is
   done on the caller's. Where memory runs out before a model is read, that is
   HEDDLE_RESOURCE_LIMIT; while it is read or compiled, the process ends, as
   LLVM, which allocates most of it, has no way back from there: who cannot
   afford that compiles in a process of its own. */
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
  HEDDLE_BUDGET_UNMET = 4, /* of heddle_compile_options.max_error */
  HEDDLE_TARGET_UNAVAILABLE = 5,
  HEDDLE_RESOURCE_LIMIT = 6,
  HEDDLE_ARTIFACT_REJECTED = 7,
  HEDDLE_INTERNAL_ERROR = 70
} heddle_outcome;

/* What compiles: it keeps what programs share, so that the next one takes less
   time. Calls on several threads at once are fine. Since 0.1. */
typedef struct heddle_compiler heddle_compiler;

/* NULL when there is no memory. Since 0.1. */
HEDDLE_COMPILER_API heddle_compiler *heddle_compiler_create(void);

/* After its last call has returned. NULL is fine. Since 0.1. */
HEDDLE_COMPILER_API void heddle_compiler_destroy(heddle_compiler *compiler);

/* Where a model is: in a file at `path`, or, if `data` is not NULL, in `bytes`
   bytes at `data`, which must stay as they are for the time of the call. Then
   `path` is a name for messages, whose extension (.onnx, .mlir) may say the
   kind; NULL: "model". A model in memory has no folder, so that it cannot name
   files with weights. Since 0.1. */
typedef struct heddle_model {
  size_t size; /* sizeof(heddle_model); what follows in a larger struct, of a
                  later version, is zero */
  const char *path;
  const void *data;
  size_t bytes;
  const char *function; /* of a StableHLO program: the function that is the
                           model; NULL: @main, or the only public one */
} heddle_model;

/* One of several entries of an artifact. Since 0.1. */
typedef struct heddle_entry {
  size_t size; /* sizeof(heddle_entry), as above */
  const char *name;
  const heddle_model *model;
} heddle_entry;

/* Called when the phase `name` ("import", "graph", "kernels x86-64-v4", ...)
   begins, on the thread that compiles. Must not call the compiler, and must not
   unwind. Since 0.1. */
typedef void (*heddle_phase_fn)(void *user_data, const char *name);

/* Lists end with a NULL pointer; a NULL list is empty. Since 0.1. */
typedef struct heddle_compile_options {
  size_t size;                /* sizeof(heddle_compile_options), as above */
  const char *const *targets; /* names as in `heddle targets`; none: native */
  const char *const *shapes;  /* "input_ids=1x128" */
  const char *const *dims;    /* "batch=8" */
  const char *const
      *binds; /* "params=@params.npz": inputs that become weights */
  const char *const
      *custom_calls; /* "my_op": custom calls to functions that are registered
                        where the artifact is loaded */
  int flush_subnormals;     /* 1: programs take subnormal numbers for zeros */
  heddle_phase_fn on_phase; /* may be NULL */
  void *on_phase_data;
  const int32_t *cancel; /* looked at between passes, weights and kernels, and
                            after the model was read: once another thread has
                            stored something other than 0, the call ends with
                            HEDDLE_RESOURCE_LIMIT and the error HDL-0606, and
                            leaves no artifact. May be NULL */
  const char *const *places; /* devices that share the work: "cpu", "sim:0";
                                none: the cpu alone */
  const char *const
      *place_rules; /* "encoder*=sim:0": nodes whose names match run there; the
                       first rule that matches decides */
  const char *place_by;      /* how the rest is spread: "parts", "first",
                                "alternate", "random:SEED"; NULL: parts, and first
                                where there are rules */
  const char *const *states; /* "past=present": what a call leaves in the output
                                the next one finds in the input; both are the
                                state "past" from then on */
  const heddle_entry *const
      *entries; /* models that share weights, kernels and states, by name; ends
                   with a NULL pointer. What other options say of an input or a
                   dimension holds for the entries that have it */
  const char *precision; /* what contractions and convolutions of f32 multiply:
                            "bf16" or "f16", sums stay f32; "w8a16" or "w4a16":
                            weights of such contractions are integers of 8 or 4
                            bits with a scale for each 32 terms of a column, all
                            else stays f32; "auto": for each a type that
                            is modelled to take less time, so that results for
                            inputs of calibration keep to max_error; NULL and
                            "f32": what the model says */
  int device_tensors; /* 1: inputs and outputs lie on the devices that alone use
                         them (heddle_tensor_info.device), not in the process's
                         memory */
  const char *mesh; /* "data=4,model=2": the model is partitioned over a mesh of
                       these axes, for as many devices; NULL: for one */
  const char *const
      *shards; /* of an ONNX model, "w1=[{}, {\"model\"}]": how a value lies
                  over the mesh, in Shardy's words, or a file of lines "w1: [{},
                  {\"model\"}]" */
  double max_error;         /* with precision "auto": the error that results may
                               have against f32 for those inputs, above 0; for
                               others it is estimated, not bounded */
  const char *calibration;  /* with precision "auto": inputs of calls, on which
                               errors are measured: a file of arrays [samples,
                               ...] or a folder of samples */
  const char *error_metric; /* "rel-l2", "max-abs", "cosine", "kl" or "top1";
                               NULL: rel-l2 */
  const char *precision_policy; /* a file of lines "PATTERN TYPE [pin]"; NULL:
                                   none */
  int force; /* 1: artifact_path is replaced whatever file it is, but for one
                that is read; 0: only if it is an artifact */
} heddle_compile_options;

/* Compiles the model into an artifact at artifact_path. An artifact that is
   there is replaced; any other file is only with `force`, else that is
   HEDDLE_USAGE and the error HDL-0103; a file that is read (the model, weights,
   calibration) never is, which is HEDDLE_USAGE, too. model is NULL where
   options have entries, and only there; options may be NULL; an argument that
   is wrong (HDL-0801) is HEDDLE_BAD_INPUT. *out_json, if out_json is not NULL,
   gets a document with the phases and what was built, or with the errors
   ("diagnostics": code, nodes, message, help), or NULL where there is no memory
   for it; free it with heddle_string_free. Nothing else is written, but for
   HEDDLE_INTERNAL_ERROR, a fault of heddle's own: then the program that the
   failing stage began with may go to a file in the folder heddle-reports-UID
   below $TMPDIR or /tmp, which a note of the diagnostics names. Since 0.1. */
HEDDLE_COMPILER_API heddle_outcome
heddle_compiler_compile(heddle_compiler *compiler, const heddle_model *model,
                        const char *artifact_path,
                        const heddle_compile_options *options, char **out_json);

/* What is in the model or artifact in the file at `path`, as a JSON document;
   nothing is executed. Since 0.1. */
HEDDLE_COMPILER_API heddle_outcome heddle_compiler_inspect(
    heddle_compiler *compiler, const char *path, char **out_json);

/* "0.1.0". Since 0.1. */
HEDDLE_COMPILER_API const char *heddle_compiler_version(void);

/* NULL is fine. Since 0.1. */
HEDDLE_COMPILER_API void heddle_string_free(char *string);

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_COMPILER_H */
