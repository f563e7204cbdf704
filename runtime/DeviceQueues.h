// Queues of devices, as a caller has them.

#ifndef HEDDLE_RUNTIME_DEVICEQUEUES_H
#define HEDDLE_RUNTIME_DEVICEQUEUES_H

#include "runtime/ProgramDevice.h"

namespace heddle::runtime {

/// The queues of a plan on devices that run their commands themselves. Each
/// context has its own, as a queue is used by one thread at a time.
class DeviceQueues {
public:
  struct Queue {
    const Device *device = nullptr;
    heddle_driver_queue *handle = nullptr; ///< Null: the host runs it.

    const heddle_driver &driver() const { return device->driver(); }
  };

  DeviceQueues() = default;
  ~DeviceQueues();
  DeviceQueues(const DeviceQueues &) = delete;
  DeviceQueues &operator=(const DeviceQueues &) = delete;

  Error create(const format::Plan &plan, const ProgramDevices &devices);

  /// By its number in the plan.
  const Queue &get(uint32_t index) const { return queues[index]; }

  /// Waits for all that was submitted, well or not: after a failed call nothing
  /// uses the caller's tensors, and the queues are as new.
  void drain();

private:
  std::vector<Queue> queues;
};

/// An event of the driver's, for one signal of a plan.
class DeviceEvent {
public:
  DeviceEvent() = default;
  DeviceEvent(DeviceEvent &&other) noexcept { *this = std::move(other); }
  DeviceEvent &operator=(DeviceEvent &&other) noexcept {
    std::swap(device, other.device);
    std::swap(event, other.event);
    return *this;
  }
  ~DeviceEvent();

  Error create(const Device &owner);
  heddle_driver_event *handle() const { return event; }
  const heddle_driver &driver() const { return device->driver(); }

private:
  const Device *device = nullptr;
  heddle_driver_event *event = nullptr;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICEQUEUES_H
