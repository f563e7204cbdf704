// The engine of collectives whose ranks are processes that one process has
// forked: they move bytes through windows in memory that all of them share.
//
// A tensor goes through its rank's window piece by piece. In all_reduce each
// rank joins a share of a piece, and takes the other shares from the others'
// results. Terms are joined in the order of the members, as threads do it, so
// that both engines give equal bits.

#include "runtime/SharedRegion.h"
#include "runtime/collectives/Board.h"
#include "runtime/collectives/Reductions.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/format/DataTypes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <pthread.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

/// How long a rank waits at once: it looks whether somebody cancels, and
/// whether the process is there that it belongs to.
static constexpr uint64_t checkNs = 1000000;

/// The most bytes of a window, and of all of them.
static constexpr uint64_t windowLimit = 128 << 10, windowsLimit = 64 << 20;

namespace {
/// What lies in the shared memory, before places and windows.
struct Header {
  pthread_mutex_t mutex;
  std::atomic<uint32_t> changes; ///< Those that wait are woken here.
  Board board;                   ///< Used with the mutex held.
};

/// The ranks; each process has a copy of this.
struct World {
  SharedRegion memory;
  Header *header = nullptr;
  char *windows = nullptr;
  uint64_t windowBytes = 0;
  pid_t owner = getpid();

  Error open(uint32_t ranks);
  int32_t run(uint32_t rank, const heddle_collective &collective,
              const char *source, char *target, uint64_t deadlineNs,
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
    int64_t elementBytes, bytes; ///< Of the source.
  };
  /// Bytes of the source that are in the windows.
  struct Piece {
    int64_t begin, size;
    uint32_t number;
  };

  int32_t meet(const Part &part, uint32_t phase);
  int32_t wait(const Part &part, class Lock &lock);
  int32_t allReduce(const Part &part, const Piece &piece, char *target,
                    uint32_t &phase);
  void take(const Part &part, const Piece &piece, char *target);
  void join(const Part &part, const Piece &piece, int64_t begin, int64_t end,
            char *target);

  /// A rank has two for its source, used by turns, and one for results.
  char *window(uint32_t rank, uint32_t number) const {
    return windows + (rank * uint64_t(3) + number) * windowBytes;
  }
  char *source(uint32_t rank, const Piece &piece) const {
    return window(rank, piece.number % 2);
  }
  char *result(uint32_t rank) const { return window(rank, 2); }
};

/// The turn at the board. A process that ends while it has the turn leaves the
/// board as it is: nobody waits there any more.
class Lock {
public:
  explicit Lock(Header &header) : header(header) { take(); }
  ~Lock() { pthread_mutex_unlock(&header.mutex); }
  Lock(const Lock &) = delete;

  /// Lets others have the turn until somebody has woken all, or some time has
  /// passed.
  void wait(uint64_t nanoseconds) {
    uint32_t seen = header.changes.load(std::memory_order_seq_cst);
    pthread_mutex_unlock(&header.mutex);
    waitShared(header.changes, seen, nanoseconds);
    take();
  }

private:
  void take() {
    if (pthread_mutex_lock(&header.mutex) != EOWNERDEAD)
      return;
    pthread_mutex_consistent(&header.mutex);
    header.board.fail("the process of a rank ended while it met others");
    wakeShared(header.changes);
  }

  Header &header;
};
} // namespace

static World &toWorld(heddle_collective_world *world) {
  return *reinterpret_cast<World *>(world);
}

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

Error World::open(uint32_t ranks) {
  constexpr uint64_t page = 4096;
  const uint64_t windowCount = uint64_t(3) * ranks;
  uint64_t begin =
      (sizeof(Header) + ranks * sizeof(Board::Place) + page - 1) / page * page;
  windowBytes = std::max(
      page, std::min(windowLimit, windowsLimit / windowCount) / page * page);
  if (Error error =
          memory.allocate(begin + windowCount * windowBytes,
                          "what ranks that are processes give each other"))
    return error;
  header = new (memory.data()) Header();
  windows = memory.data() + begin;
  pthread_mutexattr_t shared;
  pthread_mutexattr_init(&shared);
  pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&header->mutex, &shared);
  pthread_mutexattr_destroy(&shared);
  header->board.open(
      reinterpret_cast<Board::Place *>(memory.data() + sizeof(Header)), ranks);
  return {};
}

int32_t World::wait(const Part &part, Lock &lock) {
  Board &board = header->board;
  while (board.waits(part.rank) && !board.failure().code) {
    if (part.cancel && __atomic_load_n(part.cancel, __ATOMIC_RELAXED))
      return tell({HEDDLE_CANCELLED, "the call was cancelled"}, part.why);
    uint64_t now = monotonicNs(), span = checkNs;
    if (part.deadlineNs && now >= part.deadlineNs)
      return tellPassedDeadline(part.why);
    if (part.deadlineNs)
      span = std::min(span, part.deadlineNs - now);
    if (getppid() != owner && getpid() != owner)
      return tell({HEDDLE_RANK_FAILED,
                   "the process that the ranks belong to has ended"},
                  part.why);
    lock.wait(span);
  }
  if (!board.waits(part.rank))
    return HEDDLE_OK;
  *part.why = board.failure();
  return part.why->code;
}

