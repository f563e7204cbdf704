// How ranks that are processes anywhere send each other bytes.

#ifndef HEDDLE_RUNTIME_COLLECTIVES_TRANSPORT_H
#define HEDDLE_RUNTIME_COLLECTIVES_TRANSPORT_H

#include "runtime/collectives/PeerWatch.h"
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
  /// What of it is sent is received by the same number alone: that of a
  /// collective, 0 outside of calls.
  uint32_t purpose = 0;
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

  /// Room for so many messages at once, so that `exchange` allocates nothing.
  virtual Error reserve(size_t messages) = 0;
  /// Sends and receives all of them. What one rank sends to another for a
  /// purpose arrives in its order, and has the size that the other expects.
  int32_t exchange(const Message *messages, size_t count,
                   const Patience &patience, heddle_status *why);

  /// This rank cannot go on. Of several failures the first that is known stays.
  void fail(const Error &why);
  const heddle_status &failure() const { return problem; }
  /// Whether other ranks may end without being missed, as when all are done.
  void expectEnds(bool expects) { expectsEnds = expects; }

  /// Ends all processes at once, this one with `exitCode`.
  [[noreturn]] virtual void abort(int exitCode) = 0;
  /// All ranks leave, and wait for each other.
  virtual Error leave() = 0;

protected:
  /// Tells the ranks of each other, once messages can be sent.
  Error meet();
  /// Sends and receives, and calls `look` now and then while it waits.
  virtual Error move(const Message *messages, size_t count,
                     const Patience &patience) = 0;
  /// Why not to wait any more.
  Error look(const Patience &patience);
  /// Notes with `overAs` that another rank has told of a failure.
  virtual Error hear() = 0;
  /// Tells the other ranks, without waiting long for them.
  virtual void tellAll(const heddle_status &why) = 0;
  void overAs(const heddle_status &why) { problem = why; }
  /// Lets others have the processor the longer, the longer a wait has been:
  /// what comes soon is seen at once, and what comes late costs little.
  void rest(uint64_t waitedNs) const;

  uint32_t ownRank = 0, rankCount = 1;

private:
  heddle_status problem = {};
  std::vector<PeerCard> cards;
  PeerWatch watch;
  bool expectsEnds = false;
  bool hasProcessor = false; ///< Of its own, as each rank that it shares with.
};

/// How long a wait goes on before it calls `look`.
constexpr uint64_t lookNs = 1000000;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COLLECTIVES_TRANSPORT_H
