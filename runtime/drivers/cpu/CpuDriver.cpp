// The host as a device.
//
// A plan's commands for the CPU are run by the workers of a context, through
// `run`. The queues serve those who treat all devices alike: a submission is
// done when submit returns, so its events are done always.

#include "runtime/drivers/cpu/CpuDriver.h"

#include "runtime/ForkLock.h"
#include "runtime/Memory.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/CpuImage.h"
#include "runtime/drivers/cpu/FloatEnvironment.h"
#include "runtime/format/Layout.h"

#include <cstdio>
#include <unordered_map>

using namespace heddle;
using namespace heddle::runtime;

namespace {
struct CpuDevice {};

/// What all that opened the device have allocated, by address; used with a
/// ForkLock, without which memory is mapped and unmapped.
using Allocations = std::unordered_map<void *, Region>;

struct CpuQueue {
  Region scratch;
};

struct CpuEvent {};
} // namespace

/// Made by who first allocates, and never ended: threads may use it while the
/// process exits.
static Allocations *allocated = nullptr;

static CpuDevice &cast(heddle_driver_device *device) {
  return *reinterpret_cast<CpuDevice *>(device);
}
static CpuQueue &cast(heddle_driver_queue *queue) {
  return *reinterpret_cast<CpuQueue *>(queue);
}

const CodeImage &runtime::codeImage(const heddle_driver_image *image) {
  return reinterpret_cast<const CpuImage *>(image)->code;
}

//===----------------------------------------------------------------------===//
// Devices and memory
//===----------------------------------------------------------------------===//

static uint32_t deviceCount(heddle_status *) { return 1; }

static int32_t openDevice(uint32_t number, heddle_driver_device **out,
                          heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    if (number)
      return tell({HEDDLE_DEVICE_MISSING,
                   "there is no device 'cpu:" + std::to_string(number) +
                       "': the processors of a machine are one, 'cpu:0'"},
                  why);
    ForkLock<Allocations>::prepare();
    *out = reinterpret_cast<heddle_driver_device *>(new CpuDevice);
    return HEDDLE_OK;
  });
}

static void closeDevice(heddle_driver_device *device) { delete &cast(device); }

static void describeDevice(heddle_driver_device *,
                           heddle_driver_device_info *out) {
  heddle_driver_device_info info = {};
  info.size = out->size;
  std::snprintf(info.name, sizeof(info.name), "cpu:0");
  info.spaces = info.mapped = 1u << HEDDLE_SPACE_HOST;
  std::memcpy(out, &info, std::min(out->size, sizeof(info)));
}

static int32_t allocate(heddle_driver_device *, heddle_driver_space space,
                        uint64_t bytes, void **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    if (space != HEDDLE_SPACE_HOST)
      return tell({HEDDLE_ARGUMENT_INVALID,
                   "device 'cpu:0' has no memory but the host's"},
                  why);
    Region region;
    if (Error error = region.allocate(bytes, /*touch=*/true, "device 'cpu:0'"))
      return tell(error, why);
    ForkLock<Allocations> lock;
    if (!allocated)
      allocated = new Allocations;
    void *address = region.data();
    (*allocated)[address] = std::move(region);
    *out = address;
    return HEDDLE_OK;
  });
}

static void freeMemory(heddle_driver_device *, void *address) {
  Region freed;
  ForkLock<Allocations> lock;
  if (!allocated)
    return;
  auto found = allocated->find(address);
  if (found == allocated->end())
    return;
  // It is unmapped when the mutex is free again.
  freed = std::move(found->second);
  allocated->erase(found);
}

static int32_t importMemory(heddle_driver_device *, void *memory, uint64_t,
                            void **out, heddle_status *) {
  *out = memory;
  return HEDDLE_OK;
}

static void unimportMemory(heddle_driver_device *, void *) {}

//===----------------------------------------------------------------------===//
// Queues and events
//===----------------------------------------------------------------------===//

static int32_t createQueue(heddle_driver_device *, heddle_driver_queue **out,
                           heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    *out = reinterpret_cast<heddle_driver_queue *>(new CpuQueue);
    return HEDDLE_OK;
  });
}

static void destroyQueue(heddle_driver_queue *queue) { delete &cast(queue); }

static int32_t submit(heddle_driver_queue *given,
                      const heddle_driver_submission *submission,
                      heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CpuQueue &queue = cast(given);
    uint64_t scratch = 0;
    for (size_t i = 0; i < submission->command_count; ++i)
      if (submission->commands[i].kind == HEDDLE_COMMAND_LAUNCH)
        scratch = std::max(scratch, reinterpret_cast<const CpuKernel *>(
                                        submission->commands[i].kernel)
                                        ->scratch);
    if (scratch > queue.scratch.size()) {
      Region larger;
      if (Error error = larger.allocate(scratch, /*touch=*/false, "scratch"))
        return tell(error, why);
      queue.scratch = std::move(larger);
    }
    heddle_driver_worker worker = {0, queue.scratch.data()};
    for (size_t i = 0; i < submission->command_count; ++i) {
      const heddle_driver_command &command = submission->commands[i];
      FloatEnvironment environment(
          command.kind == HEDDLE_COMMAND_LAUNCH &&
          reinterpret_cast<const CpuKernel *>(command.kernel)
              ->flushesSubnormals);
      runOnThisThread(&command, &worker, 0, command.tiles);
    }
    return HEDDLE_OK;
  });
}

static int32_t waitForQueue(heddle_driver_queue *, uint64_t, heddle_status *) {
  return HEDDLE_OK;
}

static int32_t createEvent(heddle_driver_device *, heddle_driver_event **out,
                           heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    *out = reinterpret_cast<heddle_driver_event *>(new CpuEvent);
    return HEDDLE_OK;
  });
}

static void destroyEvent(heddle_driver_event *event) {
  delete reinterpret_cast<CpuEvent *>(event);
}

static int32_t isEventDone(heddle_driver_event *) { return 1; }

static int32_t waitForEvent(heddle_driver_event *, uint64_t, heddle_status *) {
  return HEDDLE_OK;
}

static constexpr heddle_driver makeTable() {
  heddle_driver table = {};
  table.kind = static_cast<uint32_t>(format::DeviceKind::cpu);
  table.name = "cpu";
  table.device_count = deviceCount;
  table.device_open = openDevice;
  table.device_close = closeDevice;
  table.device_describe = describeDevice;
  table.allocate = allocate;
  table.free = freeMemory;
  table.import = importMemory;
  table.unimport = unimportMemory;
  table.image_load = loadCpuImage;
  table.image_unload = unloadCpuImage;
  table.image_kernel = findCpuKernel;
  table.run = runOnThisThread;
  table.queue_create = createQueue;
  table.queue_destroy = destroyQueue;
  table.submit = submit;
  table.queue_wait = waitForQueue;
  table.event_create = createEvent;
  table.event_destroy = destroyEvent;
  table.event_done = isEventDone;
  table.event_wait = waitForEvent;
  return table;
}

const heddle_driver runtime::cpuDriver = makeTable();
