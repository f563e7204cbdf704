// How ranks that are processes anywhere send each other bytes.

#ifndef HEDDLE_RUNTIME_COLLECTIVES_TRANSPORT_H
#define HEDDLE_RUNTIME_COLLECTIVES_TRANSPORT_H

#include "runtime/collectives/PeerWatch.h"
#include "runtime/collectives/SlowRanks.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/format/Error.h"

namespace heddle::runtime {

using format::Error;

/// Bytes that this rank sends to another, or gets from it.
struct Message {
  enum class Way { Send, Receive };
  Way way;
  uint32_t peer;
  char *data; ///< Of one that is sent it is only read.
  uint64_t bytes;
};

/// Where a rank is in what it does with others. How many collectives it has
/// come to does not count: groups of ranks may loop a different number of
/// times.
struct Position {
  static constexpr uint32_t outside = UINT32_MAX;
  uint64_t number = 0;     ///< Rises where calls begin and where they end.
  uint32_t kind = outside; ///< heddle_collective_kind, or of collectives.
  uint32_t site = 0;       ///< The command's number in the program.

  bool isSame(const Position &other) const {
    return number == other.number && kind == other.kind && site == other.site;
  }
};

/// What a rank tells another of itself, beside messages.
struct Notice {
  enum Kind : uint32_t {
    Failure = 1, ///< It cannot go on; `status` says why.
    Abort,       ///< All processes end, with the exit code of `status`.
    Leave,       ///< It sends nothing more.
    Wait,        ///< It waits at `position` for messages of the other.
    Held         ///< It waits itself, for `holder`, for `waitedNs` by now.
  };
  Kind kind;
  uint32_t holder;
  uint64_t waitedNs;
  Position position;
  /// Of a Wait: how many messages have come of the other, and gone to it,
  /// before those that are waited for.
  uint64_t received, sent;
  heddle_status status;
};

/// What has gone between a rank and others, in messages.
struct Traffic {
  uint64_t sent = 0, received = 0;           ///< Messages.
  uint64_t sentBytes = 0, receivedBytes = 0; ///< That these have.
  uint64_t waitedNs = 0; ///< In exchanges; of one with ranks of this machine
                         ///< and others this counts for the others.
};

/// What ends a wait early.
struct Patience {
  uint64_t deadlineNs = 0; ///< CLOCK_MONOTONIC; 0: none.
  const int32_t *cancel = nullptr;
};

/// One of several processes that run a program together. Used by one thread at
/// a time, which may be any. Where a rank cannot go on, none does: each is told
/// why, and returns that from then on.
class Transport {
public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport &) = delete;
  Transport &operator=(const Transport &) = delete;

  uint32_t rank() const { return ownRank; }
  uint32_t count() const { return rankCount; }
  /// How many ranks have the processors that this one has, itself among them.
  uint32_t sharers() const;
  /// With ranks of this machine, or of others.
  const Traffic &traffic(bool isOfMachine) const {
    return counted[isOfMachine];
  }

  /// Room for so many messages at once, so that `exchange` allocates nothing.
  virtual Error reserve(size_t messages) = 0;
  /// Where this rank is from now on: what is sent at a position is received
  /// there.
  void enter(const Position &position) { current = position; }
  const Position &position() const { return current; }
  /// Sends and receives all of them. What one rank sends to another arrives in
  /// its order, and has the size that the other expects.
  int32_t exchange(const Message *messages, size_t count,
                   const Patience &patience, heddle_status *why);

  /// This rank cannot go on. Of several failures the first that is known stays.
  void fail(const Error &why);
  const heddle_status &failure() const { return problem; }
  /// Whether other ranks may end without being missed, as when all are done.
  void expectEnds(bool expects) { expectsEnds = expects; }

  /// Around what this rank does in a call, in which it says whom it waits for:
  /// whom to tell of slow ranks; null: the call is over. The report lives as
  /// long.
  void watchSlow(const SlowReport *report);

