/* heddle runtime: loads an artifact and runs it. C11; needs nothing but libc
   and threads.

     heddle_program *program;
     heddle_context *context;
     heddle_status status;
     status = heddle_program_load_file("model.heddle", NULL, &program);
     if (!status.code)
       status = heddle_context_create(program, 0, NULL, &context);
     if (!status.code)
       status = heddle_context_call(context, inputs, 1, outputs, 1, NULL);
     if (status.code)
       fprintf(stderr, "HDL-%04d: %s\n", (int)status.code, status.message);

   An artifact is native code: load only what you trust. Hashes find damage, not
   malice.

   Rules. Functions can be called from any thread, one object by one thread at a
   time unless it says otherwise; a program can be used by all threads at once.
   A failed function leaves its out_... arguments alone. Structs that start with
   `size` are set up by HEDDLE_INIT or by writing sizeof(struct) there and zero
   elsewhere: later versions add fields at the end, zero means the default.
   "Since" says which version of the interface brought a symbol. */
#ifndef HEDDLE_RUNTIME_H
#define HEDDLE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* Version of this interface; heddle_runtime_version() is that of the library.
   Within a major version (0 counts as one per minor) only additions. Since 0.1.
 */
#define HEDDLE_RUNTIME_VERSION_MAJOR 0
/* Since 0.1. */
#define HEDDLE_RUNTIME_VERSION_MINOR 1
/* As one number. Since 0.1. */
#define HEDDLE_RUNTIME_VERSION                                                 \
  (HEDDLE_RUNTIME_VERSION_MAJOR * 1000 + HEDDLE_RUNTIME_VERSION_MINOR)

#if defined(__GNUC__)
#define HEDDLE_API __attribute__((visibility("default")))
#else
#define HEDDLE_API
#endif

/* heddle_load_options options = HEDDLE_INIT(options); Since 0.1. */
#ifdef __cplusplus
#define HEDDLE_INIT(object) {sizeof(object)}
#else
#define HEDDLE_INIT(object) {.size = sizeof(object)}
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong: stable numbers, shown to users as HDL-0704. Never reused.
   07xx: the artifact. 08xx: the call. Since 0.1. */
typedef enum heddle_code {
  HEDDLE_OK = 0,

  /* The file cannot be opened, read or mapped. */
  HEDDLE_FILE_UNREADABLE = 701,
  /* The artifact cannot be written. */
  HEDDLE_FILE_UNWRITABLE = 702,
  /* The file does not start like an artifact. */
  HEDDLE_NOT_AN_ARTIFACT = 703,
  /* Made by a newer (or much older) heddle. */
  HEDDLE_VERSION_UNSUPPORTED = 704,
  /* Needs a feature this runtime does not have. */
  HEDDLE_FEATURE_UNSUPPORTED = 705,
  /* Shorter or longer than its header says. */
  HEDDLE_ARTIFACT_TRUNCATED = 706,
  /* Bytes do not match their hash. */
  HEDDLE_ARTIFACT_DAMAGED = 707,
  /* The manifest contradicts itself. */
  HEDDLE_MANIFEST_INVALID = 708,
  /* The plan breaks a rule of the plan verifier. */
  HEDDLE_PLAN_INVALID = 709,
  /* The kernel image is not what the loader takes. */
  HEDDLE_CODE_INVALID = 710,
  /* A weight does not match its hash. */
  HEDDLE_WEIGHT_DAMAGED = 711,
  /* No variant in the artifact runs on this machine. */
  HEDDLE_TARGET_MISMATCH = 712,
  /* The variant asked for is not in the artifact. */
  HEDDLE_VARIANT_UNKNOWN = 713,
  /* The system does not let code be mapped from there. */
  HEDDLE_CODE_NOT_EXECUTABLE = 714,
  /* The artifact calls a function that was not registered. */
  HEDDLE_CUSTOM_CALL_MISSING = 715,
  /* The program runs on a device that is not there. */
  HEDDLE_DEVICE_MISSING = 716,

  /* A null pointer, an unknown option, a wrong struct size. */
  HEDDLE_ARGUMENT_INVALID = 801,
  /* No entry of that name or number. */
  HEDDLE_ENTRY_UNKNOWN = 802,
  HEDDLE_INPUT_MISSING = 803,
  HEDDLE_INPUT_EXTRA = 804,
  /* A tensor has the wrong element type. */
  HEDDLE_TENSOR_DTYPE = 805,
  HEDDLE_TENSOR_RANK = 806,
  HEDDLE_TENSOR_SHAPE = 807,
  HEDDLE_TENSOR_UNALIGNED = 808,
  /* A tensor is not contiguous in row-major order. */
  HEDDLE_TENSOR_LAYOUT = 809,
  HEDDLE_OUTPUT_MISSING = 810,
  HEDDLE_OUTPUT_EXTRA = 811,
  HEDDLE_OUTPUT_TOO_SMALL = 812,
  /* An output shares memory with another tensor of the call. */
  HEDDLE_TENSOR_OVERLAP = 813,
  /* A tensor lives on another device than the program wants it on. */
  HEDDLE_TENSOR_DEVICE = 814,
  HEDDLE_DEADLINE_EXCEEDED = 815,
  HEDDLE_CANCELLED = 816,
  /* One context, two calls at once. */
  HEDDLE_CONTEXT_BUSY = 817,
  HEDDLE_OUT_OF_MEMORY = 818,
  /* The memory brought along is too small or not aligned. */
  HEDDLE_ARENA_TOO_SMALL = 819,
  /* No thread could be started. */
  HEDDLE_THREADS_UNAVAILABLE = 820,
  /* A registered function returned an error: the message is its own. */
  HEDDLE_CUSTOM_CALL_FAILED = 821,
  /* A device did not do what it was told: the message is its driver's. */
  HEDDLE_DEVICE_FAILED = 822,
  /* A call lacks a state that its entry uses, or was given another one. */
  HEDDLE_STATE_MISSING = 823,
  /* A state is in another call, and one of both writes it. */
  HEDDLE_STATE_BUSY = 824,
  /* A state would grow longer than it can be. */
  HEDDLE_STATE_LENGTH = 825,
  /* A device has not the memory that is wanted: the message names it. */
  HEDDLE_DEVICE_MEMORY = 826,
  /* A rank cannot go on, because another one failed or does not come. */
  HEDDLE_RANK_FAILED = 827,
  /* The program is run by several ranks together, not by a context alone. */
  HEDDLE_RANKS_NEEDED = 828,
  /* A library of the system that is asked for is not there, or lacks
     something. */
  HEDDLE_LIBRARY_MISSING = 829,
  /* The errors of a program's precision are not known in the way asked for. */
  HEDDLE_PRECISION_TIER = 830
} heddle_code;

