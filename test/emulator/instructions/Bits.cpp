// Logic and bits: and, or, xor, not, cnot, lop3, shl, shr, shf, bfe, bfi, bmsk,
// szext, brev, clz, popc, bfind, fns, prmt.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"

#include <algorithm>

namespace heddle::emulator {
namespace {

template <class T> T andOf(T a, T b) { return a & b; }
template <class T> T orOf(T a, T b) { return a | b; }
template <class T> T xorOf(T a, T b) { return a ^ b; }
template <class T> T notOf(T a) { return T(~a); }
template <class T> T cnotOf(T a) { return a == 0; }
template <class T> T shlOf(T a, uint32_t b) {
  return b >= 8 * sizeof(T) ? T(0) : T(a << b);
}
template <class T> T shrOf(T a, uint32_t b) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  if (b >= kBits)
    return a < 0 ? T(-1) : T(0);
  return T(a >> b);
}

// Predicates: masks of lanes.
enum class Logic { And, Or, Xor, Not };
template <Logic logic>
void predicates(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t a = warp.predicate(inst.a), b = warp.predicate(inst.b);
  uint32_t value = logic == Logic::And   ? a & b
                   : logic == Logic::Or  ? a | b
                   : logic == Logic::Xor ? a ^ b
                                         : ~a;
  warp.setPredicate(inst.dst, value, mask);
}

template <class T> Handler logicOf(const std::string &name) {
  return name == "and"   ? Handler(binary<T, T, T, andOf<T>>)
         : name == "or"  ? Handler(binary<T, T, T, orOf<T>>)
         : name == "xor" ? Handler(binary<T, T, T, xorOf<T>>)
         : name == "not" ? Handler(unary<T, T, notOf<T>>)
                         : Handler(unary<T, T, cnotOf<T>>);
}

bool decodeLogic(Decoder &decoder) {
  const std::string &name = decoder.statement->parts[0];
  bool one = name == "not" || name == "cnot";
  Type type = decoder.takeType();
  if (!decodeOperands(decoder, type, type, one ? Type::None : type))
    return false;
  if (type == Type::Pred)
    return finish(decoder, name == "and"   ? predicates<Logic::And>
                           : name == "or"  ? predicates<Logic::Or>
                           : name == "xor" ? predicates<Logic::Xor>
                           : name == "not" ? predicates<Logic::Not>
                                           : nullptr);
  if (!isBits(type) && !isInteger(type))
    return false;
  return finish(decoder, bitsOf(type) == 16   ? logicOf<uint16_t>(name)
                         : bitsOf(type) == 32 ? logicOf<uint32_t>(name)
                         : bitsOf(type) == 64 ? logicOf<uint64_t>(name)
                                              : nullptr);
}

template <class T> Handler shiftOf(bool left) {
  return left ? Handler(binary<T, T, uint32_t, shlOf<T>>)
              : Handler(binary<T, T, uint32_t, shrOf<T>>);
}

bool decodeShift(Decoder &decoder) {
  bool left = decoder.statement->parts[0] == "shl";
  Type type = decoder.takeType();
  if (!decoder.count(3) || !decoder.destination(0, type, decoder.inst.dst) ||
      !decoder.source(1, type, decoder.inst.a) ||
      !decoder.source(2, Type::U32, decoder.inst.b))
    return false;
  bool arithmetic = isSigned(type) && !left;
  switch (bitsOf(type)) {
  case 16:
    return finish(decoder, arithmetic ? shiftOf<int16_t>(left)
                                      : shiftOf<uint16_t>(left));
  case 32:
    return finish(decoder, arithmetic ? shiftOf<int32_t>(left)
                                      : shiftOf<uint32_t>(left));
  case 64:
    return finish(decoder, arithmetic ? shiftOf<int64_t>(left)
                                      : shiftOf<uint64_t>(left));
  default:
    return false;
  }
}

template <bool left, bool wraps>
uint32_t funnel(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t by = wraps ? c & 31 : std::min(c, 32u);
  uint64_t both = uint64_t(b) << 32 | a;
  return left ? uint32_t((both << by) >> 32) : uint32_t(both >> by);
}

bool decodeFunnel(Decoder &decoder) {
  int right = decoder.takeOneOf({"l", "r"});
  int wraps = decoder.takeOneOf({"clamp", "wrap"});
  decoder.takeType();
  using U = uint32_t;
  static constexpr Handler kHandlers[2][2] = {
      {ternary<U, U, U, U, funnel<true, false>>,
       ternary<U, U, U, U, funnel<true, true>>},
      {ternary<U, U, U, U, funnel<false, false>>,
       ternary<U, U, U, U, funnel<false, true>>}};
  return right >= 0 && wraps >= 0 &&
         decodeOperands(decoder, Type::B32, Type::B32, Type::B32, Type::B32) &&
         finish(decoder, kHandlers[right][wraps]);
}

template <class T> T extract(T a, uint32_t position, uint32_t length) {
  constexpr unsigned kBits = 8 * sizeof(T);
  bool isSigned = T(-1) < T(0);
  unsigned at = position & 0xff, count = length & 0xff;
  T result = 0;
  // As the ISA defines it: bits beyond the field repeat the sign.
  bool sign = isSigned && count &&
              ((a >> std::min<unsigned>(at + count - 1, kBits - 1)) & 1);
  for (unsigned i = 0; i < kBits; ++i) {
    bool bit = i < count && at + i < kBits ? (a >> (at + i)) & 1 : sign;
    result |= T(T(bit) << i);
  }
  return result;
}

/// The usual fields, quickly.
template <class T> T extractFast(T a, uint32_t position, uint32_t length) {
  constexpr unsigned kBits = 8 * sizeof(T);
  unsigned at = position & 0xff, count = length & 0xff;
  if (count == 0 || at + count > kBits)
    return extract<T>(a, position, length);
  using U = std::make_unsigned_t<T>;
  return T(T(U(a) << (kBits - at - count)) >> (kBits - count));
}

bool decodeExtract(Decoder &decoder) {
  Type type = decoder.takeType();
  if (!decodeOperands(decoder, type, type, Type::U32, Type::U32))
    return false;
  using U = uint32_t;
  switch (type) {
  case Type::U32:
    return finish(decoder, ternary<U, U, U, U, extractFast<uint32_t>>);
  case Type::S32:
    return finish(decoder,
                  ternary<int32_t, int32_t, U, U, extractFast<int32_t>>);
  case Type::U64:
    return finish(decoder,
                  ternary<uint64_t, uint64_t, U, U, extractFast<uint64_t>>);
  case Type::S64:
    return finish(decoder,
                  ternary<int64_t, int64_t, U, U, extractFast<int64_t>>);
  default:
    return false;
  }
}

/// bfi: four operands.
template <class T> void insert(Warp &warp, const Inst &inst, uint32_t mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  const auto *position = warp.lanes<uint32_t>(inst.c),
             *length = warp.lanes<uint32_t>(inst.d);
  constexpr unsigned kBits = 8 * sizeof(T);
  T result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned at = position[lane] & 0xff, count = length[lane] & 0xff;
    result[lane] = b[lane];
    for (unsigned i = 0; i < count && at + i < kBits; ++i) {
      T bit = T(1) << (at + i);
      result[lane] = (result[lane] & ~bit) | ((a[lane] >> i & 1) ? bit : 0);
    }
  }
  writeLanes(warp, inst.dst, result, mask);
}

