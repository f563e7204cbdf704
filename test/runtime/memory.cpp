// How much memory there is said to be, and what is refused before it is
// touched. Argument: the folder of the test models.
#include "runtime/Memory.h"
#include "runtime/SharedRegion.h"
#include "runtime/SystemMemory.h"
#include "test/runtime/check.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using heddle::runtime::availableMemory;
using heddle::runtime::prefault;
using heddle::runtime::Region;

/// A machine's files in a folder of their own.
class Machine {
public:
  Machine() { root = mkdtemp(name); }
  ~Machine() {
    std::string command = "rm -r '" + root + "'";
    CHECK(std::system(command.c_str()) == 0);
  }
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  void file(const std::string &path, const std::string &text) const {
    for (size_t at = 1; (at = path.find('/', at)) != std::string::npos; ++at)
      mkdir((root + path.substr(0, at)).c_str(), 0755);
    FILE *file = std::fopen((root + path).c_str(), "w");
    CHECK(file && std::fputs(text.c_str(), file) >= 0);
    if (file)
      std::fclose(file);
  }
  uint64_t available() const { return availableMemory(root.c_str()); }

private:
  char name[32] = "/tmp/heddle-memory-XXXXXX";
  std::string root;
};

static void testMachine() {
  Machine machine;
  CHECK(machine.available() == UINT64_MAX);
  machine.file("/proc/meminfo", "MemTotal:       4000 kB\n"
                                "MemFree:         100 kB\n"
                                "MemAvailable:   1000 kB\n"
                                "SwapFree:         24 kB\n");
  CHECK(machine.available() == 1024 * 1024);
}

/// Each group around the process's has a say; copies of files give way.
static void testGroups() {
  Machine machine;
  machine.file("/proc/meminfo", "MemAvailable: 1000000 kB\n");
  machine.file("/proc/self/cgroup", "1:cpu:/a\n0::/outer/inner\n");
  machine.file("/sys/fs/cgroup/outer/inner/memory.max", "max\n");
  machine.file("/sys/fs/cgroup/outer/inner/memory.current", "5000\n");
  CHECK(machine.available() == uint64_t(1000000) << 10);
  machine.file("/sys/fs/cgroup/outer/memory.max", "9000\n");
  machine.file("/sys/fs/cgroup/outer/memory.current", "7000\n");
  CHECK(machine.available() == 2000);
  machine.file("/sys/fs/cgroup/outer/memory.stat",
               "anon 10\ninactive_file 500\nactive_file 100\n"
               "slab_reclaimable 30\n");
  CHECK(machine.available() == 2630);
  machine.file("/sys/fs/cgroup/outer/inner/memory.max", "5001\n");
  CHECK(machine.available() == 1);
  // More than it may have.
  machine.file("/sys/fs/cgroup/outer/inner/memory.current", "6000\n");
  CHECK(machine.available() == 0);
  // In a container the group's path is the machine's.
  machine.file("/proc/self/cgroup", "0::/not/here\n");
  CHECK(machine.available() == uint64_t(1000000) << 10);
  machine.file("/sys/fs/cgroup/memory.max", "300\n");
  machine.file("/sys/fs/cgroup/memory.current", "100\n");
  CHECK(machine.available() == 200);
}

/// Swap serves a group as far as it may have some.
static void testSwap() {
  Machine machine;
  machine.file("/proc/meminfo", "MemAvailable: 1000 kB\nSwapFree: 10 kB\n");
  machine.file("/proc/self/cgroup", "0::/\n");
  machine.file("/sys/fs/cgroup/memory.max", "500\n");
  machine.file("/sys/fs/cgroup/memory.current", "100\n");
  CHECK(machine.available() == 400 + 10240);
  machine.file("/sys/fs/cgroup/memory.swap.max", "50\n");
  machine.file("/sys/fs/cgroup/memory.swap.current", "20\n");
  CHECK(machine.available() == 430);
}

