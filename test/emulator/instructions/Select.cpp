// Comparisons and choices: setp, set, selp, slct.

#include "test/emulator/instructions/Arithmetic.h"
#include "test/emulator/instructions/Lanes.h"

namespace heddle::emulator {
namespace {

enum class Compare : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};

template <Compare how, class T> bool holds(T a, T b) {
  bool unordered = a != a || b != b;
  switch (how) {
  case Compare::Eq:
    return a == b;
  case Compare::Ne:
    return a != b && !unordered;
  case Compare::Lt:
    return a < b;
  case Compare::Le:
    return a <= b;
  case Compare::Gt:
    return a > b;
  case Compare::Ge:
    return a >= b;
  case Compare::Equ:
    return a == b || unordered;
  case Compare::Neu:
    return a != b || unordered;
  case Compare::Ltu:
    return a < b || unordered;
  case Compare::Leu:
    return a <= b || unordered;
  case Compare::Gtu:
    return a > b || unordered;
  case Compare::Geu:
    return a >= b || unordered;
  case Compare::Num:
    return !unordered;
  case Compare::Nan:
    return unordered;
  }
  return false;
}

/// How operands are read; count: Compare, flags: 1 ftz, mode: what is done
/// with the result.
enum Mode : uint8_t { kAnd = 1, kOr = 2, kXor = 3, kFlip = 4 };

template <Compare how, class T>
uint32_t compareLanes(const T *a, const T *b, bool ftz) {
  uint8_t bits[32];
  if constexpr (std::is_same_v<T, float>) {
    if (ftz) {
      for (unsigned lane = 0; lane < 32; ++lane)
        bits[lane] = holds<how, float>(flush(a[lane]), flush(b[lane]));
    } else {
      for (unsigned lane = 0; lane < 32; ++lane)
        bits[lane] = holds<how, T>(a[lane], b[lane]);
    }
  } else {
    for (unsigned lane = 0; lane < 32; ++lane)
      bits[lane] = holds<how, T>(a[lane], b[lane]);
  }
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    mask |= uint32_t(bits[lane]) << lane;
  return mask;
}

void finishPredicate(Warp &warp, const Inst &inst, uint32_t result,
                     uint32_t mask) {
  uint32_t other = ~result;
  if (inst.mode) {
    uint32_t with = warp.predicate(inst.c);
    if (inst.mode & kFlip)
      with = ~with;
    auto combine = [&](uint32_t value) {
      unsigned how = inst.mode & 3;
      return how == kAnd  ? value & with
             : how == kOr ? value | with
                          : value ^ with;
    };
    other = combine(other);
    result = combine(result);
  }
  warp.setPredicate(inst.dst, result, mask);
  if (inst.dst2)
    warp.setPredicate(inst.dst2, other, mask);
}

template <Compare how, class T>
void setp(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t result = compareLanes<how, T>(warp.lanes<T>(inst.a),
                                         warp.lanes<T>(inst.b), inst.flags & 1);
  finishPredicate(warp, inst, result, mask);
}

/// f16, bf16: as floats. bytes: 1 bf16, 2 pairs, 4 ftz.
template <Compare how>
void setpHalf(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t results[2] = {0, 0};
  bool isPair = inst.bytes & 2;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned part = 0; part < (isPair ? 2 : 1); ++part) {
      auto load = [&](uint32_t offset) {
        uint16_t code =
            isPair ? uint16_t(warp.lanes<uint32_t>(offset)[lane] >> (16 * part))
                   : warp.lanes<uint16_t>(offset)[lane];
        if ((inst.bytes & 4) && !(code & (inst.bytes & 1 ? 0x7f80 : 0x7c00)))
          code &= 0x8000;
        return inst.bytes & 1 ? bfloatToFloat(code) : halfToFloat(code);
      };
      bool result = holds<how, float>(load(inst.a), load(inst.b));
      results[part] |= uint32_t(result) << lane;
    }
  if (!isPair)
    return finishPredicate(warp, inst, results[0], mask);
  Inst half = inst;
  half.dst2 = 0;
  finishPredicate(warp, half, results[0], mask);
  if (inst.dst2) {
    half.dst = inst.dst2;
    finishPredicate(warp, half, results[1], mask);
  }
}

