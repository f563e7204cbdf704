// The engine of collectives whose ranks are processes that one process has
// forked: how these meet. Tensors lie in memory that all of them share, or in
// what all had at the fork, so that each reads the others' in place.

#include "runtime/SharedRegion.h"
#include "runtime/collectives/Board.h"
#include "runtime/collectives/InPlace.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/drivers/cpu/Pool.h"

#include <cerrno>
#include <memory>
#include <pthread.h>

using namespace heddle;
using namespace heddle::runtime;

/// How long a rank looks for the others before it sleeps, where each rank has a
/// processor of its own: one that sleeps may be woken on the processor of who
/// wakes it, where both then wait for each other.
static constexpr uint64_t spinNs = 200000;

namespace {
/// What lies in the shared memory, before what the ranks tell of themselves.
struct Header {
  pthread_mutex_t mutex;
  SharedSignal changes; ///< Those that wait are woken here.
  Board board;          ///< Used with the mutex held.
};

/// The ranks; each process has a copy of this.
struct World final : Meeting {
  SharedRegion memory;
  Header *header = nullptr;
  InPlaceRank *ranks = nullptr;
  uint64_t patienceNs = 0; ///< For how long they spin.

  Error open(uint32_t ranks);
  int32_t run(const CollectivePart &part) {
    return runInPlace(ranks, part, *this);
  }
  void end(uint32_t rank, int32_t code, const char *message);

private:
  int32_t meet(const CollectivePart &part, uint32_t phase) override;
  int32_t wait(const CollectivePart &part, class Lock &lock);
};

/// The turn at the board. A process that ends while it has the turn leaves the
/// board as it is: nobody waits there any more.
class Lock {
public:
  explicit Lock(Header &header) : header(header) { take(); }
  ~Lock() { pthread_mutex_unlock(&header.mutex); }
  Lock(const Lock &) = delete;

  /// Lets others have the turn until somebody has woken all since the value of
  /// `changes` was `seen`, or a deadline has passed; now and then for nothing.
  void wait(uint32_t seen, uint64_t spinNs, uint64_t deadlineNs) {
    pthread_mutex_unlock(&header.mutex);
    header.changes.wait(seen, spinNs, deadlineNs);
    take();
  }

private:
  void take() {
    if (pthread_mutex_lock(&header.mutex) != EOWNERDEAD)
      return;
    pthread_mutex_consistent(&header.mutex);
    header.board.fail("the process of a rank ended while it met others");
    header.changes.wake();
  }

  Header &header;
};
} // namespace

static World &toWorld(heddle_collective_world *world) {
  return *reinterpret_cast<World *>(world);
}

Error World::open(uint32_t count) {
  static_assert(sizeof(Header) % alignof(InPlaceRank) == 0 &&
                sizeof(InPlaceRank) % alignof(Board::Place) == 0);
  size_t placesAt = sizeof(Header) + count * sizeof(InPlaceRank);
  if (Error error = memory.allocate(placesAt + count * sizeof(Board::Place),
                                    "what ranks that are processes tell"))
    return error;
  header = new (memory.data()) Header();
  ranks = reinterpret_cast<InPlaceRank *>(memory.data() + sizeof(Header));
  patienceNs = count <= Pool::defaultThreads() ? spinNs : 0;
  pthread_mutexattr_t shared;
  pthread_mutexattr_init(&shared);
  pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&header->mutex, &shared);
  pthread_mutexattr_destroy(&shared);
  auto *places = reinterpret_cast<Board::Place *>(memory.data() + placesAt);
  for (uint32_t i = 0; i < count; ++i)
    new (places + i) Board::Place();
  header->board.open(places, count);
  return {};
}

/// Nobody looks whether others are there: the process that forked the ranks
/// ends all of them where one has ended, and each ends with it.
int32_t World::wait(const CollectivePart &part, Lock &lock) {
  Board &board = header->board;
  uint64_t begin = monotonicNs(), blameNs = board.blameNs(part.rank, begin);
  while (board.waits(part.rank) && !board.failure().code) {
    // Who cancels wakes all behind it, without the turn.
    uint32_t seen = header->changes.value();
    if (Error over = endOfWait(part.cancel, part.deadlineNs))
      return tell(board.whileWaiting(over, part.rank, part.collective),
                  part.why);
    if (blameNs && monotonicNs() >= blameNs)
      blameNs = board.blame(part.rank, part.collective, begin);
    lock.wait(seen, patienceNs, earlier(part.deadlineNs, blameNs));
  }
  if (!board.waits(part.rank))
    return HEDDLE_OK;
  *part.why = board.failure();
  return part.why->code;
}

/// Returns when all members of the group have come to this phase.
int32_t World::meet(const CollectivePart &part, uint32_t phase) {
  Board &board = header->board;
  Lock lock(*header);
  if (board.failure().code) {
    *part.why = board.failure();
    return part.why->code;
  }
  bool isComplete = board.arrive(part.rank, part.collective, phase);
  if (isComplete || board.failure().code)
    header->changes.wake();
  int32_t code = isComplete ? HEDDLE_OK : wait(part, lock);
  board.leave(part.rank);
  return code;
}

void World::end(uint32_t rank, int32_t code, const char *message) {
  Lock lock(*header);
  header->board.end(rank, code, message);
  if (header->board.failure().code)
    header->changes.wake();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static int32_t openWorld(uint32_t ranks, heddle_collective_world **out,
                         heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    auto world = std::make_unique<World>();
    if (Error error = world->open(ranks))
      return tell(error, why);
    *out = reinterpret_cast<heddle_collective_world *>(world.release());
    return HEDDLE_OK;
  });
}

extern const heddle_collective_engine heddle_process_engine = {
    "processes",
    openWorld,
    [](heddle_collective_world *world) { delete &toWorld(world); },
    [](heddle_collective_world *world) {
      Header &header = *toWorld(world).header;
      Lock lock(header);
      header.board.begin();
    },
    [](heddle_collective_world *world, uint32_t rank,
       const heddle_collective *collective, const void *source, void *target,
       uint64_t deadlineNs, const int32_t *cancel, heddle_status *why) {
      return toWorld(world).run(
          {rank, *collective, source, target, deadlineNs, cancel, why});
    },
    [](heddle_collective_world *world, uint32_t rank, int32_t code,
       const char *message) { toWorld(world).end(rank, code, message); },
    [](heddle_collective_world *world) {
      // Whoever has the turn may be stopped.
      toWorld(world).header->changes.wake();
    },
    [](heddle_collective_world *world, uint64_t leastNs) {
      toWorld(world).header->board.watch(leastNs);
    },
    [](heddle_collective_world *world, uint32_t rank) {
      return toWorld(world).header->board.slowSinceNs(rank);
    },
    [](heddle_collective_world *world, uint32_t rank) {
      return static_cast<int>(toWorld(world).header->board.waits(rank));
    }};