/// Returns when all members of the group have come to this phase.
int32_t World::meet(const Part &part, uint32_t phase) {
  Board &board = header->board;
  Lock lock(*header);
  if (board.failure().code) {
    *part.why = board.failure();
    return part.why->code;
  }
  bool isComplete = board.arrive(part.rank, part.collective, phase);
  if (isComplete || board.failure().code)
    wakeShared(header->changes);
  if (isComplete)
    return HEDDLE_OK;
  int32_t code = wait(part, lock);
  board.leave(part.rank);
  return code;
}

void World::end(uint32_t rank, int32_t code, const char *message) {
  Lock lock(*header);
  header->board.end(rank, code, message);
  if (header->board.failure().code)
    wakeShared(header->changes);
}

//===----------------------------------------------------------------------===//
// Moving and joining
//===----------------------------------------------------------------------===//

/// Joins the bytes from `begin` to `end` of the source.
void World::join(const Part &part, const Piece &piece, int64_t begin,
                 int64_t end, char *target) {
  struct User {
    const World &world;
    const heddle_collective &collective;
    const Piece &piece;
    int64_t offset;
  } user = {*this, part.collective, piece, begin - piece.begin};
  Terms terms = {[](const void *given, uint32_t i) -> const void * {
                   const auto &own = *static_cast<const User *>(given);
                   return own.world.source(own.collective.members[i],
                                           own.piece) +
                          own.offset;
                 },
                 &user, part.collective.member_count};
  reduce(part.collective.dtype, part.collective.reduction, target, terms,
         (end - begin) / part.elementBytes);
}

/// Each rank joins a share of the piece, and takes the others' shares when they
/// are there.
int32_t World::allReduce(const Part &part, const Piece &piece, char *target,
                         uint32_t &phase) {
  int64_t count = part.collective.member_count,
          elements = piece.size / part.elementBytes;
  auto begin = [&](int64_t number) {
    return (elements / count * number + std::min(number, elements % count)) *
           part.elementBytes;
  };
  uint32_t place = part.collective.place;
  join(part, piece, piece.begin + begin(place), piece.begin + begin(place + 1),
       result(part.rank));
  if (int32_t code = meet(part, phase++))
    return code;
  for (uint32_t i = 0; i < part.collective.member_count; ++i)
    std::memcpy(target + piece.begin + begin(i),
                result(part.collective.members[i]),
                static_cast<size_t>(begin(i + 1) - begin(i)));
  return HEDDLE_OK;
}

/// What takes no further meeting: the rank's share of a piece that is there.
void World::take(const Part &part, const Piece &piece, char *target) {
  const heddle_collective &collective = part.collective;
  auto bytes = static_cast<size_t>(piece.size);
  auto from = [&](uint32_t i) { return source(collective.members[i], piece); };
  // Of what each rank has a part of: where the piece meets this rank's.
  int64_t share = part.bytes / collective.member_count,
          first = collective.place * share,
          begin = std::max(piece.begin, first),
          end = std::min(piece.begin + piece.size, first + share);
  switch (collective.kind) {
  case HEDDLE_COLLECTIVE_ALL_GATHER:
    for (uint32_t i = 0; i < collective.member_count; ++i)
      std::memcpy(target + i * part.bytes + piece.begin, from(i), bytes);
    return;
  case HEDDLE_COLLECTIVE_ALL_TO_ALL:
    for (uint32_t i = 0; i < collective.member_count && begin < end; ++i)
      std::memcpy(target + i * share + begin - first,
                  from(i) + begin - piece.begin,
                  static_cast<size_t>(end - begin));
    return;
  case HEDDLE_COLLECTIVE_REDUCE_SCATTER:
    if (begin < end)
      join(part, piece, begin, end, target + begin - first);
    return;
  case HEDDLE_COLLECTIVE_BROADCAST:
    std::memcpy(target + piece.begin, from(0), bytes);
    return;
  case HEDDLE_COLLECTIVE_PERMUTE:
    if (collective.from < collective.member_count)
      std::memcpy(target + piece.begin, from(collective.from), bytes);
    else
      std::memset(target + piece.begin, 0, bytes);
    return;
  default:
    return;
  }
}

int32_t World::run(uint32_t rank, const heddle_collective &collective,
                   const char *from, char *target, uint64_t deadlineNs,
                   const int32_t *cancel, heddle_status *why) {
  int64_t element = format::elementBytes(format::DataType(collective.dtype));
  Part part = {rank,
               collective,
               deadlineNs,
               cancel,
               why,
               element,
               collective.elements * element};
  int64_t step = static_cast<int64_t>(windowBytes) / element * element;
  uint32_t phase = 0;
  Piece piece = {0, 0, 0};
  // A window is written again when all have met since it was read.
  for (; piece.begin < part.bytes; piece.begin += step, ++piece.number) {
    piece.size = std::min(step, part.bytes - piece.begin);
    std::memcpy(source(rank, piece), from + piece.begin,
                static_cast<size_t>(piece.size));
    if (int32_t code = meet(part, phase++))
      return code;
    if (collective.kind != HEDDLE_COLLECTIVE_ALL_REDUCE)
      take(part, piece, target);
    else if (int32_t code = allReduce(part, piece, target, phase))
      return code;
  }
  return meet(part, phase);
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
          rank, *collective, static_cast<const char *>(source),
          static_cast<char *>(target), deadlineNs, cancel, why);
    },
    [](heddle_collective_world *world, uint32_t rank, int32_t code,
       const char *message) { toWorld(world).end(rank, code, message); }};
