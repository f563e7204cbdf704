// Reserved addresses for the host, and a second mapping of the same memory for
// the device.

#include "runtime/drivers/sim/SimMemory.h"

#include "runtime/format/Layout.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::runtime;

/// Pieces are whole pages, so that those of a freed one go back to the system.
static uint64_t pagesFor(uint64_t bytes) {
  return format::alignUp(bytes, systemPageBytes());
}

SimMemory::~SimMemory() {
  if (reserved)
    munmap(reserved, size);
  if (mapped)
    munmap(mapped, size);
  if (file >= 0)
    close(file);
}

Error SimMemory::create(uint64_t bytes, const std::string &device) {
  name = device;
  size = pagesFor(bytes);
  file = memfd_create("heddle-sim", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0)
    return {HEDDLE_OUT_OF_MEMORY, "no memory file for device '" + name +
                                      "': " + std::strerror(errno)};
  void *first = mmap(nullptr, size, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void *second = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, file, 0);
  if (first != MAP_FAILED)
    reserved = static_cast<char *>(first);
  if (second != MAP_FAILED)
    mapped = static_cast<char *>(second);
  if (!reserved || !mapped)
    return {HEDDLE_OUT_OF_MEMORY,
            "no addresses for device '" + name + "': " + std::strerror(errno)};
  return {};
}

Error SimMemory::allocate(uint64_t bytes, void *&address) {
  uint64_t at = 0, used = 0;
  bool found = false;
  for (const auto &[offset, length] : live) {
    found = found || offset - at >= bytes;
    if (!found)
      at = offset + pagesFor(length);
    used += pagesFor(length);
  }
  if (bytes > size || (!found && size - at < bytes))
    return {HEDDLE_DEVICE_MEMORY,
            "device '" + name + "' has no " + std::to_string(bytes) +
                " bytes in one piece: " + std::to_string(used) + " of " +
                std::to_string(size) + " are in use"};
  live[at] = bytes;
  std::memset(mapped + at, poison, bytes);
  address = reserved + at;
  return {};
}

Error SimMemory::allocatePinned(uint64_t bytes, void *&address) {
  Region region;
  std::string what = "device '" + name + "'";
  if (Error error = region.allocate(bytes, /*touch=*/false, what.c_str()))
    return error;
  std::memset(region.data(), poison, bytes);
  auto *start = region.data();
  pinned[start] = std::move(region);
  address = start;
  return {};
}

bool SimMemory::free(void *address) {
  auto *start = static_cast<char *>(address);
  if (pinned.erase(start))
    return true;
  auto found = live.find(static_cast<uint64_t>(start - reserved));
  if (found == live.end())
    return false;
  // Without this call memory stays in use, which is no more than a pity.
  (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(found->first),
                  static_cast<off_t>(pagesFor(found->second)));
  live.erase(found);
  return true;
}

uint64_t SimMemory::bytesAt(void *address) const {
  auto *start = static_cast<char *>(address);
  auto region = pinned.find(start);
  if (region != pinned.end())
    return region->second.size();
  auto piece = live.find(static_cast<uint64_t>(start - reserved));
  return piece == live.end() ? 0 : piece->second;
}

char *SimMemory::find(const void *address, uint64_t bytes) const {
  auto *start = static_cast<char *>(const_cast<void *>(address));
  auto inside = [&](uint64_t offset, uint64_t length) {
    return offset <= length && bytes <= length - offset;
  };
  if (start >= reserved && start < reserved + size) {
    auto offset = static_cast<uint64_t>(start - reserved);
    auto piece = live.upper_bound(offset);
    if (piece == live.begin())
      return nullptr;
    --piece;
    return inside(offset - piece->first, piece->second) ? mapped + offset
                                                        : nullptr;
  }
  auto region = pinned.upper_bound(start);
  if (region == pinned.begin())
    return nullptr;
  --region;
  return inside(static_cast<uint64_t>(start - region->first),
                region->second.size())
             ? start
             : nullptr;
}
