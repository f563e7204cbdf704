// The 128 bytes of a tensor map. Their layout is this emulator's own: programs
// make them by cuTensorMapEncodeTiled and do not look into them.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_TENSORMAP_H
#define HEDDLE_TEST_EMULATOR_MACHINE_TENSORMAP_H

#include <cstdint>
#include <string>

namespace heddle::emulator {

struct TensorMap {
  static constexpr uint32_t kMagic = 0x70616d74;
  uint32_t magic;
  uint8_t rank, elementBytes;
  /// 0 none, 1 to 3: 32, 64, 128 bytes.
  uint8_t swizzle;
  /// What lies out of bounds reads as NaN.
  uint8_t fillNan;
  uint64_t address;
  uint64_t extents[5];
  /// Bytes, from the second dimension on.
  uint64_t strides[4];
  uint16_t box[5];
  uint8_t unused[30];
};
static_assert(sizeof(TensorMap) == 128, "as the driver's");

/// Makes a tiled map from what cuTensorMapEncodeTiled takes: numbers of its
/// enumerations, strides in bytes. What is wrong is said, else nothing.
std::string encodeTensorMap(TensorMap &map, int type, unsigned rank,
                            uint64_t address, const uint64_t *extents,
                            const uint64_t *strides, const uint32_t *box,
                            const uint32_t *elementStrides, int interleave,
                            int swizzle, int fill);

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_TENSORMAP_H
