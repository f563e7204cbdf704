/* heddle runtime: loads an artifact and runs it. C11; needs nothing but libc and threads.

   Every function can be called from any thread unless it says otherwise. */
#ifndef HEDDLE_RUNTIME_H
#define HEDDLE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong: stable numbers, shown to users as HDL-0704. Never reused.
   07xx: the artifact. 08xx: the call. */
typedef enum heddle_code {
  HEDDLE_OK = 0,

  HEDDLE_FILE_UNREADABLE = 701,      /* the file cannot be opened, read or mapped */
  HEDDLE_FILE_UNWRITABLE = 702,      /* the artifact cannot be written */
  HEDDLE_NOT_AN_ARTIFACT = 703,      /* the file does not start like an artifact */
  HEDDLE_VERSION_UNSUPPORTED = 704,  /* made by a newer (or much older) heddle */
  HEDDLE_FEATURE_UNSUPPORTED = 705,  /* needs a feature this runtime does not have */
  HEDDLE_ARTIFACT_TRUNCATED = 706,   /* shorter or longer than its header says */
  HEDDLE_ARTIFACT_DAMAGED = 707,     /* bytes do not match their hash */
  HEDDLE_MANIFEST_INVALID = 708,     /* the manifest contradicts itself */
  HEDDLE_PLAN_INVALID = 709,         /* the plan breaks a rule of the plan verifier */
  HEDDLE_CODE_INVALID = 710,         /* the kernel image is not what the loader takes */
  HEDDLE_WEIGHT_DAMAGED = 711,       /* a weight does not match its hash */
  HEDDLE_TARGET_MISMATCH = 712,      /* no variant in the artifact runs on this machine */
  HEDDLE_VARIANT_UNKNOWN = 713,      /* the variant asked for is not in the artifact */
  HEDDLE_CODE_NOT_EXECUTABLE = 714,  /* the system does not let code be mapped from there */

  HEDDLE_ARGUMENT_INVALID = 801,     /* a null pointer, an unknown option, a wrong struct size */
  HEDDLE_ENTRY_UNKNOWN = 802,        /* no entry of that name or number */
  HEDDLE_INPUT_MISSING = 803,
  HEDDLE_INPUT_EXTRA = 804,
  HEDDLE_TENSOR_DTYPE = 805,         /* a tensor has the wrong element type */
  HEDDLE_TENSOR_RANK = 806,
  HEDDLE_TENSOR_SHAPE = 807,
  HEDDLE_TENSOR_UNALIGNED = 808,
  HEDDLE_TENSOR_LAYOUT = 809,        /* a tensor is not contiguous in row-major order */
  HEDDLE_OUTPUT_MISSING = 810,
  HEDDLE_OUTPUT_EXTRA = 811,
  HEDDLE_OUTPUT_TOO_SMALL = 812,
  HEDDLE_TENSOR_OVERLAP = 813,       /* an output shares memory with another tensor of the call */
  HEDDLE_TENSOR_DEVICE = 814,        /* a tensor lives on a device that this program does not use */
  HEDDLE_DEADLINE_EXCEEDED = 815,
  HEDDLE_CANCELLED = 816,
  HEDDLE_CONTEXT_BUSY = 817,         /* one context, two calls at once */
  HEDDLE_OUT_OF_MEMORY = 818,
  HEDDLE_ARENA_TOO_SMALL = 819,      /* the memory brought along is too small or not aligned */
  HEDDLE_THREADS_UNAVAILABLE = 820   /* no thread could be started */
} heddle_code;

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_RUNTIME_H */
