// ld, st, ldu and prefetches: scalars and vectors of every space. Hints of
// caches and scopes are read over: memory here is sequentially consistent.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"
#include "test/emulator/machine/Formats.h"
#include "test/emulator/machine/Launch.h"
#include "test/emulator/machine/Races.h"

namespace heddle::emulator {
namespace {

uint64_t addressOf(Warp &warp, const Inst &inst, unsigned lane) {
  uint64_t base = inst.flags & 0x80 ? warp.lanes<uint32_t>(inst.a)[lane]
                                    : warp.lanes<uint64_t>(inst.a)[lane];
  return base + uint64_t(inst.offset);
}

/// bytes: of an element in memory; mode: of its register; count: elements;
/// flags 1: the sign is extended.
template <bool store> void access(Warp &warp, const Inst &inst, uint32_t mask) {
  unsigned bytes = inst.bytes, storage = inst.mode;
  forLanes(mask, [&](unsigned lane) {
    if (warp.launch.failed())
      return;
    uint8_t *at = warp.memory(inst.space, addressOf(warp, inst, lane),
                              bytes * inst.count, lane, store);
    if (!at)
      return;
    if (Races *races = warp.cta.races.get()) {
      uint8_t stored[64];
      for (unsigned i = 0; store && i < inst.count; ++i)
        std::memcpy(stored + i * bytes,
                    warp.lanes<uint8_t>(inst.list[i]) + lane * storage, bytes);
      races->access(warp, at, bytes * inst.count, store ? stored : nullptr);
    }
    for (unsigned i = 0; i < inst.count; ++i, at += bytes) {
      uint8_t *reg = warp.lanes<uint8_t>(inst.list[i]) + lane * storage;
      if (store) {
        std::memcpy(at, reg, bytes);
        continue;
      }
      bool negative = (inst.flags & 1) && (at[bytes - 1] & 0x80);
      std::memset(reg, negative ? 0xff : 0, storage);
      std::memcpy(reg, at, bytes);
    }
  });
}

bool decodeAccess(Decoder &decoder) {
  Inst &inst = decoder.inst;
  bool store = decoder.statement->parts[0] == "st";
  Space space = Space::None;
  static constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {"global", Space::Global},
      {"const", Space::Const},
      {"local", Space::Local},
      {"param", Space::Param},
      {"shared", Space::Shared},
      {"shared::cta", Space::Shared},
      {"shared::cluster", Space::SharedCluster},
      {"param::entry", Space::Param},
      {"param::func", Space::Param}};
  for (auto [name, which] : kSpaces)
    if (decoder.take(name))
      space = which;
  for (std::string_view hint : {"weak",
                                "relaxed",
                                "acquire",
                                "release",
                                "volatile",
                                "mmio",
                                "ca",
                                "cg",
                                "cs",
                                "lu",
                                "cv",
                                "wb",
                                "wt",
                                "nc",
                                "cta",
                                "cluster",
                                "gpu",
                                "sys",
                                "L1::evict_first",
                                "L1::evict_last",
                                "L1::evict_normal",
                                "L1::evict_unchanged",
                                "L1::no_allocate",
                                "L2::64B",
                                "L2::128B",
                                "L2::256B",
                                "L2::evict_first",
                                "L2::evict_last",
                                "unified"})
    decoder.take(hint);
  bool policy = decoder.take("L2::cache_hint");
  int vector = decoder.takeOneOf({"v2", "v4", "v8"});
  Type type = decoder.takeType();
  if (type == Type::None || !decoder.count(policy ? 3 : 2))
    return false;
  unsigned value = store ? 1 : 0;
  std::vector<Operand> elements = decoder.elements(value);
  unsigned wanted = vector < 0 ? 1 : 2u << vector;
  if (elements.size() != wanted)
    return decoder.fail("the vector has " + std::to_string(elements.size()) +
                        " elements");
  inst.count = uint8_t(wanted);
  inst.bytes = uint8_t(bytesOf(type));
  inst.mode = 0;
  auto list = std::make_unique<uint32_t[]>(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    uint8_t bytes = 0;
    if (store ? !decoder.wideSource(elements[i], type, list[i], bytes)
              : !decoder.wideDestination(elements[i], type, list[i], bytes))
      return false;
    bool whole = elements[i].kind == Operand::Kind::Register;
    if (inst.mode && whole && bytes != inst.mode)
      return decoder.fail("the registers differ in size");
    if (whole || !inst.mode)
      inst.mode = bytes;
  }
  inst.list = list.get();
  decoder.program.lists.push_back(std::move(list));
  if (!decoder.address(store ? 0 : 1, space))
    return false;
  inst.flags |= isSigned(type) ? 1 : 0;
  if (store && (inst.space == Space::Const || inst.space == Space::Param))
    return decoder.fail("this space is not written");
  return finish(decoder, store ? access<true> : access<false>);
}

void nothing(Warp &, const Inst &, uint32_t) {}

/// Prefetches move no data that a program sees.
bool decodePrefetch(Decoder &decoder) {
  while (!decoder.takeAny().empty())
    ;
  return finish(decoder, nothing);
}

/// atom and red. mode: the operation; bytes: 4 or 8; flags 1 signed, 2 float.
enum Op : uint8_t { Add, Min, Max, And, Or, Xor, Exch, Cas, Inc, Dec };

uint64_t combine(const Inst &inst, uint64_t old, uint64_t b, uint64_t c) {
  bool wide = inst.bytes == 8;
  auto less = [&](uint64_t x, uint64_t y) {
    if (!(inst.flags & 1))
      return x < y;
    return wide ? int64_t(x) < int64_t(y) : int32_t(x) < int32_t(y);
  };
  auto narrow = [](uint64_t bits) { return bitCast<float>(uint32_t(bits)); };
  switch (inst.mode) {
  case Add:
    if (inst.flags & 4) { // halves, or bfloats (8), one or two
      uint64_t sum = 0;
      for (unsigned i = 0; i < inst.bytes * 8u; i += 16) {
        auto load = [&](uint64_t from) {
          auto code = uint16_t(from >> i);
          return inst.flags & 8 ? bfloatToFloat(code) : halfToFloat(code);
        };
        float value = load(old) + load(b);
        sum |=
            uint64_t(inst.flags & 8 ? floatToBfloat(value) : floatToHalf(value))
            << i;
      }
      return sum;
    }
    if (!(inst.flags & 2))
      return old + b;
    if (wide)
      return bitCast<uint64_t>(bitCast<double>(old) + bitCast<double>(b));
    return bitCast<uint32_t>(
        flush(canonical(flush(narrow(old)) + flush(narrow(b)))));
  case Min:
    return less(b, old) ? b : old;
  case Max:
    return less(old, b) ? b : old;
  case And:
    return old & b;
  case Or:
    return old | b;
  case Xor:
    return old ^ b;
  case Exch:
    return b;
  case Cas:
    return old == b ? c : old;
  case Inc:
    return old >= b ? 0 : old + 1;
  default:
    return old == 0 || old > b ? b : old - 1;
  }
}

void atomic(Warp &warp, const Inst &inst, uint32_t mask) {
  forLanes(mask, [&](unsigned lane) {
    if (warp.launch.failed())
      return;
    uint8_t *at = warp.memory(inst.space, addressOf(warp, inst, lane),
                              inst.bytes, lane, true);
    if (!at)
      return;
    if (Races *races = warp.cta.races.get())
      races->atomic(warp, at, inst.bytes);
    auto read = [&](uint32_t offset) {
      uint64_t value = 0;
      std::memcpy(&value, warp.lanes<uint8_t>(offset) + lane * inst.bytes,
                  inst.bytes);
      return value;
    };
    uint64_t old = 0;
    std::memcpy(&old, at, inst.bytes);
    uint64_t fresh = combine(inst, old, read(inst.b), read(inst.c));
    std::memcpy(at, &fresh, inst.bytes);
    if (inst.dst)
      std::memcpy(warp.lanes<uint8_t>(inst.dst) + lane * inst.bytes, &old,
                  inst.bytes);
  });
}

bool decodeAtomic(Decoder &decoder) {
  Inst &inst = decoder.inst;
  bool reads = decoder.statement->parts[0] == "atom";
  Space space = decoder.take("global") ? Space::Global
                : decoder.take("shared") || decoder.take("shared::cta")
                    ? Space::Shared
                    : Space::None;
  for (std::string_view hint : {"relaxed", "acquire", "release", "acq_rel",
                                "cta", "cluster", "gpu", "sys"})
    decoder.take(hint);
  int op = decoder.takeOneOf(
      {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  bool keeps = decoder.take("noftz");
  Type type = decoder.takeType();
  bool bfloat = type == Type::BF16 || type == Type::BF16x2;
  bool half = bfloat || type == Type::F16 || type == Type::F16x2;
  if (op < 0 || half != keeps || (half && op != Add) ||
      (!half && bitsOf(type) != 32 && bitsOf(type) != 64))
    return false;
  bool isFloat = type == Type::F32 || type == Type::F64;
  if (isFloat ? op != Add : !half && !isInteger(type) && !isBits(type))
    return false;
  inst.mode = uint8_t(op);
  inst.bytes = uint8_t(bytesOf(type));
  unsigned at = reads ? 1 : 0;
  if (!decoder.count(at + (op == Cas ? 3 : 2)) ||
      (reads && !decoder.destination(0, type, inst.dst)) ||
      !decoder.address(at, space) || !decoder.source(at + 1, type, inst.b) ||
      (op == Cas && !decoder.source(at + 2, type, inst.c)))
    return false;
  if (op != Cas)
    inst.c = inst.b;
  inst.flags |= uint8_t((isSigned(type) ? 1 : 0) | (isFloat ? 2 : 0) |
                        (half ? 4 : 0) | (bfloat ? 8 : 0));
  return finish(decoder, atomic);
}

constexpr Opcode kOpcodes[] = {
    {"ld", decodeAccess},          {"st", decodeAccess},
    {"ldu", decodeAccess},         {"prefetch", decodePrefetch},
    {"prefetchu", decodePrefetch}, {"atom", decodeAtomic},
    {"red", decodeAtomic},
};

} // namespace

Family loadStoreFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