/* The outcome of a function: code HEDDLE_OK, or a code and a sentence that ends
   with '\0'. A plain value: nothing to free. Since 0.1. */
typedef struct heddle_status {
  int32_t code; /* heddle_code */
  char message[508];
} heddle_status;

/* Element types; the numbers are those of the artifact. Since 0.1. */
typedef enum heddle_dtype {
  HEDDLE_I1 = 1, /* one byte each: 0 or 1 */
  HEDDLE_I2 = 2,
  HEDDLE_I4 = 3,
  HEDDLE_I8 = 4,
  HEDDLE_I16 = 5,
  HEDDLE_I32 = 6,
  HEDDLE_I64 = 7,
  HEDDLE_UI2 = 8,
  HEDDLE_UI4 = 9,
  HEDDLE_UI8 = 10,
  HEDDLE_UI16 = 11,
  HEDDLE_UI32 = 12,
  HEDDLE_UI64 = 13,
  HEDDLE_F4E2M1FN = 16,
  HEDDLE_F6E2M3FN = 17,
  HEDDLE_F6E3M2FN = 18,
  HEDDLE_F8E3M4 = 19,
  HEDDLE_F8E4M3 = 20,
  HEDDLE_F8E4M3FN = 21,
  HEDDLE_F8E4M3B11FNUZ = 22,
  HEDDLE_F8E4M3FNUZ = 23,
  HEDDLE_F8E5M2 = 24,
  HEDDLE_F8E5M2FNUZ = 25,
  HEDDLE_F8E8M0FNU = 26,
  HEDDLE_F16 = 32,
  HEDDLE_BF16 = 33,
  HEDDLE_F32 = 34,
  HEDDLE_F64 = 35,
  HEDDLE_C64 = 48,
  HEDDLE_C128 = 49
} heddle_dtype;

/* A loaded artifact. Since 0.1. */
typedef struct heddle_program heddle_program;
/* The memory of one caller of one entry. Since 0.1. */
typedef struct heddle_context heddle_context;
/* Threads. Since 0.1. */
typedef struct heddle_pool heddle_pool;
/* An open device. Since 0.1. */
typedef struct heddle_device heddle_device;
/* Memory that calls change and keep. Since 0.1. */
typedef struct heddle_state heddle_state;

/* ---- The library ---- */

/* HEDDLE_RUNTIME_VERSION of the library. Since 0.1. */
HEDDLE_API uint32_t heddle_runtime_version(void);
/* The name of a code, e.g. "HEDDLE_TENSOR_SHAPE"; "?" for a number that is
 * none. Since 0.1. */
HEDDLE_API const char *heddle_code_name(int32_t code);
/* The name of a type, e.g. "f32"; "?" for a number that is none. Since 0.1. */
HEDDLE_API const char *heddle_dtype_name(heddle_dtype dtype);
/* Bytes of an element; 0 for a number that is none. Since 0.1. */
HEDDLE_API size_t heddle_dtype_bytes(heddle_dtype dtype);
/* Whether this processor and system have a feature, by its name in Linux's
   /proc/cpuinfo: 1 or 0. To ask for matrix registers (amx_tile, amx_int8,
   amx_bf16), as loading a program that uses them does, asks Linux to keep them
   for the process, which from then on wants alternate signal stacks with room
   for them. Since 0.1. */
HEDDLE_API int heddle_cpu_has(const char *feature);

/* ---- Devices ---- */

/* The kinds of devices that this library has a driver for, numbered from 0:
   "cpu", "cuda", "sim"; NULL for a number that is none. Since 0.1. */
HEDDLE_API const char *heddle_device_kind(size_t number);
/* How many devices of a kind there are here, numbered from 0. Where there are
   none and a reason is known, it is HEDDLE_DEVICE_MISSING with that. Since
   0.1. */
HEDDLE_API heddle_status heddle_device_count(const char *kind,
                                             size_t *out_count);
/* By name: "cpu", "sim:1"; "sim" is "sim:0". HEDDLE_DEVICE_MISSING when it is
   not there. A device is used by any number of threads. Since 0.1. */
HEDDLE_API heddle_status heddle_device_open(const char *name,
                                            heddle_device **out_device);
/* The device whose memory DLPack names so, by a DLDeviceType and a number: the
   process's (kDLCPU, kDLCUDAHost, kDLROCMHost) is "cpu", kDLCUDA and
   kDLCUDAManaged are "cuda", kDLExtDev is "sim". HEDDLE_DEVICE_MISSING for any
   other, and where it is not there. Since 0.1. */
HEDDLE_API heddle_status heddle_device_open_dlpack(int32_t type, int32_t number,
                                                   heddle_device **out_device);
/* All memory that it gave has been freed. NULL is fine. Since 0.1. */
HEDDLE_API void heddle_device_close(heddle_device *device);

/* Since 0.1. */
typedef struct heddle_device_info {
  size_t size;
  const char *name;      /* lives as long as the device is open */
  uint64_t memory_bytes; /* of its own memory; 0: the driver knows no bound */
  uint32_t is_host;      /* 1: its memory is the process's */
  uint32_t can_import;   /* 1: heddle_device_import works */
  uint32_t can_map;      /* 1: heddle_device_map works */
} heddle_device_info;
/* Since 0.1. */
HEDDLE_API heddle_status heddle_device_describe(const heddle_device *device,
                                                heddle_device_info *out_info);

/* Memory of the device, at a multiple of 64; nobody but the device may follow
   the address unless is_host. Its contents are undefined. Since 0.1. */
HEDDLE_API heddle_status heddle_device_allocate(heddle_device *device,
                                                size_t bytes,
                                                void **out_memory);
/* What heddle_device_allocate gave. No call uses it any more. NULL is fine.
   Since 0.1. */
HEDDLE_API void heddle_device_free(heddle_device *device, void *memory);
/* An address by which the device uses `bytes` of the process's memory in place,
   for tensors that name the device. HEDDLE_ARGUMENT_INVALID where it cannot
   (can_import): such memory is copied. The memory stays until
   heddle_device_unimport. Since 0.1. */
HEDDLE_API heddle_status heddle_device_import(heddle_device *device,
                                              void *memory, size_t bytes,
                                              void **out_memory);
/* What heddle_device_import gave. No call uses it any more. NULL is fine.
   Since 0.1. */
