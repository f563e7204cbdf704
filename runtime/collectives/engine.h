/* What the runtime asks of whoever moves bytes between ranks: one table of
   functions (C11).

   Ranks run one program together. Each command that they do together (a
   collective) is called once by each rank, in the order of the program, and
   returns when this rank has its target and nobody needs its source any more.

   Rules. `run` may be called by all ranks at the same time, by one thread a
   rank. It never waits for what cannot come: if a rank has ended its call, or
   waits for another command, all ranks that wait are told. A function that can
   fail returns a heddle_code, 0 if all went well, and says in *why, which is
   never NULL, what it met. Floats are joined in the order of the members, and
   rounded to their type after each step, so that equal calls give equal bits.
   `run` allocates nothing. */
#ifndef HEDDLE_RUNTIME_COLLECTIVES_ENGINE_H
#define HEDDLE_RUNTIME_COLLECTIVES_ENGINE_H

#include "heddle/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are those of CollectiveKind in artifact.fbs, which says what each
   does. */
typedef enum heddle_collective_kind {
  HEDDLE_COLLECTIVE_ALL_REDUCE = 0,
  HEDDLE_COLLECTIVE_ALL_GATHER = 1,
  HEDDLE_COLLECTIVE_REDUCE_SCATTER = 2,
  HEDDLE_COLLECTIVE_ALL_TO_ALL = 3,
  HEDDLE_COLLECTIVE_BROADCAST = 4,
  HEDDLE_COLLECTIVE_PERMUTE = 5
} heddle_collective_kind;

/* The numbers are those of ReductionKind in artifact.fbs. */
typedef enum heddle_reduction {
  HEDDLE_REDUCE_SUM = 0,
  HEDDLE_REDUCE_PRODUCT = 1,
  HEDDLE_REDUCE_MINIMUM = 2,
  HEDDLE_REDUCE_MAXIMUM = 3,
  HEDDLE_REDUCE_AND = 4,
  HEDDLE_REDUCE_OR = 5
} heddle_reduction;

/* One command as a rank sees it. All ranks have the same but for `members`,
   `place`, `from` and `to`. */
typedef struct heddle_collective {
  uint32_t kind;           /* heddle_collective_kind */
  uint32_t reduction;      /* heddle_reduction */
  uint32_t dtype;          /* heddle_dtype */
  uint32_t site;           /* the command's number in the program */
  const char *name;        /* for messages */
  const uint32_t *members; /* the ranks of this rank's group, in order; of a
                              permute: all */
  uint32_t member_count;
  uint32_t place;   /* of this rank among the members */
  uint32_t from;    /* permute: the place of whose source it gets; 4294967295:
                       nobody's, zeros */
  uint32_t to;      /* permute: the place that gets its source; 4294967295:
                       nobody */
  int64_t elements; /* of the source */
} heddle_collective;

/* The ranks that run together. */
typedef struct heddle_collective_world heddle_collective_world;

typedef struct heddle_collective_engine {
  const char *name;
  int32_t (*open)(uint32_t ranks, heddle_collective_world **out_world,
                  heddle_status *why);
  void (*close)(heddle_collective_world *world);
  /* Before all ranks begin a call: what went wrong in the last one is
     forgotten. */
  void (*begin)(heddle_collective_world *world);
  /* Ends early, with the code of these, when the deadline (CLOCK_MONOTONIC; 0:
     none) passes or `cancel`, unless it is NULL, is not 0. HEDDLE_RANK_FAILED:
     another rank failed, or cannot come. */
  int32_t (*run)(heddle_collective_world *world, uint32_t rank,
                 const heddle_collective *collective, const void *source,
                 void *target, uint64_t deadline_ns, const int32_t *cancel,
                 heddle_status *why);
  /* The call of a rank has ended with `code`; `message` says why if that is not
     0. */
  void (*end)(heddle_collective_world *world, uint32_t rank, int32_t code,
              const char *message);
  /* Ranks that wait look whether they are cancelled; the thread engine's do so
     by themselves, too, as anybody may cancel. */
  void (*look)(heddle_collective_world *world);
  /* Optional, NULL: the engine does not tell who is slow. Before ranks run: a
     rank is slow when others of its group have waited for it for `least_ns`,
     and nine times as long as they took to come there. */
  void (*watch)(heddle_collective_world *world, uint64_t least_ns);
  /* Optional, with `watch`. Since when (CLOCK_MONOTONIC) others wait for this
     rank, which is slow in the call that goes on; 0: it is not. Waits for no
     rank. */
  uint64_t (*slow_since)(heddle_collective_world *world, uint32_t rank);
  /* Optional, with `watch`. Whether the rank waits for others. Waits for no
     rank. */
  int (*waits)(heddle_collective_world *world, uint32_t rank);
} heddle_collective_engine;

/* Ranks are threads of this process. */
extern const heddle_collective_engine heddle_thread_engine;
/* Ranks are processes that the one which opens the world forks afterwards. That
   one calls begin, and end for a rank whose process has ended. */
extern const heddle_collective_engine heddle_process_engine;

#ifdef __cplusplus
}
#endif

#endif
