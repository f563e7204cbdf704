// Collectives by messages, for ranks that are processes anywhere.

#ifndef HEDDLE_RUNTIME_COLLECTIVES_MESSAGEWORLD_H
#define HEDDLE_RUNTIME_COLLECTIVES_MESSAGEWORLD_H

#include "runtime/collectives/Transport.h"
#include "runtime/collectives/engine.h"

#include <vector>

namespace heddle::runtime {

/// What one rank does of each collective. Terms are joined in the order of the
/// members, as threads do it, so that all engines give equal bits.
class MessageWorld {
public:
  explicit MessageWorld(Transport &transport) : transport(transport) {}

  Error open();
  int32_t run(const heddle_collective &collective, const char *source,
              char *target, const Patience &patience, heddle_status *why);
  /// Around this rank's part in a call of all.
  void beginCall();
  void endCall();
  /// A call of this rank has ended badly, which the others are told.
  void fail(const Error &why) { transport.fail(why); }

  /// For engines' users. A group has one world, which its transport opens:
  /// the table's `open` and `close` are not for it.
  heddle_collective_world *handle() {
    return reinterpret_cast<heddle_collective_world *>(this);
  }

private:
  /// One collective.
  struct Part {
    const heddle_collective &collective;
    const char *source;
    char *target;
    const Patience &patience;
    heddle_status *why;
    int64_t elementBytes, bytes; ///< Of the source.
  };

  void send(const Part &part, uint32_t place, const char *data, int64_t bytes);
  void receive(const Part &part, uint32_t place, char *data, int64_t bytes);
  int32_t exchange(const Part &part);
  void join(const Part &part, const char *own, char *target, int64_t bytes);

  int32_t runPart(const Part &part);
  int32_t gather(const Part &part);
  int32_t allToAll(const Part &part);
  int32_t broadcast(const Part &part);
  int32_t permute(const Part &part);
  int32_t reduceScatter(const Part &part);
  int32_t allReduce(const Part &part);
  int32_t reduceSmall(const Part &part);
  int32_t reducePiece(const Part &part, int64_t begin, int64_t elements);

  /// Where the term of member `place` is received.
  char *row(uint32_t place) { return terms.data() + place * rowBytes; }

  Transport &transport;
  std::vector<Message> messages; ///< Of the exchange that is made next.
  std::vector<char> terms;       ///< What other members give to a sum.
  uint64_t rowBytes = 0;
  uint64_t number = 0; ///< Of the position of this rank (Transport.h).
  bool isInCall = false;
};

} // namespace heddle::runtime

/// Ranks are processes that send each other messages. The world is that of a
/// group, and this process one of its ranks.
extern "C" const heddle_collective_engine heddle_message_engine;

#endif // HEDDLE_RUNTIME_COLLECTIVES_MESSAGEWORLD_H