HEDDLE_API void heddle_device_unimport(heddle_device *device, void *memory);
/* An address by which the host reads and writes `bytes` of the device's memory
   in place, while no call uses them. HEDDLE_ARGUMENT_INVALID where it cannot
   (can_map): such memory is copied. Since 0.1. */
HEDDLE_API heddle_status heddle_device_map(heddle_device *device, void *memory,
                                           size_t bytes, void **out_memory);
/* What heddle_device_map gave. NULL is fine. Since 0.1. */
HEDDLE_API void heddle_device_unmap(heddle_device *device, void *memory);
/* Holds `bytes` of the process's memory in place until heddle_device_unpin, so
   that copies between it and the device are as fast as they can be. On a device
   to which that makes no difference nothing is done. Since 0.1. */
HEDDLE_API heddle_status heddle_device_pin(heddle_device *device, void *memory,
                                           size_t bytes);
/* What heddle_device_pin was given. NULL is fine. Since 0.1. */
HEDDLE_API void heddle_device_unpin(heddle_device *device, void *memory);
/* What DLPack calls its memory: a DLDeviceType, and which one. Since 0.1. */
HEDDLE_API heddle_status heddle_device_dlpack(const heddle_device *device,
                                              int32_t *out_type,
                                              int32_t *out_number);
/* Returns when the device has done all that it was given before, also by other
   libraries of the process. Calls do not wait for these: it is for tensors that
   such a library is still writing or reading. Since 0.1. */
HEDDLE_API heddle_status heddle_device_wait(heddle_device *device);
/* Copies, and returns when that is done. Each side is memory of a device, or of
   the process where the device is NULL. Since 0.1. */
HEDDLE_API heddle_status heddle_device_copy(heddle_device *target_device,
                                            void *target,
                                            heddle_device *source_device,
                                            const void *source, size_t bytes);

/* ---- Tensors ---- */

/* Since 0.1. */
typedef struct heddle_tensor heddle_tensor;

/* Gives memory to an output: at least `bytes` of `wanted`, whose type, rank and
   shape are those the output will have, at a multiple of `alignment`. NULL ends
   the call with HEDDLE_OUT_OF_MEMORY. It is called on the calling thread before
   anything is computed; the memory stays the caller's, also when the call
   fails. It must not unwind. Since 0.1. */
typedef void *(*heddle_allocate)(void *user, size_t output,
                                 const heddle_tensor *wanted, size_t alignment);

/* Memory of a tensor. Functions take arrays of pointers to them, so that later
   versions may add fields. Since 0.1. */
struct heddle_tensor {
  size_t size;
  void *data;
  heddle_dtype dtype;
  int32_t rank;
  const int64_t *shape;
  const int64_t *strides; /* in elements; NULL: row-major */
  size_t bytes;           /* at data; 0: as many as the shape takes */

  /* Of outputs, when the caller leaves it to the call how large they are: */
  int64_t *out_shape; /* gets `rank` extents when the call has gone well; shape
                         and strides are not looked at, and bytes says how much
                         memory there is */
  heddle_allocate allocate; /* gives the memory if data is NULL; wants
                               out_shape */
  void *user;               /* handed to allocate */

  heddle_device *device; /* whose memory data is; NULL: the process's */
};

/* ---- Custom calls ---- */

/* What the values of an attribute are. Since 0.1. */
typedef enum heddle_attribute_kind {
  HEDDLE_ATTRIBUTE_BOOL = 1,  /* in integers: 0 or 1 */
  HEDDLE_ATTRIBUTE_I64 = 2,   /* in integers; of every width of the model */
  HEDDLE_ATTRIBUTE_F64 = 3,   /* in floats; of every width of the model */
  HEDDLE_ATTRIBUTE_STRING = 4 /* in strings and string_bytes */
} heddle_attribute_kind;

/* A fact that the model gives to a custom call. Since 0.1. */
typedef struct heddle_attribute {
  size_t size;
  const char *name;
  heddle_attribute_kind kind;
  int32_t is_array;
  size_t count; /* values; 1 if it is no array */
  const int64_t *integers;
  const double *floats;
  const char *const *strings; /* each ends with '\0', which is not counted */
  const size_t *string_bytes;
} heddle_attribute;

/* One call of a registered function. It reads the operands, writes all of the
   results, and returns. Tensors are row-major and aligned for their elements;
   complex numbers are their two parts in turn; a tensor without elements may
   have no memory. A result that the model aliases with an operand
   (output_operand_aliases) has its memory, which holds the operand's value. All
   pointers are the runtime's and last until the function returns. Since 0.1. */
typedef struct heddle_custom_call_frame {
  size_t size;
  const char *name;    /* the target, as registered */
  void *user;          /* as registered */
  int32_t api_version; /* that the model says: 1 to 4 are original, status
                          returning, unified, typed FFI. The call is the same
                          for all */
  int32_t has_side_effect;
  const heddle_tensor *const *operands; /* to be read only */
  size_t operand_count;
  const heddle_tensor *const *results;
  size_t result_count;
  const heddle_attribute *const *attributes; /* by rising name: the model's
                                                backend_config, if it is a
                                                dictionary */
  size_t attribute_count;
  const char *backend_config; /* if it is a string; ends with '\0' */
  size_t backend_config_bytes;
  const char *const *nodes; /* the model's nodes that the call computes */
  size_t node_count;
  char *message; /* for the function: why it failed, ended with '\0' */
  size_t message_bytes;
  void *call_user; /* user of the call's heddle_call_options */
} heddle_custom_call_frame;

/* A function for custom calls: 0, or anything else if it failed, which ends the
   program's call with HEDDLE_CUSTOM_CALL_FAILED and the message, as does an
   exception of C++ that it throws. It is called on any of the threads that work
   on the call, by several at once if several contexts are called. It may
   change the rounding mode: that is put back. Deadline and cancel flag are
   looked at before and after it. No other function that the runtime calls may
   unwind. Since 0.1. */
typedef int32_t (*heddle_custom_call_function)(
    const heddle_custom_call_frame *frame);

/* A function that an artifact may call, by the name of the custom call's
   target. Since 0.1. */
typedef struct heddle_custom_call {
  size_t size;
  const char *name;
  heddle_custom_call_function function;
  void *user; /* handed to each call */
} heddle_custom_call;

/* The attribute of that name, NULL if there is none. Part of this header, so
   that a library of functions need not link the runtime. Since 0.1. */
static inline const heddle_attribute *
heddle_find_attribute(const heddle_custom_call_frame *frame, const char *name) {
  for (size_t i = 0; i < frame->attribute_count; ++i) {
    const char *a = frame->attributes[i]->name, *b = name;
    while (*a && *a == *b) {
      ++a;
      ++b;
    }
    if (*a == *b)
      return frame->attributes[i];
  }
  return NULL;
}

