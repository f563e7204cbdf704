// Copies to and from devices that somebody waits for.

#ifndef HEDDLE_RUNTIME_DEVICECOPIER_H
#define HEDDLE_RUNTIME_DEVICECOPIER_H

#include "runtime/drivers/Drivers.h"

#include <mutex>

namespace heddle::runtime {

/// Copies and clears memory in one space of a device, for any thread: at once
/// where the host can follow the addresses, else by a queue.
class DeviceCopier {
public:
  DeviceCopier() = default;
  ~DeviceCopier();
  DeviceCopier(const DeviceCopier &) = delete;
  DeviceCopier &operator=(const DeviceCopier &) = delete;

  Error create(std::shared_ptr<Device> device, heddle_driver_space space);

  /// What is not the device's own is memory of the process.
  Error copy(void *target, bool targetIsOwn, const void *source,
             bool sourceIsOwn, uint64_t bytes);
  Error clear(void *target, uint64_t bytes);

private:
  Error run(const heddle_driver_command &command);

  std::shared_ptr<Device> device;
  heddle_driver_queue *queue = nullptr; ///< Null: the host does it.
  std::mutex mutex;                     ///< Of the queue.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICECOPIER_H
