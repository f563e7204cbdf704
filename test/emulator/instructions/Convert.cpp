// cvt between all scalar types, and two floats to a pair of narrow ones;
// cvt.pack is not known yet.

#include "test/emulator/instructions/Arithmetic.h"
#include "test/emulator/instructions/Lanes.h"

#include <algorithm>

namespace heddle::emulator {
namespace {

struct Conversion {
  Type to, from;
  uint8_t toBytes, fromBytes; // of the registers
  Rounding rounding;
  bool toInteger, ftz, saturate, relu, satfinite;
};

bool isFloating(Type type) { return type >= Type::F16 && type <= Type::F64; }

const Format *formatOf(Type type) {
  switch (type) {
  case Type::F16:
  case Type::F16x2:
    return &kF16;
  case Type::BF16:
  case Type::BF16x2:
    return &kBF16;
  case Type::TF32:
    return &kTF32;
  case Type::F32:
    return &kF32;
  case Type::E4M3x2:
    return &kE4M3;
  case Type::E5M2x2:
    return &kE5M2;
  default:
    return nullptr;
  }
}

double loadFloat(Type type, uint64_t bits) {
  if (type == Type::F64)
    return bitCast<double>(bits);
  if (type == Type::F32)
    return bitCast<float>(uint32_t(bits));
  return type == Type::F16 ? halfToFloat(uint16_t(bits))
                           : bfloatToFloat(uint16_t(bits));
}

__int128 loadInteger(Type type, uint64_t bits) {
  unsigned unused = 64 - bitsOf(type);
  if (isSigned(type))
    return int64_t(bits << unused) >> unused;
  return (bits << unused) >> unused;
}

uint64_t storeFloat(double value, const Conversion &c) {
  if (c.relu && !(value != value) && std::signbit(value))
    value = 0;
  if (c.saturate)
    value = value > 0 ? std::min(value, 1.0) : 0.0;
  if (c.to == Type::F64)
    return bitCast<uint64_t>(value);
  uint32_t code = encode(value, *formatOf(c.to), c.rounding, c.satfinite);
  if (c.to == Type::TF32)
    return code << 13;
  return c.ftz && c.to == Type::F32
             ? bitCast<uint32_t>(flush(bitCast<float>(code)))
             : code;
}

double toIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

/// Floats beyond the range of the integer give its nearest end; NaN gives 0,
/// or the top bit for 64 bits, as the ISA says.
uint64_t floatToInteger(double value, const Conversion &c) {
  unsigned bits = bitsOf(c.to);
  if (value != value)
    return bits == 64 || c.from == Type::F64 ? uint64_t(1) << (bits - 1) : 0;
  value = toIntegral(value, c.rounding);
  double limit = std::ldexp(1.0, int(bits) - isSigned(c.to));
  uint64_t ones = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  if (isSigned(c.to)) {
    if (value >= limit)
      return ones >> 1;
    if (value < -limit)
      return (ones >> 1) + 1;
    return uint64_t(int64_t(value));
  }
  return value >= limit ? ones : value <= 0 ? 0 : uint64_t(value);
}

uint64_t convertOne(uint64_t bits, const Conversion &c) {
  if (isFloating(c.from)) {
    double value = loadFloat(c.from, bits);
    if (c.ftz && c.from == Type::F32)
      value = flush(float(value));
    if (!isFloating(c.to))
      return floatToInteger(value, c);
    if (c.toInteger)
      value = std::copysign(toIntegral(value, c.rounding), value);
    return storeFloat(value, c);
  }
  __int128 value = loadInteger(c.from, bits);
  if (isFloating(c.to)) {
    double high = double(int64_t(value >> 32)) * 0x1p32;
    return c.to == Type::F64
               ? bitCast<uint64_t>(roundedDouble(DoubleOp::Add, high,
                                                 double(uint32_t(value)), 0,
                                                 c.rounding))
               : storeFloat(addToOdd(high, double(uint32_t(value))), c);
  }
  if (c.saturate) {
    unsigned width = bitsOf(c.to) - isSigned(c.to);
    __int128 most = (__int128(1) << width) - 1;
    value = std::clamp<__int128>(value, isSigned(c.to) ? -most - 1 : 0, most);
  }
  return uint64_t(value);
}

void convert(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto &c = *static_cast<const Conversion *>(inst.extra);
  forLanes(mask, [&](unsigned lane) {
    uint64_t bits = 0;
    std::memcpy(&bits, warp.lanes<uint8_t>(inst.a) + lane * c.fromBytes,
                std::min<unsigned>(c.fromBytes, 8));
    uint64_t result = convertOne(bits, c);
    unsigned valueBits = bitsOf(c.to);
    // Integers fill a wider register with their sign.
    if (valueBits < 64 && !isFloating(c.to)) {
      unsigned unused = 64 - valueBits;
      result = isSigned(c.to) ? uint64_t(int64_t(result << unused) >> unused)
                              : (result << unused) >> unused;
    }
    std::memcpy(warp.lanes<uint8_t>(inst.dst) + lane * c.toBytes, &result,
                std::min<unsigned>(c.toBytes, 8));
  });
}

/// cvt.rn.bf16x2.f32 d, a, b: a in the upper half.
void convertPair(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto &c = *static_cast<const Conversion *>(inst.extra);
  const float *a = warp.lanes<float>(inst.a), *b = warp.lanes<float>(inst.b);
  unsigned bits = bitsOf(c.to) / 2;
  bool fast = c.to == Type::BF16x2 && c.rounding == Rounding::Nearest &&
              !c.relu && !c.satfinite;
  uint32_t result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (fast) {
      result[lane] = floatToBfloat(b[lane]) | uint32_t(floatToBfloat(a[lane]))
                                                  << 16;
      continue;
    }
    uint32_t high = uint32_t(storeFloat(a[lane], c));
    result[lane] = uint32_t(storeFloat(b[lane], c)) | high << bits;
  }
  if (bits == 16)
    return writeLanes(warp, inst.dst, result, mask);
  forLanes(mask, [&](unsigned lane) {
    warp.lanes<uint16_t>(inst.dst)[lane] = uint16_t(result[lane]);
  });
}

/// cvt.rn.f16x2.e4m3x2: exact.
void widenPair(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto &c = *static_cast<const Conversion *>(inst.extra);
  forLanes(mask, [&](unsigned lane) {
    uint16_t codes = warp.lanes<uint16_t>(inst.a)[lane];
    uint32_t result = 0;
    for (unsigned part = 0; part < 2; ++part) {
      double value = decode(codes >> (8 * part) & 0xff, *formatOf(c.from));
      result |= uint32_t(storeFloat(value, c)) << (16 * part);
    }
    warp.lanes<uint32_t>(inst.dst)[lane] = result;
  });
}

bool decodeCvt(Decoder &decoder) {
  Inst &inst = decoder.inst;
  auto &c = decoder.extra<Conversion>();
  bool given = false;
  c = {};
  static constexpr Rounding kIntegral[] = {Rounding::Nearest, Rounding::Zero,
                                           Rounding::Down, Rounding::Up};
  int integral = decoder.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  c.rounding =
      integral >= 0 ? kIntegral[integral] : takeRounding(decoder, given);
  c.toInteger = integral >= 0;
  c.ftz = decoder.take("ftz");
  c.saturate = decoder.take("sat");
  c.satfinite = decoder.take("satfinite");
  c.relu = decoder.take("relu");
  c.to = decoder.takeType();
  c.from = decoder.takeType();
  bool narrow = c.to == Type::E4M3x2 || c.to == Type::E5M2x2;
  if (c.from == Type::E4M3x2 || c.from == Type::E5M2x2)
    return c.to == Type::F16x2 &&
           decodeOperands(decoder, Type::B32, Type::B16) &&
           finish(decoder, widenPair);
  if (narrow || c.to == Type::F16x2 || c.to == Type::BF16x2)
    return c.from == Type::F32 && (!narrow || c.satfinite) &&
           decodeOperands(decoder, narrow ? Type::B16 : Type::B32, Type::F32,
                          Type::F32) &&
           finish(decoder, convertPair);
  auto scalar = [](Type type) {
    return isInteger(type) || type == Type::F16 || type == Type::BF16 ||
           type == Type::F32 || type == Type::F64;
  };
  if ((!scalar(c.to) && c.to != Type::TF32) || !scalar(c.from))
    return false;
  bool toFloat = isFloating(c.to), fromFloat = isFloating(c.from);
  // A rounding is asked for where one can be needed, and nowhere else.
  if (fromFloat && !toFloat && !c.toInteger)
    return decoder.fail("takes a rounding: .rni, .rzi, .rmi or .rpi");
  bool needs = toFloat && (!fromFloat || bitsOf(c.to) < bitsOf(c.from) ||
                           c.to == Type::TF32);
  if (needs && !given)
    return decoder.fail("takes a rounding: .rn, .rz, .rm or .rp");
  Type to = c.to == Type::TF32 ? Type::B32 : c.to;
  return decoder.count(2) &&
         decoder.wideDestination(decoder.operand(0), to, inst.dst, c.toBytes) &&
         decoder.wideSource(decoder.operand(1), c.from, inst.a, c.fromBytes) &&
         finish(decoder, convert);
}

constexpr Opcode kOpcodes[] = {{"cvt", decodeCvt}};

} // namespace

Family convertFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
