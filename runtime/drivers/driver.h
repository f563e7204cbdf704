/* What the runtime asks of a kind of device: one table of functions (C11).

   A driver fills a heddle_driver and is named in runtime/drivers/Drivers.cpp;
   test/runtime/drivers/conformance.cpp holds each of them to the rules below.
   docs/drivers.md says how to write one, docs/decisions/drivers.md why the
   table is as it is.

   Rules. An entry that may be NULL says what its absence means; all others must
   be there. Functions may be called from any thread; one queue, event or
   segment by one thread at a time. A function that can fail returns
   a heddle_code, 0 if all went well, and then leaves its out_... alone and says
   in *why, which is never NULL, what it met. What runs later fails later: such
   an error stays with the queue and with the events that the failed command was
   to signal, everything behind it is left out, and whoever waits is told.

   Memory of a device is given by `void *`, an address in the device's own
   memory: the host's threads may follow it only if it lies in a space that
   device_info.mapped names. */
#ifndef HEDDLE_RUNTIME_DRIVERS_DRIVER_H
#define HEDDLE_RUNTIME_DRIVERS_DRIVER_H

#include "heddle/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each driver has structs of its own behind these. */
typedef struct heddle_driver_device heddle_driver_device;
typedef struct heddle_driver_image heddle_driver_image;
typedef struct heddle_driver_kernel heddle_driver_kernel;
typedef struct heddle_driver_queue heddle_driver_queue;
typedef struct heddle_driver_event heddle_driver_event;
typedef struct heddle_driver_segment heddle_driver_segment;

/* Where memory lies on its device; the numbers are those of MemorySpace in
   artifact.fbs. */
typedef enum heddle_driver_space {
  HEDDLE_SPACE_HOST = 0,   /* ordinary memory of the process */
  HEDDLE_SPACE_DEVICE = 1, /* the device's own */
  HEDDLE_SPACE_PINNED = 2, /* the process's, held in place for the device */
  HEDDLE_SPACE_MANAGED = 3 /* moves to whoever uses it */
} heddle_driver_space;

/* Of the structs below, those with a size are set by their reader to what he
   knows; a driver writes no more than that. */
typedef struct heddle_driver_device_info {
  size_t size;
  char name[64];
  uint32_t spaces;       /* that `allocate` takes: bit 1 << space */
  uint32_t mapped;       /* spaces whose addresses are the host's, too */
  uint64_t memory_bytes; /* of its own memory; 0: the driver knows no bound */
} heddle_driver_device_info;

/* Code for this kind of device, in memory and, if `file` is not -1, at
   `file_offset` of a file that can be mapped. Both stay until the image is
   unloaded. */
typedef struct heddle_driver_code {
  const void *data;
  uint64_t bytes;
  int file;
  uint64_t file_offset;
  int32_t flush_subnormals; /* its kernels take and give zeros for subnormal
                               numbers, where that is a mode of the processor */
} heddle_driver_code;

/* A tensor in a buffer of a launch, of which a kernel copies boxes: Descriptor
   in artifact.fbs. The innermost dimension is the first. */
typedef struct heddle_driver_tensor_map {
  uint32_t buffer; /* position among the launch's */
  uint32_t dtype;  /* DataType of artifact.fbs */
  uint32_t rank;   /* 1 to 5 */
  uint32_t swizzle_bytes;
  uint64_t offset; /* bytes from the start of the buffer */
  uint64_t extents[5];
  uint64_t strides[4]; /* bytes, of all but the innermost */
  uint32_t box[5];
} heddle_driver_tensor_map;

/* A kernel as the artifact's tables have it. */
typedef struct heddle_driver_kernel_info {
  const char *name;
  uint64_t offset;   /* of its code in the image, where names do not count */
  uint64_t scratch;  /* bytes for each worker */
  uint32_t block[3]; /* threads of a block, on a device with grids */
  uint32_t shared_bytes; /* of shared memory beyond what the image declares */
  const heddle_driver_tensor_map *maps; /* parameters behind the others */
  uint32_t map_count;
} heddle_driver_kernel_info;

/* How a command uses a buffer: a device that can check it does. */
typedef enum heddle_driver_access {
  HEDDLE_ACCESS_READ = 1,
  HEDDLE_ACCESS_WRITE = 2
} heddle_driver_access;

