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
  void watch(uint64_t leastNs) { board.watch(leastNs); }
  uint64_t slowSinceNs(uint32_t rank) const { return board.slowSinceNs(rank); }
  bool waits(uint32_t rank) const { return board.waits(rank); }

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
  uint64_t begin = monotonicNs(), blameNs = board.blameNs(part.rank, begin);
  while (board.waits(part.rank) && !board.failure().code) {
    if (Error over = endOfWait(part.cancel, part.deadlineNs))
      return tell(board.whileWaiting(over, part.rank, part.collective),
                  part.why);
    uint64_t now = monotonicNs();
    if (blameNs && now >= blameNs)
      blameNs = board.blame(part.rank, part.collective, begin);
    uint64_t until = earlier(part.deadlineNs, blameNs);
    if (part.cancel)
      until = earlier(until, now + cancelCheckNs);
    if (!until) {
      changed.wait(lock);
      continue;
    }
    uint64_t span = until > now ? until - now : 0;
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
    [](heddle_collective_world *world, uint64_t leastNs) {
      world->watch(leastNs);
    },
    [](heddle_collective_world *world, uint32_t rank) {
      return world->slowSinceNs(rank);
    },
    [](heddle_collective_world *world, uint32_t rank) {
      return static_cast<int>(world->waits(rank));
    }};
