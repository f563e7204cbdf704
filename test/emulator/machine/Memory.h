// Global memory of the emulated device: allocations that are checked at every
// access.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_MEMORY_H
#define HEDDLE_TEST_EMULATOR_MACHINE_MEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace heddle::emulator {

struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint8_t *data = nullptr;
  bool readOnly = false;
  /// Memory of the host that the device reaches under the host's address.
  bool isHost = false;
  std::unique_ptr<uint8_t[]> owned;

  bool holds(uint64_t at, uint64_t count) const {
    return at >= address && count <= bytes && at - address <= bytes - count;
  }
  uint8_t *pointer(uint64_t at) const { return data + (at - address); }
};

/// Addresses are numbers that the host cannot dereference, and are never given
/// out twice. New memory holds 0xff bytes: NaNs, and indices out of bounds.
class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;

  Allocation *allocate(uint64_t bytes, uint64_t align = 512);
  /// Makes `bytes` of the host's memory known under their own address.
  Allocation *mapHost(void *data, uint64_t bytes);
  /// False where no allocation starts at `address`.
  bool release(uint64_t address);
  /// The allocation that holds `address`, or null.
  Allocation *find(uint64_t address) const;
  /// What is known of an address that no allocation holds.
  std::string describe(uint64_t address) const;
  uint64_t used() const { return usedBytes; }

private:
  mutable std::shared_mutex mutex;
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  std::map<uint64_t, uint64_t> released;
  uint64_t next = uint64_t(0x3000) << 32;
  uint64_t usedBytes = 0;
};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_MEMORY_H
