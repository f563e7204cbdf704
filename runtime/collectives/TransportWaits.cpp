// Whom a rank waits for, and when that one is slow.
//
// A rank that waits sees of whom it wants bytes, but that one may itself wait
// for another. So who waits in a call tells those that wait for it whom it
// waits for in the end, as far as it knows: a claim. It does so after a quarter
// of a second, and again when it has waited twice as long; a claim that is not
// renewed by then is none any more, as that of a rank which was stopped while
// it waited. So a wait of any length costs few notices, which fit into what a
// connection holds for a rank that does not read.

#include "runtime/collectives/Transport.h"

using namespace heddle;
using namespace heddle::runtime;

/// How long a rank waits before its first claim, and how much later than it is
/// due the next one may be heard.
static constexpr uint64_t firstClaimNs = 250000000, spareNs = 1000000000;

void Transport::watchSlow(const SlowReport *report) {
  slow = report;
  workSinceNs = monotonicNs();
  for (Peer &peer : peers)
    peer.isToldSlow = false;
}

/// Notes since when no byte has gone between this rank and each other that the
/// exchange waits for.
void Transport::noteMoves(uint64_t nowNs) {
  for (uint32_t rank : others) {
    Peer &peer = peers[rank];
    int64_t moved = movedWith(rank);
    if (!running.isWatched)
      peer.claimedNs = 0;
    if (!running.isWatched || moved != peer.moved)
      peer.quietSinceNs = running.isWatched ? nowNs : running.beginNs;
    peer.moved = moved;
  }
  running.isWatched = true;
}

/// For whom `rank` waits in the end, as claims say; itself if it does not wait.
uint32_t Transport::holderOf(uint32_t rank, uint64_t nowNs) const {
  for (uint32_t steps = 0; steps < rankCount && rank != ownRank; ++steps) {
    const Claim &claim = peers[rank].claim;
    bool holds =
        claim.waitedNs && nowNs - claim.heardNs < claim.waitedNs + spareNs;
    if (!holds)
      break;
    rank = claim.holder;
  }
  return rank;
}

/// To those that wait for this rank.
void Transport::sayHeld(uint32_t holder, uint64_t waitedNs) {
  for (uint32_t rank : others) {
    Peer &peer = peers[rank];
    bool waits = peer.wait.kind && peer.wait.received == peer.sent;
    if (!waits || rank == holder || waitedNs < firstClaimNs ||
        waitedNs < 2 * peer.claimedNs)
      continue;
    peer.claimedNs = waitedNs;
    Notice notice = {};
    notice.kind = Notice::Held;
    notice.holder = holder;
    notice.waitedNs = waitedNs;
    say(notice, {rank});
  }
}

void Transport::tellSlow(uint32_t rank, uint64_t waitedNs) {
  Peer &peer = peers[rank];
  uint64_t workedNs = running.beginNs - workSinceNs;
  if (!slow->tell || peer.isToldSlow ||
      waitedNs < slowAfterNs(slow->leastNs, workedNs))
    return;
  peer.isToldSlow = true;
  slow->tell(slow->user, rank, waitedNs);
}

void Transport::watchWaits() {
  if (!slow)
    return;
  uint64_t now = monotonicNs(), longestNs = 0;
  uint32_t longest = ownRank;
  noteMoves(now);
  for (uint32_t rank : others) {
    const Peer &peer = peers[rank];
    uint32_t holder = peer.moved < 0 ? ownRank : holderOf(rank, now);
    if (holder == ownRank)
      continue;
    uint64_t waitedNs = now - peer.quietSinceNs;
    tellSlow(holder, waitedNs);
    if (waitedNs > longestNs) {
      longestNs = waitedNs;
      longest = holder;
    }
  }
  if (longest != ownRank)
    sayHeld(longest, longestNs);
}

Error Transport::whileWaiting(const Error &over) const {
  for (uint32_t rank : others)
    if (movedWith(rank) >= 0) {
      uint32_t holder = holderOf(rank, monotonicNs());
      if (holder != ownRank)
        return whileWaitingFor(holder, over);
    }
  return over;
}
