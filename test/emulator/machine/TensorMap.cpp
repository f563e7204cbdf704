// The rules that tensor maps keep to.

#include "test/emulator/machine/TensorMap.h"

namespace heddle::emulator {

std::string encodeTensorMap(TensorMap &map, int type, unsigned rank,
                            uint64_t address, const uint64_t *extents,
                            const uint64_t *strides, const uint32_t *box,
                            const uint32_t *elementStrides, int interleave,
                            int swizzle, int fill) {
  static constexpr uint8_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  if (type < 0 || type >= int(sizeof kBytes))
    return "an element type that is not known here";
  if (rank < 1 || rank > 5)
    return std::to_string(rank) + " dimensions";
  if (interleave)
    return "interleaved layouts are not emulated";
  if (swizzle < 0 || swizzle > 3)
    return "a swizzle that is not known here";
  map = {};
  map.magic = TensorMap::kMagic;
  map.rank = uint8_t(rank);
  map.elementBytes = kBytes[type];
  map.swizzle = uint8_t(swizzle);
  map.fillNan = fill == 1;
  map.address = address;
  if (address % 16)
    return "the address is not a multiple of 16";
  for (unsigned i = 0; i < rank; ++i) {
    if (!extents[i] || extents[i] > (uint64_t(1) << 32))
      return "an extent of " + std::to_string(extents[i]);
    if (!box[i] || box[i] > 256)
      return "a box of " + std::to_string(box[i]);
    if (elementStrides && elementStrides[i] != 1)
      return "element strides are not emulated";
    map.extents[i] = extents[i];
    map.box[i] = uint16_t(box[i]);
    if (i + 1 == rank)
      continue;
    if (strides[i] % 16 || strides[i] >= uint64_t(1) << 40)
      return "a stride of " + std::to_string(strides[i]) +
             " bytes is no multiple of 16";
    map.strides[i] = strides[i];
  }
  unsigned inner = box[0] * map.elementBytes;
  if (inner % 16)
    return "the rows of the box have " + std::to_string(inner) +
           " bytes, no multiple of 16";
  if (swizzle && inner > (16u << swizzle))
    return "the rows of the box are wider than the swizzle";
  return {};
}

} // namespace heddle::emulator
