// Products that are wider than their factors, and 24-bit and byte products:
// mul.wide, mad.wide, mul24, mad24, dp4a, dp2a; carries: add.cc, addc, madc.

#include "test/emulator/instructions/Arithmetic.h"
#include "test/emulator/instructions/Lanes.h"

namespace heddle::emulator {
namespace {

template <class W, class N> W wideOf(N a, N b) { return W(W(a) * W(b)); }
template <class W, class N> W wideAddOf(N a, N b, W c) {
  return W(uint64_t(W(a) * W(b)) + uint64_t(c));
}

template <class W, class N> Handler wide(bool add) {
  return add ? Handler(ternary<W, N, N, W, wideAddOf<W, N>>)
             : Handler(binary<W, N, N, wideOf<W, N>>);
}

int64_t low24(bool isSigned, uint32_t value) {
  value &= 0xffffff;
  return isSigned && (value & 0x800000) ? int64_t(value) - 0x1000000 : value;
}

template <bool isSigned, bool high> uint32_t product24(uint32_t a, uint32_t b) {
  int64_t product = low24(isSigned, a) * low24(isSigned, b);
  return uint32_t(high ? product >> 16 : product);
}
template <bool isSigned, bool high>
uint32_t multiplyAdd24(uint32_t a, uint32_t b, uint32_t c) {
  return product24<isSigned, high>(a, b) + c;
}

int32_t byteOf(uint32_t word, unsigned index, bool isSigned) {
  uint32_t byte = (word >> (8 * index)) & 0xff;
  return isSigned ? int8_t(byte) : int32_t(byte);
}

/// mode: bit 0 a is signed, bit 1 b is signed, bits 2 and 3 the form.
void dot(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto *a = warp.lanes<uint32_t>(inst.a);
  const auto *b = warp.lanes<uint32_t>(inst.b);
  const auto *c = warp.lanes<uint32_t>(inst.c);
  bool aSigned = inst.mode & 1, bSigned = inst.mode & 2;
  uint32_t result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t sum = c[lane];
    if (inst.count == 4) {
      for (unsigned i = 0; i < 4; ++i)
        sum +=
            uint32_t(byteOf(a[lane], i, aSigned) * byteOf(b[lane], i, bSigned));
    } else {
      for (unsigned i = 0; i < 2; ++i) {
        uint32_t half = a[lane] >> (16 * i);
        int32_t x = aSigned ? int16_t(half) : int32_t(half & 0xffff);
        sum +=
            uint32_t(x * byteOf(b[lane], i + (inst.mode & 4 ? 2 : 0), bSigned));
      }
    }
    result[lane] = sum;
  }
  writeLanes(warp, inst.dst, result, mask);
}

bool decodeDot(Decoder &decoder) {
  Inst &inst = decoder.inst;
  bool four = decoder.statement->parts[0] == "dp4a";
  inst.count = four ? 4 : 2;
  if (!four) {
    int half = decoder.takeOneOf({"lo", "hi"});
    if (half < 0)
      return false;
    inst.mode = uint8_t(half * 4);
  }
  Type a = decoder.takeType(), b = decoder.takeType();
  inst.mode |= (a == Type::S32 ? 1 : 0) | (b == Type::S32 ? 2 : 0);
  return decodeOperands(decoder, Type::B32, Type::B32, Type::B32, Type::B32) &&
         finish(decoder, dot);
}

bool decode24(Decoder &decoder) {
  bool add = decoder.statement->parts[0] == "mad24";
  int high = decoder.takeOneOf({"lo", "hi"});
  Type type = decoder.takeType();
  if (high < 0 || (type != Type::U32 && type != Type::S32))
    return false;
  if (!decodeOperands(decoder, type, type, type, add ? type : Type::None))
    return false;
  using U = uint32_t;
  static constexpr Handler kHandlers[2][2][2] = {
      {{binary<U, U, U, product24<false, false>>,
        binary<U, U, U, product24<false, true>>},
       {binary<U, U, U, product24<true, false>>,
        binary<U, U, U, product24<true, true>>}},
      {{ternary<U, U, U, U, multiplyAdd24<false, false>>,
        ternary<U, U, U, U, multiplyAdd24<false, true>>},
       {ternary<U, U, U, U, multiplyAdd24<true, false>>,
        ternary<U, U, U, U, multiplyAdd24<true, true>>}}};
  return finish(decoder, kHandlers[add][type == Type::S32][high]);
}

/// Sums and products of 32 or 64 bits with the carry flag, which is a mask in
/// inst.d. mode: 1 sets it, 2 takes it, 4 subtracts, 8 multiplies, 16 takes
/// the upper half of the product.
template <class T> void carry(Warp &warp, const Inst &inst, uint32_t mask) {
  using Wide = unsigned __int128;
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b),
          *c = warp.lanes<T>(inst.c);
  uint32_t flags = warp.predicate(inst.d), out = 0;
  T result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    T x = a[lane], y = b[lane];
    if (inst.mode & 8) {
      Wide product = Wide(x) * y;
      x = T(inst.mode & 16 ? product >> (8 * sizeof(T)) : product);
      y = c[lane];
    }
    bool in = (inst.mode & 2) && (flags >> lane & 1);
    Wide sum = inst.mode & 4 ? Wide(x) - y - in : Wide(x) + y + in;
    result[lane] = T(sum);
    out |= uint32_t((sum >> (8 * sizeof(T))) & 1) << lane;
  }
  writeLanes(warp, inst.dst, result, mask);
  if (inst.mode & 1)
    warp.setPredicate(inst.d, out, mask);
}

} // namespace

