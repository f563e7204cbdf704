// How many CPUs this process may use.

#include "runtime/ControlGroups.h"
#include "runtime/drivers/cpu/Pool.h"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <string>

using namespace heddle;
using namespace heddle::runtime;

static unsigned cpusFor(double quota, double period) {
  if (quota <= 0 || period <= 0 || quota / period > 65536)
    return ~0u;
  auto whole = static_cast<unsigned>(quota / period);
  return std::max(1u, whole + (whole * period < quota));
}

unsigned Pool::cgroupQuota(const std::string &root) {
  unsigned cpus = ~0u;
  forEachControlGroup(root, "cpu", [&](const std::string &path, bool) {
    // Version 2: "max 100000" or "150000 100000".
    std::string limit = readStart(root + "/sys/fs/cgroup" + path + "/cpu.max");
    char *end = nullptr;
    double quota = std::strtod(limit.c_str(), &end);
    if (end != limit.c_str())
      cpus = std::min(cpus, cpusFor(quota, std::strtod(end, nullptr)));
    // Version 1: two files, -1 for no limit.
    std::string old = root + "/sys/fs/cgroup/cpu" + path;
    quota = std::atof(readStart(old + "/cpu.cfs_quota_us").c_str());
    double period = std::atof(readStart(old + "/cpu.cfs_period_us").c_str());
    cpus = std::min(cpus, cpusFor(quota, period));
  });
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
