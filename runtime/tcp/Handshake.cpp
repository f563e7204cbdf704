// Makes proofs and checks them.

#include "runtime/tcp/Handshake.h"

#include "runtime/tcp/TcpSecret.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

static constexpr char magic[8] = {'h', 'd', 'd', 'l', '-', 't', 'c', 'p'};
/// Of all that ranks send each other.
static constexpr uint32_t version = 2;

template <typename T> static std::string_view bytesOf(const T &value) {
  return {reinterpret_cast<const char *>(&value), sizeof(value)};
}

/// Over all of the claim but the proof itself, and who is called, how.
static Digest proofOf(const Claim &claim, const Greeting &greeting,
                      const Credentials &group, uint32_t called) {
  std::string text = "heddle: claim of a rank";
  text += bytesOf(group.session);
  text += bytesOf(called);
  text += bytesOf(greeting.challenge);
  text += bytesOf(claim).substr(0, offsetof(Claim, proof));
  return keyedHash(group.secret, text);
}

static Digest proofOf(const Answer &answer, const Claim &claim,
                      const Credentials &group) {
  std::string text = "heddle: answer to a claim";
  text += bytesOf(group.session);
  text += bytesOf(claim.proof);
  text += bytesOf(answer).substr(0, offsetof(Answer, proof));
  return keyedHash(group.secret, text);
}

//===----------------------------------------------------------------------===//
// Being called
//===----------------------------------------------------------------------===//

Error runtime::makeGreeting(Greeting &greeting) {
  greeting = {};
  std::memcpy(greeting.magic, magic, sizeof(magic));
  greeting.version = version;
  return fillRandom(greeting.challenge.data(), greeting.challenge.size());
}

bool runtime::isClaim(const Claim &claim) {
  return !std::memcmp(claim.magic, magic, sizeof(magic));
}

Verdict runtime::judge(const Claim &claim, const Greeting &greeting,
                       const Credentials &own) {
  if (claim.version != version)
    return Verdict::OtherVersion;
  if (!areEqual(claim.proof, proofOf(claim, greeting, own, own.rank)))
    return Verdict::OtherSecret;
  return claim.count == own.count ? Verdict::Welcome : Verdict::OtherCount;
}

Answer runtime::makeAnswer(Verdict verdict, const Claim &claim,
                           const Credentials &own) {
  Answer answer = {};
  answer.verdict = verdict;
  // Who has not proved anything is told nothing.
  if (verdict == Verdict::OtherSecret || verdict == Verdict::OtherVersion)
    return answer;
  answer.count = own.count;
  answer.proof = proofOf(answer, claim, own);
  return answer;
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

static Error refusal(const Answer &answer, bool isProved,
                     const Credentials &own, const std::string &who) {
  if (answer.verdict == Verdict::OtherVersion)
    return {HEDDLE_ARGUMENT_INVALID,
            who + " is of another version of heddle: give all ranks the same"};
  if (!isProved)
    return {HEDDLE_ARGUMENT_INVALID,
            who + " has another secret than this process, rank " +
                std::to_string(own.rank) +
                ": set the same HEDDLE_SECRET (or HEDDLE_SECRET_FILE) for all, "
                "or give all the same secret_file, or none where all are of "
                "one machine"};
  if (answer.verdict == Verdict::OtherCount)
    return {HEDDLE_ARGUMENT_INVALID,
            "this process was started as rank " + std::to_string(own.rank) +
                " of " + std::to_string(own.count) + ", and " + who +
                " as one of " + std::to_string(answer.count)};
  return {HEDDLE_ARGUMENT_INVALID,
          "two processes were started as rank " + std::to_string(own.rank)};
}

bool runtime::receiveGreeting(const Socket &connection, Greeting &greeting,
                              uint64_t deadlineNs) {
  if (!receiveAll(connection, &greeting, sizeof(greeting), deadlineNs))
    return false;
  errno = EPROTO;
  return !std::memcmp(greeting.magic, magic, sizeof(magic));
}

Outcome runtime::introduce(const Socket &connection, const Greeting &greeting,
                           const Credentials &own, uint32_t called,
                           Channel channel, const Endpoint &endpoint,
                           uint64_t deadlineNs, Error &error) {
  Claim claim = {};
  std::memcpy(claim.magic, magic, sizeof(magic));
  claim.version = version;
  claim.rank = own.rank;
  claim.count = own.count;
  claim.channel = channel;
  claim.endpoint = endpoint;
  if ((error = fillRandom(claim.challenge.data(), claim.challenge.size())))
    return Outcome::Refused;
  claim.proof = proofOf(claim, greeting, own, called);
  Answer answer;
  if (!sendAll(connection, &claim, sizeof(claim), deadlineNs) ||
      !receiveAll(connection, &answer, sizeof(answer), deadlineNs))
    return Outcome::Later;
  bool isProved = areEqual(answer.proof, proofOf(answer, claim, own));
  if (isProved && answer.verdict == Verdict::Welcome)
    return Outcome::Done;
  error = refusal(answer, isProved, own,
                  "rank " + std::to_string(called) + " at " +
                      peerAddress(connection).text());
  return Outcome::Refused;
}
