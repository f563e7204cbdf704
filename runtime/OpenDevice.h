// A device as the C interface hands it out.

#ifndef HEDDLE_RUNTIME_OPENDEVICE_H
#define HEDDLE_RUNTIME_OPENDEVICE_H

#include "runtime/DeviceCopier.h"

/// With the space of its own memory.
struct heddle_device {
  std::shared_ptr<heddle::runtime::Device> device;
  heddle_driver_space space = HEDDLE_SPACE_HOST;
  heddle::runtime::DeviceCopier copier;

  heddle::format::Error open(const heddle_driver &driver, uint32_t number) {
    using namespace heddle::runtime;
    if (Error error = Device::open(driver, number, device))
      return error;
    if (device->description().spaces >> HEDDLE_SPACE_DEVICE & 1)
      space = HEDDLE_SPACE_DEVICE;
    return copier.create(device, space);
  }
};

#endif // HEDDLE_RUNTIME_OPENDEVICE_H
