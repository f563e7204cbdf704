// Devices for Python: which there are, and tensors in their memory.

#include "Devices.h"
#include "Status.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace heddle::python {

Device::Device(const std::string &name) {
  check(heddle_device_open(name.c_str(), &device));
  describe();
}

Device::Device(heddle_device *opened) : device(opened) { describe(); }

void Device::describe() {
  info.size = sizeof info;
  check(heddle_device_describe(device, &info));
}

/// All that there are, by name.
static std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (size_t i = 0; const char *kind = heddle_device_kind(i); ++i) {
    size_t count = 0;
    heddle_status status = heddle_device_count(kind, &count);
    // Of a kind without its library, or without a device, there are none.
    if (status.code == HEDDLE_DEVICE_MISSING)
      continue;
    check(status);
    for (size_t number = 0; number < count; ++number)
      names.push_back(std::string(kind) == "cpu"
                          ? kind
                          : kind + (":" + std::to_string(number)));
  }
  return names;
}

DeviceTensor::DeviceTensor(std::shared_ptr<Device> device,
                           const std::string &dtype, std::vector<int64_t> shape)
    : owner(std::move(device)), type(dtypeNamed(dtype)),
      extents(std::move(shape)), size(heddle_dtype_bytes(type)) {
  if (!type)
    throw nb::value_error("there is no such element type");
  for (int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(size, size_t(extent), &size))
      throw nb::value_error("there is no such shape");
  // No device gives memory of no bytes.
  check(heddle_device_allocate(owner->handle(), size ? size : 1, &memory));
}

DeviceTensor::~DeviceTensor() { heddle_device_free(owner->handle(), memory); }

heddle_tensor DeviceTensor::tensor() const {
  heddle_tensor tensor{};
  tensor.size = sizeof tensor;
  tensor.data = memory;
  tensor.dtype = type;
  tensor.rank = int32_t(extents.size());
  tensor.shape = extents.data();
  tensor.device = owner->handle();
  return tensor;
}

namespace {
/// The bytes of an object, which must be as many as the tensor has.
class Buffer {
public:
  Buffer(const nb::object &object, int flags, size_t bytes) {
    if (PyObject_GetBuffer(object.ptr(), &view, flags) != 0)
      throw nb::python_error();
    if (size_t(view.len) == bytes)
      return;
    PyBuffer_Release(&view);
    throw nb::value_error("the array has another size than the tensor");
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { PyBuffer_Release(&view); }

  void *data() const { return view.buf; }

private:
  Py_buffer view;
};
} // namespace

void DeviceTensor::write(const nb::object &source) {
  Buffer buffer(source, PyBUF_C_CONTIGUOUS, size);
  heddle_status status;
  {
    nb::gil_scoped_release release;
    status = heddle_device_copy(owner->handle(), memory, nullptr, buffer.data(),
                                size);
  }
  check(status);
}

void DeviceTensor::read(const nb::object &target) const {
  Buffer buffer(target, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS, size);
  heddle_status status;
  {
    nb::gil_scoped_release release;
    status = heddle_device_copy(nullptr, buffer.data(), owner->handle(), memory,
                                size);
  }
  check(status);
}

std::pair<int, int> DeviceTensor::dlpackDevice() const {
  int32_t type = 0, number = 0;
  check(heddle_device_dlpack(owner->handle(), &type, &number));
  return {type, number};
}

nb::object DeviceTensor::dlpack(nb::handle self, const nb::kwargs &options) {
  const auto &tensor = nb::cast<const DeviceTensor &>(self);
  std::vector<size_t> shape(tensor.extents.begin(), tensor.extents.end());
  auto [type, number] = tensor.dlpackDevice();
  nb::object array =
      nb::cast(nb::ndarray<nb::array_api>(tensor.memory, shape.size(),
                                          shape.data(), self, nullptr,
                                          toDlpack(tensor.type), type, number),
               nb::rv_policy::reference);
  return array.attr("__dlpack__")(**options);
}

heddle_status ArrayDevices::find(int type, int number, heddle_device *&device) {
  heddle_status status{};
  device = nullptr;
  if (type == nb::device::cpu::value)
    return status;
  std::unique_ptr<Device> &known = devices[{type, number}];
  if (!known) {
    heddle_device *opened = nullptr;
    status = heddle_device_open_dlpack(type, number, &opened);
    if (status.code != HEDDLE_OK)
      return status;
    known = std::make_unique<Device>(opened);
  }
  if (known->isHost())
    return status;
  device = known->handle();
  nb::gil_scoped_release release;
  return heddle_device_wait(device);
}

void bindDevices(nb::module_ &module) {
  module.def("device_names", &deviceNames);
  nb::class_<Device>(module, "Device")
      .def(nb::init<const std::string &>(), nb::arg("name"))
      .def_prop_ro("name", &Device::name)
      .def_prop_ro("memory_bytes", &Device::memoryBytes)
      .def_prop_ro("is_host", &Device::isHost)
      .def("__repr__", [](const Device &device) {
        return "<heddle.Device " + device.name() + ">";
      });
  nb::class_<DeviceTensor>(module, "DeviceTensor")
      .def(nb::init<std::shared_ptr<Device>, const std::string &,
                    std::vector<int64_t>>(),
           nb::arg("device"), nb::arg("dtype"), nb::arg("shape"))
      .def_prop_ro("device", &DeviceTensor::device)
      .def_prop_ro("dtype", &DeviceTensor::dtype)
      .def_prop_ro("shape", &DeviceTensor::shape)
      .def_prop_ro("bytes", &DeviceTensor::bytes)
      .def("read", &DeviceTensor::read, nb::arg("target"))
      .def("write", &DeviceTensor::write, nb::arg("source"))
      .def("__dlpack_device__", &DeviceTensor::dlpackDevice)
      .def("__dlpack__", &DeviceTensor::dlpack);
}

} // namespace heddle::python
