// A thread block: its warps, shared memory and barriers.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_CTA_H
#define HEDDLE_TEST_EMULATOR_MACHINE_CTA_H

#include "test/emulator/machine/Warp.h"

#include <array>
#include <memory>
#include <vector>

namespace heddle::emulator {

struct Barrier {
  /// Threads, in whole warps; 0 while nobody has come.
  uint32_t expected = 0, arrived = 0;
  /// Whether all threads of the block are expected, the ended ones too.
  bool all = false;
  /// What bar.red gathers.
  uint32_t sum = 0;
  bool every = true, some = false;
};

/// What asynchronous families keep for a CTA.
struct CtaAsync;
class Races;

class Cta {
public:
  Cta(Launch &launch, uint32_t linearIndex);
  ~Cta();

  /// Lanes of `warp` come to a barrier. `sync` lanes wait; false where they
  /// need not.
  bool arrive(Warp &warp, unsigned id, uint32_t mask, uint32_t threads,
              bool sync);
  void release(unsigned id);
  /// A warp ended: barriers of all threads may be complete.
  void warpEnded();

  Launch &launch;
  std::array<uint32_t, 3> id{};
  uint32_t linear = 0;
  /// Among the CTAs of its cluster.
  uint32_t rank = 0;
  std::array<uint32_t, 3> inCluster{};
  /// The CTAs of the cluster by rank; itself alone without one.
  std::vector<Cta *> cluster;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<uint8_t> shared;
  std::array<Barrier, 16> barriers;
  /// barrier.cluster: threads that arrived, and how often it was complete.
  uint32_t clusterArrived = 0, clusterPhase = 0;
  unsigned ended = 0;
  uint32_t threads = 0;
  std::unique_ptr<CtaAsync> async;
  /// Null where races are not looked for.
  std::unique_ptr<Races> races;
  /// Registers that warps have given back and that others may take, of 32 bits.
  uint32_t freeRegisters = 0;
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_CTA_H
