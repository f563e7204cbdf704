// The table of CUDA's devices.
//
// A queue is a stream, an event an event. What CUDA refuses when it is handed a
// command, and what fails while it runs, is told by whoever waits: the stream's
// error stays with the queue, and passes through events to others.

#include "runtime/drivers/cuda/CudaDriver.h"

#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/Clock.h"
#include "runtime/drivers/cuda/CudaCode.h"
#include "runtime/drivers/cuda/CudaDevice.h"

#include <cstdio>
#include <ctime>

using namespace heddle;
using namespace heddle::runtime;

static CudaDevice &cast(heddle_driver_device *device) {
  return *reinterpret_cast<CudaDevice *>(device);
}
static CudaQueue &cast(heddle_driver_queue *queue) {
  return *reinterpret_cast<CudaQueue *>(queue);
}
static CudaEvent &cast(heddle_driver_event *event) {
  return *reinterpret_cast<CudaEvent *>(event);
}

//===----------------------------------------------------------------------===//
// Devices and memory
//===----------------------------------------------------------------------===//

static uint32_t deviceCount(heddle_status *why) {
  int count = 0;
  int32_t code = guarded(why, [&]() -> int32_t {
    const CudaApi *api = nullptr;
    if (Error error = CudaApi::open(api))
      return tell(error, why);
    if (CudaResult result = api->deviceGetCount(&count))
      return tell(
          {HEDDLE_DEVICE_MISSING, api->describe("cuDeviceGetCount", result)},
          why);
    return HEDDLE_OK;
  });
  return code ? 0 : static_cast<uint32_t>(count);
}

static int32_t openDevice(uint32_t number, heddle_driver_device **out,
                          heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    const CudaApi *api = nullptr;
    if (Error error = CudaApi::open(api))
      return tell(error, why);
    auto device = std::make_unique<CudaDevice>(*api, number);
    if (Error error = device->create())
      return tell(error, why);
    *out = reinterpret_cast<heddle_driver_device *>(device.release());
    return HEDDLE_OK;
  });
}

static void closeDevice(heddle_driver_device *device) { delete &cast(device); }

static void describeDevice(heddle_driver_device *given,
                           heddle_driver_device_info *out) {
  const CudaDevice &device = cast(given);
  heddle_driver_device_info info = {};
  info.size = out->size;
  std::snprintf(info.name, sizeof(info.name), "%s", device.name.c_str());
  info.spaces = 1u << HEDDLE_SPACE_DEVICE | 1u << HEDDLE_SPACE_PINNED;
  info.mapped = 1u << HEDDLE_SPACE_PINNED;
  info.memory_bytes = device.memoryBytes;
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

/// What a call within the device's context returns.
template <typename Call>
static Error within(CudaDevice &device, const char *function, Call call) {
  CudaCurrent current(device);
  return current.error() ? current.error() : device.check(function, call());
}

/// Other libraries use the process's primary context, as this driver does.
static int32_t waitForDevice(heddle_driver_device *given, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CudaDevice &device = cast(given);
    return tellIf(within(device, "cuCtxSynchronize",
                         [&] { return device.api.contextSynchronize(); }),
                  why);
  });
}

static int32_t importMemory(heddle_driver_device *device, void *memory,
                            uint64_t bytes, void **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    return tellIf(cast(device).import(memory, bytes, *out), why);
  });
}

static void unimportMemory(heddle_driver_device *device, void *address) {
  cast(device).unimport(address);
}

static int32_t pinMemory(heddle_driver_device *given, void *memory,
                         uint64_t bytes, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CudaDevice &device = cast(given);
    return tellIf(
        within(device, "cuMemHostRegister",
               [&] { return device.api.memHostRegister(memory, bytes, 0); }),
        why);
  });
}

static void unpinMemory(heddle_driver_device *given, void *memory) {
  CudaDevice &device = cast(given);
  (void)within(device, "cuMemHostUnregister",
               [&] { return device.api.memHostUnregister(memory); });
}

//===----------------------------------------------------------------------===//
// Queues and events
//===----------------------------------------------------------------------===//

static int32_t createQueue(heddle_driver_device *given,
                           heddle_driver_queue **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CudaDevice &device = cast(given);
    auto queue = std::make_unique<CudaQueue>();
    queue->device = &device;
    if (Error error = within(device, "cuStreamCreate", [&] {
          return device.api.streamCreate(&queue->stream, cudaStreamNonBlocking);
        }))
      return tell(error, why);
    *out = reinterpret_cast<heddle_driver_queue *>(queue.release());
    return HEDDLE_OK;
  });
}