/* One buffer of a command: `bytes` of the memory of `device`; of the process if
   that is NULL, which only a copy can use. */
typedef struct heddle_driver_use {
  heddle_driver_device *device;
  uint64_t bytes;
  uint32_t access; /* heddle_driver_access, or both */
} heddle_driver_use;

typedef enum heddle_driver_command_kind {
  HEDDLE_COMMAND_LAUNCH = 0, /* kernel, buffers, integers, tiles, chunk */
  HEDDLE_COMMAND_COPY = 1,   /* buffers: target, source; tiles: bytes. A queue
                                refuses a copy with both sides in the process's
                                memory */
  HEDDLE_COMMAND_FILL = 2,   /* buffers: target; tiles: bytes, a multiple of
                                pattern_bytes */
  HEDDLE_COMMAND_COUNT = 3   /* buffers: an integer of 4 bytes, which `count` is
                                told; of drivers with `counts_in_queues` */
} heddle_driver_command_kind;

typedef struct heddle_driver_command {
  heddle_driver_command_kind kind;
  uint32_t pattern_bytes; /* 1, 2, 4 or 8 */
  uint64_t pattern;       /* its low pattern_bytes, over and over */
  const heddle_driver_kernel *kernel;
  void *const *buffers;
  const heddle_driver_use *uses; /* one for each buffer; not looked at by
                                    `run` */
  uint32_t buffer_count;
  uint32_t integer_count;
  const int64_t *integers;
  int64_t tiles;
  int64_t chunk; /* tiles that one worker takes at once */

  /* COUNT: called when the commands before are done and none behind has begun.
     What it returns, if not 0, is the command's error. */
  int32_t (*count)(void *user, const void *integer, heddle_status *why);
  void *user;
  /* LAUNCH behind a COUNT of its queue: where its kernel, integers, tiles and
     chunk are when it begins, which that may change until then; NULL: they are
     as given. Stays until the launch is done. */
  const struct heddle_driver_command *latest;
} heddle_driver_command;

/* Commands of one queue, in order; or one segment of it. They begin when all
   of `waits` are done, and `signals` are done when they are. */
typedef struct heddle_driver_submission {
  const heddle_driver_command *commands;
  size_t command_count;
  const heddle_driver_segment *segment; /* in place of commands, if not NULL */
  heddle_driver_event *const *waits;
  size_t wait_count;
  heddle_driver_event *const *signals;
  size_t signal_count;
} heddle_driver_submission;

/* One thread that runs pieces of commands. */
typedef struct heddle_driver_worker {
  int64_t number; /* no two run at once with the same */
  void *scratch;  /* as many bytes as the kernel asks for */
} heddle_driver_worker;

