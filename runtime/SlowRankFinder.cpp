// Asks the engine for whom ranks wait, and looks who is late with its call.

#include "runtime/SlowRankFinder.h"

#include "runtime/drivers/cpu/Clock.h"

#include <algorithm>

using namespace heddle::runtime;

/// How often it is looked in the time after which a rank is slow.
static constexpr uint64_t looksOfSlow = 4;

void SlowRankFinder::open(const heddle_collective_engine &given,
                          heddle_collective_world *opened, uint32_t count,
                          const SlowReport &wanted) {
  engine = &given;
  world = opened;
  report = wanted;
  ranks.resize(count);
  if (report.tell)
    engine->watch(world, report.leastNs);
}

uint64_t SlowRankFinder::stepNs() const { return report.leastNs / looksOfSlow; }

void SlowRankFinder::begin() {
  begunNs = monotonicNs();
  for (Rank &rank : ranks)
    rank.isTold = false;
}

void SlowRankFinder::tellOfAll() {
  uint64_t now = monotonicNs(), lastNs = begunNs;
  size_t done = 0;
  for (const Rank &rank : ranks)
    if (rank.endedNs) {
      ++done;
      lastNs = std::max(lastNs, rank.endedNs);
    }
  bool isLate = 2 * done >= ranks.size() &&
                now >= lastNs + slowAfterNs(report.leastNs, lastNs - begunNs);
  for (uint32_t i = 0; i < ranks.size(); ++i) {
    uint64_t sinceNs = engine->slow_since(world, i);
    if (!sinceNs && isLate && !ranks[i].endedNs && !engine->waits(world, i))
      sinceNs = lastNs;
    if (!sinceNs || ranks[i].isTold)
      continue;
    ranks[i].isTold = true;
    report.tell(report.user, i, now - sinceNs);
  }
}
