// What transports have in common: who the ranks are, what ends a wait, and that
// a rank which cannot go on stops all.

#include "runtime/collectives/Transport.h"

#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/drivers/cpu/Pool.h"

#include <algorithm>
#include <ctime>
#include <sched.h>

using namespace heddle;
using namespace heddle::runtime;

/// How long a wait does nothing else, where each rank has a processor of its
/// own or not, and until when it gives its processor to others that want it
/// before it sleeps.
static constexpr uint64_t spinNs = 200000, sharedSpinNs = 20000,
                          yieldNs = 10000000;
/// A sleep is this part of what was waited, and not longer than that.
static constexpr uint64_t sleepPart = 64, longestSleepNs = 500000;

void Transport::rest(uint64_t waitedNs) const {
  if (waitedNs < (hasProcessor ? spinNs : sharedSpinNs))
    return;
  if (waitedNs < yieldNs) {
    sched_yield();
    return;
  }
  timespec span = {
      0, static_cast<long>(std::min(waitedNs / sleepPart, longestSleepNs))};
  nanosleep(&span, nullptr);
}

uint32_t Transport::sharers() const {
  uint32_t count = 0;
  for (const PeerCard &card : cards)
    count += card.machine == cards[ownRank].machine &&
             card.processors == cards[ownRank].processors;
  return count;
}

/// The first rank collects the cards and gives all of them to each.
Error Transport::meet() {
  cards.resize(rankCount);
  cards[ownRank] = PeerCard::own();
  auto at = [&](uint32_t i) { return reinterpret_cast<char *>(&cards[i]); };
  std::vector<Message> gathered, given;
  for (uint32_t i = 1; i < rankCount; ++i) {
    gathered.push_back({Message::Way::Receive, i, at(i), sizeof(PeerCard)});
    given.push_back(
        {Message::Way::Send, i, at(0), rankCount * sizeof(PeerCard)});
  }
  if (ownRank) {
    gathered = {{Message::Way::Send, 0, at(ownRank), sizeof(PeerCard)}};
    given = {{Message::Way::Receive, 0, at(0), rankCount * sizeof(PeerCard)}};
  }
  heddle_status why;
  for (const std::vector<Message> *messages : {&gathered, &given})
    if (int32_t code = exchange(messages->data(), messages->size(), {}, &why))
      return told(code, why);
  watch.start(cards, ownRank);
  hasProcessor = sharers() <= Pool::defaultThreads();
  return {};
}

int32_t Transport::exchange(const Message *messages, size_t count,
                            const Patience &patience, heddle_status *why) {
  if (!problem.code)
    if (Error error = move(messages, count, patience))
      fail(error);
  if (problem.code)
    *why = problem;
  return problem.code;
}

void Transport::fail(const Error &why) {
  if (problem.code)
    return;
  // A rank that is gone was named by who missed it.
  tell(why.code() == HEDDLE_RANK_FAILED
           ? why
           : Error(why.code(),
                   "rank " + std::to_string(ownRank) + ": " + why.message()),
       &problem);
  tellAll(problem);
}

Error Transport::look(const Patience &patience) {
  if (Error error = hear())
    return error;
  if (problem.code)
    return told(problem.code, problem);
  if (Error over = endOfWait(patience.cancel, patience.deadlineNs))
    return over;
  int64_t ended = expectsEnds ? -1 : watch.findEnded();
  if (ended < 0)
    return {};
  // It may have said why before.
  if (Error error = hear())
    return error;
  if (problem.code)
    return told(problem.code, problem);
  return {HEDDLE_RANK_FAILED,
          "rank " + std::to_string(ended) + " failed: its process " +
              std::to_string(cards[static_cast<size_t>(ended)].process) +
              " has ended"};
}
