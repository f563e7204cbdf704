// All drivers, and open devices.

#ifndef HEDDLE_RUNTIME_DRIVERS_DRIVERS_H
#define HEDDLE_RUNTIME_DRIVERS_DRIVERS_H

#include "runtime/drivers/driver.h"
#include "runtime/format/Error.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace heddle::runtime {

using format::Error;

/// Every driver of this library: a new one adds a line in Drivers.cpp.
extern const std::array<const heddle_driver *, 3> allDrivers;

/// The driver of a kind of device; null if this library has none.
const heddle_driver *findDriver(uint32_t kind);
/// The same by its name.
const heddle_driver *findDriver(std::string_view name);

/// A device that is open. Programs and contexts share it: a device is opened
/// once in a process and closed with its last user.
class Device {
public:
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// HEDDLE_DEVICE_MISSING names it when it is not there.
  static Error open(const heddle_driver &driver, uint32_t number,
                    std::shared_ptr<Device> &device);

  const heddle_driver &driver() const { return table; }
  /// Which of the devices of its driver.
  uint32_t number() const { return ordinal; }
  heddle_driver_device *handle() const { return opened; }
  std::string name() const { return info.name; }
  const heddle_driver_device_info &description() const { return info; }

  /// Whether the host's threads may follow addresses of this space.
  bool isMapped(heddle_driver_space space) const {
    return info.mapped >> space & 1;
  }
  /// Whether the caller's threads run its commands.
  bool isRunByHost() const { return table.run != nullptr; }

private:
  Device(const heddle_driver &driver, uint32_t number,
         heddle_driver_device *opened);

  const heddle_driver &table;
  uint32_t ordinal;
  heddle_driver_device *opened;
  heddle_driver_device_info info = {};
};

/// Memory of a device, freed at its end.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) noexcept { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceMemory();

  /// `what` is for the message of an error. No bytes need no memory.
  Error allocate(std::shared_ptr<Device> device, heddle_driver_space space,
                 uint64_t bytes, const char *what);
  /// Nobody reads any more what is there.
  void discard();

  char *data() const { return static_cast<char *>(address); }
  uint64_t size() const { return bytes; }

private:
  void swap(DeviceMemory &other) {
    std::swap(device, other.device);
    std::swap(address, other.address);
    std::swap(bytes, other.bytes);
  }

  std::shared_ptr<Device> device;
  void *address = nullptr;
  uint64_t bytes = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_DRIVERS_H
