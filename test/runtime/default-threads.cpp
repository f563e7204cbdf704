// How many threads a context has by default: the affinity mask, and the quotas
// of control groups, as files below a folder of the test's own.

#include "runtime/drivers/cpu/Pool.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using heddle::runtime::Pool;

static int failures;

static void expect(const char *what, unsigned actual, unsigned wanted) {
  if (actual == wanted)
    return;
  std::printf("%s: %u CPUs, expected %u\n", what, actual, wanted);
  ++failures;
}

namespace {
/// A folder that stands for "/".
class Machine {
public:
  Machine() { root = mkdtemp(folder); }
  ~Machine() {
    std::string command = "rm -rf " + root;
    if (std::system(command.c_str()) != 0)
      ++failures;
  }
  void write(const std::string &path, const std::string &text) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1))
      mkdir((root + path.substr(0, slash)).c_str(), 0777);
    std::ofstream(root + path) << text;
  }
  unsigned quota() const { return Pool::cgroupQuota(root); }

private:
  char folder[32] = "/tmp/default-threads-XXXXXX";
  std::string root;
};
} // namespace

int main() {
  {
    Machine machine;
    expect("no control groups", machine.quota(), ~0u);
    machine.write("/proc/self/cgroup", "0::/user/job\n");
    expect("no quota files", machine.quota(), ~0u);
    machine.write("/sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
    expect("version 2, no limit", machine.quota(), ~0u);
    machine.write("/sys/fs/cgroup/user/job/cpu.max", "300000 100000\n");
    expect("version 2, 3 CPUs", machine.quota(), 3);
    machine.write("/sys/fs/cgroup/user/job/cpu.max", "150000 100000\n");
    expect("version 2, 1.5 CPUs", machine.quota(), 2);
    machine.write("/sys/fs/cgroup/user/job/cpu.max", "20000 100000\n");
    expect("version 2, a fifth of a CPU", machine.quota(), 1);
    machine.write("/sys/fs/cgroup/user/job/cpu.max", "800000 100000\n");
    machine.write("/sys/fs/cgroup/user/cpu.max", "200000 50000\n");
    expect("version 2, the group above has less", machine.quota(), 4);
    machine.write("/sys/fs/cgroup/user/job/cpu.max", "nonsense\n");
    expect("version 2, an unreadable file", machine.quota(), 4);
  }
  {
    Machine machine;
    machine.write("/proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n");
    machine.write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
    machine.write("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    expect("version 1, no limit", machine.quota(), ~0u);
    machine.write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n");
    expect("version 1, 2.5 CPUs", machine.quota(), 3);
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0)
    expect("an affinity mask of one CPU", Pool::defaultThreads(), 1);
  std::printf("%d failures\n", failures);
  return failures != 0;
}