/* ---- Programs ---- */

/* Flags of heddle_load_options. Since 0.1. */
enum {
  HEDDLE_VERIFY_WEIGHTS =
      1u << 0, /* also check the hashes of the weights: reads them all */
  HEDDLE_WEIGHTS_HUGE = 1u << 1, /* copy the weights to huge pages: faster when
                                    memory-bound, not shared */
  HEDDLE_WEIGHTS_PREFAULT =
      1u << 2, /* map all pages of the weights now, also those still on disk;
                  by default those that are in memory */
  HEDDLE_SYMBOLS_PERF = 1u << 3, /* write kernel names to /tmp/perf-<pid>.map */
  HEDDLE_SYMBOLS_GDB = 1u << 4,  /* register kernels with gdb's JIT interface */
  HEDDLE_WEIGHTS_LAZY = 1u << 5  /* map pages of the weights at first use only:
                                    loads faster, the  first call is slower */
};

/* Since 0.1. */
typedef struct heddle_load_options {
  size_t size;
  uint32_t flags;
  const char *variant; /* by name instead of the best this machine can run; an
                          illegal one fails */
  const heddle_custom_call *const
      *custom_calls; /* all that the artifact can call outside of itself;
                        more than it wants do no harm */
  size_t custom_call_count;
  const char *devices; /* kinds of devices by commas, the one wanted most first,
                          as in "cuda,cpu": code for the first kind of which
                          there is some that runs here; NULL: the best code */
  const char *precision_tier; /* of a program whose products have narrower
                                 factors than the model says: what must be
                                 known of its errors, "E" (estimated) or "V"
                                 (validated on data); another fails. NULL:
                                 nothing */
} heddle_load_options;

/* Loads an artifact. Checks all but the hashes of weights (see flags). Since
 * 0.1. */
HEDDLE_API heddle_status
heddle_program_load_file(const char *path, const heddle_load_options *options,
                         heddle_program **out_program);
/* Loads from memory, which must stay as it is until the program is gone.
   Aligned to 64 it is used in place, otherwise copied. Since 0.1. */
HEDDLE_API heddle_status heddle_program_load_memory(
    const void *data, size_t bytes, const heddle_load_options *options,
    heddle_program **out_program);
/* Gives up the caller's hold; the memory goes with the last context. NULL is
 * fine. Since 0.1. */
HEDDLE_API void heddle_program_destroy(heddle_program *program);

/* The names of the devices that the program runs on, numbered from 0, where the
   cpu is; NULL for a number that is none. They live as long as the program.
   Since 0.1. */
HEDDLE_API const char *heddle_program_device(const heddle_program *program,
                                             size_t number);

/* What loading did, in nanoseconds and bytes. Since 0.1. */
typedef struct heddle_load_report {
  size_t size;
  const char *variant; /* the one chosen; lives as long as the program */
  uint64_t verify_ns;  /* opening, mapping, checking manifest, plans and code */
  uint64_t code_ns;    /* mapping the kernels, init program */
  uint64_t weights_ns; /* hashing and moving weights, if asked for */
  uint64_t weights_bytes;
  uint64_t code_bytes;
  uint64_t file_bytes;
  uint64_t page_faults;        /* of this thread while loading */
  uint32_t flushes_subnormals; /* 1: the program takes subnormal numbers for
                                  zeros; else they are as IEEE 754 has them */
  const char *precision; /* which products have narrower factors than the model
                            says, for people; "": none was asked for. Lives as
                            long as the program */
  const char *precision_tiers; /* what is known of the errors of that, a letter
                                  each: "EV"; "": nothing */
} heddle_load_report;
/* Since 0.1. */
HEDDLE_API heddle_status heddle_program_report(const heddle_program *program,
                                               heddle_load_report *out_report);

/* The entries of a program, numbered from 0. Since 0.1. */
HEDDLE_API size_t heddle_program_entry_count(const heddle_program *program);
/* NULL for a number that is none. Since 0.1. */
HEDDLE_API const char *heddle_program_entry_name(const heddle_program *program,
                                                 size_t entry);
/* The number of the entry of that name. Since 0.1. */
HEDDLE_API heddle_status heddle_program_find_entry(
    const heddle_program *program, const char *name, size_t *out_entry);

/* An input or output. An extent that is not known before the call is given by
   its bounds. All pointers live as long as the program. Since 0.1. */
typedef struct heddle_tensor_info {
  size_t size;
  const char *name;
  heddle_dtype dtype;
  int32_t rank;
  const int64_t *shape;     /* the largest extents */
  const int64_t *shape_min; /* the smallest; the same in a static program */
  size_t bytes;             /* of the largest shape */
  size_t alignment; /* what its address must be a multiple of, unless it has
                       no elements */
  int64_t replaces; /* of an output: the input whose memory it may be given (see
                       heddle_context_call); -1: none */
  const char *device; /* whose memory the program wants it in: "cpu", "sim:0" */
  const int64_t *whole; /* extents of the tensor of which each rank has a part
                           of this shape; `shape` where each has all of it */
  const char
      *sharding; /* how that tensor lies over the mesh, in Shardy's words:
                    "[{\"data\"}, {}]" has the axes that each dimension is
                    cut along; NULL in a program of one rank */
} heddle_tensor_info;
/* 0 for an entry that is none. Since 0.1. */
HEDDLE_API size_t heddle_program_input_count(const heddle_program *program,
                                             size_t entry);
/* The same of outputs. Since 0.1. */
HEDDLE_API size_t heddle_program_output_count(const heddle_program *program,
                                              size_t entry);
/* Since 0.1. */
HEDDLE_API heddle_status
heddle_program_input_info(const heddle_program *program, size_t entry,
                          size_t index, heddle_tensor_info *out_info);
/* Since 0.1. */
HEDDLE_API heddle_status
heddle_program_output_info(const heddle_program *program, size_t entry,
                           size_t index, heddle_tensor_info *out_info);

/* ---- Sizes ---- */

/* A size that calls choose, one of its shapes' extents or what these follow
   from. Since 0.1. */
typedef enum heddle_size_source {
  HEDDLE_SIZE_INPUT = 0,   /* the shapes of the inputs */
  HEDDLE_SIZE_CALLER = 1,  /* the call (heddle_call_options.sizes) */
  HEDDLE_SIZE_STATE = 2,   /* the length of a state */
  HEDDLE_SIZE_COMPUTED = 4 /* the program: known when a call is done */
} heddle_size_source;

