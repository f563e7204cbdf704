// Devices, and tensors that lie in their memory.

#ifndef HEDDLE_PYTHON_DEVICES_H
#define HEDDLE_PYTHON_DEVICES_H

#include "Tensors.h"

#include <memory>

namespace heddle::python {

/// An open device.
class Device {
public:
  explicit Device(const std::string &name);
  Device(const Device &) = delete;
  ~Device() { heddle_device_close(device); }

  heddle_device *handle() const { return device; }
  std::string name() const { return info.name; }
  uint64_t memoryBytes() const { return info.memory_bytes; }
  bool isHost() const { return info.is_host != 0; }

private:
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

  /// DLPack: kDLCPU where the process can follow the address, else kDLExtDev
  /// with the device's number: DLPack has no type for a simulated device.
  std::pair<int, int> dlpackDevice() const;
  static nb::object dlpack(nb::handle self, const nb::kwargs &options);

private:
  std::shared_ptr<Device> owner;
  heddle_dtype type;
  std::vector<int64_t> extents;
  size_t size = 0;
  void *memory = nullptr;
};

void bindDevices(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_DEVICES_H