/// The first version of control groups, with its own names.
static void testSeparateGroups() {
  Machine machine;
  machine.file("/proc/meminfo", "MemAvailable: 1000000 kB\n");
  machine.file("/proc/self/cgroup", "5:cpu,memory:/here\n0::/\n");
  machine.file("/sys/fs/cgroup/memory/here/memory.limit_in_bytes", "4096\n");
  machine.file("/sys/fs/cgroup/memory/here/memory.usage_in_bytes", "2048\n");
  machine.file("/sys/fs/cgroup/memory/here/memory.stat",
               "inactive_file 1\ntotal_inactive_file 1000\n"
               "total_active_file 24\n");
  CHECK(machine.available() == 3072);
}

/// More than there is becomes an error, and nothing is touched for it.
static void testRegions() {
  Region region;
  uint64_t left = availableMemory();
  CHECK(left > 0);
  for (uint64_t bytes :
       {uint64_t(1) << 46, uint64_t(1) << 50, (uint64_t(1) << 50) + 1,
        UINT64_MAX - 4096, UINT64_MAX})
    for (bool touch : {false, true}) {
      heddle::format::Error error = region.allocate(bytes, touch, "much");
      CHECK(error && error.code() == HEDDLE_OUT_OF_MEMORY &&
            error.message().find("no memory for much") == 0);
      CHECK(!region.data() && !region.size());
    }
  heddle::runtime::SharedRegion shared;
  heddle::format::Error error = shared.allocate(size_t(1) << 46, "ranks");
  CHECK(error && error.code() == HEDDLE_OUT_OF_MEMORY);
  for (uint64_t bytes : {uint64_t(1), uint64_t(4) << 20, uint64_t(17) << 20}) {
    Region fits;
    CHECK(!fits.allocate(bytes, true, "little") && fits.size() == bytes);
    std::memset(fits.data(), 1, bytes);
  }
}

/// What is no range of memory is not taken for advice that the system lacks.
static void testRanges() {
  static char bytes[1 << 16];
  CHECK(!prefault(bytes, sizeof(bytes), true, "some"));
  for (size_t count : {SIZE_MAX, SIZE_MAX - 4096, size_t(1) << 60}) {
    heddle::format::Error error = prefault(bytes, count, true, "some");
    CHECK(error && error.code() == HEDDLE_OUT_OF_MEMORY);
  }
}

/// The same by the interface.
static void testDevice() {
  heddle_device *device = nullptr;
  OK(heddle_device_open("cpu", &device));
  void *memory = nullptr;
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2, size_t(1) << 46}) {
    EXPECT(heddle_device_allocate(device, bytes, &memory), HEDDLE_OUT_OF_MEMORY,
           "no memory for device 'cpu:0'");
    CHECK(!memory);
  }
  heddle_device_close(device);
}

/// An arena for the largest sizes that no machine has; calls of small ones do
/// with one that is brought along.
static void testArena(const char *folder) {
  heddle_program *program = load(folder, "vast-arena", nullptr);
  heddle_context *context = nullptr;
  EXPECT(heddle_context_create(program, 0, nullptr, &context),
         HEDDLE_OUT_OF_MEMORY, "a smaller one that is brought along");
  alignas(64) static char arena[4096];
  heddle_context_options options = {};
  options.size = sizeof(options);
  options.threads = 1;
  options.arena = arena;
  options.arena_bytes = sizeof(arena);
  OK(heddle_context_create(program, 0, &options, &context));
  float left[8] = {1, 2, 3, 4, 5, 6, 7, 8}, sum[8];
  const int64_t shape[] = {2, 4};
  heddle_tensor inputs[] = {make_tensor(left, HEDDLE_F32, 2, shape),
                            make_tensor(left, HEDDLE_F32, 2, shape)};
  heddle_tensor output = make_tensor(sum, HEDDLE_F32, 2, shape);
  OK(call_entry(context, inputs, 2, &output, 1, nullptr));
  CHECK(sum[0] == 5 && sum[7] == 40);
  heddle_context_destroy(context);
  heddle_program_destroy(program);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  testMachine();
  testGroups();
  testSwap();
  testSeparateGroups();
  testRegions();
  testRanges();
  testDevice();
  testArena(argv[1]);
  return finish();
}
