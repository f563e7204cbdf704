// Tensor maps of the emulated driver.

#include "test/emulator/machine/TensorMap.h"

#include "test/emulator/cuda/Device.h"

using namespace heddle::emulator;

HEDDLE_EXPORT int
cuTensorMapEncodeTiled(TensorMap *map, int type, unsigned rank,
                       uint64_t address, const uint64_t *extents,
                       const uint64_t *strides, const uint32_t *box,
                       const uint32_t *elementStrides, int interleave,
                       int swizzle, int, int fill) {
  Driver &driver = Driver::get();
  constexpr const char *kCall = "cuTensorMapEncodeTiled";
  if (driver.capability() < 90)
    return driver.error(kCall, kNotSupported, "the device has no tensor maps");
  if (reinterpret_cast<uintptr_t>(map) % 64)
    return driver.error(kCall, kInvalidValue, "the map lies not at 64 bytes");
  std::string wrong =
      encodeTensorMap(*map, type, rank, address, extents, strides, box,
                      elementStrides, interleave, swizzle, fill);
  return wrong.empty() ? kSuccess : driver.error(kCall, kInvalidValue, wrong);
}