/// add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi ...
bool decodeCarry(Decoder &decoder) {
  const std::string &name = decoder.statement->parts[0];
  Inst &inst = decoder.inst;
  inst.d = decoder.carryFlag();
  inst.mode = (decoder.take("cc") ? 1 : 0) | (name.back() == 'c' ? 2 : 0) |
              (name[0] == 's' ? 4 : 0) | (name[0] == 'm' ? 8 : 0);
  if (name[0] == 'm') {
    int high = decoder.takeOneOf({"lo", "hi"});
    if (high < 0)
      return false;
    inst.mode |= high ? 16 : 0;
  }
  Type type = decoder.takeType();
  bool wide = bitsOf(type) == 64;
  if (!isInteger(type) && !isBits(type))
    return false;
  bool three = inst.mode & 8;
  if (three && (inst.mode & 16) && isSigned(type))
    return decoder.unknown();
  return decodeOperands(decoder, type, type, type, three ? type : Type::None) &&
         finish(decoder, wide ? carry<uint64_t> : carry<uint32_t>);
}

bool decodeWideMultiply(Decoder &decoder) {
  bool add = decoder.statement->parts[0] == "mad";
  decoder.take("wide");
  Type narrow = decoder.takeType();
  Type wideType = Type::None;
  Handler handler = nullptr;
  switch (narrow) {
  case Type::U16:
    wideType = Type::U32;
    handler = wide<uint32_t, uint16_t>(add);
    break;
  case Type::S16:
    wideType = Type::S32;
    handler = wide<int32_t, int16_t>(add);
    break;
  case Type::U32:
    wideType = Type::U64;
    handler = wide<uint64_t, uint32_t>(add);
    break;
  case Type::S32:
    wideType = Type::S64;
    handler = wide<int64_t, int32_t>(add);
    break;
  default:
    return decoder.unknown();
  }
  return decodeOperands(decoder, wideType, narrow, narrow,
                        add ? wideType : Type::None) &&
         finish(decoder, handler);
}

namespace {
constexpr Opcode kOpcodes[] = {
    {"dp4a", decodeDot},   {"dp2a", decodeDot},   {"mul24", decode24},
    {"mad24", decode24},   {"addc", decodeCarry}, {"subc", decodeCarry},
    {"madc", decodeCarry},
};
} // namespace

Family wideIntegerFamily() {
  return {std::begin(kOpcodes), std::end(kOpcodes)};
}

} // namespace heddle::emulator
