// Devices, and tensors that lie in their memory.

#ifndef HEDDLE_PYTHON_DEVICES_H
#define HEDDLE_PYTHON_DEVICES_H

#include "Tensors.h"

#include <map>
#include <memory>
#include <utility>

namespace heddle::python {

/// An open device.
class Device {
public:
  explicit Device(const std::string &name);
  explicit Device(heddle_device *opened);
  Device(const Device &) = delete;
  ~Device() { heddle_device_close(device); }

  heddle_device *handle() const { return device; }
  std::string name() const { return info.name; }
  uint64_t memoryBytes() const { return info.memory_bytes; }
  bool isHost() const { return info.is_host != 0; }

private:
  void describe();

  heddle_device *device = nullptr;
  heddle_device_info info{};
};

/// Memory of a device, with a type and a shape.
class DeviceTensor {
public:
  DeviceTensor(std::shared_ptr<Device> device, const std::string &dtype,
               std::vector<int64_t> shape);
  DeviceTensor(const DeviceTensor &) = delete;
  ~DeviceTensor();

  std::shared_ptr<Device> device() const { return owner; }
  std::string dtype() const { return heddle_dtype_name(type); }
  std::vector<int64_t> shape() const { return extents; }
  size_t bytes() const { return size; }

  /// As calls take it; it points into this object.
  heddle_tensor tensor() const;

  /// From and to the memory of a buffer of as many bytes.
  void write(const nb::object &source);
  void read(const nb::object &target) const;

  /// What DLPack calls its memory: heddle_device_dlpack.
  std::pair<int, int> dlpackDevice() const;
  static nb::object dlpack(nb::handle self, const nb::kwargs &options);

private:
  std::shared_ptr<Device> owner;
  heddle_dtype type;
  std::vector<int64_t> extents;
  size_t size = 0;
  void *memory = nullptr;
};

/// The devices of arrays that other packages made, each opened once.
class ArrayDevices {
public:
  /// By DLPack's type and number; null for memory of the process. What others
  /// do on the device is done when it returns. HEDDLE_DEVICE_MISSING where
  /// heddle does not know the device.
  heddle_status find(int type, int number, heddle_device *&device);

private:
  std::map<std::pair<int, int>, std::unique_ptr<Device>> devices;
};

void bindDevices(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_DEVICES_H
