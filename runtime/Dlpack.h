// Devices and tensors as DLPack describes them.

#ifndef HEDDLE_RUNTIME_DLPACK_H
#define HEDDLE_RUNTIME_DLPACK_H

#include "runtime/OpenDevice.h"
#include "runtime/Tensors.h"

namespace heddle::runtime {

/// DLPack's DLDevice: whose memory a tensor is.
struct DlDevice {
  int32_t type; ///< DLDeviceType.
  int32_t number;
};

/// What DLPack calls the memory of a device.
DlDevice toDlpack(const Device &device);

/// The device that DLPack calls so, which need not be there. False: this
/// library has no driver for that type.
bool fromDlpack(DlDevice named, const heddle_driver *&driver, uint32_t &number);

/// Reads a DLTensor. `wanted` is the device that the program wants it on: what
/// lies there is used in place, memory of the process is for the call to judge,
/// and all else is an error that names both places.
Error readDlpack(const void *dlTensor, const char *kind, const TensorSpec &spec,
                 heddle_device &wanted, heddle_tensor &tensor);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DLPACK_H
