// Sizes a plan's memories by their largest use, and allocates them on their
// devices.

#include "runtime/PlanMemory.h"

#include "runtime/format/Devices.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/kernel_abi.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::runtime;
using namespace heddle::format;

static std::pair<uint32_t, MemorySpace> placeOf(const Memory &memory) {
  return {memory.device(), memory.space()};
}

Error PlanMemory::want(const List *memories,
                       const std::vector<int64_t> &values) {
  for (uint32_t i = 0; i < length(memories); ++i) {
    const Memory &memory = *memories->Get(i);
    auto bytes = static_cast<uint64_t>(values[memory.size()]);
    if (bytes > uint64_t(maximumBytes))
      return {HEDDLE_PLAN_INVALID, "the arena has no proper size"};
    Piece &piece = pieces[placeOf(memory)];
    piece.bytes = std::max(piece.bytes, bytes);
  }
  return {};
}

uint64_t PlanMemory::hostBytes() const {
  auto piece = pieces.find({hostDevice, MemorySpace::host});
  return piece == pieces.end() ? 0 : alignUp(piece->second.bytes, pageBytes);
}

uint64_t PlanMemory::hostBytes(const List *memories,
                               const std::vector<int64_t> &values) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < length(memories); ++i)
    if (placeOf(*memories->Get(i)) == Place(hostDevice, MemorySpace::host))
      bytes = static_cast<uint64_t>(values[memories->Get(i)->size()]);
  return alignUp(bytes, HEDDLE_KERNEL_ALIGNMENT);
}

Error PlanMemory::allocate(const ProgramDevices &devices, char *host) {
  for (auto &[place, piece] : pieces) {
    if (place.first == hostDevice) {
      piece.start = host;
      continue;
    }
    if (Error error =
            piece.owned.allocate(devices[place.first]->device(),
                                 static_cast<heddle_driver_space>(place.second),
                                 piece.bytes, "an arena"))
      return error;
    piece.start = piece.owned.data();
  }
  return {};
}

Error PlanMemory::find(const List *memories, const std::vector<int64_t> &values,
                       std::vector<char *> &addresses) const {
  addresses.clear();
  for (uint32_t i = 0; i < length(memories); ++i) {
    const Memory &memory = *memories->Get(i);
    auto piece = pieces.find(placeOf(memory));
    auto wanted = static_cast<uint64_t>(values[memory.size()]);
    if (piece == pieces.end() || wanted > piece->second.bytes)
      return {
          HEDDLE_ARENA_TOO_SMALL,
          "a call of these sizes takes an arena of " + std::to_string(wanted) +
              " bytes, there are " +
              std::to_string(piece == pieces.end() ? 0 : piece->second.bytes)};
    addresses.push_back(piece->second.start);
  }
  return {};
}
