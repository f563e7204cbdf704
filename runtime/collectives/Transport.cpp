// What transports have in common: who the ranks are, what ends a wait, that a
// rank which cannot go on stops all, and whether ranks wait for each other in
// vain.

#include "runtime/collectives/Transport.h"

#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/drivers/cpu/Pool.h"
#include "runtime/format/DataTypes.h"

#include <algorithm>
#include <ctime>
#include <sched.h>
#include <type_traits>

using namespace heddle;
using namespace heddle::runtime;

/// How long a wait does nothing else, where each rank has a processor of its
/// own or not, and until when it gives its processor to others that want it
/// before it sleeps.
static constexpr uint64_t spinNs = 200000, sharedSpinNs = 20000,
                          yieldNs = 10000000;
/// A sleep is this part of what was waited, and not longer than that.
static constexpr uint64_t sleepPart = 64, longestSleepNs = 500000;

/// How long a rank waits in a collective until it says so to those for which it
/// does: that it is late is not worth a notice.
static constexpr uint64_t sayWaitNs = 200000000;

static_assert(std::is_trivially_copyable_v<Notice>);

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

bool Transport::spins(uint64_t waitedNs) const {
  return waitedNs < (hasProcessor ? spinNs : sharedSpinNs);
}

void Transport::rest(uint64_t waitedNs) const {
  if (spins(waitedNs))
    return;
  if (waitedNs < yieldNs) {
    sched_yield();
    return;
  }
  timespec span = {
      0, static_cast<long>(std::min(waitedNs / sleepPart, longestSleepNs))};
  nanosleep(&span, nullptr);
}

void Transport::awaitAbort(uint64_t timeoutNs) {
  if (!ownRank)
    return;
  timespec span = {static_cast<time_t>(timeoutNs / 1000000000),
                   static_cast<long>(timeoutNs % 1000000000)};
  nanosleep(&span, nullptr);
}

Error Transport::look(const Patience &patience) {
  if (Error error = hear())
    return error;
  if (problem.code)
    return told(problem.code, problem);
  if (Error over = endOfWait(patience.cancel, patience.deadlineNs))
    return whileWaiting(over);
  if (Error error = findApart())
    return error;
  sayWait();
  watchWaits();
  int64_t ended = expectsEnds ? -1 : watch.findEnded();
  if (ended < 0)
    return {};
  // It may have said why before.
  if (Error error = hear())
    return error;
  if (problem.code)
    return told(problem.code, problem);
  return endOf(static_cast<uint32_t>(ended));
}

//===----------------------------------------------------------------------===//
// Who the ranks are
//===----------------------------------------------------------------------===//

bool Transport::isOfMachine(uint32_t rank) const {
  const PeerCard &own = peers[ownRank].card;
  return own.machine && peers[rank].card.machine == own.machine;
}

uint32_t Transport::sharers() const {
  uint32_t count = 0;
  for (const Peer &peer : peers)
    count += peer.card.machine == peers[ownRank].card.machine &&
             peer.card.processors == peers[ownRank].card.processors;
  return count;
}

void Transport::sit(uint32_t rank, uint32_t count) {
  ownRank = rank;
  rankCount = count;
  peers.resize(count);
  for (uint32_t i = 0; i < count; ++i)
    if (i != rank)
      others.push_back(i);
}

