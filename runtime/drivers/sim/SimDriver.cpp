// The table of simulated devices.

#include "runtime/drivers/sim/SimDriver.h"

#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/CpuImage.h"
#include "runtime/drivers/sim/SimDevice.h"

#include <cstdio>

using namespace heddle;
using namespace heddle::runtime;

namespace {
struct SimSegment {
  std::shared_ptr<const SimCommands> commands;
};
} // namespace

static SimDevice &cast(heddle_driver_device *device) {
  return *reinterpret_cast<SimDevice *>(device);
}
static SimQueue &cast(heddle_driver_queue *queue) {
  return *reinterpret_cast<SimQueue *>(queue);
}
static SimEvent &cast(heddle_driver_event *event) {
  return *reinterpret_cast<SimEvent *>(event);
}

static int32_t tellIf(const SimFailure &failure, heddle_status *why) {
  if (failure) {
    why->code = failure.code;
    std::snprintf(why->message, sizeof(why->message), "%s", failure.message);
  }
  return failure.code;
}

//===----------------------------------------------------------------------===//
// Devices and memory
//===----------------------------------------------------------------------===//

static uint32_t deviceCount(heddle_status *why) {
  SimOptions options;
  int32_t code = guarded(
      why, [&]() -> int32_t { return tellIf(SimOptions::read(options), why); });
  return code ? 0 : options.devices;
}

static int32_t openDevice(uint32_t number, heddle_driver_device **out,
                          heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    auto device = std::make_unique<SimDevice>(number);
    if (Error error = device->create())
      return tell(error, why);
    *out = reinterpret_cast<heddle_driver_device *>(device.release());
    return HEDDLE_OK;
  });
}

static void closeDevice(heddle_driver_device *device) { delete &cast(device); }

static void describeDevice(heddle_driver_device *device,
                           heddle_driver_device_info *out) {
  heddle_driver_device_info info = {};
  info.size = out->size;
  std::snprintf(info.name, sizeof(info.name), "%s", cast(device).name.c_str());
  info.spaces = 1u << HEDDLE_SPACE_DEVICE | 1u << HEDDLE_SPACE_PINNED;
  info.mapped = 1u << HEDDLE_SPACE_PINNED;
  info.memory_bytes = cast(device).options.memoryMiB << 20;
  std::memcpy(out, &info, std::min(out->size, sizeof(info)));
}

static int32_t allocate(heddle_driver_device *device, heddle_driver_space space,
                        uint64_t bytes, void **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    return tellIf(cast(device).allocate(space, bytes, *out), why);
  });
}

static void freeMemory(heddle_driver_device *device, void *address) {
  cast(device).free(address);
}

static void discardMemory(heddle_driver_device *device, void *address,
                          uint64_t bytes) {
  cast(device).discard(address, bytes);
}

static int32_t mapMemory(heddle_driver_device *device, void *address,
                         uint64_t bytes, void **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    return tellIf(cast(device).map(address, bytes, *out), why);
  });
}

static void unmapMemory(heddle_driver_device *, void *) {}

static int32_t pinMemory(heddle_driver_device *device, void *memory,
                         uint64_t bytes, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    return tellIf(cast(device).pin(memory, bytes), why);
  });
}

static void unpinMemory(heddle_driver_device *device, void *memory) {
  cast(device).unpin(memory);
}

//===----------------------------------------------------------------------===//
// Queues, segments, events
//===----------------------------------------------------------------------===//

static int32_t createQueue(heddle_driver_device *device,
                           heddle_driver_queue **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    SimQueue *queue = nullptr;
    if (Error error = cast(device).createQueue(queue))
      return tell(error, why);
    *out = reinterpret_cast<heddle_driver_queue *>(queue);
    return HEDDLE_OK;
  });
}

static void destroyQueue(heddle_driver_queue *queue) {
  cast(queue).device->destroyQueue(&cast(queue));
}

static std::shared_ptr<const SimCommands>
copyCommands(const heddle_driver_command *commands, size_t count) {
  return std::make_shared<const SimCommands>(commands, commands + count);
}

