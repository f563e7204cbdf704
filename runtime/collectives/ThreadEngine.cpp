// The engine of collectives whose ranks are threads of one process: they read
// each other's memory in place.
//
// A collective is a few phases; between two of them the ranks of a group meet.
// In all_reduce each rank joins a part of its own into its target, and then
// takes the other parts from the others' targets.

#include "runtime/collectives/Board.h"
#include "runtime/collectives/Reductions.h"
#include "runtime/collectives/engine.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/format/DataTypes.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

using namespace heddle;
using namespace heddle::runtime;

/// How long a rank waits at once if somebody may cancel.
static constexpr uint64_t cancelCheckNs = 1000000;

namespace {
/// What the other ranks read of a rank. Written with the world's mutex held.
struct Rank {
  const char *source = nullptr;
  char *target = nullptr;
};
} // namespace

struct heddle_collective_world {
  explicit heddle_collective_world(uint32_t count)
      : ranks(count), places(count) {
    board.open(places.data(), count);
  }

  void begin();
  int32_t run(uint32_t rank, const heddle_collective &collective,
              const void *source, void *target, uint64_t deadlineNs,
              const int32_t *cancel, heddle_status *why);
  void end(uint32_t rank, int32_t code, const char *message);

private:
  /// One rank's part in a collective.
  struct Part {
    uint32_t rank;
    const heddle_collective &collective;
    uint64_t deadlineNs;
    const int32_t *cancel;
    heddle_status *why;
  };

  int32_t meet(const Part &part, uint32_t phase);
  int32_t wait(const Part &part, std::unique_lock<std::mutex> &lock);

  const Rank &member(const Part &part, uint32_t number) const {
    return ranks[part.collective.members[number]];
  }
  int32_t allReduce(const Part &part);
  void exchange(const Part &part);

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Rank> ranks;
  std::vector<Board::Place> places;
  Board board; ///< Used with the mutex held.
};

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

void heddle_collective_world::begin() {
  std::lock_guard<std::mutex> lock(mutex);
  board.begin();
}

int32_t heddle_collective_world::wait(const Part &part,
                                      std::unique_lock<std::mutex> &lock) {
  while (board.waits(part.rank) && !board.failure().code) {
    if (part.cancel && __atomic_load_n(part.cancel, __ATOMIC_RELAXED))
      return tell({HEDDLE_CANCELLED, "the call was cancelled"}, part.why);
    uint64_t now = monotonicNs(), span = cancelCheckNs;
    if (part.deadlineNs) {
      if (now >= part.deadlineNs)
        return tellPassedDeadline(part.why);
      span = part.cancel ? std::min(span, part.deadlineNs - now)
                         : part.deadlineNs - now;
    } else if (!part.cancel) {
      changed.wait(lock);
      continue;
    }
    // A deadline may be as far away as a number goes.
    changed.wait_for(lock, std::chrono::nanoseconds(std::min<uint64_t>(
                               span, uint64_t(3600) * 1000000000)));
  }
  if (!board.waits(part.rank))
    return HEDDLE_OK;
  *part.why = board.failure();
  return part.why->code;
}

/// Returns when all members of the group have come to this phase.
int32_t heddle_collective_world::meet(const Part &part, uint32_t phase) {
  std::unique_lock<std::mutex> lock(mutex);
  if (board.failure().code) {
    *part.why = board.failure();
    return part.why->code;
  }
  if (board.arrive(part.rank, part.collective, phase)) {
    changed.notify_all();
    return HEDDLE_OK;
  }
  if (board.failure().code)
    changed.notify_all();
  int32_t code = wait(part, lock);
  board.leave(part.rank);
  return code;
}

void heddle_collective_world::end(uint32_t rank, int32_t code,
                                  const char *message) {
  std::lock_guard<std::mutex> lock(mutex);
  board.end(rank, code, message);
  if (board.failure().code)
    changed.notify_all();
}

//===----------------------------------------------------------------------===//
// Moving and joining
//===----------------------------------------------------------------------===//

namespace {
/// The sources of a group, from an offset on.
struct Sources {
  const std::vector<Rank> &ranks;
  const heddle_collective &collective;
  int64_t offset; ///< Bytes.

  Terms terms() const {
    return {[](const void *user, uint32_t i) -> const void * {
              const auto &own = *static_cast<const Sources *>(user);
              return own.ranks[own.collective.members[i]].source + own.offset;
            },
            this, collective.member_count};
  }
};
} // namespace