bool decodeInsert(Decoder &decoder) {
  Type type = decoder.takeType();
  Inst &inst = decoder.inst;
  return decoder.count(5) && decoder.destination(0, type, inst.dst) &&
         decoder.source(1, type, inst.a) && decoder.source(2, type, inst.b) &&
         decoder.source(3, Type::U32, inst.c) &&
         decoder.source(4, Type::U32, inst.d) &&
         finish(decoder, type == Type::B32   ? insert<uint32_t>
                         : type == Type::B64 ? insert<uint64_t>
                                             : nullptr);
}

template <bool wraps> uint32_t bitMask(uint32_t a, uint32_t b) {
  uint32_t at = wraps ? a & 31 : std::min(a, 32u);
  uint32_t count = wraps ? b & 31 : std::min(b, 32u);
  uint64_t ones = (uint64_t(1) << count) - 1;
  return uint32_t(ones << at);
}

bool decodeBitMask(Decoder &decoder) {
  int wraps = decoder.takeOneOf({"clamp", "wrap"});
  decoder.takeType();
  using U = uint32_t;
  return wraps >= 0 &&
         decodeOperands(decoder, Type::B32, Type::U32, Type::U32) &&
         finish(decoder, wraps ? Handler(binary<U, U, U, bitMask<true>>)
                               : Handler(binary<U, U, U, bitMask<false>>));
}

