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

struct heddle_collective_world final : Meeting {
  explicit heddle_collective_world(uint32_t count)
      : ranks(count), places(count) {
    board.open(places.data(), count);
  }

  void begin();
  int32_t run(const CollectivePart &part) {
    return runInPlace(ranks.data(), part, *this);
  }
  void end(uint32_t rank, int32_t code, const char *message);
  void look() { changed.notify_all(); }

private:
  int32_t meet(const CollectivePart &part, uint32_t phase) override;
  int32_t wait(const CollectivePart &part, std::unique_lock<std::mutex> &lock);

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

int32_t heddle_collective_world::wait(const CollectivePart &part,
                                      std::unique_lock<std::mutex> &lock) {
  while (board.waits(part.rank) && !board.failure().code) {
    if (Error over = endOfWait(part.cancel, part.deadlineNs))
      return tell(board.whileWaiting(over, part.rank, part.collective),
                  part.why);
    uint64_t span = cancelCheckNs;
    if (part.deadlineNs) {
      uint64_t now = monotonicNs(),
               left = part.deadlineNs > now ? part.deadlineNs - now : 0;
      span = part.cancel ? std::min(span, left) : left;
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
int32_t heddle_collective_world::meet(const CollectivePart &part,
                                      uint32_t phase) {
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
      return world->run(
          {rank, *collective, source, target, deadlineNs, cancel, why});
    },
    [](heddle_collective_world *world, uint32_t rank, int32_t code,
       const char *message) { world->end(rank, code, message); },
    [](heddle_collective_world *world) { world->look(); },
    /*watch=*/nullptr,
    /*slow_since=*/nullptr,
    /*waits=*/nullptr};
