// One launch of a kernel: its blocks under a random scheduler with a seed.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_LAUNCH_H
#define HEDDLE_TEST_EMULATOR_MACHINE_LAUNCH_H

#include "test/emulator/machine/Cta.h"
#include "test/emulator/machine/Fault.h"
#include "test/emulator/machine/Memory.h"
#include "test/emulator/machine/Program.h"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace heddle::emulator {

/// Generic addresses of these windows are shared and local memory.
constexpr uint64_t kSharedWindow = uint64_t(1) << 48;
constexpr uint64_t kLocalWindow = uint64_t(2) << 48;
/// A shared address of another CTA of the cluster: (rank + 1) at these bits.
constexpr unsigned kRankShift = 24;

struct LaunchConfig {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamicShared = 0;
  std::vector<uint8_t> params;
  uint64_t seed = 1;
  /// All blocks run at once.
  bool cooperative = false;
  /// Blocks that run at once where that is not asked for.
  unsigned resident = 2;
  unsigned multiprocessors = 132;
  /// Whether races in shared memory are faults.
  bool findRaces = false;
  uint64_t maxInstructions = uint64_t(1) << 40;
};

/// xorshift64*: quick, and the same everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 2685821657736338717ull + 1) {}
  uint32_t next() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return uint32_t((state * 2685821657736338717ull) >> 32);
  }
  /// Below `bound`.
  uint32_t below(uint32_t bound) {
    return uint32_t((uint64_t(next()) * bound) >> 32);
  }

private:
  uint64_t state;
};

class Launch {
public:
  Launch(const Program &program, Memory &memory, LaunchConfig config);
  ~Launch();

  /// Runs all blocks, or until something is wrong.
  Fault run();

  /// Something happened that others may wait for.
  void event() { ++events; }
  /// Work that ends some time later, at the latest when nothing else can run.
  void later(std::function<void()> work) { pending.push_back(std::move(work)); }
  void fault(Fault what) {
    if (!failure)
      failure = std::move(what);
  }
  bool failed() const { return bool(failure); }
  uint64_t instructions() const { return executed; }

  const Program &program;
  Memory &memory;
  const LaunchConfig config;
  Random random;
  Allocation *params = nullptr;
  uint32_t sharedBytes = 0;
  uint32_t elected = 0;
  uint64_t executed = 0;
  /// How often nothing could go on but waits that may give up: each warp
  /// gives up once then.
  uint32_t timeRound = 0;

private:
  bool admit();
  void retire();
  bool completeOne();
  bool wake();
  std::string whoWaits() const;

  std::vector<std::unique_ptr<Cta>> ctas;
  std::vector<Warp *> ready, waiting;
  std::vector<std::function<void()>> pending;
  uint64_t events = 0, seen = 0;
  uint32_t nextCta = 0, total = 0, clusterSize = 1;
  Fault failure;
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_LAUNCH_H