typedef struct heddle_driver {
  uint32_t kind;    /* DeviceKind of artifact.fbs */
  const char *name; /* as in --place and in messages: "cpu" */
  /* Whether queues take HEDDLE_COMMAND_COUNT, and look at `latest`. */
  int32_t counts_in_queues;

  /* ---- Devices ---- */

  /* How many there are, numbered from 0. None is no error; `why` is then told
     the reason if there is one (a library that is missing). */
  uint32_t (*device_count)(heddle_status *why);
  int32_t (*device_open)(uint32_t number, heddle_driver_device **out_device,
                         heddle_status *why);
  /* All that came from it is gone. */
  void (*device_close)(heddle_driver_device *device);
  void (*device_describe)(heddle_driver_device *device,
                          heddle_driver_device_info *out_info);
  /* Until the device has done all that it was given before, by other libraries
     of the process too. NULL: no others use it. */
  int32_t (*device_wait)(heddle_driver_device *device, heddle_status *why);

  /* ---- Memory ---- */

  /* `bytes` (not 0) of undefined contents, at a multiple of 64. Fails with
     HEDDLE_DEVICE_MEMORY, or HEDDLE_OUT_OF_MEMORY where it would be the
     process's. */
  int32_t (*allocate)(heddle_driver_device *device, heddle_driver_space space,
                      uint64_t bytes, void **out_address, heddle_status *why);
  /* What `allocate` gave. No command uses it any more: a driver that sees one
     says so to whoever waits for that command. */
  void (*free)(heddle_driver_device *device, void *address);
  /* NULL: nothing to do. Nobody will read again what these bytes hold now. */
  void (*discard)(heddle_driver_device *device, void *address, uint64_t bytes);
  /* An address for the device by which it uses `bytes` of the process's memory
     in place. NULL: it cannot, they are copied. */
  int32_t (*import)(heddle_driver_device *device, void *memory, uint64_t bytes,
                    void **out_address, heddle_status *why);
  /* NULL if and only if `import` is: ends what that began. */
  void (*unimport)(heddle_driver_device *device, void *address);
  /* An address for the host of memory in a space that is not mapped anyway.
     NULL: there is none, the host reads and writes by copies. */
  int32_t (*map)(heddle_driver_device *device, void *address, uint64_t bytes,
                 void **out_memory, heddle_status *why);
  void (*unmap)(heddle_driver_device *device, void *memory);
  /* Holds memory of the process in place, so that copies from and to it are
     faster. NULL: copies are as fast as they can be. */
  int32_t (*pin)(heddle_driver_device *device, void *memory, uint64_t bytes,
                 heddle_status *why);
  void (*unpin)(heddle_driver_device *device, void *memory);

  /* ---- Code ---- */

  /* Whether device `number` runs code for `architecture`, as artifacts name it.
     HEDDLE_TARGET_MISMATCH if it does not. NULL: it runs what the processor
     runs. */
  int32_t (*runs)(uint32_t number, const char *architecture,
                  heddle_status *why);
  int32_t (*image_load)(heddle_driver_device *device,
                        const heddle_driver_code *code,
                        heddle_driver_image **out_image, heddle_status *why);
  void (*image_unload)(heddle_driver_image *image);
  /* Lives as long as the image. */
  int32_t (*image_kernel)(heddle_driver_image *image,
                          const heddle_driver_kernel_info *info,
                          const heddle_driver_kernel **out_kernel,
                          heddle_status *why);

  /* ---- Commands run by the caller's threads ---- */

  /* Runs tiles [begin, end) of a command on this thread; different pieces of
     one command may run on several threads at once. This is how a plan's
     commands are run on a driver that has it, by the workers of the context.
     NULL: the device runs them, they are submitted to its queues. */
  void (*run)(const heddle_driver_command *command,
              const heddle_driver_worker *worker, int64_t begin, int64_t end);

  /* ---- Queues ---- */

  /* Commands of one queue run in order, those of different queues in any. */
  int32_t (*queue_create)(heddle_driver_device *device,
                          heddle_driver_queue **out_queue, heddle_status *why);
  /* Waits for its commands. */
  void (*queue_destroy)(heddle_driver_queue *queue);
  /* Returns without waiting for the commands, or having run them. What the
     submission points to, but for the process's memory that is copied, may go
     when it returns. Events are of any device of this driver. An error tells
     that nothing was submitted. */
  int32_t (*submit)(heddle_driver_queue *queue,
                    const heddle_driver_submission *submission,
                    heddle_status *why);
  /* Until all that was submitted is done. Tells the queue's first error, and
     the queue then is as new. `deadline_ns` as in event_wait. */
  int32_t (*queue_wait)(heddle_driver_queue *queue, uint64_t deadline_ns,
                        heddle_status *why);

  /* ---- Events ---- */

  /* An event is done at first. A submission that signals it makes it undone
     until its commands are done; a wait means the latest such submission before
     it. */
  int32_t (*event_create)(heddle_driver_device *device,
                          heddle_driver_event **out_event, heddle_status *why);
  void (*event_destroy)(heddle_driver_event *event);
  /* Whether it is done, well or with an error. */
  int32_t (*event_done)(heddle_driver_event *event);
  /* Until it is done: tells the error of what should have signalled it.
     HEDDLE_DEADLINE_EXCEEDED when CLOCK_MONOTONIC passes deadline_ns, if that
     is not 0. */
  int32_t (*event_wait)(heddle_driver_event *event, uint64_t deadline_ns,
                        heddle_status *why);

  /* ---- Segments ---- */

  /* Commands of one queue, prepared to be submitted again and again: what they
     point to is read now. NULL, as segment_destroy: submitting the commands is
     as good. */
  int32_t (*segment_create)(heddle_driver_queue *queue,
                            const heddle_driver_command *commands, size_t count,
                            heddle_driver_segment **out_segment,
                            heddle_status *why);
  /* None of its submissions is left undone. */
  void (*segment_destroy)(heddle_driver_segment *segment);
} heddle_driver;

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_RUNTIME_DRIVERS_DRIVER_H */