/* Since 0.1. */
typedef struct heddle_size_info {
  size_t size;
  const char *name;          /* lives as long as the program */
  int64_t minimum;           /* a call's is from here */
  int64_t maximum;           /* to here, */
  int64_t multiple;          /* and a multiple of this; 1: any */
  heddle_size_source source; /* who says it */
} heddle_size_info;

/* The sizes of a program, numbered from 0. Since 0.1. */
HEDDLE_API size_t heddle_program_size_count(const heddle_program *program);
/* Since 0.1. */
HEDDLE_API heddle_status heddle_program_size_info(const heddle_program *program,
                                                  size_t number,
                                                  heddle_size_info *out_info);
/* 1 where calls of the entry have to give the size (heddle_call_options.sizes),
   as no input tells it; else 0. Since 0.1. */
HEDDLE_API int heddle_program_entry_needs_size(const heddle_program *program,
                                               size_t entry, size_t number);
/* How many things the entry takes for granted of its sizes, beyond their
   ranges: a call of others is HEDDLE_TENSOR_SHAPE. Since 0.1. */
HEDDLE_API size_t heddle_program_entry_assumption_count(
    const heddle_program *program, size_t entry);
/* One of them, as text ("batch = 8"), NULL for a number that is none. It lives
   as long as the program. Since 0.1. */
HEDDLE_API const char *
heddle_program_entry_assumption(const heddle_program *program, size_t entry,
                                size_t number);

/* ---- States ---- */

/* What a program keeps between its calls (a cache of keys and values, a
   position, a sum) is a state. The host makes as many of each kind as it wants,
   one for each conversation, say, and gives one to each call of an entry that
   uses it (heddle_call_options.states). Calls that only read a state may run
   together; a call that writes it has it alone. It lies where the program wants
   it: on a device, it never leaves that. After a call that failed, what a state
   holds that the entry writes is undefined; its length is as before. */

/* Since 0.1. */
typedef struct heddle_state_info {
  size_t size;
  const char *name; /* these live as long as the program */
  heddle_dtype dtype;
  int32_t rank;
  const int64_t *shape; /* of its memory */
  size_t bytes;
  int64_t longest;    /* the largest length it can have; -1: it has none */
  int32_t dimension;  /* of the shape, that the length counts: what lies beyond
                         it is nobody's; -1: none */
  const char *device; /* "cpu", "sim:0" */
} heddle_state_info;

/* The states of a program, numbered from 0. Since 0.1. */
HEDDLE_API size_t heddle_program_state_count(const heddle_program *program);
/* Since 0.1. */
HEDDLE_API heddle_status heddle_program_state_info(
    const heddle_program *program, size_t state, heddle_state_info *out_info);
/* How many states the entry uses, 0 for an entry that is none. Since 0.1. */
HEDDLE_API size_t
heddle_program_entry_state_count(const heddle_program *program, size_t entry);
/* Which state the `use`-th one of the entry is, and whether it writes that (1
   or 0). Since 0.1. */
HEDDLE_API heddle_status
heddle_program_entry_state(const heddle_program *program, size_t entry,
                           size_t use, size_t *out_state, int32_t *out_writes);

/* A state of zeros, of length 0. It keeps the program loaded. Since 0.1. */
HEDDLE_API heddle_status heddle_state_create(heddle_program *program,
                                             size_t state,
                                             heddle_state **out_state);
/* Not while a call uses it. NULL is fine. Since 0.1. */
HEDDLE_API void heddle_state_destroy(heddle_state *state);
/* These fail with HEDDLE_STATE_BUSY while a call uses the state, but for
   functions that read while calls only read. */
/* Zeros, of length 0. Since 0.1. */
HEDDLE_API heddle_status heddle_state_reset(heddle_state *state);
/* Makes `target` what `source` is: contents and length of the same state of the
   same program. Since 0.1. */
HEDDLE_API heddle_status heddle_state_copy(heddle_state *target,
                                           heddle_state *source);
/* Bytes of its contents, row-major, from `offset` on. Since 0.1. */
HEDDLE_API heddle_status heddle_state_read(heddle_state *state, size_t offset,
                                           size_t bytes, void *out_data);
/* Since 0.1. */
HEDDLE_API heddle_status heddle_state_write(heddle_state *state, size_t offset,
                                            size_t bytes, const void *data);
/* -1 for a state without a length. Since 0.1. */
HEDDLE_API int64_t heddle_state_length(const heddle_state *state);
/* HEDDLE_STATE_LENGTH where it is none that the state can have. Since 0.1. */
HEDDLE_API heddle_status heddle_state_set_length(heddle_state *state,
                                                 int64_t length);

/* ---- Threads ---- */

/* Calls work(state, worker) for worker = 0 .. workers - 1, each on a thread of
   its own, and returns when all have returned. worker 0 must run; those of the
   others that do not only make it slower. Since 0.1. */
typedef void (*heddle_run_workers)(void *user, int64_t workers,
                                   void (*work)(void *state, int64_t worker),
                                   void *state);

/* Since 0.1. */
typedef struct heddle_pool_options {
  size_t size;
  uint32_t threads; /* with the caller's; 0: as many as affinity mask and cgroup
                       quota allow */
  uint32_t spin_us; /* how long an idle thread spins before it sleeps; 0: 50 */
  heddle_run_workers run; /* the caller's own threads, instead of starting some:
                             needs `threads` */
  void *user;
} heddle_pool_options;

/* Threads that contexts can share; while one call uses them another runs on its
   caller's thread alone. A pool survives fork: the child starts its own threads
   at its next call. Since 0.1. */
HEDDLE_API heddle_status heddle_pool_create(const heddle_pool_options *options,
                                            heddle_pool **out_pool);
/* Not while a call is running; a context that still uses it keeps it. NULL is
 * fine. Since 0.1. */
HEDDLE_API void heddle_pool_destroy(heddle_pool *pool);
/* How many threads work, the caller's included. Since 0.1. */
HEDDLE_API size_t heddle_pool_threads(const heddle_pool *pool);

/* ---- Contexts ---- */

/* Since 0.1. */
typedef struct heddle_context_options {
  size_t size;
  heddle_pool *pool; /* NULL: one that the program's contexts share, or an own
                        one if threads says so */
  uint32_t threads;  /* of an own pool; 0: the default */
  void *arena; /* memory brought along, aligned to 64; calls of sizes that need
                  more of it fail */
  size_t arena_bytes;
} heddle_context_options;

/* The bytes a context of this entry needs of the process's memory when run by
   that many threads (0: the default number), for calls of these sizes: the
   program's in their order, -1 for one that may be the largest; size_count may
   be 0. Since 0.1. */