static int32_t submit(heddle_driver_queue *given,
                      const heddle_driver_submission *submission,
                      heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    SimQueue &queue = cast(given);
    auto commands =
        submission->segment
            ? reinterpret_cast<const SimSegment *>(submission->segment)
                  ->commands
            : copyCommands(submission->commands, submission->command_count);
    return tellIf(queue.device->submit(queue, std::move(commands), *submission),
                  why);
  });
}

static int32_t waitForQueue(heddle_driver_queue *given, uint64_t deadlineNs,
                            heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    SimQueue &queue = cast(given);
    if (Error error = queue.device->checkProcess())
      return tell(error, why);
    SimMachine &machine = SimMachine::get();
    std::unique_lock<std::mutex> lock(machine.mutex);
    if (!SimDevice::wait(lock, deadlineNs, [&] { return queue.tasks.empty(); }))
      return tellPassedDeadline(why);
    machine.races.hostWaited(queue.clock);
    return tellIf(std::exchange(queue.error, SimFailure()), why);
  });
}

static int32_t createSegment(heddle_driver_queue *,
                             const heddle_driver_command *commands,
                             size_t count, heddle_driver_segment **out,
                             heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    *out = reinterpret_cast<heddle_driver_segment *>(
        new SimSegment{copyCommands(commands, count)});
    return HEDDLE_OK;
  });
}

static void destroySegment(heddle_driver_segment *segment) {
  delete reinterpret_cast<SimSegment *>(segment);
}

static int32_t createEvent(heddle_driver_device *device,
                           heddle_driver_event **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    auto *event = new SimEvent{&cast(device), std::make_shared<SimMoment>()};
    event->latest->done = true;
    *out = reinterpret_cast<heddle_driver_event *>(event);
    return HEDDLE_OK;
  });
}

static void destroyEvent(heddle_driver_event *event) { delete &cast(event); }

static int32_t isEventDone(heddle_driver_event *event) {
  // Nothing more comes in a child process; who waits is told why.
  if (!cast(event).device->isOurs())
    return 1;
  SimMachine &machine = SimMachine::get();
  std::lock_guard<std::mutex> lock(machine.mutex);
  const SimMoment &moment = *cast(event).latest;
  if (moment.done)
    machine.races.hostWaited(moment.clock);
  return moment.done;
}

static int32_t waitForEvent(heddle_driver_event *event, uint64_t deadlineNs,
                            heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    if (Error error = cast(event).device->checkProcess())
      return tell(error, why);
    SimMachine &machine = SimMachine::get();
    std::unique_lock<std::mutex> lock(machine.mutex);
    std::shared_ptr<SimMoment> moment = cast(event).latest;
    if (!SimDevice::wait(lock, deadlineNs, [&] { return moment->done; }))
      return tellPassedDeadline(why);
    machine.races.hostWaited(moment->clock);
    return tellIf(moment->error, why);
  });
}

static constexpr heddle_driver makeTable() {
  heddle_driver table = {};
  table.kind = 3;
  table.name = "sim";
  table.counts_in_queues = 1;
  table.device_count = deviceCount;
  table.device_open = openDevice;
  table.device_close = closeDevice;
  table.device_describe = describeDevice;
  table.allocate = allocate;
  table.free = freeMemory;
  table.discard = discardMemory;
  table.map = mapMemory;
  table.unmap = unmapMemory;
  table.pin = pinMemory;
  table.unpin = unpinMemory;
  table.image_load = loadCpuImage;
  table.image_unload = unloadCpuImage;
  table.image_kernel = findCpuKernel;
  table.queue_create = createQueue;
  table.queue_destroy = destroyQueue;
  table.submit = submit;
  table.queue_wait = waitForQueue;
  table.event_create = createEvent;
  table.event_destroy = destroyEvent;
  table.event_done = isEventDone;
  table.event_wait = waitForEvent;
  table.segment_create = createSegment;
  table.segment_destroy = destroySegment;
  return table;
}

const heddle_driver runtime::simDriver = makeTable();
