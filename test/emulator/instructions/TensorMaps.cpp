// Tensor maps that kernels make themselves: tensormap.replace, and the copy to
// where others read them; setmaxnreg.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/TensorMap.h"

namespace heddle::emulator {
namespace {

enum Field : uint8_t {
  Address,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  Interleave,
  Swizzle,
  Fill
};

/// Sets one field; what is wrong with its value, or null.
const char *setField(TensorMap &map, unsigned field, unsigned dimension,
                     uint64_t value) {
  // By the ISA's table of .elemtype: u8 u16 u32 s32 u64 s64 f16 f32 f32.ftz
  // f64 bf16 tf32 tf32.ftz.
  static constexpr uint8_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  map.magic = TensorMap::kMagic;
  switch (field) {
  case Address:
    map.address = value;
    return value % 16 ? "the address is not a multiple of 16" : nullptr;
  case Rank:
    map.rank = uint8_t(value + 1);
    return value > 4 ? "more than 5 dimensions" : nullptr;
  case BoxDim:
    map.box[dimension] = uint16_t(value);
    return !value || value > 256 ? "a box of more than 256" : nullptr;
  case GlobalDim:
    map.extents[dimension] = value;
    return nullptr;
  case GlobalStride:
    map.strides[dimension] = value;
    return value % 16 ? "the stride is not a multiple of 16 bytes" : nullptr;
  case ElementStride:
    return value != 1 ? "element strides are not emulated" : nullptr;
  case ElementType:
    if (value >= sizeof kBytes)
      return "an element type that is not known here";
    map.elementBytes = kBytes[value];
    return nullptr;
  case Interleave:
    return value ? "interleaved layouts are not emulated" : nullptr;
  case Swizzle:
    map.swizzle = uint8_t(value);
    return value > 3 ? "a swizzle that is not known here" : nullptr;
  default:
    map.fillNan = uint8_t(value);
    return value > 1 ? "an unknown fill mode" : nullptr;
  }
}

uint64_t addressOf(Warp &warp, const Inst &inst, unsigned lane) {
  uint64_t base = inst.flags & 0x80 ? warp.lanes<uint32_t>(inst.a)[lane]
                                    : warp.lanes<uint64_t>(inst.a)[lane];
  return base + uint64_t(inst.offset);
}

/// The 128 bytes at an address, in two pieces that are checked.
uint8_t *mapAt(Warp &warp, Space space, uint64_t address, unsigned lane,
               bool write) {
  uint8_t *first = warp.memory(space, address, 64, lane, write);
  return first && warp.memory(space, address + 64, 64, lane, write) ? first
                                                                    : nullptr;
}

/// mode: field; count: dimension; b: value, of `bytes`.
void replace(Warp &warp, const Inst &inst, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    uint8_t *at =
        warp.launch.failed()
            ? nullptr
            : mapAt(warp, inst.space, addressOf(warp, inst, lane), lane, true);
    if (!at)
      return;
    TensorMap map;
    std::memcpy(&map, at, sizeof map);
    uint64_t value = inst.bytes == 8 ? warp.lanes<uint64_t>(inst.b)[lane]
                                     : warp.lanes<uint32_t>(inst.b)[lane];
    if (const char *wrong = setField(map, inst.mode, inst.count, value))
      warp.fault(FaultKind::Undefined, int(lane), wrong);
    std::memcpy(at, &map, sizeof map);
  });
}

/// From shared memory (b) to global memory, once for the warp.
void publish(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!warp.aligned(mask))
    return;
  unsigned lane = unsigned(__builtin_ctz(mask));
  uint8_t *to =
      mapAt(warp, Space::Global, addressOf(warp, inst, lane), lane, true);
  uint8_t *from =
      mapAt(warp, Space::Shared,
            warp.lanes<uint64_t>(inst.b)[lane] + inst.target, lane, false);
  if (to && from)
    std::memcpy(to, from, sizeof(TensorMap));
}

