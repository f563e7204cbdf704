// Finds out which ranks of a call are slow, and tells of each once.

#ifndef HEDDLE_RUNTIME_SLOWRANKFINDER_H
#define HEDDLE_RUNTIME_SLOWRANKFINDER_H

#include "runtime/collectives/SlowRanks.h"
#include "runtime/collectives/engine.h"

#include <vector>

namespace heddle::runtime {

/// Looks at all ranks of a world from the process that opened it. Used by one
/// thread at a time.
class SlowRankFinder {
public:
  /// Before the ranks run: whether anybody wants to know who is slow, and when
  /// a rank is.
  void open(const heddle_collective_engine &engine,
            heddle_collective_world *world, uint32_t ranks,
            const SlowReport &report);
  /// Whether somebody wants to know it.
  bool looks() const { return report.tell; }
  /// How long after a look the next one is due.
  uint64_t stepNs() const;
  /// A call begins.
  void begin();
  /// Tells of the ranks that are slow: those for which others wait in a
  /// collective, and those that neither wait nor end their call when half of
  /// all have done so. `endedNs(rank)` is when the rank has ended its call; 0:
  /// it has not.
  template <typename EndedNs> void look(EndedNs endedNs) {
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
      ranks[rank].endedNs = endedNs(rank);
    tellOfAll();
  }

private:
  struct Rank {
    uint64_t endedNs = 0;
    bool isTold = false; ///< In this call.
  };

  void tellOfAll();

  const heddle_collective_engine *engine = nullptr;
  heddle_collective_world *world = nullptr;
  SlowReport report;
  std::vector<Rank> ranks;
  uint64_t begunNs = 0; ///< When the call began.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_SLOWRANKFINDER_H
