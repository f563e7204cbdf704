// Memory that the host cannot touch.

#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMMEMORY_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMMEMORY_H

#include "runtime/Memory.h"

#include <map>

namespace heddle::runtime {

/// The memory of one simulated device: a file without a name. Addresses that
/// are handed out are reserved without any access, so that a thread of the host
/// that follows one dies; the device's threads use a second mapping.
class SimMemory {
public:
  SimMemory() = default;
  ~SimMemory();
  SimMemory(const SimMemory &) = delete;
  SimMemory &operator=(const SimMemory &) = delete;

  Error create(uint64_t bytes, const std::string &device);

  /// Of the device's own memory, full of poison.
  Error allocate(uint64_t bytes, void *&address);
  /// Of the process's memory that the device reads and writes in place.
  Error allocatePinned(uint64_t bytes, void *&address);
  /// False when nothing was allocated there.
  bool free(void *address);

  /// Bytes that were allocated at `address`; 0: none.
  uint64_t bytesAt(void *address) const;
  /// Where the device's threads find [address, address + bytes); null unless
  /// all of it is in one piece of memory that was allocated and not freed.
  char *find(const void *address, uint64_t bytes) const;

  /// What the device's memory holds before anything is written: as numbers of
  /// any type large, odd, and the same nowhere else.
  static constexpr unsigned char poison = 0xc5;

private:
  std::string name;
  uint64_t size = 0;
  char *reserved = nullptr; ///< What is handed out.
  char *mapped = nullptr;   ///< What the device's threads use.
  int file = -1;
  std::map<uint64_t, uint64_t> live; ///< Offset to bytes.
  std::map<char *, Region> pinned;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMMEMORY_H