template <Compare how> Handler setpOf(Type type) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return setp<how, uint16_t>;
  case Type::S16:
    return setp<how, int16_t>;
  case Type::B32:
  case Type::U32:
    return setp<how, uint32_t>;
  case Type::S32:
    return setp<how, int32_t>;
  case Type::B64:
  case Type::U64:
    return setp<how, uint64_t>;
  case Type::S64:
    return setp<how, int64_t>;
  case Type::F32:
    return setp<how, float>;
  case Type::F64:
    return setp<how, double>;
  case Type::F16:
  case Type::BF16:
  case Type::F16x2:
  case Type::BF16x2:
    return setpHalf<how>;
  default:
    return nullptr;
  }
}

using Chooser = Handler (*)(Type);
constexpr Chooser kSetp[] = {
    setpOf<Compare::Eq>,  setpOf<Compare::Ne>,  setpOf<Compare::Lt>,
    setpOf<Compare::Le>,  setpOf<Compare::Gt>,  setpOf<Compare::Ge>,
    setpOf<Compare::Equ>, setpOf<Compare::Neu>, setpOf<Compare::Ltu>,
    setpOf<Compare::Leu>, setpOf<Compare::Gtu>, setpOf<Compare::Geu>,
    setpOf<Compare::Num>, setpOf<Compare::Nan>};

bool isFloat(Type type) { return type >= Type::F16 && type <= Type::F64; }

/// The comparison, the type and the predicate that the result is joined with.
bool takeComparison(Decoder &decoder, int &how, Type &type, int &join) {
  how = decoder.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu",
                           "ltu", "leu", "gtu", "geu", "num", "nan"});
  if (how < 0) {
    how = decoder.takeOneOf({"lo", "ls", "hi", "hs"});
    static constexpr int kUnsigned[] = {2, 3, 4, 5};
    if (how < 0)
      return false;
    how = kUnsigned[how];
  }
  join = 1 + decoder.takeOneOf({"and", "or", "xor"});
  if (decoder.take("ftz"))
    decoder.inst.flags = 1;
  type = decoder.takeType();
  bool half = type == Type::F16 || type == Type::BF16 || type == Type::F16x2 ||
              type == Type::BF16x2;
  if (half)
    decoder.inst.bytes =
        uint8_t((type == Type::BF16 || type == Type::BF16x2 ? 1 : 0) |
                (type == Type::F16x2 || type == Type::BF16x2 ? 2 : 0) |
                (decoder.inst.flags ? 4 : 0));
  // A comparison of unordered numbers is one of floats.
  return how < int(Compare::Equ) || isFloat(type);
}

bool decodeJoin(Decoder &decoder, int join, unsigned index) {
  if (!join)
    return decoder.count(index);
  decoder.inst.mode = uint8_t(join);
  if (!decoder.count(index + 1))
    return false;
  if (decoder.operand(index).negated)
    decoder.inst.mode |= kFlip;
  return decoder.source(index, Type::Pred, decoder.inst.c);
}

bool decodeSetp(Decoder &decoder) {
  Inst &inst = decoder.inst;
  int how = 0, join = 0;
  Type type = Type::None;
  if (!takeComparison(decoder, how, type, join) || !decoder.operands())
    return false;
  const Operand &result = decoder.operand(0);
  if (result.kind == Operand::Kind::Pair) {
    if (!decoder.destination(result.elements[0], Type::Pred, inst.dst) ||
        !decoder.destination(result.elements[1], Type::Pred, inst.dst2))
      return false;
  } else if (!decoder.destination(result, Type::Pred, inst.dst)) {
    return false;
  }
  return decoder.source(1, type, inst.a) && decoder.source(2, type, inst.b) &&
         decodeJoin(decoder, join, 3) && finish(decoder, kSetp[how](type));
}

/// set: the predicate of a setp that stands before it becomes numbers.
/// mode: 1 -1 and 0 of 32 bits, 2 floats, 3 halves, 4 bfloats.
void fromPredicate(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t low = warp.predicate(inst.a), high = warp.predicate(inst.b);
  forLanes(mask, [&](unsigned lane) {
    bool set = low >> lane & 1, second = high >> lane & 1;
    uint32_t one = inst.mode == 1   ? ~0u
                   : inst.mode == 2 ? 0x3f800000
                   : inst.mode == 3 ? 0x3c00
                                    : 0x3f80;
    if (inst.bytes == 2)
      warp.lanes<uint16_t>(inst.dst)[lane] = uint16_t(set ? one : 0);
    else if (inst.flags)
      warp.lanes<uint32_t>(inst.dst)[lane] =
          ((set ? one : 0) & 0xffff) | (second ? one : 0) << 16;
    else
      warp.lanes<uint32_t>(inst.dst)[lane] = set ? one : 0;
  });
}

