// What warps and blocks keep of work that ends later.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_ASYNC_H
#define HEDDLE_TEST_EMULATOR_MACHINE_ASYNC_H

#include "test/emulator/machine/Cta.h"
#include "test/emulator/machine/Races.h"

namespace heddle::emulator {

/// Bytes of a cp.async that have not come yet.
struct AsyncBytes {
  uint8_t *target;
  const uint8_t *source;
  uint8_t sourceCount, count, lane;
  /// The group of the lane that it belongs to.
  uint32_t group;
};

/// Results of wgmma that are under way: what the registers hold then is
/// poison, the numbers are here.
struct Accumulators {
  const Inst *inst; // names the registers
  std::vector<uint32_t> values;
};

struct WarpgroupProduct {
  const Inst *inst;
  uint64_t a, b; // descriptors
  bool accumulates;
  uint32_t group;
  /// What it reads, where races are looked for.
  std::vector<SharedRange> reads;
};

/// A bulk copy out of shared memory.
struct BulkStore {
  unsigned lane;
  uint32_t group;
  std::shared_ptr<bool> done;
  SharedRange reads;
};

struct WarpAsync {
  std::vector<BulkStore> stores;
  /// Groups of bulk copies that each lane has committed.
  uint32_t storeGroup[32] = {};
  std::vector<WarpgroupProduct> products;
  std::vector<Accumulators> accumulators;
  uint32_t productGroup = 0;
  std::vector<AsyncBytes> copies;
  /// Groups that each lane has committed.
  uint32_t committed[32] = {};
};

struct MBarrier {
  uint32_t expected, pending;
  /// Bytes that are still to come in this phase; copies may be early.
  int64_t bytes;
  uint32_t phase;
  Cta *owner;
  /// In the owner's shared memory.
  uint32_t address;
};

struct CtaAsync {
  /// By shared address.
  std::map<uint32_t, MBarrier> barriers;
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_ASYNC_H
