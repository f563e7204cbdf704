// Devices and tensors as DLPack describes them.

#include "runtime/Dlpack.h"

#include "runtime/drivers/Drivers.h"

#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

namespace {
/// A DLDeviceType, and the driver of the devices whose memory it is.
struct DlDeviceType {
  int32_t type;
  const char *driver;
};
} // namespace

/// The first row of a driver is what tensors of its devices say.
static constexpr DlDeviceType deviceTypes[] = {
    {1, "cpu"},   // kDLCPU
    {2, "cuda"},  // kDLCUDA
    {12, "sim"},  // kDLExtDev: what DLPack itself has no type for
    {3, "cpu"},   // kDLCUDAHost: the process's, pinned
    {11, "cpu"},  // kDLROCMHost: the same
    {13, "cuda"}, // kDLCUDAManaged: moves to the device that uses it
};

DlDevice runtime::toDlpack(const Device &device) {
  for (const DlDeviceType &row : deviceTypes)
    if (!std::strcmp(row.driver, device.driver().name))
      return {row.type, static_cast<int32_t>(device.number())};
  return {0, 0}; // no DLDeviceType: a driver without a row
}

bool runtime::fromDlpack(DlDevice named, const heddle_driver *&driver,
                         uint32_t &number) {
  for (const DlDeviceType &row : deviceTypes) {
    if (row.type != named.type)
      continue;
    const heddle_driver *known = findDriver(row.driver);
    if (!known)
      continue;
    driver = known;
    // Pinned memory of the process has the number of another device.
    number = known->run ? 0 : static_cast<uint32_t>(named.number);
    return known->run || named.number >= 0;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// The stable layout of DLPack's DLTensor (dlpack.h, since version 0.2).
struct DlTensor {
  void *data;
  DlDevice device;
  int32_t rank;
  uint8_t typeCode;
  uint8_t bits;
  uint16_t lanes;
  int64_t *shape;
  int64_t *strides;
  uint64_t byteOffset;
};

/// DLDataTypeCode and bits, and what we call it.
struct DlType {
  uint8_t code;
  uint8_t bits;
  heddle_dtype dtype;
};
constexpr DlType dlTypes[] = {
    {0, 8, HEDDLE_I8},         {0, 16, HEDDLE_I16},
    {0, 32, HEDDLE_I32},       {0, 64, HEDDLE_I64},
    {1, 8, HEDDLE_UI8},        {1, 16, HEDDLE_UI16},
    {1, 32, HEDDLE_UI32},      {1, 64, HEDDLE_UI64},
    {2, 16, HEDDLE_F16},       {2, 32, HEDDLE_F32},
    {2, 64, HEDDLE_F64},       {4, 16, HEDDLE_BF16},
    {5, 64, HEDDLE_C64},       {5, 128, HEDDLE_C128},
    {6, 8, HEDDLE_I1},         {7, 8, HEDDLE_F8E3M4},
    {8, 8, HEDDLE_F8E4M3},     {9, 8, HEDDLE_F8E4M3B11FNUZ},
    {10, 8, HEDDLE_F8E4M3FN},  {11, 8, HEDDLE_F8E4M3FNUZ},
    {12, 8, HEDDLE_F8E5M2},    {13, 8, HEDDLE_F8E5M2FNUZ},
    {14, 8, HEDDLE_F8E8M0FNU},
};
} // namespace

/// Whether memory that DLPack places so is a tensor's to use: then
/// `tensor.device` says whose it is.
static Error placeTensor(DlDevice named, const char *kind,
                         const TensorSpec &spec, heddle_device &wanted,
                         heddle_tensor &tensor) {
  const heddle_driver *driver = nullptr;
  uint32_t number = 0;
  if (!fromDlpack(named, driver, number))
    return wrongDevice(kind, spec,
                       "device " + std::to_string(named.number) +
                           " of DLPack's type " + std::to_string(named.type));
  if (driver->run)
    return {};
  const Device &device = *wanted.device;
  if (&device.driver() != driver || device.number() != number)
    return wrongDevice(kind, spec,
                       std::string("'") + driver->name + ":" +
                           std::to_string(number) + "'");
  tensor.device = &wanted;
  return {};
}

Error runtime::readDlpack(const void *dlTensor, const char *kind,
                          const TensorSpec &spec, heddle_device &wanted,
                          heddle_tensor &tensor) {
  tensor = {};
  tensor.size = sizeof(tensor);
  if (!dlTensor)
    return tensorError(HEDDLE_ARGUMENT_INVALID, kind, spec,
                       "is a null pointer");
  const auto &dl = *static_cast<const DlTensor *>(dlTensor);
  if (Error error = placeTensor(dl.device, kind, spec, wanted, tensor))
    return error;
  for (const DlType &type : dlTypes)
    if (type.code == dl.typeCode && type.bits == dl.bits && dl.lanes == 1)
      tensor.dtype = type.dtype;
  tensor.data =
      dl.data ? static_cast<char *>(dl.data) + dl.byteOffset : nullptr;
  tensor.rank = dl.rank;
  tensor.shape = dl.shape;
  tensor.strides = dl.strides;
  return {};
}
