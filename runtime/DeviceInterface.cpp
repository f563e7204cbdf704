// The functions of include/heddle/runtime.h for devices and their memory.

#include "runtime/Border.h"
#include "runtime/Dlpack.h"
#include "runtime/drivers/Status.h"
#include "runtime/format/DeviceNames.h"

#include <cstdlib>
#include <vector>

using namespace heddle;
using namespace heddle::runtime;

const char *heddle_device_kind(size_t number) {
  return number < allDrivers.size() ? allDrivers[number]->name : nullptr;
}

static heddle_status unknownKind(const std::string &name) {
  return toStatus(
      {HEDDLE_DEVICE_MISSING, "this library has no driver for '" + name + "'"});
}

heddle_status heddle_device_count(const char *kind, size_t *out_count) {
  return guarded([&]() -> heddle_status {
    if (!kind || !out_count)
      return invalid(nullPointer);
    const heddle_driver *driver = findDriver(kind);
    if (!driver)
      return unknownKind(kind);
    heddle_status why;
    why.code = HEDDLE_OK;
    why.message[0] = '\0';
    uint32_t count = driver->device_count(&why);
    if (!count && why.code == HEDDLE_OUT_OF_MEMORY)
      return why;
    if (!count && *why.message)
      return toStatus({HEDDLE_DEVICE_MISSING, why.message});
    *out_count = count;
    return toStatus({});
  });
}

static heddle_status open(const heddle_driver &driver, uint32_t number,
                          heddle_device **out_device) {
  auto opened = std::make_unique<heddle_device>();
  if (Error error = opened->open(driver, number))
    return toStatus(error);
  *out_device = opened.release();
  return toStatus({});
}

heddle_status heddle_device_open(const char *given,
                                 heddle_device **out_device) {
  return guarded([&]() -> heddle_status {
    if (!given || !out_device)
      return invalid(nullPointer);
    std::string name = given;
    auto parts = format::splitDeviceName(name);
    if (!parts)
      return toStatus({HEDDLE_ARGUMENT_INVALID,
                       "'" + name +
                           "' is not the name of a device: that is "
                           "its kind, and its number behind a colon"});
    const heddle_driver *driver = findDriver(parts->kind);
    if (!driver)
      return unknownKind(std::string(parts->kind));
    return open(*driver, parts->ordinal, out_device);
  });
}

heddle_status heddle_device_open_dlpack(int32_t type, int32_t number,
                                        heddle_device **out_device) {
  return guarded([&]() -> heddle_status {
    if (!out_device)
      return invalid(nullPointer);
    const heddle_driver *driver = nullptr;
    uint32_t ordinal = 0;
    if (!fromDlpack({type, number}, driver, ordinal))
      return toStatus({HEDDLE_DEVICE_MISSING,
                       "this library has no driver for device " +
                           std::to_string(number) + " of DLPack's type " +
                           std::to_string(type)});
    return open(*driver, ordinal, out_device);
  });
}

void heddle_device_close(heddle_device *device) { delete device; }

heddle_status heddle_device_describe(const heddle_device *device,
                                     heddle_device_info *out_info) {
  return guarded([&]() -> heddle_status {
    if (!device)
      return invalid(nullPointer);
    const heddle_driver_device_info &known = device->device->description();
    heddle_device_info info = {};
    info.name = known.name;
    info.memory_bytes = known.memory_bytes;
    info.is_host = device->device->isMapped(device->space);
    info.can_import = device->device->driver().import != nullptr;
    info.can_map = info.is_host || device->device->driver().map != nullptr;
    return writeResult(info, out_info) ? toStatus({}) : invalid(badSize);
  });
}

heddle_status heddle_device_dlpack(const heddle_device *device,
                                   int32_t *out_type, int32_t *out_number) {
  return guarded([&]() -> heddle_status {
    if (!device || !out_type || !out_number)
      return invalid(nullPointer);
    DlDevice named = toDlpack(*device->device);
    *out_type = named.type;
    *out_number = named.number;
    return toStatus({});
  });
}

heddle_status heddle_device_wait(heddle_device *device) {
  return guarded([&]() -> heddle_status {
    if (!device)
      return invalid(nullPointer);
    const heddle_driver &driver = device->device->driver();
    heddle_status why;
    return toStatus(
        driver.device_wait
            ? told(driver.device_wait(device->device->handle(), &why), why)
            : Error());
  });
}

