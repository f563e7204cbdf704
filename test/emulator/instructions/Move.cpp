// mov in all its forms, cvta and isspacep, clocks.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/machine/Launch.h"

namespace heddle::emulator {
namespace {

template <class T> void move(Warp &warp, const Inst &inst, uint32_t mask) {
  const T *from = warp.lanes<T>(inst.a);
  T copy[32];
  std::memcpy(copy, from, sizeof copy);
  writeLanes(warp, inst.dst, copy, mask);
}

void movePredicate(Warp &warp, const Inst &inst, uint32_t mask) {
  warp.setPredicate(inst.dst, warp.predicate(inst.a), mask);
}

using Wide = unsigned __int128;

/// {a, b, ...} of `bytes` each become one of count * bytes.
void pack(Warp &warp, const Inst &inst, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    uint8_t whole[16] = {};
    unsigned storage = inst.bytes < 2 ? 2 : inst.bytes;
    for (unsigned i = 0; i < inst.count; ++i)
      std::memcpy(whole + i * inst.bytes,
                  warp.lanes<uint8_t>(inst.list[i]) + lane * storage,
                  inst.bytes);
    unsigned bytes = inst.bytes * inst.count;
    std::memcpy(warp.lanes<uint8_t>(inst.dst) + lane * bytes, whole, bytes);
  });
}

void unpack(Warp &warp, const Inst &inst, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    unsigned bytes = inst.bytes * inst.count;
    uint8_t whole[16];
    std::memcpy(whole, warp.lanes<uint8_t>(inst.a) + lane * bytes, bytes);
    unsigned storage = inst.bytes < 2 ? 2 : inst.bytes;
    for (unsigned i = 0; i < inst.count; ++i) {
      uint8_t *into = warp.lanes<uint8_t>(inst.list[i]) + lane * storage;
      std::memset(into, 0, storage);
      std::memcpy(into, whole + i * inst.bytes, inst.bytes);
    }
  });
}

/// Clocks count the instructions of the launch.
void clock(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t now = warp.launch.executed + warp.launch.random.below(4);
  warp.launch.executed += 1;
  if (inst.mode == 1)
    now >>= 32;
  forLanes(mask, [&](unsigned lane) {
    if (inst.bytes == 8)
      warp.lanes<uint64_t>(inst.dst)[lane] = now;
    else
      warp.lanes<uint32_t>(inst.dst)[lane] = uint32_t(now);
  });
}

Type elementType(unsigned bits) {
  return bits == 8    ? Type::B8
         : bits == 16 ? Type::B16
         : bits == 32 ? Type::B32
                      : Type::B64;
}

bool decodeMov(Decoder &decoder) {
  Inst &inst = decoder.inst;
  Type type = decoder.takeType();
  if (type == Type::None || !decoder.count(2))
    return false;
  const Operand &to = decoder.operand(0), &from = decoder.operand(1);
  bool packs = from.kind == Operand::Kind::Vector;
  if (packs || to.kind == Operand::Kind::Vector) {
    const auto &elements = packs ? from.elements : to.elements;
    inst.count = uint8_t(elements.size());
    unsigned bits = bitsOf(type) / std::max(1u, unsigned(elements.size()));
    if (bits * elements.size() != bitsOf(type) || bits < 8)
      return false;
    inst.bytes = uint8_t(bits / 8);
    if (packs)
      return decoder.destination(to, type, inst.dst) &&
             decoder.sources(elements, elementType(bits), inst.list) &&
             finish(decoder, pack);
    return decoder.source(from, type, inst.a) &&
           decoder.destinations(elements, elementType(bits), inst.list) &&
           finish(decoder, unpack);
  }
  if (!decoder.destination(to, type, inst.dst))
    return false;
  if (from.kind == Operand::Kind::Special &&
      (from.name.find("clock") == 1 || from.name.find("globaltimer") == 1)) {
    inst.bytes = uint8_t(bytesOf(type));
    inst.mode = from.name.find("_hi") != std::string::npos ? 1 : 0;
    return finish(decoder, clock);
  }
  if (from.kind == Operand::Kind::Special && bitsOf(type) == 16) {
    // The lower half of a special register.
    uint8_t bytes = 0;
    uint32_t whole = 0;
    inst.count = 2;
    inst.bytes = 2;
    static const Operand kSink;
    const uint32_t *made = nullptr;
    return decoder.wideSource(from, type, whole, bytes) &&
           decoder.destinations({to, kSink}, type, made) &&
           (inst.list = made, inst.a = whole, true) && finish(decoder, unpack);
  }
  if (from.kind == Operand::Kind::Special && bitsOf(type) == 64)
    return decoder.fail("special registers have 32 bits");
  if (!decoder.source(from, type, inst.a))
    return false;
  switch (bitsOf(type)) {
  case 1:
    return finish(decoder, movePredicate);
  case 16:
    return finish(decoder, move<uint16_t>);
  case 32:
    return finish(decoder, move<uint32_t>);
  case 64:
    return finish(decoder, move<uint64_t>);
  case 128:
    return finish(decoder, move<Wide>);
  default:
    return false;
  }
}

