// How many CPUs this process may use.

#include "runtime/drivers/cpu/Pool.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <string>

using namespace heddle;
using namespace heddle::runtime;

/// The file's first bytes; empty when it cannot be read.
static std::string readSmallFile(const std::string &path) {
  std::string text(4096, '\0');
  FILE *file = std::fopen(path.c_str(), "re");
  if (!file)
    return {};
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

static unsigned cpusFor(double quota, double period) {
  if (quota <= 0 || period <= 0 || quota / period > 65536)
    return ~0u;
  auto whole = static_cast<unsigned>(quota / period);
  return std::max(1u, whole + (whole * period < quota));
}

/// CPUs that the quotas of control group `path` and those above it leave.
static unsigned quotaOf(const std::string &root, std::string path) {
  unsigned cpus = ~0u;
  for (;;) {
    // Version 2: "max 100000" or "150000 100000".
    std::string limit =
        readSmallFile(root + "/sys/fs/cgroup" + path + "/cpu.max");
    char *end = nullptr;
    double quota = std::strtod(limit.c_str(), &end);
    if (end != limit.c_str())
      cpus = std::min(cpus, cpusFor(quota, std::strtod(end, nullptr)));
    // Version 1: two files, -1 for no limit.
    std::string old = root + "/sys/fs/cgroup/cpu" + path;
    quota = std::atof(readSmallFile(old + "/cpu.cfs_quota_us").c_str());
    cpus = std::min(
        cpus,
        cpusFor(quota,
                std::atof(readSmallFile(old + "/cpu.cfs_period_us").c_str())));
    size_t slash = path.rfind('/');
    if (slash == std::string::npos)
      return cpus;
    path.resize(slash);
  }
}

/// /proc/self/cgroup has lines "0::/path" (version 2) or "4:cpu,cpuacct:/path".
unsigned Pool::cgroupQuota(const std::string &root) {
  std::string groups = readSmallFile(root + "/proc/self/cgroup");
  unsigned cpus = ~0u;
  for (size_t begin = 0; begin < groups.size();) {
    size_t end = std::min(groups.find('\n', begin), groups.size());
    std::string line = groups.substr(begin, end - begin);
    begin = end + 1;
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers =
        "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers != ",," && controllers.find(",cpu,") == std::string::npos)
      continue;
    std::string path = line.substr(second + 1);
    cpus = std::min(cpus, quotaOf(root, path == "/" ? "" : path));
  }
  return cpus;
}

unsigned Pool::defaultThreads() {
  // The mask of a machine with more CPUs than cpu_set_t holds needs more room.
  unsigned cpus = 1;
  for (int room = 1024; room <= 1 << 16; room *= 2) {
    cpu_set_t *set = CPU_ALLOC(static_cast<size_t>(room));
    size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(room));
    bool good = set && sched_getaffinity(0, bytes, set) == 0;
    if (good)
      cpus = static_cast<unsigned>(CPU_COUNT_S(bytes, set));
    CPU_FREE(set);
    if (good)
      break;
  }
  return std::max(1u, std::min(cpus, cgroupQuota()));
}
