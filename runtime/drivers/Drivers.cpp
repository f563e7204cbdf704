// The list of drivers, and devices that are opened once for the process.

#include "runtime/drivers/Drivers.h"

#include "runtime/PerProcess.h"
#include "runtime/drivers/Status.h"
#include "runtime/drivers/cpu/CpuDriver.h"
#include "runtime/drivers/cuda/CudaDriver.h"
#include "runtime/drivers/sim/SimDriver.h"

#include <map>
#include <mutex>
#include <new>

using namespace heddle;
using namespace heddle::runtime;

const std::array<const heddle_driver *, 3> runtime::allDrivers = {
    &cpuDriver,
    &cudaDriver,
    &simDriver,
};

const heddle_driver *runtime::findDriver(uint32_t kind) {
  for (const heddle_driver *driver : allDrivers)
    if (driver->kind == kind)
      return driver;
  return nullptr;
}

const heddle_driver *runtime::findDriver(std::string_view name) {
  for (const heddle_driver *driver : allDrivers)
    if (name == driver->name)
      return driver;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

namespace {
/// The devices of the process that are open. The mutex is held while one is
/// opened, which may take seconds.
struct OpenDevices {
  std::mutex mutex;
  std::map<std::pair<const heddle_driver *, uint32_t>, std::weak_ptr<Device>>
      devices;
};
} // namespace

/// A device serves the process that opened it, and a child opens its own. What
/// it has of the host from its parent stays good.
static OpenDevices &openDevices() {
  static PerProcess<OpenDevices> open;
  return open.get();
}

Device::Device(const heddle_driver &driver, uint32_t number,
               heddle_driver_device *opened)
    : table(driver), ordinal(number), opened(opened) {
  info.size = sizeof(info);
  driver.device_describe(opened, &info);
}

Device::~Device() { table.device_close(opened); }

Error Device::open(const heddle_driver &driver, uint32_t number,
                   std::shared_ptr<Device> &device) {
  OpenDevices &open = openDevices();
  std::lock_guard<std::mutex> lock(open.mutex);
  std::weak_ptr<Device> &known = open.devices[{&driver, number}];
  device = known.lock();
  if (device)
    return {};
  heddle_status why;
  heddle_driver_device *handle = nullptr;
  if (int32_t code = driver.device_open(number, &handle, &why))
    return told(code, why);
  // A deleter would be lost with a handle that no memory is left for.
  Device *made = new (std::nothrow) Device(driver, number, handle);
  if (!made) {
    driver.device_close(handle);
    return {HEDDLE_OUT_OF_MEMORY, "no memory"};
  }
  device.reset(made);
  known = device;
  return {};
}

//===----------------------------------------------------------------------===//
// DeviceMemory
//===----------------------------------------------------------------------===//

DeviceMemory::~DeviceMemory() {
  if (address)
    device->driver().free(device->handle(), address);
}

Error DeviceMemory::allocate(std::shared_ptr<Device> owner,
                             heddle_driver_space space, uint64_t wanted,
                             const char *what) {
  *this = DeviceMemory();
  if (!wanted)
    return {};
  heddle_status why;
  void *given = nullptr;
  if (int32_t code = owner->driver().allocate(owner->handle(), space, wanted,
                                              &given, &why))
    return {static_cast<heddle_code>(code),
            "no memory for " + std::string(what) + " (" +
                std::to_string(wanted) + " bytes): " + why.message};
  device = std::move(owner);
  address = given;
  bytes = wanted;
  return {};
}

void DeviceMemory::discard() {
  if (address && device->driver().discard)
    device->driver().discard(device->handle(), address, bytes);
}