/// Adds the start of a window to addresses (mode 0), or takes it away (1).
void window(Warp &warp, const Inst &inst, uint32_t mask) {
  uint64_t start = 0;
  if (inst.space == Space::Shared || inst.space == Space::SharedCluster)
    start = kSharedWindow;
  else if (inst.space == Space::Local)
    start = kLocalWindow;
  else if (inst.space == Space::Param)
    start = warp.launch.params->address;
  const auto *from = warp.lanes<uint64_t>(inst.a);
  uint64_t result[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    result[lane] = inst.mode ? from[lane] - start : from[lane] + start;
  writeLanes(warp, inst.dst, result, mask);
}

Space takeSpace(Decoder &decoder) {
  if (decoder.take("param::entry"))
    return Space::Param;
  if (decoder.take("shared::cta"))
    return Space::Shared;
  if (decoder.take("shared::cluster"))
    return Space::SharedCluster;
  int space =
      decoder.takeOneOf({"const", "global", "local", "param", "shared"});
  static constexpr Space kSpaces[] = {Space::Const, Space::Global, Space::Local,
                                      Space::Param, Space::Shared};
  return space < 0 ? Space::None : kSpaces[space];
}

bool decodeCvta(Decoder &decoder) {
  Inst &inst = decoder.inst;
  inst.mode = decoder.take("to") ? 1 : 0;
  inst.space = takeSpace(decoder);
  if (decoder.takeType() != Type::U64 || inst.space == Space::None)
    return false;
  return decodeOperands(decoder, Type::U64, Type::U64) &&
         finish(decoder, window);
}

void isSpace(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto *from = warp.lanes<uint64_t>(inst.a);
  uint32_t result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t address = from[lane];
    bool shared = address >> 48 == kSharedWindow >> 48;
    bool local = address >> 48 == kLocalWindow >> 48;
    const Allocation *params = warp.launch.params;
    bool param = params->holds(address, 1);
    bool is = inst.space == Space::Shared
                  ? shared && (address & 0xffffffff) >> kRankShift == 0
              : inst.space == Space::SharedCluster ? shared
              : inst.space == Space::Local         ? local
              : inst.space == Space::Param         ? param
                                                   : !shared && !local;
    result |= uint32_t(is) << lane;
  }
  warp.setPredicate(inst.dst, result, mask);
}

bool decodeIsspacep(Decoder &decoder) {
  decoder.inst.space = takeSpace(decoder);
  return decoder.inst.space != Space::None &&
         decodeOperands(decoder, Type::Pred, Type::U64) &&
         finish(decoder, isSpace);
}

constexpr Opcode kOpcodes[] = {
    {"mov", decodeMov}, {"cvta", decodeCvta}, {"isspacep", decodeIsspacep}};

} // namespace

Family moveFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
