// Allocations of the emulated device.

#include "test/emulator/machine/Memory.h"

#include <cstdio>
#include <cstring>
#include <new>

namespace heddle::emulator {

Allocation *Memory::allocate(uint64_t bytes, uint64_t align) {
  auto fresh = std::make_unique<Allocation>();
  fresh->owned.reset(new (std::nothrow) uint8_t[bytes + 16]);
  if (!fresh->owned)
    return nullptr;
  std::memset(fresh->owned.get(), 0xff, bytes);
  std::unique_lock<std::shared_mutex> lock(mutex);
  next = (next + align - 1) / align * align;
  fresh->address = next;
  fresh->bytes = bytes;
  fresh->data = fresh->owned.get();
  // What follows stays without owner: the smallest step too far is seen.
  next += bytes + 4096;
  usedBytes += bytes;
  Allocation *result = fresh.get();
  allocations.emplace(result->address, std::move(fresh));
  return result;
}

Allocation *Memory::mapHost(void *data, uint64_t bytes) {
  auto fresh = std::make_unique<Allocation>();
  fresh->address = reinterpret_cast<uint64_t>(data);
  fresh->bytes = bytes;
  fresh->data = static_cast<uint8_t *>(data);
  fresh->isHost = true;
  std::unique_lock<std::shared_mutex> lock(mutex);
  Allocation *result = fresh.get();
  allocations[result->address] = std::move(fresh);
  return result;
}

bool Memory::release(uint64_t address) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto found = allocations.find(address);
  if (found == allocations.end())
    return false;
  if (!found->second->isHost) {
    released[address] = found->second->bytes;
    usedBytes -= found->second->bytes;
  }
  allocations.erase(found);
  return true;
}

Allocation *Memory::find(uint64_t address) const {
  std::shared_lock<std::shared_mutex> lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  Allocation *candidate = std::prev(after)->second.get();
  return candidate->holds(address, 1) ? candidate : nullptr;
}

std::string Memory::describe(uint64_t address) const {
  std::shared_lock<std::shared_mutex> lock(mutex);
  char text[160];
  auto after = released.upper_bound(address);
  if (after != released.begin()) {
    auto [start, bytes] = *std::prev(after);
    if (address - start < bytes) {
      std::snprintf(text, sizeof text,
                    "which is %llu bytes into memory of %llu bytes that was "
                    "freed",
                    (unsigned long long)(address - start),
                    (unsigned long long)bytes);
      return text;
    }
  }
  auto live = allocations.upper_bound(address);
  if (live == allocations.begin())
    return "which no allocation holds";
  const Allocation &below = *std::prev(live)->second;
  uint64_t past = address - below.address - below.bytes;
  if (past > (uint64_t(1) << 40))
    return "which no allocation holds";
  std::snprintf(text, sizeof text,
                "which is %llu bytes past the end of an allocation of %llu "
                "bytes at 0x%llx",
                (unsigned long long)past, (unsigned long long)below.bytes,
                (unsigned long long)below.address);
  return text;
}

} // namespace heddle::emulator