template <bool isSigned, bool wraps> uint32_t extend(uint32_t a, uint32_t b) {
  uint32_t bits = wraps ? b & 31 : std::min(b, 32u);
  if (bits == 0)
    return 0;
  if (bits == 32)
    return a;
  return isSigned ? uint32_t(int32_t(a << (32 - bits)) >> (32 - bits))
                  : a & ((1u << bits) - 1);
}

bool decodeExtend(Decoder &decoder) {
  int wraps = decoder.takeOneOf({"clamp", "wrap"});
  Type type = decoder.takeType();
  using U = uint32_t;
  static constexpr Handler kHandlers[2][2] = {
      {binary<U, U, U, extend<false, false>>,
       binary<U, U, U, extend<false, true>>},
      {binary<U, U, U, extend<true, false>>,
       binary<U, U, U, extend<true, true>>}};
  return wraps >= 0 && decodeOperands(decoder, type, type, Type::U32) &&
         finish(decoder, kHandlers[type == Type::S32][wraps]);
}

void logicOfThree(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto *a = warp.lanes<uint32_t>(inst.a),
             *b = warp.lanes<uint32_t>(inst.b),
             *c = warp.lanes<uint32_t>(inst.c);
  uint32_t result[32] = {};
  for (unsigned term = 0; term < 8; ++term) {
    if (!(inst.mode >> term & 1))
      continue;
    uint32_t flipA = term & 4 ? 0 : ~0u, flipB = term & 2 ? 0 : ~0u,
             flipC = term & 1 ? 0 : ~0u;
    for (unsigned lane = 0; lane < 32; ++lane)
      result[lane] |= (a[lane] ^ flipA) & (b[lane] ^ flipB) & (c[lane] ^ flipC);
  }
  writeLanes(warp, inst.dst, result, mask);
}

bool decodeLop3(Decoder &decoder) {
  Inst &inst = decoder.inst;
  decoder.takeType();
  int64_t table = 0;
  if (!decoder.count(5) || !decoder.literal(4, table))
    return false;
  inst.mode = uint8_t(table);
  return decoder.destination(0, Type::B32, inst.dst) &&
         decoder.source(1, Type::B32, inst.a) &&
         decoder.source(2, Type::B32, inst.b) &&
         decoder.source(3, Type::B32, inst.c) && finish(decoder, logicOfThree);
}

template <class T> T reverse(T a) {
  T result = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i)
    result |= T((a >> i) & 1) << (8 * sizeof(T) - 1 - i);
  return result;
}
uint32_t popc32(uint32_t a) { return uint32_t(__builtin_popcount(a)); }
uint32_t popc64(uint64_t a) { return uint32_t(__builtin_popcountll(a)); }
uint32_t clz32(uint32_t a) { return a ? uint32_t(__builtin_clz(a)) : 32; }
uint32_t clz64(uint64_t a) { return a ? uint32_t(__builtin_clzll(a)) : 64; }
/// The highest bit that differs from the sign; from the top with `shift`.
template <class T, bool isSigned, bool shift> uint32_t find(T a) {
  constexpr unsigned kBits = 8 * sizeof(T);
  if (isSigned && (a >> (kBits - 1)))
    a = T(~a);
  if (a == 0)
    return ~0u;
  unsigned high = kBits == 64 ? 63 - clz64(a) : 31 - clz32(uint32_t(a));
  return shift ? kBits - 1 - high : high;
}