/// The first rank collects the cards and gives all of them to each.
Error Transport::meet() {
  std::vector<PeerCard> cards(rankCount);
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
  for (uint32_t i = 0; i < rankCount; ++i)
    peers[i].card = cards[i];
  // Until now nobody knew who is of which machine.
  counted[0] = counted[1] = {};
  watch.start(cards, ownRank);
  hasProcessor = sharers() <= Pool::defaultThreads();
  return {};
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

int32_t Transport::exchange(const Message *messages, size_t count,
                            const Patience &patience, heddle_status *why) {
  running = {messages, count, monotonicNs(), false, false};
  if (!problem.code) {
    if (Error error = move(messages, count, patience))
      fail(error);
    else
      this->count(running);
  }
  running = {};
  if (problem.code)
    *why = problem;
  return problem.code;
}

void Transport::count(const Exchange &done) {
  bool isAllOfMachine = true;
  for (size_t i = 0; i < done.count; ++i) {
    const Message &message = done.messages[i];
    Peer &peer = peers[message.peer];
    bool isOwn = isOfMachine(message.peer);
    isAllOfMachine &= isOwn;
    Traffic &traffic = counted[isOwn];
    if (message.way == Message::Way::Send) {
      ++peer.sent;
      ++traffic.sent;
      traffic.sentBytes += message.bytes;
    } else {
      ++peer.received;
      peer.claim = {}; // it has come
      ++traffic.received;
      traffic.receivedBytes += message.bytes;
    }
  }
  workSinceNs = monotonicNs();
  counted[isAllOfMachine].waitedNs += workSinceNs - done.beginNs;
}

//===----------------------------------------------------------------------===//
// Ranks that come to different collectives
//===----------------------------------------------------------------------===//

static std::string nameOf(const Position &position) {
  return std::string(format::EnumNameCollectiveKind(
             format::CollectiveKind(position.kind))) +
         " (command " + std::to_string(position.site) + ")";
}

Error Transport::apart(uint32_t waiting, const Position &here, uint32_t rank,
                       const Position &there) const {
  std::string who = "rank " + std::to_string(rank);
  if (here.kind == Position::outside && there.kind == Position::outside)
    return {HEDDLE_RANK_FAILED, "rank " + std::to_string(waiting) + " and " +
                                    who + " have not made the same calls"};
  if (here.kind == Position::outside)
    return apart(rank, there, waiting, here);
  return {HEDDLE_RANK_FAILED,
          "rank " + std::to_string(waiting) + " waits in " + nameOf(here) +
              ", but " + who +
              (there.kind == Position::outside ? " has ended its call"
                                               : " is in " + nameOf(there))};
}

/// Tells those of which messages are wanted where this rank is: they find out
/// whether these can come.
void Transport::sayWait() {
  bool isInCall = slow || current.kind != Position::outside;
  if (running.hasSaidWait || !isInCall ||
      monotonicNs() - running.beginNs < sayWaitNs)
    return;
  running.hasSaidWait = true;
  for (size_t i = 0; i < running.count; ++i) {
    const Message &message = running.messages[i];
    if (message.way == Message::Way::Send || !message.bytes)
      continue;
    Notice notice = {};
    notice.kind = Notice::Wait;
    notice.position = current;
    notice.received = peers[message.peer].received;
    notice.sent = peers[message.peer].sent;
    say(notice, {message.peer});
  }
}

/// Whether the exchange that is made wants something of a rank.
bool Transport::waitsFor(uint32_t rank) const {
  for (size_t i = 0; i < running.count; ++i) {
    const Message &message = running.messages[i];
    if (message.peer == rank && message.bytes &&
        message.way == Message::Way::Receive)
      return true;
  }
  return false;
}

/// A rank that waits for this one waits in vain if it has got all that was sent
/// to it, and this rank has ended that call, or waits itself for what the other
/// would send only past where it is. Messages are counted when an exchange is
/// done, so that what is on its way never looks as if it were missing.
Error Transport::findApart() const {
  for (uint32_t rank = 0; rank < peers.size(); ++rank) {
    const Peer &peer = peers[rank];
    const Position &there = peer.wait.position;
    if (!peer.wait.kind || peer.wait.received != peer.sent)
      continue;
    bool waitForEachOther = current.number == there.number &&
                            !current.isSame(there) && waitsFor(rank) &&
                            peer.wait.sent == peer.received;
    if (current.number > there.number || waitForEachOther)
      return apart(rank, there, ownRank, current);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

void Transport::fail(const Error &why) {
  if (problem.code)
    return;
  // A rank that is gone was named by who missed it.
  tell(why.code() == HEDDLE_RANK_FAILED
           ? why
           : Error(why.code(),
                   "rank " + std::to_string(ownRank) + ": " + why.message()),
       &problem);
  Notice notice = {};
  notice.kind = Notice::Failure;
  notice.status = problem;
  sayToAll(notice);
}

void Transport::sayToAll(const Notice &notice) { say(notice, others); }

void Transport::heard(uint32_t rank, Notice &notice) {
  notice.status.message[sizeof(notice.status.message) - 1] = '\0';
  if (notice.kind == Notice::Failure && !problem.code && notice.status.code)
    overAs(notice.status);
  if (notice.kind == Notice::Wait)
    peers[rank].wait = notice;
  if (notice.kind == Notice::Held && notice.holder < rankCount)
    peers[rank].claim = {notice.holder, notice.waitedNs, monotonicNs()};
}

Error Transport::endOf(uint32_t rank, const char *how) const {
  std::string process = rank < peers.size() && peers[rank].card.process
                            ? " " + std::to_string(peers[rank].card.process)
                            : "";
  return {HEDDLE_RANK_FAILED, "rank " + std::to_string(rank) +
                                  " failed: its process" + process + " " + how};
}