heddle_status heddle_device_allocate(heddle_device *device, size_t bytes,
                                     void **out_memory) {
  return guarded([&]() -> heddle_status {
    if (!device || !out_memory)
      return invalid(nullPointer);
    if (!bytes)
      return invalid("memory of no bytes");
    const heddle_driver &driver = device->device->driver();
    heddle_status why;
    void *memory = nullptr;
    int32_t code = driver.allocate(device->device->handle(), device->space,
                                   bytes, &memory, &why);
    if (!code)
      *out_memory = memory;
    return toStatus(told(code, why));
  });
}

void heddle_device_free(heddle_device *device, void *memory) {
  if (device && memory)
    device->device->driver().free(device->device->handle(), memory);
}

/// A function of drivers that makes an address of another: `import`, `map`.
using Translate = int32_t (*)(heddle_driver_device *, void *, uint64_t, void **,
                              heddle_status *);

/// `cannot` says what a device without such a function does not do.
static heddle_status translate(heddle_device *device, Translate translate,
                               const char *cannot, void *memory, size_t bytes,
                               void **out_memory) {
  if (!translate)
    return toStatus({HEDDLE_ARGUMENT_INVALID,
                     "device '" +
                         std::string(device->device->description().name) +
                         "' cannot " + cannot + ": copy it"});
  heddle_status why;
  void *address = nullptr;
  int32_t code =
      translate(device->device->handle(), memory, bytes, &address, &why);
  if (!code)
    *out_memory = address;
  return toStatus(told(code, why));
}

heddle_status heddle_device_import(heddle_device *device, void *memory,
                                   size_t bytes, void **out_memory) {
  return guarded([&]() -> heddle_status {
    if (!device || !memory || !out_memory)
      return invalid(nullPointer);
    if (!bytes)
      return invalid("memory of no bytes");
    return translate(device, device->device->driver().import,
                     "use memory of the process in place", memory, bytes,
                     out_memory);
  });
}

void heddle_device_unimport(heddle_device *device, void *memory) {
  if (device && memory && device->device->driver().unimport)
    device->device->driver().unimport(device->device->handle(), memory);
}

heddle_status heddle_device_map(heddle_device *device, void *memory,
                                size_t bytes, void **out_memory) {
  return guarded([&]() -> heddle_status {
    if (!device || !memory || !out_memory)
      return invalid(nullPointer);
    if (!bytes)
      return invalid("memory of no bytes");
    if (device->device->isMapped(device->space)) {
      *out_memory = memory;
      return toStatus({});
    }
    return translate(device, device->device->driver().map,
                     "show its memory to the process", memory, bytes,
                     out_memory);
  });
}

void heddle_device_unmap(heddle_device *device, void *memory) {
  if (device && memory && !device->device->isMapped(device->space) &&
      device->device->driver().unmap)
    device->device->driver().unmap(device->device->handle(), memory);
}

heddle_status heddle_device_pin(heddle_device *device, void *memory,
                                size_t bytes) {
  return guarded([&]() -> heddle_status {
    if (!device || !memory)
      return invalid(nullPointer);
    if (!bytes)
      return invalid("memory of no bytes");
    const heddle_driver &driver = device->device->driver();
    heddle_status why;
    return toStatus(driver.pin ? told(driver.pin(device->device->handle(),
                                                 memory, bytes, &why),
                                      why)
                               : Error());
  });
}

void heddle_device_unpin(heddle_device *device, void *memory) {
  if (device && memory && device->device->driver().unpin)
    device->device->driver().unpin(device->device->handle(), memory);
}

heddle_status heddle_device_copy(heddle_device *target_device, void *target,
                                 heddle_device *source_device,
                                 const void *source, size_t bytes) {
  return guarded([&]() -> heddle_status {
    if (bytes && (!target || !source))
      return invalid(nullPointer);
    heddle_device *device = target_device ? target_device : source_device;
    if (!device) {
      std::memcpy(target, source, bytes);
      return toStatus({});
    }
    // Drivers know nothing of each other.
    if (target_device && source_device && target_device != source_device) {
      std::vector<char> between(bytes);
      if (Error error = source_device->copier.copy(between.data(), false,
                                                   source, true, bytes))
        return toStatus(error);
      return toStatus(target_device->copier.copy(target, true, between.data(),
                                                 false, bytes));
    }
    return toStatus(device->copier.copy(target, target_device != nullptr,
                                        source, source_device != nullptr,
                                        bytes));
  });
}