HEDDLE_API heddle_status heddle_program_arena_bytes(
    const heddle_program *program, size_t entry, const int64_t *sizes,
    size_t size_count, uint32_t threads, size_t *out_bytes);

/* Memory for calls of one entry: made once, a call of fixed sizes allocates
   nothing.
   Several contexts of one program can be called at the same time; one context
   cannot. Since 0.1. */
HEDDLE_API heddle_status heddle_context_create(
    heddle_program *program, size_t entry,
    const heddle_context_options *options, heddle_context **out_context);
/* Waits for calls that were submitted. Inside a function that such a call
   calls, or on_done, it returns at once: the context is gone when all of them
   are done, until when the memory that they use must stay. NULL is fine. Since
   0.1. */
HEDDLE_API void heddle_context_destroy(heddle_context *context);
/* How many threads its calls use at most. Since 0.1. */
HEDDLE_API size_t heddle_context_threads(const heddle_context *context);

/* ---- Calls ---- */

/* The shape that output `index` has when the inputs have these shapes, where
   the program computes it the one of its memory, the most that it can be; of
   the inputs nothing but rank and shape is looked at. `out_shape` gets as many
   extents as the output has dimensions. An error names the input whose shape
   the program does not take. Of an entry whose states have lengths, `states`
   are those that the call will be given (heddle_call_options), with their
   lengths as they are now; NULL and 0 for others. Since 0.1. */
HEDDLE_API heddle_status heddle_program_output_shape(
    const heddle_program *program, size_t entry,
    const heddle_tensor *const *inputs, size_t input_count,
    heddle_state *const *states, size_t state_count, size_t index,
    int64_t *out_shape);

/* One command of the plan, as it was run. Since 0.1. */
typedef struct heddle_step {
  size_t size;
  uint64_t number;  /* in the order of this call */
  const char *name; /* of the kernel or custom call; "copy", "fill", "branch",
                       "loop" */
  int64_t tiles;
  uint64_t start_ns; /* CLOCK_MONOTONIC */
  uint64_t duration_ns;
  int64_t operations; /* arithmetic operations; -1: not known */
  int64_t traffic;    /* bytes read and written; -1: not known */
  size_t node_count;  /* the model's nodes it computes */
  const char *const *nodes;
  uint32_t block; /* where in the plan it stands */
  uint32_t command;
} heddle_step;

/* Flags of heddle_call_options. Since 0.1. */
enum {
  HEDDLE_STAGE_TENSORS =
      1u << 0 /* tensors of the process that the program wants on a device are
                 copied there and back; else they are HEDDLE_TENSOR_DEVICE */
};

/* Since 0.1. */
typedef struct heddle_call_options {
  size_t size;
  uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none. Looked at between pieces of
                           work */
  const int32_t *cancel; /* the call stops soon after another thread stores
                            something else than 0 */
  /* Called after each step by whichever thread finished it, one at a time; the
   * call is slower. */
  void (*on_step)(void *user, const heddle_step *step);
  void *user; /* handed to on_step, and to custom calls as call_user */
  heddle_state *const *states; /* those that the entry uses, in its order */
  size_t state_count;
  uint32_t flags;
  const int64_t *sizes; /* the program's sizes, in their order, -1 for one that
                           is not given; NULL and 0: none is. Inputs tell
                           theirs, others have to be given
                           (heddle_program_entry_needs_size) */
  size_t size_count;
} heddle_call_options;

/* heddle_program_output_shape in a call with these options, of which states and
   sizes are looked at: for entries that need sizes to be given. Since 0.1. */
HEDDLE_API heddle_status heddle_program_output_shape_in(
    const heddle_program *program, size_t entry,
    const heddle_tensor *const *inputs, size_t input_count,
    const heddle_call_options *options, size_t index, int64_t *out_shape);

/* Runs the entry. Inputs and outputs in the entry's order; outputs are memory
   to write to. dtype, rank, shape, layout, alignment and size of each are
   checked: the message names the tensor. After a failure the contents of the
   outputs are undefined.

   No output may share memory with another tensor, but for one that replaces an
   input (heddle_tensor_info.replaces; donated and aliased arguments of the
   model become such): given exactly that input's memory, it is updated in
   place, and the input's value is gone after the call. Given other memory, the
   input stays as it is, and is copied first. Since 0.1. */
HEDDLE_API heddle_status
heddle_context_call(heddle_context *context, const heddle_tensor *const *inputs,
                    size_t input_count, const heddle_tensor *const *outputs,
                    size_t output_count, const heddle_call_options *options);

/* The same with DLPack tensors: arrays of pointers to DLTensor. One that lies
   on the device where the program wants it is used in place
   (heddle_device_open_dlpack says which device DLPack means); one of the
   process is taken as heddle_context_call takes it. What other libraries do to
   them is done (heddle_device_wait). Since 0.1. */
HEDDLE_API heddle_status heddle_context_call_dlpack(
    heddle_context *context, const void *const *inputs, size_t input_count,
    const void *const *outputs, size_t output_count,
    const heddle_call_options *options);

/* ---- Programs that several ranks run together ---- */

/* All ranks of an entry: a program that was partitioned for several devices has
   one for each. Since 0.1. */
typedef struct heddle_ranks heddle_ranks;

/* How many ranks run a program together; 1 for one that was not partitioned.
   Since 0.1. */
HEDDLE_API uint32_t heddle_program_ranks(const heddle_program *program);

/* The axes of the mesh that the ranks lie on, numbered from 0; none of a
   program of one rank. The last counts fastest. Since 0.1. */
HEDDLE_API size_t heddle_program_mesh_axis_count(const heddle_program *program);
/* The name of an axis, which lives as long as the program, and how many ranks
   lie along it. Since 0.1. */
HEDDLE_API heddle_status heddle_program_mesh_axis(const heddle_program *program,
                                                  size_t number,
                                                  const char **out_name,
                                                  uint32_t *out_ranks);
/* Which part of the whole input a rank has, by dimension: where it begins, and
   how many of the part's extents lie inside of the whole. What is beyond may
   hold anything. Since 0.1. */
HEDDLE_API heddle_status heddle_program_input_part(
    const heddle_program *program, size_t entry, size_t index, uint32_t rank,
    int64_t *out_begin, int64_t *out_inside);
/* The same of an output. Since 0.1. */
HEDDLE_API heddle_status heddle_program_output_part(
    const heddle_program *program, size_t entry, size_t index, uint32_t rank,
    int64_t *out_begin, int64_t *out_inside);

/* Processes that a launcher has started to run programs together, on one
   machine or several, of which this is one. Since 0.1. */