static void destroyQueue(heddle_driver_queue *given) {
  CudaQueue &queue = cast(given);
  (void)within(*queue.device, "cuStreamSynchronize", [&] {
    return queue.device->api.streamSynchronize(queue.stream);
  });
  (void)within(*queue.device, "cuStreamDestroy",
               [&] { return queue.device->api.streamDestroy(queue.stream); });
  delete &queue;
}

static int32_t submit(heddle_driver_queue *given,
                      const heddle_driver_submission *submission,
                      heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CudaQueue &queue = cast(given);
    // Behind an error all is left out until somebody has been told.
    if (!queue.error) {
      CudaCurrent current(*queue.device);
      queue.error = current.error() ? current.error()
                                    : submitCommands(queue, *submission);
    }
    for (size_t i = 0; i < submission->signal_count; ++i)
      cast(submission->signals[i]).error = queue.error;
    return HEDDLE_OK;
  });
}

/// Waits until `query` says something else than that it is not ready, or
/// the deadline passes; without a deadline by `synchronize`.
template <typename Query, typename Synchronize>
static CudaResult await(uint64_t deadlineNs, bool &isLate, Query query,
                        Synchronize synchronize) {
  if (!deadlineNs)
    return synchronize();
  for (;;) {
    CudaResult result = query();
    if (result != cudaErrorNotReady)
      return result;
    if (monotonicNs() >= deadlineNs) {
      isLate = true;
      return cudaSuccess;
    }
    timespec pause = {0, 20000};
    nanosleep(&pause, nullptr);
  }
}

static int32_t waitForQueue(heddle_driver_queue *given, uint64_t deadlineNs,
                            heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CudaQueue &queue = cast(given);
    const CudaApi &api = queue.device->api;
    bool isLate = false;
    Error error = within(*queue.device, "cuStreamSynchronize", [&] {
      return await(
          deadlineNs, isLate, [&] { return api.streamQuery(queue.stream); },
          [&] { return api.streamSynchronize(queue.stream); });
    });
    if (isLate)
      return tellPassedDeadline(why);
    Error first = std::exchange(queue.error, Error());
    return tellIf(first ? first : error, why);
  });
}

static int32_t createEvent(heddle_driver_device *given,
                           heddle_driver_event **out, heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CudaDevice &device = cast(given);
    auto event = std::make_unique<CudaEvent>();
    event->device = &device;
    if (Error error = within(device, "cuEventCreate", [&] {
          return device.api.eventCreate(&event->event, cudaEventDisableTiming);
        }))
      return tell(error, why);
    *out = reinterpret_cast<heddle_driver_event *>(event.release());
    return HEDDLE_OK;
  });
}

static void destroyEvent(heddle_driver_event *given) {
  CudaEvent &event = cast(given);
  (void)within(*event.device, "cuEventDestroy",
               [&] { return event.device->api.eventDestroy(event.event); });
  delete &event;
}

static int32_t isEventDone(heddle_driver_event *given) {
  CudaEvent &event = cast(given);
  if (event.error)
    return true;
  CudaCurrent current(*event.device);
  return current.error() ||
         event.device->api.eventQuery(event.event) != cudaErrorNotReady;
}

static int32_t waitForEvent(heddle_driver_event *given, uint64_t deadlineNs,
                            heddle_status *why) {
  return guarded(why, [&]() -> int32_t {
    CudaEvent &event = cast(given);
    const CudaApi &api = event.device->api;
    if (event.error)
      return tell(event.error, why);
    bool isLate = false;
    Error error = within(*event.device, "cuEventSynchronize", [&] {
      return await(
          deadlineNs, isLate, [&] { return api.eventQuery(event.event); },
          [&] { return api.eventSynchronize(event.event); });
    });
    return isLate ? tellPassedDeadline(why) : tellIf(error, why);
  });
}

static constexpr heddle_driver makeTable() {
  heddle_driver table = {};
  table.kind = 1;
  table.name = "cuda";
  table.device_count = deviceCount;
  table.device_open = openDevice;
  table.device_close = closeDevice;
  table.device_describe = describeDevice;
  table.device_wait = waitForDevice;
  table.allocate = allocate;
  table.free = freeMemory;
  table.import = importMemory;
  table.unimport = unimportMemory;
  table.pin = pinMemory;
  table.unpin = unpinMemory;
  table.runs = runsCudaCode;
  table.image_load = loadCudaImage;
  table.image_unload = unloadCudaImage;
  table.image_kernel = findCudaKernel;
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

const heddle_driver runtime::cudaDriver = makeTable();
