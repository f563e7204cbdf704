// Where ranks are that run together: who waits in which collective, and what
// can no more come.

#ifndef HEDDLE_RUNTIME_COLLECTIVES_BOARD_H
#define HEDDLE_RUNTIME_COLLECTIVES_BOARD_H

#include "runtime/collectives/engine.h"
#include "runtime/format/Error.h"

#include <atomic>

namespace heddle::runtime {

/// What ranks know of each other. An engine has one, which its ranks use by
/// turns, and wakes those that wait when it says so. It takes no memory, and
/// may lie in memory of several processes of which one has made the others.
/// What is atomic may be read without a turn.
class Board {
public:
  /// Where a rank is.
  struct Place {
    const char *name = nullptr; ///< Of a collective.
    uint32_t site = 0, phase = 0;
    std::atomic<bool> waits{false};
    bool gaveUp = false; ///< It waited until its deadline, or was cancelled.
    bool ended = false;
    uint64_t metNs = 0; ///< Of a board that is watched: when it met others
                        ///< last.
    /// Since when others wait for the rank, which is slow; 0: it is not.
    std::atomic<uint64_t> slowSinceNs{0};
  };

  /// `places` are those of `count` ranks.
  void open(Place *places, uint32_t count);
  /// Before ranks run: ranks for which others wait so long are slow.
  void watch(uint64_t leastNs) { leastSlowNs = leastNs; }
  /// Before all ranks begin a call.
  void begin();

  /// A rank comes to a phase of a collective. Whether all of its group are
  /// there, who go on then; if not, it waits. Nobody may have failed.
  bool arrive(uint32_t rank, const heddle_collective &collective,
              uint32_t phase);
  /// The rank does not wait any more.
  void leave(uint32_t rank);
  bool waits(uint32_t rank) const { return places[rank].waits; }
  /// When a rank that waits since `sinceNs` is to blame others; 0: never.
  uint64_t blameNs(uint32_t rank, uint64_t sinceNs) const;
  /// The rank has waited for long since then: whoever of its group has not come
  /// and does not wait elsewhere is slow. When to blame again, as whoever
  /// waited elsewhere may be the one then.
  uint64_t blame(uint32_t rank, const heddle_collective &collective,
                 uint64_t sinceNs);
  uint64_t slowSinceNs(uint32_t rank) const { return places[rank].slowSinceNs; }
  /// The end of a rank's wait, and for whom it waited.
  format::Error whileWaiting(const format::Error &over, uint32_t rank,
                             const heddle_collective &collective) const;
  /// A rank's call has ended.
  void end(uint32_t rank, int32_t code, const char *message);
  /// What went wrong first stays.
  void fail(const char *format, ...) __attribute__((format(printf, 2, 3)));
  /// HEDDLE_RANK_FAILED once some rank cannot go on, which all are told.
  const heddle_status &failure() const { return problem; }

private:
  bool isComplete(uint32_t rank, const heddle_collective &collective) const;
  bool isAwaited(uint32_t rank) const {
    const Place &place = places[rank];
    return !place.waits && !place.gaveUp && !place.ended;
  }
  void failIfStuck();

  Place *places;
  uint32_t count, waiting, ended;
  uint64_t leastSlowNs = 0; ///< When a rank is slow; 0: nobody wants to know.
  uint64_t begunNs = 0;     ///< When the call began, if somebody wants to.
  heddle_status problem;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_COLLECTIVES_BOARD_H