typedef struct heddle_group heddle_group;

/* Since 0.1. */
typedef struct heddle_group_options {
  size_t size;
  const char *engine;   /* by what they send each other bytes: "mpi", also for
                           NULL, or "tcp": sockets */
  const char *library;  /* MPI's: "openmpi", "mpich", or a file with the binary
                           interface of either; NULL: the launcher's */
  uint64_t piece_bytes; /* the most of one of MPI's messages, below 2^31; 0:
                           2^30. Larger tensors go in several */
  /* Of "tcp". What is given here comes before the variables that say it else;
     those that are wrong are HEDDLE_ARGUMENT_INVALID, which names them. */
  uint32_t rank;           /* the number of this process, below `count` */
  uint32_t count;          /* how many processes there are, up to 2^20; 0:
                              variables say which of how many this one is */
  const char *rendezvous;  /* "HOST:PORT", "[::1]:29500": where rank 0 waits for
                              the others, the same for all; NULL: variables say
                              it */
  const char *secret_file; /* a file with what all know and nobody else, at
                              least 16 characters, which this user alone may
                              read (HEDDLE_FILE_UNREADABLE); NULL: variables say
                              it */
} heddle_group_options;

/* Joins the group: all processes call it, and it returns when all have. The
   library is opened here (HEDDLE_LIBRARY_MISSING names the package that has
   it). Unless the host has started MPI before, with MPI_THREAD_SERIALIZED or
   more, it is started, and ended by heddle_group_leave; a process that has
   ended MPI joins no group any more. heddle sends messages of its own
   communicator, from the thread that calls it and from those of the ranks'
   pools, one at a time; a host that has threads with messages of its own starts
   MPI with MPI_THREAD_MULTIPLE. Not for processes that fork ranks.

   With "tcp" processes are those that torchrun, srun or a shell has started:
   where the options do not, RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, or
   Slurm's variables, say who this one is and where the first waits for the
   others, and HEDDLE_SECRET or HEDDLE_SECRET_FILE by what they know each other,
   which on 127.0.0.1 and [::1] need not be given
   (docs/tutorial/many-devices.md, SECURITY.md). Those that do not come
   within HEDDLE_JOIN_SECONDS (120) are named (HEDDLE_RANK_FAILED). Such a group
   can be joined again when it has been left. heddle_group_abort ends the other
   processes when they wait in a function of the group or its ranks, or come to
   wait in one; where a failure has been told before, in
   heddle_group_await_abort alone. Since 0.1. */
HEDDLE_API heddle_status heddle_group_join(const heddle_group_options *options,
                                           heddle_group **out_group);
/* The number of this process, from 0. Since 0.1. */
HEDDLE_API uint32_t heddle_group_rank(const heddle_group *group);
/* How many processes there are. Since 0.1. */
HEDDLE_API uint32_t heddle_group_count(const heddle_group *group);
/* All processes call it, each with its status (NULL: all is well), and get that
   of the first rank that is not HEDDLE_OK; its message names the rank. So all
   learn that one of them cannot go on. In place of heddle_ranks_create, where a
   process has not come that far: there the others learn it. Since 0.1. */
HEDDLE_API heddle_status heddle_group_agree(heddle_group *group,
                                            const heddle_status *own);
/* What has gone between this process and others of its group. Since 0.1. */
typedef struct heddle_traffic {
  size_t size;
  uint64_t sent, received; /* messages */
  uint64_t sent_bytes;
  uint64_t received_bytes;
  uint64_t waited_ns; /* in exchanges of messages; of one with processes of this
                         machine and of others this counts for the others */
} heddle_traffic;
/* With the processes of this machine, or with all others. Not while ranks of
   the group are in a call. Since 0.1. */
HEDDLE_API heddle_status heddle_group_traffic(const heddle_group *group,
                                              int of_this_machine,
                                              heddle_traffic *out_traffic);
/* Ends all processes at once, this one with the exit code. Does not return.
   Since 0.1. */
HEDDLE_API void heddle_group_abort(heddle_group *group, int exit_code);
/* In a process that cannot go on: leaves it to a process of a smaller number to
   say so and end all, and does not return then. Returns after so long, or when
   there is none any more. Since 0.1. */
HEDDLE_API void heddle_group_await_abort(heddle_group *group,
                                         uint64_t timeout_ns);
/* All processes call it, when their ranks are destroyed. Where some rank has
   failed, it does not wait for others: the process is to end then, which its
   launcher notices. Where a process ends before it has left, the others get
   HEDDLE_RANK_FAILED by "tcp". The group is gone then, unless the status is
   HEDDLE_CONTEXT_BUSY. NULL is fine. Since 0.1. */
HEDDLE_API heddle_status heddle_group_leave(heddle_group *group);

/* Since 0.1. */
typedef struct heddle_ranks_options {
  size_t size;
  uint32_t threads;    /* of each rank; 0: as many as there are for all of them,
                          shared out, at least 1 */
  const char *engine;  /* "threads", also for NULL: ranks are threads of this
                          process; "processes": each is one of its own */
  heddle_group *group; /* ranks are its processes; `engine` is NULL then */
  uint32_t own_calls;  /* of a group, for all its processes alike: not 0: they
                          call heddle_ranks_call_own; 0: the first process
                          calls, and the others heddle_ranks_serve */
  uint32_t slow_seconds; /* how long others wait for a rank at least until it is
                            called slow; 0: 5 */
  /* Called in calls when a rank is slow: others wait for it for `waited_ns`,
     which is slow_seconds or more and nine times as long as it took them to
     come there. It has not ended, as far as is known (it may be stopped), and
     the call goes on. Of ranks that are threads, on a thread that does nothing
     else; of ranks that are processes (engine "processes"), on the thread that
     calls; of a group in each process that waits itself, on the thread that
     does, and with the rank for which all others wait in the end. Each rank is
     named once in a call, which does not end before this has returned. It must
     not use the ranks or the group, and must not unwind. NULL: nobody is
     told. */
  void (*on_slow)(void *user, uint32_t rank, uint64_t waited_ns);
  void *user; /* handed to on_slow */
} heddle_ranks_options;

