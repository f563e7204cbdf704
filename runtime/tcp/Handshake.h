// How the two ends of a connection prove to each other that they know the
// secret of their group, before anything else that comes is looked at.
//
// Who is called greets with a challenge. The caller claims to be a rank, with a
// challenge of its own and a proof over both; what is called answers with a
// proof over that proof. All three have a fixed size. Numbers are
// little-endian, as on all processors that heddle is for.

#ifndef HEDDLE_RUNTIME_TCP_HANDSHAKE_H
#define HEDDLE_RUNTIME_TCP_HANDSHAKE_H

#include "runtime/tcp/KeyedHash.h"
#include "runtime/tcp/Socket.h"

namespace heddle::runtime {

using Challenge = std::array<uint8_t, 32>;

/// A number for one run of a group: of two runs with one secret, none takes a
/// rank of the other for its own.
using Session = std::array<uint8_t, 16>;

/// What is known of a group before its ranks know each other.
struct Credentials {
  std::string secret;
  Session session = {}; ///< Zeros until the first rank has told it.
  uint32_t rank = 0, count = 1;
};

/// Ranks have two connections with each other.
enum class Channel : uint32_t {
  Notices, ///< What ranks say of themselves (Transport.h).
  Data     ///< Tensors.
};

struct Greeting {
  char magic[8];
  uint32_t version, unused;
  Challenge challenge;
};

struct Claim {
  char magic[8];
  uint32_t version;
  uint32_t rank, count; ///< Of the caller.
  Channel channel;
  Endpoint endpoint; ///< Where the caller takes connections itself.
  Challenge challenge;
  Digest proof;
};

enum class Verdict : uint32_t {
  Welcome,
  OtherSecret,
  OtherVersion,
  OtherCount,
  Twice
};

struct Answer {
  Verdict verdict;
  uint32_t count; ///< Of ranks, as who is called knows it.
  Digest proof;
};

/// Of who is called: a new greeting.
Error makeGreeting(Greeting &greeting);
/// Whether this is a claim of heddle's at all, of whichever version.
bool isClaim(const Claim &claim);
/// What to answer to a claim that was made after this greeting: the caller is
/// who it says only if that is not OtherSecret or OtherVersion.
Verdict judge(const Claim &claim, const Greeting &greeting,
              const Credentials &own);
Answer makeAnswer(Verdict verdict, const Claim &claim, const Credentials &own);

/// Of the caller: what became of it.
enum class Outcome {
  Done,
  Later,  ///< Nobody answered as a rank does: it may be tried again.
  Refused ///< `error` says why.
};
/// False, with `errno`, where none of heddle's comes.
bool receiveGreeting(const Socket &connection, Greeting &greeting,
                     uint64_t deadlineNs);
/// Calls a rank that has greeted. `endpoint` is where this one takes others.
Outcome introduce(const Socket &connection, const Greeting &greeting,
                  const Credentials &own, uint32_t called, Channel channel,
                  const Endpoint &endpoint, uint64_t deadlineNs, Error &error);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TCP_HANDSHAKE_H