static void copy(void *target, const void *source, int64_t bytes) {
  if (bytes)
    std::memcpy(target, source, static_cast<size_t>(bytes));
}

/// Each rank joins a part, and takes the others' parts when they are there.
int32_t heddle_collective_world::allReduce(const Part &part) {
  const heddle_collective &collective = part.collective;
  int64_t count = collective.member_count,
          bytes = format::elementBytes(format::DataType(collective.dtype));
  auto begin = [&](int64_t number) {
    return collective.elements / count * number +
           std::min(number, collective.elements % count);
  };
  int64_t first = begin(collective.place);
  Sources sources{ranks, collective, first * bytes};
  char *target = ranks[part.rank].target;
  reduce(collective.dtype, collective.reduction, target + first * bytes,
         sources.terms(), begin(collective.place + 1) - first);
  if (int32_t code = meet(part, 1))
    return code;
  for (uint32_t i = 0; i < collective.member_count; ++i)
    if (i != collective.place)
      copy(target + begin(i) * bytes, member(part, i).target + begin(i) * bytes,
           (begin(i + 1) - begin(i)) * bytes);
  return HEDDLE_OK;
}

/// What takes no meeting between the first and the last.
void heddle_collective_world::exchange(const Part &part) {
  const heddle_collective &collective = part.collective;
  int64_t element = format::elementBytes(format::DataType(collective.dtype)),
          bytes = collective.elements * element,
          piece = bytes / collective.member_count;
  char *target = ranks[part.rank].target;
  switch (collective.kind) {
  case HEDDLE_COLLECTIVE_ALL_GATHER:
    for (uint32_t i = 0; i < collective.member_count; ++i)
      copy(target + i * bytes, member(part, i).source, bytes);
    return;
  case HEDDLE_COLLECTIVE_ALL_TO_ALL:
    for (uint32_t i = 0; i < collective.member_count; ++i)
      copy(target + i * piece,
           member(part, i).source + collective.place * piece, piece);
    return;
  case HEDDLE_COLLECTIVE_REDUCE_SCATTER: {
    Sources sources{ranks, collective, collective.place * piece};
    reduce(collective.dtype, collective.reduction, target, sources.terms(),
           piece / element);
    return;
  }
  case HEDDLE_COLLECTIVE_BROADCAST:
    return copy(target, member(part, 0).source, bytes);
  case HEDDLE_COLLECTIVE_PERMUTE:
    if (collective.from < collective.member_count)
      copy(target, member(part, collective.from).source, bytes);
    else if (bytes)
      std::memset(target, 0, static_cast<size_t>(bytes));
    return;
  default:
    return;
  }
}

int32_t heddle_collective_world::run(uint32_t rank,
                                     const heddle_collective &collective,
                                     const void *source, void *target,
                                     uint64_t deadlineNs, const int32_t *cancel,
                                     heddle_status *why) {
  Part part = {rank, collective, deadlineNs, cancel, why};
  Rank &own = ranks[rank];
  {
    std::lock_guard<std::mutex> lock(mutex);
    own.source = static_cast<const char *>(source);
    own.target = static_cast<char *>(target);
  }
  if (int32_t code = meet(part, 0))
    return code;
  if (collective.kind == HEDDLE_COLLECTIVE_ALL_REDUCE) {
    if (int32_t code = allReduce(part))
      return code;
  } else {
    exchange(part);
  }
  return meet(part, 2);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static int32_t openWorld(uint32_t ranks, heddle_collective_world **out,
                         heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    *out = new heddle_collective_world(ranks);
    return HEDDLE_OK;
  });
}

extern const heddle_collective_engine heddle_thread_engine = {
    "threads",
    openWorld,
    [](heddle_collective_world *world) { delete world; },
    [](heddle_collective_world *world) { world->begin(); },
    [](heddle_collective_world *world, uint32_t rank,
       const heddle_collective *collective, const void *source, void *target,
       uint64_t deadlineNs, const int32_t *cancel, heddle_status *why) {
      return world->run(rank, *collective, source, target, deadlineNs, cancel,
                        why);
    },
    [](heddle_collective_world *world, uint32_t rank, int32_t code,
       const char *message) { world->end(rank, code, message); }};
