// Hears callers side by side, each no longer than a few seconds.

#include "runtime/tcp/Reception.h"

#include "runtime/drivers/cpu/Clock.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::runtime;

/// How long a caller has for its claim, and how many are heard at once beside
/// the ranks: the oldest goes where more come.
static constexpr uint64_t callerNs = 5000000000;
static constexpr size_t strangers = 64;

std::vector<uint32_t> Reception::missing(const std::vector<TcpLink> &links,
                                         uint32_t first) {
  std::vector<uint32_t> ranks;
  for (uint32_t rank = first; rank < links.size(); ++rank)
    if (!links[rank].isThere())
      ranks.push_back(rank);
  return ranks;
}

/// Takes new callers, and lets go of those that have taken too long.
Error Reception::take(uint64_t nowNs, size_t room) {
  while (true) {
    Socket connection = acceptAt(listener);
    if (!connection)
      break;
    Caller caller = {std::move(connection), {}, {}, 0, nowNs + callerNs};
    // A greeting fits into what a new connection holds back.
    if (makeGreeting(caller.greeting) ||
        !sendAll(caller.connection, &caller.greeting, sizeof(caller.greeting),
                 nowNs))
      continue;
    callers.push_back(std::move(caller));
    if (callers.size() > room)
      callers.erase(callers.begin());
  }
  Error error = outOfSockets(own.rank);
  callers.erase(std::remove_if(callers.begin(), callers.end(),
                               [&](const Caller &caller) {
                                 return caller.deadlineNs <= nowNs;
                               }),
                callers.end());
  return error;
}

/// False: the caller has ended, or is none of ours.
bool Reception::listen(Caller &caller) {
  ssize_t got = recv(caller.connection.descriptor(),
                     reinterpret_cast<char *>(&caller.claim) + caller.bytes,
                     sizeof(Claim) - caller.bytes, 0);
  if (got <= 0)
    return got && isForLater();
  caller.bytes += static_cast<size_t>(got);
  // What is no claim is not waited for to its end.
  return caller.bytes < sizeof(caller.claim.magic) || isClaim(caller.claim);
}

/// Lets a caller in, or not. It is an error where a rank has proved that the
/// group cannot be as it was started.
Error Reception::settle(Caller &caller, std::vector<TcpLink> &links,
                        uint32_t first) {
  const Claim &claim = caller.claim;
  Verdict verdict = judge(claim, caller.greeting, own);
  bool isKnown = verdict == Verdict::Welcome || verdict == Verdict::OtherCount;
  std::string who = "rank " + std::to_string(claim.rank);
  if (!isKnown)
    refused = "; who called from " + peerAddress(caller.connection).text() +
              (verdict == Verdict::OtherVersion
                   ? " is of another version of heddle"
                   : " as " + who + " has another secret");
  Socket *place = nullptr;
  if (verdict == Verdict::Welcome) {
    if (claim.rank < first || claim.rank >= links.size() ||
        claim.channel > Channel::Data)
      return {}; // no rank of a group does that
    TcpLink &link = links[claim.rank];
    place = claim.channel == Channel::Notices ? &link.notices : &link.data;
    // Who had no answer in time calls again.
    if (*place && isOpen(*place))
      verdict = Verdict::Twice;
  }
  Answer answer = makeAnswer(verdict, claim, own);
  bool isSent = sendAll(caller.connection, &answer, sizeof(answer),
                        monotonicNs()); // which fits, as the greeting does
  if (verdict == Verdict::OtherCount)
    return {HEDDLE_RANK_FAILED,
            who + " was started as one of " + std::to_string(claim.count) +
                " processes, and rank " + std::to_string(own.rank) +
                " as one of " + std::to_string(own.count)};
  if (verdict == Verdict::Twice)
    return {HEDDLE_RANK_FAILED, "two processes were started as " + who};
  if (verdict != Verdict::Welcome || !isSent)
    return {};
  links[claim.rank].endpoint = claim.endpoint;
  *place = std::move(caller.connection);
  if (claim.channel == Channel::Notices)
    endWhenUnheard(*place);
  return {};
}

Error Reception::hearCallers(std::vector<TcpLink> &links, uint32_t first) {
  for (size_t i = 0; i < callers.size();) {
    bool goesOn = listen(callers[i]),
         isDone = callers[i].bytes == sizeof(Claim);
    if (goesOn && !isDone) {
      ++i;
      continue;
    }
    Caller caller = std::move(callers[i]);
    callers.erase(callers.begin() + static_cast<ptrdiff_t>(i));
    if (goesOn)
      if (Error error = settle(caller, links, first))
        return error;
  }
  return {};
}

/// Until somebody calls or says something.
void Reception::waitForAny(const std::vector<TcpLink> &links,
                           uint64_t timeoutNs) {
  watched.clear();
  watched.push_back({listener.descriptor(), POLLIN, 0});
  for (const Caller &caller : callers)
    watched.push_back({caller.connection.descriptor(), POLLIN, 0});
  for (const TcpLink &link : links)
    if (link.notices)
      watched.push_back({link.notices.descriptor(), POLLIN, 0});
  poll(watched.data(), watched.size(),
       static_cast<int>(std::min<uint64_t>(timeoutNs / 1000000 + 1, 1000)));
}

/// A rank that had no answer in time has ended its first connection, and calls
/// again: it is not gone.
static void forgetHalves(std::vector<TcpLink> &links, uint32_t first) {
  for (uint32_t rank = first; rank < links.size(); ++rank) {
    TcpLink &link = links[rank];
    if (link.notices && !link.data && !isOpen(link.notices))
      link.notices.reset();
  }
}

Error Reception::admit(std::vector<TcpLink> &links, uint32_t first,
                       uint64_t deadlineNs,
                       const std::function<Error()> &hear) {
  while (!missing(links, first).empty()) {
    uint64_t now = monotonicNs();
    if (now >= deadlineNs)
      return {HEDDLE_RANK_FAILED, "not all ranks have come"};
    waitForAny(links, deadlineNs - now);
    forgetHalves(links, first);
    if (Error error = hear())
      return error;
    if (Error error = take(monotonicNs(), strangers + 2 * links.size()))
      return error;
    if (Error error = hearCallers(links, first))
      return error;
  }
  return {};
}
