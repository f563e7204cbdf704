// Reads what /proc and the control groups' files say of memory.

#include "runtime/SystemMemory.h"

#include "runtime/ControlGroups.h"
#include "runtime/format/Layout.h"

#include <algorithm>
#include <cstdlib>
#include <string>

using namespace heddle;
using namespace heddle::runtime;

/// The number behind `name` at the start of a line; false without one.
static bool findNumber(const std::string &text, const std::string &name,
                       uint64_t &number) {
  for (size_t line = 0; line < text.size();) {
    if (text.compare(line, name.size(), name) == 0) {
      const char *at = text.c_str() + line + name.size();
      char *end = nullptr;
      number = std::strtoull(at, &end, 10);
      return end != at;
    }
    size_t next = text.find('\n', line);
    if (next == std::string::npos)
      return false;
    line = next + 1;
  }
  return false;
}

/// The number that a file holds; false for "max" and where there is none.
static bool readNumber(const std::string &path, uint64_t &number) {
  return findNumber(readStart(path), "", number);
}

static uint64_t addUp(uint64_t left, uint64_t right) {
  return left > UINT64_MAX - right ? UINT64_MAX : left + right;
}

namespace {
/// How a version of control groups calls what a group has of memory.
struct GroupNames {
  const char *mount;     ///< Where the groups are.
  const char *limit;     ///< What it may have,
  const char *usage;     ///< has,
  const char *swapLimit; ///< may have of swap, together with memory in the
  const char *swapUsage; ///< first version, and has.
  bool swapIsTogether;
  /// Of memory.stat: copies of files, which give way.
  const char *files[3];
};

constexpr GroupNames unified = {
    "/sys/fs/cgroup",
    "/memory.max",
    "/memory.current",
    "/memory.swap.max",
    "/memory.swap.current",
    false,
    {"inactive_file ", "active_file ", "slab_reclaimable "}};
constexpr GroupNames separate = {
    "/sys/fs/cgroup/memory",
    "/memory.limit_in_bytes",
    "/memory.usage_in_bytes",
    "/memory.memsw.limit_in_bytes",
    "/memory.memsw.usage_in_bytes",
    true,
    {"total_inactive_file ", "total_active_file ", nullptr}};
} // namespace

/// What the group in `folder` can still have; UINT64_MAX without a limit.
static uint64_t leftOfGroup(const std::string &folder, const GroupNames &names,
                            uint64_t freeSwap) {
  uint64_t limit = 0, used = 0;
  if (!readNumber(folder + names.limit, limit) ||
      !readNumber(folder + names.usage, used))
    return UINT64_MAX;
  std::string counts = readStart(folder + "/memory.stat");
  for (const char *name : names.files)
    if (uint64_t bytes = 0; name && findNumber(counts, name, bytes))
      used -= std::min(used, bytes);
  uint64_t left = limit - std::min(limit, used);
  uint64_t swapLimit = 0, swapUsed = 0, swap = freeSwap;
  if (readNumber(folder + names.swapLimit, swapLimit) &&
      readNumber(folder + names.swapUsage, swapUsed)) {
    uint64_t more = swapLimit - std::min(swapLimit, swapUsed);
    if (names.swapIsTogether)
      more -= std::min(more, limit - std::min(limit, used));
    swap = std::min(swap, more);
  }
  return addUp(left, swap);
}

/// The least that the process's groups and those around them can still have. In
/// a container a group's path may be that of the machine, which is not there;
/// its own group is the outermost that it sees.
static uint64_t leftOfGroups(const std::string &root, uint64_t freeSwap) {
  uint64_t left = UINT64_MAX;
  forEachControlGroup(
      root, "memory", [&](const std::string &path, bool isUnified) {
        const GroupNames &names = isUnified ? unified : separate;
        left = std::min(
            left, leftOfGroup(root + names.mount + path, names, freeSwap));
      });
  return left;
}

uint64_t runtime::availableMemory(const char *root) {
  std::string machine = readStart(std::string(root) + "/proc/meminfo");
  uint64_t available = 0, swap = 0;
  uint64_t left = UINT64_MAX;
  if (!findNumber(machine, "SwapFree:", swap))
    swap = 0;
  if (findNumber(machine, "MemAvailable:", available))
    left = addUp(available << 10, swap << 10);
  return std::min(left, leftOfGroups(root, swap << 10));
}

/// From here on it is asked whether there is as much memory: about 0.1 ms,
/// where touching takes some milliseconds.
static constexpr uint64_t askedBytes = uint64_t(16) << 20;

Error runtime::checkMemory(uint64_t bytes, const char *what) {
  if (bytes > static_cast<uint64_t>(format::maximumBytes))
    return noMemory(what, bytes, "no machine has as much");
  if (bytes < askedBytes)
    return {};
  uint64_t left = availableMemory();
  return bytes <= left
             ? Error()
             : noMemory(what, bytes,
                        "there are " + std::to_string(left) + " left");
}

Error runtime::noMemory(const char *what, uint64_t bytes,
                        const std::string &why) {
  return {HEDDLE_OUT_OF_MEMORY, "no memory for " + std::string(what) + " (" +
                                    std::to_string(bytes) + " bytes): " + why};
}
