// Tensor maps of buffers, which kernels copy boxes of.

#include "runtime/drivers/cuda/CudaDevice.h"

#include "runtime/format/artifact_generated.h"

using namespace heddle;
using namespace heddle::runtime;

/// The number of an element type in CUtensorMapDataType; -1 for those that have
/// none.
static int elementOf(uint32_t dtype) {
  switch (static_cast<format::DataType>(dtype)) {
  case format::DataType::f16:
    return cudaMapFloat16;
  case format::DataType::bf16:
    return cudaMapBFloat16;
  case format::DataType::f32:
    return cudaMapFloat32;
  case format::DataType::ui8:
  case format::DataType::i8:
    return cudaMapUInt8;
  default:
    return -1;
  }
}

static int swizzleOf(uint32_t bytes) {
  return bytes == 128  ? cudaMapSwizzle128
         : bytes == 64 ? cudaMapSwizzle64
         : bytes == 32 ? cudaMapSwizzle32
                       : cudaMapSwizzleNone;
}

Error runtime::encodeTensorMap(CudaDevice &device,
                               const heddle_driver_tensor_map &wanted,
                               CudaAddress address, CudaTensorMap &map) {
  if (!device.api.tensorMapEncodeTiled)
    return {HEDDLE_DEVICE_FAILED,
            device.name + ": CUDA's driver library is older than tensor maps, "
                          "which came with CUDA 12.0"};
  int dtype = elementOf(wanted.dtype);
  if (dtype < 0)
    return {HEDDLE_CODE_INVALID,
            device.name + " has no tensor maps of this element type"};
  static constexpr uint32_t ones[5] = {1, 1, 1, 1, 1};
  // Not interleaved; what is outside becomes zero.
  return device.check("cuTensorMapEncodeTiled",
                      device.api.tensorMapEncodeTiled(
                          &map, dtype, wanted.rank, address + wanted.offset,
                          wanted.extents, wanted.strides, wanted.box, ones, 0,
                          swizzleOf(wanted.swizzle_bytes), cudaMapPromote128,
                          0));
}
