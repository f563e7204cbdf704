// Arithmetic of f16, bf16 and pairs of them; sums of f32 with one of them.

#include "test/emulator/instructions/Arithmetic.h"
#include "test/emulator/instructions/Lanes.h"

#include <algorithm>

namespace heddle::emulator {
namespace {

enum Flags : uint8_t { kFtz = 1, kSat = 2, kRelu = 4, kNan = 8, kAbsXor = 16 };
enum class HalfOp : uint8_t { Add, Sub, Mul, Fma, Min, Max, Neg, Abs };

struct F16Format {
  static float load(uint16_t code) { return halfToFloat(code); }
  static uint16_t store(float value) { return floatToHalf(value); }
  static constexpr const Format &format = kF16;
};
struct BF16Format {
  static float load(uint16_t code) { return bfloatToFloat(code); }
  static uint16_t store(float value) { return floatToBfloat(value); }
  static constexpr const Format &format = kBF16;
};

template <class F> uint16_t flushed(uint16_t code, bool ftz) {
  uint16_t exponent = uint16_t((1 << F::format.exponentBits) - 1)
                      << F::format.mantissaBits;
  return ftz && !(code & exponent) ? code & 0x8000 : code;
}

uint16_t extremeOf(bool larger, bool nan, float a, float b, uint16_t aCode,
                   uint16_t bCode) {
  if (a != a || b != b)
    return nan || (a != a && b != b) ? 0x7fff : a != a ? bCode : aCode;
  if (a == b)
    return (larger ? std::signbit(a) : std::signbit(b)) ? bCode : aCode;
  return (larger ? a > b : a < b) ? aCode : bCode;
}

template <class F>
uint16_t compute(HalfOp op, uint8_t flags, uint16_t a, uint16_t b, uint16_t c) {
  bool ftz = flags & kFtz;
  a = flushed<F>(a, ftz);
  b = flushed<F>(b, ftz);
  c = flushed<F>(c, ftz);
  float x = F::load(a), y = F::load(b);
  uint16_t result = 0;
  switch (op) {
  // In float, sums and products of two of these are exact enough that
  // rounding twice is rounding once.
  case HalfOp::Add:
    result = F::store(x + y);
    break;
  case HalfOp::Sub:
    result = F::store(x - y);
    break;
  case HalfOp::Mul:
    result = F::store(x * y);
    break;
  case HalfOp::Fma:
    result = uint16_t(encode(multiplyAddToOdd(x, y, F::load(c)), F::format,
                             Rounding::Nearest, false));
    break;
  case HalfOp::Min:
  case HalfOp::Max: {
    uint16_t sign = (a ^ b) & 0x8000;
    if (flags & kAbsXor) {
      a &= 0x7fff;
      b &= 0x7fff;
      x = std::fabs(x);
      y = std::fabs(y);
    }
    result = extremeOf(op == HalfOp::Max, flags & kNan, x, y, a, b);
    if (flags & kAbsXor)
      result |= sign;
    return result;
  }
  case HalfOp::Neg:
    return a ^ 0x8000;
  case HalfOp::Abs:
    return a & 0x7fff;
  }
  result = flushed<F>(result, ftz);
  float value = F::load(result);
  if (flags & kSat)
    return F::store(clampToOne(value));
  // A NaN stays one under relu.
  if ((flags & kRelu) && !(value != value) && std::signbit(value))
    return 0;
  return value != value ? 0x7fff : result;
}

template <class F, HalfOp op, bool plain>
void single(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto *a = warp.lanes<uint16_t>(inst.a),
             *b = warp.lanes<uint16_t>(inst.b),
             *c = warp.lanes<uint16_t>(inst.c);
  uint16_t result[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    result[lane] =
        compute<F>(op, plain ? 0 : inst.flags, a[lane], b[lane], c[lane]);
  writeLanes(warp, inst.dst, result, mask);
}

template <class F, HalfOp op, bool plain>
void pair(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto *a = warp.lanes<uint32_t>(inst.a),
             *b = warp.lanes<uint32_t>(inst.b),
             *c = warp.lanes<uint32_t>(inst.c);
  uint8_t flags = plain ? 0 : inst.flags;
  uint32_t result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint32_t low = compute<F>(op, flags, uint16_t(a[lane]), uint16_t(b[lane]),
                              uint16_t(c[lane]));
    uint32_t high =
        compute<F>(op, flags, uint16_t(a[lane] >> 16), uint16_t(b[lane] >> 16),
                   uint16_t(c[lane] >> 16));
    result[lane] = low | high << 16;
  }
  writeLanes(warp, inst.dst, result, mask);
}

template <class F, HalfOp op> Handler handlerOf(bool isPair, bool plain) {
  if (isPair)
    return plain ? Handler(pair<F, op, true>) : Handler(pair<F, op, false>);
  return plain ? Handler(single<F, op, true>) : Handler(single<F, op, false>);
}

template <class F> Handler handlerFor(HalfOp op, bool isPair, bool plain) {
  switch (op) {
  case HalfOp::Add:
    return handlerOf<F, HalfOp::Add>(isPair, plain);
  case HalfOp::Sub:
    return handlerOf<F, HalfOp::Sub>(isPair, plain);
  case HalfOp::Mul:
    return handlerOf<F, HalfOp::Mul>(isPair, plain);
  case HalfOp::Fma:
    return handlerOf<F, HalfOp::Fma>(isPair, plain);
  case HalfOp::Min:
    return handlerOf<F, HalfOp::Min>(isPair, plain);
  case HalfOp::Max:
    return handlerOf<F, HalfOp::Max>(isPair, plain);
  case HalfOp::Neg:
    return handlerOf<F, HalfOp::Neg>(isPair, plain);
  case HalfOp::Abs:
    return handlerOf<F, HalfOp::Abs>(isPair, plain);
  }
  return nullptr;
}

/// f32 with a half: d = [a * b +] c, rounded once. mode: rounding; flags:
/// 1 bf16, 2 subtract, 4 fma, 8 sat.
void mixed(Warp &warp, const Inst &inst, uint32_t mask) {
  auto half = [&](uint32_t offset, unsigned lane) {
    uint16_t code = warp.lanes<uint16_t>(offset)[lane];
    return double(inst.flags & 1 ? bfloatToFloat(code) : halfToFloat(code));
  };
  float *into = warp.lanes<float>(inst.dst);
  forLanes(mask, [&](unsigned lane) {
    double c = warp.lanes<float>(inst.c)[lane];
    double a = half(inst.a, lane);
    if (inst.flags & 4)
      a *= half(inst.b, lane);
    double exact = addToOdd(a, inst.flags & 2 ? -c : c);
    float value =
        bitCast<float>(encode(exact, kF32, Rounding(inst.mode), false));
    into[lane] = inst.flags & 8 ? clampToOne(value) : canonical(value);
  });
}

} // namespace

bool decodeMixedArithmetic(Decoder &decoder) {
  const std::string &name = decoder.statement->parts[0];
  Inst &inst = decoder.inst;
  bool given = false;
  inst.mode = uint8_t(takeRounding(decoder, given));
  bool sat = decoder.take("sat");
  Type wide = decoder.takeType(), half = decoder.takeType();
  bool fma = name == "fma";
  if (wide != Type::F32 || (half != Type::F16 && half != Type::BF16) ||
      (!fma && name != "add" && name != "sub"))
    return false;
  inst.flags = uint8_t((half == Type::BF16) | (name == "sub") << 1 | fma << 2 |
                       sat << 3);
  return decoder.needs(100) && decoder.count(fma ? 4 : 3) &&
         decoder.destination(0, wide, inst.dst) &&
         decoder.source(1, half, inst.a) &&
         (!fma || decoder.source(2, half, inst.b)) &&
         decoder.source(fma ? 3 : 2, wide, inst.c) && finish(decoder, mixed);
}

bool decodeHalfArithmetic(Decoder &decoder) {
  static constexpr std::string_view kNames[] = {"add", "sub", "mul", "fma",
                                                "min", "max", "neg", "abs"};
  const std::string &name = decoder.statement->parts[0];
  const auto *found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames))
    return false;
  auto op = HalfOp(found - kNames);
  bool given = false;
  if (takeRounding(decoder, given) != Rounding::Nearest)
    return false;
  Inst &inst = decoder.inst;
  inst.flags =
      (decoder.take("ftz") ? kFtz : 0) | (decoder.take("sat") ? kSat : 0) |
      (decoder.take("relu") ? kRelu : 0) | (decoder.take("NaN") ? kNan : 0);
  if (decoder.take("xorsign")) {
    decoder.take("abs");
    inst.flags |= kAbsXor;
  }
  Type type = decoder.takeType();
  bool unaryOp = op == HalfOp::Neg || op == HalfOp::Abs;
  if (!decodeOperands(decoder, type, type, unaryOp ? Type::None : type,
                      op == HalfOp::Fma ? type : Type::None))
    return false;
  if (unaryOp)
    inst.b = inst.a;
  if (op != HalfOp::Fma)
    inst.c = inst.a;
  bool isPair = type == Type::F16x2 || type == Type::BF16x2;
  bool isBfloat = type == Type::BF16 || type == Type::BF16x2;
  bool plain = inst.flags == 0;
  return finish(decoder, isBfloat ? handlerFor<BF16Format>(op, isPair, plain)
                                  : handlerFor<F16Format>(op, isPair, plain));
}

} // namespace heddle::emulator
