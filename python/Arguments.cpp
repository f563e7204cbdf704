// Reads the tensors of a call: arrays, tensors of devices, parts of ranks.

#include "Arguments.h"
#include "Status.h"

#include <string>
#include <utility>

namespace heddle::python {

template <typename T>
static heddle_tensor tensorOver(const T &array, heddle_dtype dtype) {
  heddle_tensor tensor{};
  tensor.size = sizeof tensor;
  tensor.data = const_cast<void *>(static_cast<const void *>(array.data()));
  tensor.dtype = dtype;
  tensor.rank = int32_t(array.ndim());
  tensor.shape = array.shape_ptr();
  tensor.strides = array.stride_ptr();
  return tensor;
}

/// The device of an array, null for memory of the process.
template <typename T>
static heddle_device *deviceOf(const T &array, ArrayDevices &devices,
                               const char *kind, const TensorInfo &wanted) {
  heddle_device *device = nullptr;
  heddle_status status =
      devices.find(array.device_type(), array.device_id(), device);
  if (status.code == HEDDLE_DEVICE_MISSING)
    raise(HEDDLE_TENSOR_DEVICE,
          (std::string(kind) + " '" + wanted.name + "' is elsewhere than on '" +
           wanted.device + "', where the program wants it: " + status.message)
              .c_str());
  check(status);
  return device;
}

/// What nanobind takes as an array, or a tensor of a device; what it does not,
/// it does not name.
template <typename T>
static void readTensor(const char *kind, ArrayDevices &devices, nb::object item,
                       const TensorInfo &wanted, bool bits, nb::list &objects,
                       std::vector<T> &arrays,
                       std::vector<heddle_tensor> &tensors) {
  if (nb::isinstance<DeviceTensor>(item)) {
    objects.append(item);
    tensors.push_back(nb::cast<DeviceTensor &>(item).tensor());
    return;
  }
  T array;
  if (!nb::try_cast(item, array)) {
    std::string what = std::string(kind) + " '" + wanted.name +
                       "' is given a " + nb::type_name(item.type()).c_str() +
                       " that is not memory to " +
                       (*kind == 'o' ? "write to" : "read");
    throw nb::type_error(what.c_str());
  }
  tensors.push_back(
      tensorOver(array, bits ? wanted.type : fromDlpack(array.dtype())));
  tensors.back().device = deviceOf(array, devices, kind, wanted);
  arrays.push_back(std::move(array));
}

/// Each is one, or a list of the parts of ranks.
template <typename T>
static void
readTensors(const char *kind, ArrayDevices &devices, const nb::list &given,
            const std::vector<TensorInfo> &wanted,
            const std::vector<bool> &bits, size_t ranks, nb::list &objects,
            std::vector<T> &arrays, std::vector<heddle_tensor> &tensors,
            std::vector<size_t> &parts) {
  auto read = [&](nb::handle item, size_t i) {
    readTensor(kind, devices, nb::borrow(item), wanted[i], bits[i], objects,
               arrays, tensors);
  };
  for (size_t i = 0; i < given.size(); ++i) {
    nb::object item = nb::borrow(given[i]);
    bool isParted = nb::isinstance<nb::list>(item) && nb::len(item) > 0;
    parts.push_back(isParted ? nb::len(item) : 0);
    if (!isParted) {
      read(item, i);
      continue;
    }
    if (parts.back() != ranks) {
      std::string what = std::string(kind) + " '" + wanted[i].name +
                         "' is given " + std::to_string(parts.back()) +
                         " parts; the program is run by " +
                         std::to_string(ranks) + " ranks";
      throw nb::type_error(what.c_str());
    }
    for (nb::handle part : nb::borrow<nb::list>(item))
      read(part, i);
  }
}

void Arguments::readInputs(ArrayDevices &arrayDevices, const nb::list &given,
                           const std::vector<TensorInfo> &wanted,
                           const std::vector<bool> &bits, size_t ranks) {
  readTensors("input", arrayDevices, given, wanted, bits, ranks, objects,
              inArrays, in, inParts);
}

void Arguments::readOutputs(ArrayDevices &arrayDevices, const nb::list &given,
                            const std::vector<TensorInfo> &wanted,
                            const std::vector<bool> &bits, size_t ranks) {
  readTensors("output", arrayDevices, given, wanted, bits, ranks, objects,
              outArrays, out, outParts);
}

} // namespace heddle::python