bool decodeReplace(Decoder &decoder) {
  Inst &inst = decoder.inst;
  int field =
      decoder.takeOneOf({"global_address", "rank", "box_dim", "global_dim",
                         "global_stride", "element_stride", "elemtype",
                         "interleave_layout", "swizzle_mode", "fill_mode"});
  Space space = decoder.take("shared::cta") ? Space::Shared
                : decoder.take("global")    ? Space::Global
                                            : Space::None;
  Type type = Type::None;
  if (field < 0 || !decoder.take("tile") || decoder.takeType() != Type::B1024 ||
      (type = decoder.takeType()) == Type::None)
    return false;
  bool wide = field == Address || field == GlobalStride;
  bool indexed = field >= BoxDim && field <= ElementStride;
  int64_t dimension = 0;
  if (type != (wide ? Type::B64 : Type::B32) ||
      !decoder.count(indexed ? 3 : 2) ||
      (indexed && !decoder.literal(1, dimension)))
    return false;
  if (dimension < 0 || dimension > (field == GlobalStride ? 3 : 4))
    return decoder.fail("there is no such dimension");
  inst.mode = uint8_t(field);
  inst.count = uint8_t(dimension);
  inst.bytes = wide ? 8 : 4;
  return decoder.address(0, space) &&
         decoder.source(indexed ? 2 : 1, type, inst.b) &&
         finish(decoder, replace);
}

bool decodeTensorMap(Decoder &decoder) {
  if (!decoder.needs(90))
    return false;
  if (decoder.take("replace"))
    return decodeReplace(decoder);
  for (std::string_view part :
       {"cp_fenceproxy", "global", "shared::cta", "tensormap::generic",
        "release", "sync", "aligned"})
    if (!decoder.take(part))
      return false;
  decoder.takeOneOf({"cta", "cluster", "gpu", "sys"});
  Space from = Space::Shared;
  int64_t offset = 0, bytes = 0;
  uint32_t source = 0;
  if (!decoder.count(3) || !decoder.literal(2, bytes) || bytes != 128 ||
      !decoder.addressInto(decoder.operand(1), from, source, offset))
    return false;
  if (decoder.inst.flags & 0x80)
    return decoder.fail("a shared address of 32 bits is not known here");
  decoder.inst.b = source;
  decoder.inst.target = uint32_t(offset);
  return decoder.address(0, Space::Global) && finish(decoder, publish);
}

/// A warp gives registers to its block or takes them, and waits for those that
/// are not there yet.
void setRegisters(Warp &warp, const Inst &inst, uint32_t mask) {
  if (!warp.converged(~0u, mask))
    return;
  constexpr uint32_t lanes = 32;
  uint32_t wanted = inst.target, now = warp.threadRegisters;
  bool takes = inst.mode == 0;
  if (takes ? wanted < now : wanted > now)
    return warp.fault(FaultKind::Undefined, __builtin_ctz(mask),
                      "asks for " + std::to_string(wanted) +
                          " registers, which are " +
                          (takes ? "fewer" : "more") + " than the " +
                          std::to_string(now) + " that a thread has");
  uint32_t &free = warp.cta.freeRegisters;
  if (!takes) {
    free += (now - wanted) * lanes;
    warp.launch.event();
  } else if (uint32_t more = (wanted - now) * lanes; more <= free) {
    free -= more;
  } else {
    return warp.block(mask, Wait::Registers, more);
  }
  warp.threadRegisters = wanted;
}

bool decodeSetmaxnreg(Decoder &decoder) {
  int64_t registers = 0;
  int action = decoder.needs(90) ? decoder.takeOneOf({"inc", "dec"}) : -1;
  if (action < 0 || !decoder.take("sync") || !decoder.take("aligned") ||
      decoder.takeType() != Type::U32 || !decoder.count(1) ||
      !decoder.literal(0, registers))
    return false;
  if (registers < 24 || registers > 256 || registers % 8)
    return decoder.fail(std::to_string(registers) +
                        " registers; 24 to 256 in steps of 8 may be asked for");
  decoder.inst.mode = uint8_t(action);
  decoder.inst.target = uint32_t(registers);
  return finish(decoder, setRegisters);
}

constexpr Opcode kOpcodes[] = {{"tensormap", decodeTensorMap},
                               {"setmaxnreg", decodeSetmaxnreg}};

} // namespace

Family tensorMapFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
