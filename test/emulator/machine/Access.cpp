// Where the addresses of a warp's lanes lead, and whether they may.

#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/Warp.h"

#include <cstdio>

namespace heddle::emulator {

static std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return text;
}

uint8_t *Warp::global(uint64_t address, uint32_t bytes, unsigned lane,
                      bool write) {
  Allocation *allocation = lastAllocation;
  if (!allocation || !allocation->holds(address, bytes)) {
    allocation = launch.memory.find(address);
    if (!allocation || !allocation->holds(address, bytes)) {
      std::string what = allocation
                             ? "which reaches past the end of an "
                               "allocation of " +
                                   std::to_string(allocation->bytes) +
                                   " bytes at " + hex(allocation->address)
                             : launch.memory.describe(address);
      fault(FaultKind::IllegalAddress, int(lane),
            std::to_string(bytes) + " bytes at " + hex(address) + ", " + what);
      return nullptr;
    }
    lastAllocation = allocation;
  }
  if (address % bytes && (bytes & (bytes - 1)) == 0) {
    fault(FaultKind::Misaligned, int(lane),
          hex(address) + " is not a multiple of " + std::to_string(bytes));
    return nullptr;
  }
  if (write && allocation->readOnly) {
    fault(FaultKind::IllegalAddress, int(lane),
          "writes constant memory at " + hex(address));
    return nullptr;
  }
  return allocation->pointer(address);
}

uint8_t *Warp::shared(uint64_t address, uint32_t bytes, unsigned lane, bool) {
  if (address % bytes && (bytes & (bytes - 1)) == 0) {
    fault(FaultKind::Misaligned, int(lane),
          "shared address " + hex(address) + " is not a multiple of " +
              std::to_string(bytes));
    return nullptr;
  }
  Cta *owner = &cta;
  uint64_t offset = address & ((1u << kRankShift) - 1);
  if (uint64_t rank = address >> kRankShift) {
    if (rank > cta.cluster.size()) {
      fault(FaultKind::IllegalAddress, int(lane),
            "shared address " + hex(address) +
                " is of no block of a cluster "
                "of " +
                std::to_string(cta.cluster.size()));
      return nullptr;
    }
    owner = cta.cluster[rank - 1];
    if (owner->ended == owner->warps.size()) {
      fault(FaultKind::IllegalAddress, int(lane),
            "shared memory of block " + std::to_string(rank - 1) +
                " of the cluster, which has ended");
      return nullptr;
    }
  }
  uint32_t start = launch.program.sharedStart;
  if (offset < start || offset + bytes > owner->shared.size()) {
    fault(FaultKind::IllegalAddress, int(lane),
          std::to_string(bytes) + " bytes at shared address " + hex(address) +
              "; the block has " +
              std::to_string(owner->shared.size() - start) + " bytes from " +
              hex(start) + " on");
    return nullptr;
  }
  return owner->shared.data() + offset;
}

uint8_t *Warp::local(uint64_t address, uint32_t bytes, unsigned lane) {
  uint32_t size = launch.program.localBytes;
  if (address >= size || bytes > size - address) {
    fault(FaultKind::IllegalAddress, int(lane),
          std::to_string(bytes) + " bytes at local address " + hex(address) +
              "; threads have " + std::to_string(size));
    return nullptr;
  }
  if (address % bytes && (bytes & (bytes - 1)) == 0) {
    fault(FaultKind::Misaligned, int(lane),
          "local address " + hex(address) + " is not a multiple of " +
              std::to_string(bytes));
    return nullptr;
  }
  return localMemory.data() + size_t(lane) * size + address;
}

uint8_t *Warp::generic(uint64_t address, uint32_t bytes, unsigned lane,
                       bool write) {
  if (address >> 48 == kSharedWindow >> 48)
    return shared(address - kSharedWindow, bytes, lane, write);
  if (address >> 48 == kLocalWindow >> 48)
    return local(address - kLocalWindow, bytes, lane);
  return global(address, bytes, lane, write);
}

uint8_t *Warp::memory(Space space, uint64_t address, uint32_t bytes,
                      unsigned lane, bool write) {
  switch (space) {
  case Space::None:
    return generic(address, bytes, lane, write);
  case Space::Local:
    return local(address, bytes, lane);
  case Space::Shared:
  case Space::SharedCluster:
    return shared(address & 0xffffffff, bytes, lane, write);
  case Space::Param:
    return global(launch.params->address + address, bytes, lane, write);
  case Space::Global:
  case Space::Const:
    break;
  }
  return global(address, bytes, lane, write);
}

} // namespace heddle::emulator