  /// Ends all processes at once, this one with `exitCode`.
  [[noreturn]] virtual void abort(int exitCode) = 0;
  /// Lets a rank before this one end all processes: does not return then.
  virtual void awaitAbort(uint64_t timeoutNs);
  /// All ranks leave, and wait for each other.
  virtual Error leave() = 0;

protected:
  /// Which of how many ranks this one is.
  void sit(uint32_t rank, uint32_t count);
  /// Tells the ranks of each other, once messages can be sent.
  Error meet();
  /// Sends and receives, and calls `look` now and then while it waits.
  virtual Error move(const Message *messages, size_t count,
                     const Patience &patience) = 0;
  /// Why not to wait any more.
  Error look(const Patience &patience);
  /// Calls `step(isDone)`, which gives an error, until that has set `isDone`;
  /// between steps `pause(waitedNs)`, and `look` now and then. It allocates
  /// nothing.
  template <typename Step, typename Pause>
  Error await(const Patience &patience, Step step, Pause pause);
  /// A number that rises where something has gone between this rank and another
  /// in the exchange that is made; -1: that waits for nothing of it.
  virtual int64_t movedWith(uint32_t rank) const = 0;
  /// Gives `heard` what other ranks have said.
  virtual Error hear() = 0;
  void heard(uint32_t rank, Notice &notice);
  /// Tells other ranks, without waiting long for them.
  virtual void say(const Notice &notice,
                   const std::vector<uint32_t> &ranks) = 0;
  /// To all other ranks.
  void sayToAll(const Notice &notice);
  void overAs(const heddle_status &why) { problem = why; }
  bool isEndExpected() const { return expectsEnds; }
  /// What becomes of a rank whose process has ended, or `how` it is gone.
  Error endOf(uint32_t rank, const char *how = "has ended") const;
  /// Of two ranks at different places one waits for the other in vain.
  Error apart(uint32_t waiting, const Position &here, uint32_t rank,
              const Position &there) const;
  /// Whether another rank waits for this one in vain.
  Error findApart() const;
  /// Whether a wait does nothing else, since what comes soon is to be seen at
  /// once.
  bool spins(uint64_t waitedNs) const;
  /// Lets others have the processor the longer, the longer a wait has been, so
  /// that what comes late costs little.
  void rest(uint64_t waitedNs) const;

private:
  /// For whom another rank waits, as it has said.
  struct Claim {
    uint32_t holder = 0;
    uint64_t waitedNs = 0; ///< 0: it waits for nobody.
    uint64_t heardNs = 0;
  };

  /// What this rank has exchanged with another, when that waits for it, and
  /// since when this one waits.
  struct Peer {
    PeerCard card = {};
    uint64_t sent = 0, received = 0; ///< Messages.
    Notice wait = {};                ///< The last one; `kind` 0: there is none.
    Claim claim;
    int64_t moved = -1;        ///< As movedWith gave it last,
    uint64_t quietSinceNs = 0; ///< and since when.
    uint64_t claimedNs = 0;    ///< How long this rank had waited when it made
                            ///< its last claim to the other; 0: it made none.
    bool isToldSlow = false; ///< In this call.
  };

  /// What an exchange has.
  struct Exchange {
    const Message *messages = nullptr;
    size_t count = 0;
    uint64_t beginNs = 0;
    bool hasSaidWait = false;
    bool isWatched = false; ///< Since it takes long.
  };

  bool isOfMachine(uint32_t rank) const;
  bool waitsFor(uint32_t rank) const;
  void count(const Exchange &done);
  void sayWait();
  void noteMoves(uint64_t nowNs);
  uint32_t holderOf(uint32_t rank, uint64_t nowNs) const;
  void sayHeld(uint32_t holder, uint64_t waitedNs);
  void tellSlow(uint32_t rank, uint64_t waitedNs);
  void watchWaits();
  /// The end of a wait, and for whom this rank waited.
  Error whileWaiting(const Error &over) const;

  uint32_t ownRank = 0, rankCount = 1;
  heddle_status problem = {};
  std::vector<Peer> peers;
  std::vector<uint32_t> others; ///< All ranks but this.
  Traffic counted[2];
  PeerWatch watch;
  Position current;
  Exchange running;
  const SlowReport *slow = nullptr; ///< In a call.
  uint64_t workSinceNs = 0;         ///< When the last exchange ended.
  bool expectsEnds = false;
  bool hasProcessor = false; ///< Of its own, as each rank that it shares with.
};

/// How long a wait goes on before it calls `look`.
constexpr uint64_t lookNs = 1000000;

template <typename Step, typename Pause>
Error Transport::await(const Patience &patience, Step step, Pause pause) {
  uint64_t begin = monotonicNs(), looked = begin;
  while (true) {
    bool isDone = false;
    if (Error error = step(isDone))
      return error;
    if (isDone)
      return {};
    uint64_t now = monotonicNs();
    if (now - looked >= lookNs) {
      looked = now;
      if (Error error = look(patience))
        return error;
    }
    pause(now - begin);
  }
}

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COLLECTIVES_TRANSPORT_H