bool decodeSet(Decoder &decoder) {
  Inst &inst = decoder.inst;
  int how = decoder.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu",
                               "ltu", "leu", "gtu", "geu", "num", "nan"});
  int join = 1 + decoder.takeOneOf({"and", "or", "xor"});
  inst.flags = decoder.take("ftz") ? 1 : 0;
  Type result = decoder.takeType(), type = decoder.takeType();
  if (how < 0 || type == Type::None)
    return false;
  bool isPair = type == Type::F16x2 || type == Type::BF16x2;
  bool bfloat = type == Type::BF16 || type == Type::BF16x2;
  inst.bytes =
      uint8_t((bfloat ? 1 : 0) | (isPair ? 2 : 0) | (inst.flags ? 4 : 0));
  inst.dst = decoder.temporary(Type::Pred);
  inst.dst2 = isPair ? decoder.temporary(Type::Pred) : 0;
  if (!decoder.source(1, type, inst.a) || !decoder.source(2, type, inst.b) ||
      !decodeJoin(decoder, join, 3) || !finish(decoder, kSetp[how](type)))
    return false;
  Inst from;
  from.guard = inst.guard;
  from.guardFlip = inst.guardFlip;
  from.source = inst.source;
  from.a = inst.dst;
  from.b = inst.dst2 ? inst.dst2 : inst.dst;
  from.flags = isPair;
  from.bytes = uint8_t(bytesOf(result));
  from.mode = result == Type::F32                              ? 2
              : result == Type::F16 || result == Type::F16x2   ? 3
              : result == Type::BF16 || result == Type::BF16x2 ? 4
                                                               : 1;
  inst = from;
  return decoder.destination(0, result, inst.dst) &&
         finish(decoder, fromPredicate);
}

template <class T> void selp(Warp &warp, const Inst &inst, uint32_t mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  uint32_t which = warp.predicate(inst.c) ^ inst.target;
  T result[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    result[lane] = which >> lane & 1 ? a[lane] : b[lane];
  writeLanes(warp, inst.dst, result, mask);
}

bool decodeSelp(Decoder &decoder) {
  Type type = decoder.takeType();
  if (!decodeOperands(decoder, type, type, type, Type::Pred))
    return false;
  decoder.inst.target = decoder.operand(3).negated ? ~0u : 0;
  unsigned bits = bitsOf(type);
  return finish(decoder, bits == 16   ? selp<uint16_t>
                         : bits == 32 ? selp<uint32_t>
                         : bits == 64 ? selp<uint64_t>
                                      : nullptr);
}

template <class T, class C>
void slct(Warp &warp, const Inst &inst, uint32_t mask) {
  const T *a = warp.lanes<T>(inst.a), *b = warp.lanes<T>(inst.b);
  const C *c = warp.lanes<C>(inst.c);
  T result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    C by = c[lane];
    if constexpr (std::is_same_v<C, float>)
      by = inst.flags ? flush(by) : by;
    result[lane] = by >= 0 ? a[lane] : b[lane];
  }
  writeLanes(warp, inst.dst, result, mask);
}

bool decodeSlct(Decoder &decoder) {
  decoder.inst.flags = decoder.take("ftz") ? 1 : 0;
  Type type = decoder.takeType(), by = decoder.takeType();
  if (!decodeOperands(decoder, type, type, type, by))
    return false;
  bool isFloat = by == Type::F32;
  unsigned bits = bitsOf(type);
  if (bits == 32)
    return finish(decoder,
                  isFloat ? slct<uint32_t, float> : slct<uint32_t, int32_t>);
  if (bits == 64)
    return finish(decoder,
                  isFloat ? slct<uint64_t, float> : slct<uint64_t, int32_t>);
  return bits == 16 && finish(decoder, isFloat ? slct<uint16_t, float>
                                               : slct<uint16_t, int32_t>);
}

constexpr Opcode kOpcodes[] = {{"setp", decodeSetp},
                               {"set", decodeSet},
                               {"selp", decodeSelp},
                               {"slct", decodeSlct}};

} // namespace

Family selectFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
