// Functions that devices approximate: rcp, sqrt, rsqrt, ex2, lg2, sin, cos,
// tanh. Here they are right to the last place, which is within every bound that
// the ISA states.

#include "test/emulator/instructions/Arithmetic.h"
#include "test/emulator/instructions/Lanes.h"

namespace heddle::emulator {
namespace {

enum class Function : uint8_t { Rcp, Sqrt, Rsqrt, Ex2, Lg2, Sin, Cos, Tanh };

template <Function function> float valueOf(float x) {
  switch (function) {
  case Function::Rcp:
    return 1.0f / x;
  case Function::Sqrt:
    return __builtin_sqrtf(x);
  case Function::Rsqrt:
    return float(1.0 / __builtin_sqrt(double(x)));
  case Function::Ex2:
    return exp2f(x);
  case Function::Lg2:
    return log2f(x);
  case Function::Sin:
    return sinf(x);
  case Function::Cos:
    return cosf(x);
  case Function::Tanh:
    return tanhf(x);
  }
  return 0;
}

template <Function function, bool ftz> float approximate(float x) {
  if (!ftz)
    return canonical(valueOf<function>(x));
  return canonical(flush(valueOf<function>(flush(x))));
}

template <Function function, bool bfloat> uint16_t ofHalf(uint16_t code) {
  // Results are far from the middle between two halves, or exact.
  float x = bfloat ? bfloatToFloat(code) : halfToFloat(code);
  float value = canonical(valueOf<function>(x));
  return bfloat ? floatToBfloat(value) : floatToHalf(value);
}
template <Function function, bool bfloat> uint32_t ofPair(uint32_t codes) {
  uint32_t low = ofHalf<function, bfloat>(uint16_t(codes));
  uint32_t high = ofHalf<function, bfloat>(uint16_t(codes >> 16));
  return low | high << 16;
}

template <Function function> Handler handlerOf(Type type, bool ftz) {
  switch (type) {
  case Type::F32:
    return ftz ? Handler(unary<float, float, approximate<function, true>>)
               : Handler(unary<float, float, approximate<function, false>>);
  case Type::F16:
    return unary<uint16_t, uint16_t, ofHalf<function, false>>;
  case Type::BF16:
    return unary<uint16_t, uint16_t, ofHalf<function, true>>;
  case Type::F16x2:
    return unary<uint32_t, uint32_t, ofPair<function, false>>;
  case Type::BF16x2:
    return unary<uint32_t, uint32_t, ofPair<function, true>>;
  default:
    return nullptr;
  }
}

/// rcp and rsqrt of doubles take and give the upper half of the bits.
template <bool root> uint64_t upperHalf(uint64_t bits) {
  double x = bitCast<double>(bits & ~uint64_t(0xffffffff));
  if (!(bits & (uint64_t(0x7ff) << 52)))
    x = std::signbit(x) ? -0.0 : 0.0;
  double value = root ? 1 / std::sqrt(x) : 1 / x;
  uint64_t result = bitCast<uint64_t>(value);
  if (!(result & (uint64_t(0x7ff) << 52)))
    result &= uint64_t(1) << 63;
  return value != value ? uint64_t(0x7fffffff) << 32
                        : result & ~uint64_t(0xffffffff);
}

bool decodeFunction(Decoder &decoder) {
  const std::string &name = decoder.statement->parts[0];
  bool given = false;
  Rounding rounding = takeRounding(decoder, given);
  if (given && (name == "rcp" || name == "sqrt"))
    return decodeRoundedUnary(decoder, rounding);
  if (given || !decoder.take("approx"))
    return false;
  bool ftz = decoder.take("ftz");
  Type type = decoder.takeType();
  if (!decodeOperands(decoder, type, type))
    return false;
  bool half = type != Type::F32;
  if (type == Type::F64) {
    using W = uint64_t;
    if (!ftz && name == "rcp")
      return decoder.unknown();
    return finish(decoder,
                  name == "rcp"     ? Handler(unary<W, W, upperHalf<false>>)
                  : name == "rsqrt" ? Handler(unary<W, W, upperHalf<true>>)
                                    : nullptr);
  }
  if (name == "ex2")
    return finish(decoder, handlerOf<Function::Ex2>(type, ftz));
  if (name == "tanh")
    return finish(decoder, handlerOf<Function::Tanh>(type, ftz));
  if (half)
    return decoder.unknown();
  return finish(decoder, name == "rcp"    ? handlerOf<Function::Rcp>(type, ftz)
                         : name == "sqrt" ? handlerOf<Function::Sqrt>(type, ftz)
                         : name == "rsqrt"
                             ? handlerOf<Function::Rsqrt>(type, ftz)
                         : name == "lg2" ? handlerOf<Function::Lg2>(type, ftz)
                         : name == "sin" ? handlerOf<Function::Sin>(type, ftz)
                                         : handlerOf<Function::Cos>(type, ftz));
}

constexpr Opcode kOpcodes[] = {
    {"rcp", decodeFunction},   {"sqrt", decodeFunction},
    {"rsqrt", decodeFunction}, {"ex2", decodeFunction},
    {"lg2", decodeFunction},   {"sin", decodeFunction},
    {"cos", decodeFunction},   {"tanh", decodeFunction},
};

} // namespace

Family approximateFamily() {
  return {std::begin(kOpcodes), std::end(kOpcodes)};
}

} // namespace heddle::emulator