/* Makes the ranks of an entry. Each has a context of its own; calls allocate
   nothing. Entries with states, and programs whose sizes calls choose, are
   HEDDLE_ARGUMENT_INVALID. Threads survive fork: the child starts them anew,
   unless they were in a call.

   Ranks that are processes are forked here, as children of this process (Linux
   5.9 or later). Each has a copy of its memory and of standard input, output
   and error; other descriptors are closed there, no handler of signals runs
   there, and signals but those of faults are blocked. What other threads held
   at the fork stays held there: functions that need locks of the host's may
   wait for ever, so ranks are best made before the process starts threads. Who
   waits for any child waits for ranks, too, and takes from the runtime how they
   ended. Where ranks are not ready in two minutes, they are ended, and the
   error is HEDDLE_RANK_FAILED.

   Tensors of calls are copied to memory that all share, and back. Registered
   functions run in the rank's process, with call_user NULL; on_step is refused.
   Where a rank's process ends, all are ended at once, and the call ends with
   HEDDLE_RANK_FAILED, which says of which rank and how, and so do all later
   ones. So do calls after one that some rank did not end within five seconds of
   being cancelled or of its deadline, with whose status that call ends. Calls
   are for the process that made the ranks; the program's other devices are
   refused. Equal calls give the same bits as threads.

   Of a group, all processes make the ranks, each of its own copy of the same
   artifact, and get the same status: where files differ, or one has failed, the
   message names the ranks. Then the first process calls as with other engines,
   and the others heddle_ranks_serve. Tensors are those of the first: it sends
   each rank its parts, and gets them back. Where a rank fails, its process ends
   or the call is cancelled or late, the group is over: all processes are told,
   with the status of the rank that failed first, and so is each later call.
   A group does one thing at a time: where another thread of the process is in a
   function of the group, or in a call of any ranks of it, functions that would
   send messages return HEDDLE_CONTEXT_BUSY. Since 0.1. */
HEDDLE_API heddle_status heddle_ranks_create(
    heddle_program *program, size_t entry, const heddle_ranks_options *options,
    heddle_ranks **out_ranks);
/* Not while a call is running, of a group also not of other ranks. NULL is
   fine. Since 0.1. */
HEDDLE_API void heddle_ranks_destroy(heddle_ranks *ranks);

/* In a process of a group that is not its first: takes its part in the calls of
   the first until that destroys its ranks, and returns then. Since 0.1. */
HEDDLE_API heddle_status heddle_ranks_serve(heddle_ranks *ranks);

/* Runs the entry on all ranks. Inputs and outputs are the whole tensors, in the
   process's memory: each rank gets its parts of the inputs, and the parts of
   the outputs are joined. An output shares memory with no other tensor.
   on_step tells the steps of rank 0; states and sizes there are none. A rank
   that fails ends the call of all: the status is that of the rank that
   failed, which the message names. Equal calls give equal bits. Since 0.1. */
HEDDLE_API heddle_status heddle_ranks_call(heddle_ranks *ranks,
                                           const heddle_tensor *const *inputs,
                                           size_t input_count,
                                           const heddle_tensor *const *outputs,
                                           size_t output_count,
                                           const heddle_call_options *options);

/* How many threads each rank uses at most. Since 0.1. */
HEDDLE_API size_t heddle_ranks_threads(const heddle_ranks *ranks);

/* A tensor of a call of ranks, in one of two forms. Since 0.1. */
typedef struct heddle_parted_tensor {
  size_t size;
  const heddle_tensor *whole;        /* all of it; NULL: there are parts */
  const heddle_tensor *const *parts; /* one for each rank, by number, of the
                                        shape of heddle_tensor_info */
} heddle_parted_tensor;

/* heddle_ranks_call, but each tensor is whole or in parts. Ranks that are
   threads read and write parts where they lie. Ranks that have the same part of
   an input are given the same numbers, which may be the same memory; that they
   are is not checked. The message about a part names its rank. Since 0.1. */
HEDDLE_API heddle_status heddle_ranks_call_parts(
    heddle_ranks *ranks, const heddle_parted_tensor *const *inputs,
    size_t input_count, const heddle_parted_tensor *const *outputs,
    size_t output_count, const heddle_call_options *options);

/* Runs the entry on all ranks of a group that were made with `own_calls`: all
   processes call it, in the same order, in place of heddle_ranks_call and
   heddle_ranks_serve. Each gives
   its own part of each input, and memory for its own of each output, which are
   used where they lie, and returns when it has these. A process that fails, or
   whose tensors are not what is wanted, ends the group; others learn it where
   they next wait for a rank. Since 0.1. */
HEDDLE_API heddle_status
heddle_ranks_call_own(heddle_ranks *ranks, const heddle_tensor *const *inputs,
                      size_t input_count, const heddle_tensor *const *outputs,
                      size_t output_count, const heddle_call_options *options);

/* ---- Calls that nobody waits for ---- */

/* How a submitted call ends: something that others can wait for. Since 0.1. */
typedef struct heddle_event heddle_event;

/* Since 0.1. */
typedef struct heddle_submit_options {
  size_t size;
  heddle_event *const *waits; /* the call begins when these are done; if one of
                                 them failed, it does not run, and fails with
                                 the same status */
  size_t wait_count;
  /* Called on the context's own thread when the event is done. It must not
     unwind. */
  void (*on_done)(void *user, const heddle_status *status);
  void *user;
} heddle_submit_options;

/* Runs the entry later, on a thread of the context's, and returns at once. The
   submitted calls of one context run in their order; until all of them are
   done, heddle_context_call is HEDDLE_CONTEXT_BUSY. Tensors, their shapes and
   the options are read now, but what they point to is used until the call is
   done: the tensors' memory, out_shape, states, the cancel flag. A call that
   fails stops only those that wait for its event. A child process after fork
   has a thread of its own; HEDDLE_CONTEXT_BUSY there if calls submitted by the
   parent were not done, and so is a call that waits for one of these. Since
   0.1. */
HEDDLE_API heddle_status heddle_context_submit(
    heddle_context *context, const heddle_tensor *const *inputs,
    size_t input_count, const heddle_tensor *const *outputs,
    size_t output_count, const heddle_call_options *call_options,
    const heddle_submit_options *submit_options, heddle_event **out_event);
/* 1 when the call is done, well or not; 0 before. Since 0.1. */
HEDDLE_API int heddle_event_done(const heddle_event *event);
/* Waits for the call and returns its status, each time it is asked.
   HEDDLE_DEADLINE_EXCEEDED when CLOCK_MONOTONIC passes deadline_ns before, if
   that is not 0; the call goes on. HEDDLE_CONTEXT_BUSY in a child process after
   fork, if the call was the parent's and not done. Any number of threads can
   wait at once. Since 0.1. */
HEDDLE_API heddle_status heddle_event_wait(const heddle_event *event,
                                           uint64_t deadline_ns);
/* At any time but while another thread waits; the call is done all the same.
   NULL is fine. Since 0.1. */
HEDDLE_API void heddle_event_destroy(heddle_event *event);

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_RUNTIME_H */