bool decodeCount(Decoder &decoder) {
  const std::string &name = decoder.statement->parts[0];
  Type type = decoder.takeType();
  bool wide = bitsOf(type) == 64;
  if (name == "brev") {
    using U = uint32_t;
    using W = uint64_t;
    return decodeOperands(decoder, type, type) &&
           finish(decoder, wide ? Handler(unary<W, W, reverse<W>>)
                                : Handler(unary<U, U, reverse<U>>));
  }
  if (!decodeOperands(decoder, Type::U32, type))
    return false;
  if (name == "popc")
    return finish(decoder, wide ? Handler(unary<uint32_t, uint64_t, popc64>)
                                : Handler(unary<uint32_t, uint32_t, popc32>));
  return finish(decoder, wide ? Handler(unary<uint32_t, uint64_t, clz64>)
                              : Handler(unary<uint32_t, uint32_t, clz32>));
}

template <class T, bool isSigned> Handler finder(bool shift) {
  return shift ? Handler(unary<uint32_t, T, find<T, isSigned, true>>)
               : Handler(unary<uint32_t, T, find<T, isSigned, false>>);
}

bool decodeFind(Decoder &decoder) {
  bool shift = decoder.take("shiftamt");
  Type type = decoder.takeType();
  bool wide = bitsOf(type) == 64;
  if (!decodeOperands(decoder, Type::U32, type))
    return false;
  if (isSigned(type))
    return finish(decoder, wide ? finder<uint64_t, true>(shift)
                                : finder<uint32_t, true>(shift));
  return finish(decoder, wide ? finder<uint64_t, false>(shift)
                              : finder<uint32_t, false>(shift));
}

uint32_t findNth(uint32_t bits, uint32_t base, int32_t offset) {
  // The ISA's definition: the offset-th set bit from base on, up or down.
  if (offset == 0)
    return base < 32 && (bits >> base & 1) ? base : ~0u;
  int step = offset > 0 ? 1 : -1, left = std::abs(offset);
  for (int at = int(base); at >= 0 && at < 32; at += step)
    if ((bits >> at & 1) && --left == 0)
      return uint32_t(at);
  return ~0u;
}

bool decodeFindNth(Decoder &decoder) {
  decoder.takeType();
  return decodeOperands(decoder, Type::B32, Type::B32, Type::B32, Type::S32) &&
         finish(decoder,
                ternary<uint32_t, uint32_t, uint32_t, int32_t, findNth>);
}

uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned selector = (c >> (4 * i)) & 0xf;
    uint32_t byte = uint32_t(bytes >> (8 * (selector & 7))) & 0xff;
    if (selector & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

/// The modes of prmt as selectors, by the two low bits of c.
uint32_t permuteMode(unsigned mode, uint32_t a, uint32_t b, uint32_t c) {
  static constexpr uint16_t kSelectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  return permute(a, b, kSelectors[mode][c & 3]);
}

void permuteByMode(Warp &warp, const Inst &inst, uint32_t mask) {
  auto *into = warp.lanes<uint32_t>(inst.dst);
  forLanes(mask, [&](unsigned lane) {
    into[lane] = permuteMode(inst.mode, warp.lanes<uint32_t>(inst.a)[lane],
                             warp.lanes<uint32_t>(inst.b)[lane],
                             warp.lanes<uint32_t>(inst.c)[lane]);
  });
}

bool decodePermute(Decoder &decoder) {
  decoder.takeType();
  int mode = decoder.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  decoder.inst.mode = uint8_t(std::max(mode, 0));
  using U = uint32_t;
  return decodeOperands(decoder, Type::B32, Type::B32, Type::B32, Type::B32) &&
         finish(decoder, mode < 0 ? Handler(ternary<U, U, U, U, permute>)
                                  : Handler(permuteByMode));
}

constexpr Opcode kOpcodes[] = {
    {"and", decodeLogic},    {"or", decodeLogic},     {"xor", decodeLogic},
    {"not", decodeLogic},    {"cnot", decodeLogic},   {"shl", decodeShift},
    {"shr", decodeShift},    {"shf", decodeFunnel},   {"bfe", decodeExtract},
    {"bfi", decodeInsert},   {"bmsk", decodeBitMask}, {"szext", decodeExtend},
    {"lop3", decodeLop3},    {"brev", decodeCount},   {"popc", decodeCount},
    {"clz", decodeCount},    {"bfind", decodeFind},   {"fns", decodeFindNth},
    {"prmt", decodePermute},
};

} // namespace

Family bitFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
