// The engine of collectives whose ranks are threads of one process: how these
// meet.

#include "runtime/collectives/Board.h"
#include "runtime/collectives/InPlace.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

using namespace heddle;
using namespace heddle::runtime;

/// How long a rank waits at once if somebody may cancel.
static constexpr uint64_t cancelCheckNs = 1000000;

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
  void look() { changed.notify_all(); }

private:
  /// One rank's part in a collective.
  struct Part final : Meeting {
    Part(heddle_collective_world &world, uint32_t rank,
         const heddle_collective &collective, uint64_t deadlineNs,
         const int32_t *cancel, heddle_status *why)
        : world(world), rank(rank), collective(collective),
          deadlineNs(deadlineNs), cancel(cancel), why(why) {}
    int32_t meet(uint32_t phase) override { return world.meet(*this, phase); }

    heddle_collective_world &world;
    uint32_t rank;
    const heddle_collective &collective;
    uint64_t deadlineNs;
    const int32_t *cancel;
    heddle_status *why;
  };

  int32_t meet(const Part &part, uint32_t phase);
  int32_t wait(const Part &part, std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<InPlaceRank> ranks;
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

int32_t heddle_collective_world::run(uint32_t rank,
                                     const heddle_collective &collective,
                                     const void *source, void *target,
                                     uint64_t deadlineNs, const int32_t *cancel,
                                     heddle_status *why) {
  Part part(*this, rank, collective, deadlineNs, cancel, why);
  return runInPlace(ranks.data(), rank, collective, source, target, part);
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
       const char *message) { world->end(rank, code, message); },
    [](heddle_collective_world *world) { world->look(); }};
