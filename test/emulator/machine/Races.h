// Races in the shared memory of a block: accesses of two warps, or of a warp
// and an asynchronous copy, that no barrier puts in an order. They are found by
// vector clocks, whichever of the two came first under this run's scheduler.
//
// An actor is a warp, or the copies that one mbarrier counts. Each access has
// the actor's time at it; a warp knows of other actors' times what barriers
// have told it, and may touch a byte once it knows of all accesses before. What
// generic stores wrote is known to the asynchronous proxy (copies of boxes,
// products of warpgroups) only behind a fence.proxy.async: for these there is a
// second set of clocks, which fences bring up to date.
//
// Lanes of one warp count as one actor: races between them are not seen.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_RACES_H
#define HEDDLE_TEST_EMULATOR_MACHINE_RACES_H

#include "test/emulator/machine/Warp.h"

#include <map>
#include <vector>

namespace heddle::emulator {

/// What is known of each actor's time, to threads and to the asynchronous
/// proxy.
struct Clocks {
  std::vector<uint32_t> threads, proxy;

  void join(const Clocks &other);
};

/// Bytes of shared memory from `at` on.
struct SharedRange {
  uint32_t at, bytes;
};

class Races {
public:
  Races(Cta &cta, uint32_t bytes, unsigned warps);

  /// Loads and stores of `warp` at host address `at`, before they are done;
  /// nothing where that lies in other memory than this block's. A store of what
  /// another store has left there is none: compilers let several warps store
  /// the same. `stored` is what a store stores, null of loads.
  void access(Warp &warp, const uint8_t *at, uint32_t bytes,
              const uint8_t *stored);
  /// An atomic operation: one after another, and all before is known to those
  /// that come later.
  void atomic(Warp &warp, const uint8_t *at, uint32_t bytes);

  /// cp.async: the target belongs to nobody until the warp has waited.
  void startCopy(Warp &warp, const uint8_t *at, uint32_t bytes);
  void finishCopy(Warp &warp, const uint8_t *at, uint32_t bytes);

  /// The asynchronous proxy reads for `warp`, until `finishReads`.
  void startRead(Warp &warp, SharedRange range);
  void finishReads(Warp &warp, const std::vector<SharedRange> &done,
                   const std::vector<SharedRange> &underWay);
  /// A copy that the mbarrier at `barrier` counts writes; `phase` is the one
  /// that its bytes complete.
  void startBulk(Warp &warp, SharedRange range, uint32_t barrier);
  void finishBulk(SharedRange range, uint32_t barrier, uint32_t phase);

  /// fence.proxy.async.
  void fenceProxy(Warp &warp);

  // Barriers of the block, by their number.
  void arriveAt(Warp &warp, unsigned id);
  void leave(Warp &warp, unsigned id);
  void reset(unsigned id) { counted[id] = {}; }

  // mbarriers, by their shared address.
  void made(Warp &warp, uint32_t barrier);
  void arriveAtPhase(Warp &warp, uint32_t barrier);
  void phaseOver(uint32_t barrier, uint32_t phase);
  void sawPhase(Warp &warp, uint32_t barrier);

private:
  struct Phases {
    uint32_t actor;
    Clocks coming, over;
  };
  struct Writer {
    uint32_t time = 0;
    uint32_t line = 0;
    uint16_t actor = 0;
    enum Kind : uint8_t { Nobody, Thread, Atomic, Copy, Bulk } kind = Nobody;
  };
  enum Use { Load, Store, ProxyRead, ProxyWrite, AtomicUse };

  bool find(const uint8_t *at, uint32_t &offset) const;
  Phases &phases(uint32_t barrier);
  bool isMade(Warp &warp, uint32_t barrier);
  uint32_t now(Warp &warp) { return known[warp.index].threads[warp.index]; }
  void tick(Warp &warp) { ++known[warp.index].threads[warp.index]; }
  bool isOrdered(Warp &warp, uint32_t byte, Use use);
  void mark(Warp &warp, SharedRange range, Writer::Kind kind, uint16_t actor,
            uint32_t time);
  void report(Warp &warp, uint32_t byte, Use use, const std::string &other);
  std::string describe(const Writer &writer) const;

  Cta &cta;
  const unsigned warps;
  std::vector<Clocks> known;   // by warp
  std::vector<Writer> writers; // by byte
  /// When each warp last read each byte, and where in the text.
  std::vector<std::vector<uint32_t>> reads;
  std::vector<uint32_t> readLine;
  std::map<unsigned, Clocks> counted;
  std::map<uint32_t, Phases> mbarriers;
  std::map<uint32_t, Clocks> atomics;
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_RACES_H
