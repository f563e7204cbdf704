// Arithmetic of f32, f64 and pairs of f32 as IEEE 754 says: add, sub, mul,
// fma, div, rcp, sqrt, min, max, neg, abs; copysign, testp.

#include "test/emulator/instructions/Arithmetic.h"
#include "test/emulator/instructions/Lanes.h"

#include <cfloat>

namespace heddle::emulator {
namespace {

template <bool ftz> float in(float value) { return ftz ? flush(value) : value; }
template <bool ftz, bool sat> float out(float value) {
  value = canonical(ftz ? flush(value) : value);
  return sat ? clampToOne(value) : value;
}

template <bool ftz, bool sat> float addOf(float a, float b) {
  return out<ftz, sat>(in<ftz>(a) + in<ftz>(b));
}
template <bool ftz, bool sat> float subOf(float a, float b) {
  return out<ftz, sat>(in<ftz>(a) - in<ftz>(b));
}
template <bool ftz, bool sat> float mulOf(float a, float b) {
  return out<ftz, sat>(in<ftz>(a) * in<ftz>(b));
}
template <bool ftz, bool sat> float divOf(float a, float b) {
  return out<ftz, sat>(in<ftz>(a) / in<ftz>(b));
}
template <bool ftz, bool sat> float fmaOf(float a, float b, float c) {
  return out<ftz, sat>(__builtin_fmaf(in<ftz>(a), in<ftz>(b), in<ftz>(c)));
}

template <bool ftz, bool sat> struct Single {
  static constexpr Handler add = binary<float, float, float, addOf<ftz, sat>>;
  static constexpr Handler sub = binary<float, float, float, subOf<ftz, sat>>;
  static constexpr Handler mul = binary<float, float, float, mulOf<ftz, sat>>;
  static constexpr Handler div = binary<float, float, float, divOf<ftz, sat>>;
  static constexpr Handler fma =
      ternary<float, float, float, float, fmaOf<ftz, sat>>;
};

template <bool ftz, bool sat> Handler nearest(DoubleOp op) {
  using Of = Single<ftz, sat>;
  switch (op) {
  case DoubleOp::Add:
    return Of::add;
  case DoubleOp::Sub:
    return Of::sub;
  case DoubleOp::Mul:
    return Of::mul;
  case DoubleOp::Div:
    return Of::div;
  default:
    return op == DoubleOp::Fma ? Of::fma : nullptr;
  }
}

/// The double of the exact result, rounded to odd.
double oddResult(DoubleOp op, double a, double b, double c) {
  switch (op) {
  case DoubleOp::Add:
    return addToOdd(a, b);
  case DoubleOp::Sub:
    return addToOdd(a, -b);
  case DoubleOp::Mul:
    return a * b;
  case DoubleOp::Fma:
    return multiplyAddToOdd(a, b, c);
  case DoubleOp::Rcp:
    b = a;
    a = 1;
    [[fallthrough]];
  case DoubleOp::Div: {
    double quotient = a / b;
    double rest = std::isfinite(quotient) ? std::fma(-quotient, b, a) : 0;
    return toOdd(quotient, std::signbit(b) ? -rest : rest);
  }
  case DoubleOp::Sqrt: {
    double root = std::sqrt(a);
    return toOdd(root, std::isfinite(root) ? std::fma(-root, root, a) : 0);
  }
  }
  return 0;
}

enum Flags : uint8_t { kFtz = 1, kSat = 2 };

/// Any operation on f32 under any rounding. mode: rounding; count: operation.
void roundedSingle(Warp &warp, const Inst &inst, uint32_t mask) {
  const float *a = warp.lanes<float>(inst.a), *b = warp.lanes<float>(inst.b),
              *c = warp.lanes<float>(inst.c);
  auto op = DoubleOp(inst.count);
  auto rounding = Rounding(inst.mode);
  bool ftz = inst.flags & kFtz;
  float result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    float x = ftz ? flush(a[lane]) : a[lane],
          y = ftz ? flush(b[lane]) : b[lane],
          z = ftz ? flush(c[lane]) : c[lane];
    double exact = oddResult(op, x, y, z);
    // An exact zero of terms with unlike signs is negative when rounded down.
    if (exact == 0 && rounding == Rounding::Down) {
      double left = op == DoubleOp::Fma ? double(x) * y : x;
      double right = op == DoubleOp::Fma ? z : op == DoubleOp::Sub ? -y : y;
      bool sum =
          op == DoubleOp::Add || op == DoubleOp::Sub || op == DoubleOp::Fma;
      if (sum && std::signbit(left) != std::signbit(right))
        exact = -0.0;
    }
    float value = bitCast<float>(encode(exact, kF32, rounding, false));
    value = canonical(ftz ? flush(value) : value);
    result[lane] = inst.flags & kSat ? clampToOne(value) : value;
  }
  writeLanes(warp, inst.dst, result, mask);
}

void roundedDoubles(Warp &warp, const Inst &inst, uint32_t mask) {
  const double *a = warp.lanes<double>(inst.a), *b = warp.lanes<double>(inst.b),
               *c = warp.lanes<double>(inst.c);
  double *into = warp.lanes<double>(inst.dst);
  forLanes(mask, [&](unsigned lane) {
    into[lane] = roundedDouble(DoubleOp(inst.count), a[lane], b[lane], c[lane],
                               Rounding(inst.mode));
  });
}

double addDouble(double a, double b) { return a + b; }
double subDouble(double a, double b) { return a - b; }
double mulDouble(double a, double b) { return a * b; }
double divDouble(double a, double b) { return a / b; }
double fmaDouble(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

Handler nearestDouble(DoubleOp op) {
  using D = double;
  switch (op) {
  case DoubleOp::Add:
    return binary<D, D, D, addDouble>;
  case DoubleOp::Sub:
    return binary<D, D, D, subDouble>;
  case DoubleOp::Mul:
    return binary<D, D, D, mulDouble>;
  case DoubleOp::Div:
    return binary<D, D, D, divDouble>;
  case DoubleOp::Fma:
    return ternary<D, D, D, D, fmaDouble>;
  default:
    return roundedDoubles;
  }
}

/// Both floats of a 64-bit register; as roundedSingle otherwise.
void pairs(Warp &warp, const Inst &inst, uint32_t mask) {
  const auto *a = warp.lanes<uint64_t>(inst.a),
             *b = warp.lanes<uint64_t>(inst.b),
             *c = warp.lanes<uint64_t>(inst.c);
  auto *into = warp.lanes<uint64_t>(inst.dst);
  bool ftz = inst.flags & kFtz;
  forLanes(mask, [&](unsigned lane) {
    uint64_t result = 0;
    for (unsigned part = 0; part < 2; ++part) {
      auto pick = [&](uint64_t from) {
        float value = bitCast<float>(uint32_t(from >> (32 * part)));
        return ftz ? flush(value) : value;
      };
      double exact = oddResult(DoubleOp(inst.count), pick(a[lane]),
                               pick(b[lane]), pick(c[lane]));
      float value =
          bitCast<float>(encode(exact, kF32, Rounding(inst.mode), false));
      value = canonical(ftz ? flush(value) : value);
      result |= uint64_t(bitCast<uint32_t>(value)) << (32 * part);
    }
    into[lane] = result;
  });
}

/// The smaller or larger; a NaN loses unless `nan`. -0 is less than 0.
template <bool larger, bool nan, bool ftz> float extreme(float a, float b) {
  a = in<ftz>(a);
  b = in<ftz>(b);
  bool aNan = a != a, bNan = b != b;
  bool bWins = larger ? b > a : b < a;
  bool bZero = a == b && (larger ? !std::signbit(b) : std::signbit(b));
  float result = aNan ? b : (bWins || bZero) && !bNan ? b : a;
  if (nan && (aNan || bNan))
    result = NAN;
  return canonical(result);
}

template <bool larger> double extremeDouble(double a, double b) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b)
    return (larger ? std::signbit(a) : std::signbit(b)) ? b : a;
  return (larger ? b > a : b < a) ? b : a;
}

template <bool larger> Handler singleExtreme(bool nan, bool ftz) {
  using F = float;
  if (nan)
    return ftz ? Handler(binary<F, F, F, extreme<larger, true, true>>)
               : Handler(binary<F, F, F, extreme<larger, true, false>>);
  return ftz ? Handler(binary<F, F, F, extreme<larger, false, true>>)
             : Handler(binary<F, F, F, extreme<larger, false, false>>);
}

/// min and max with what is rarer: three operands (mode 1), xorsign.abs.
void extremesOfThree(Warp &warp, const Inst &inst, uint32_t mask) {
  const float *from[3] = {warp.lanes<float>(inst.a), warp.lanes<float>(inst.b),
                          warp.lanes<float>(inst.c)};
  bool larger = inst.mode & 1, nan = inst.mode & 2, three = inst.mode & 4,
       xorSign = inst.mode & 8, ftz = inst.flags & kFtz;
  float *into = warp.lanes<float>(inst.dst);
  auto choose = [&](float x, float y) {
    if (larger)
      return nan ? extreme<true, true, false>(x, y)
                 : extreme<true, false, false>(x, y);
    return nan ? extreme<false, true, false>(x, y)
               : extreme<false, false, false>(x, y);
  };
  forLanes(mask, [&](unsigned lane) {
    float value[3];
    uint32_t sign = 0;
    for (unsigned i = 0; i < (three ? 3 : 2); ++i) {
      value[i] = ftz ? flush(from[i][lane]) : from[i][lane];
      sign ^= bitCast<uint32_t>(value[i]) & 0x80000000;
      if (xorSign)
        value[i] = std::fabs(value[i]);
    }
    float result = choose(value[0], value[1]);
    if (three)
      result = choose(result, value[2]);
    if (xorSign && result == result)
      result = bitCast<float>(bitCast<uint32_t>(result) | sign);
    into[lane] = result;
  });
}

bool decodeExtreme(Decoder &decoder, bool larger) {
  bool ftz = decoder.take("ftz"), nan = decoder.take("NaN");
  bool xorSign = decoder.take("xorsign");
  if (xorSign && !decoder.take("abs"))
    return false;
  Type type = decoder.takeType();
  bool three = decoder.operands() == 4;
  if (!decodeOperands(decoder, type, type, type, three ? type : Type::None))
    return false;
  using D = double;
  if (type == Type::F64)
    return finish(decoder,
                  ftz || nan || three || xorSign ? nullptr
                  : larger ? Handler(binary<D, D, D, extremeDouble<true>>)
                           : Handler(binary<D, D, D, extremeDouble<false>>));
  if (type != Type::F32)
    return false;
  decoder.inst.mode = uint8_t(larger | nan << 1 | three << 2 | xorSign << 3);
  decoder.inst.flags = ftz ? kFtz : 0;
  if (three || xorSign)
    return finish(decoder, extremesOfThree);
  return finish(decoder, larger ? singleExtreme<true>(nan, ftz)
                                : singleExtreme<false>(nan, ftz));
}

} // namespace

bool decodeFloatArithmetic(Decoder &decoder) {
  const std::string &name = decoder.statement->parts[0];
  if (name == "min" || name == "max")
    return decodeExtreme(decoder, name == "max");
  DoubleOp op = name == "add"   ? DoubleOp::Add
                : name == "sub" ? DoubleOp::Sub
                : name == "mul" ? DoubleOp::Mul
                : name == "div" ? DoubleOp::Div
                                : DoubleOp::Fma;
  bool given = false;
  Rounding rounding = takeRounding(decoder, given);
  bool loose =
      op == DoubleOp::Div && (decoder.take("approx") || decoder.take("full"));
  if (op == DoubleOp::Div && !given && !loose)
    return false;
  bool ftz = decoder.take("ftz"), sat = decoder.take("sat");
  Type type = decoder.takeType();
  bool three = op == DoubleOp::Fma;
  if (!decodeOperands(decoder, type, type, type, three ? type : Type::None))
    return false;
  Inst &inst = decoder.inst;
  inst.mode = uint8_t(rounding);
  inst.count = uint8_t(op);
  inst.flags = uint8_t((ftz ? kFtz : 0) | (sat ? kSat : 0));
  if (type == Type::F32x2)
    return decoder.needs(100) && finish(decoder, sat ? nullptr : pairs);
  if (type == Type::F64)
    return finish(decoder, ftz || sat                      ? nullptr
                           : rounding == Rounding::Nearest ? nearestDouble(op)
                                                           : roundedDoubles);
  if (type != Type::F32)
    return false;
  if (rounding != Rounding::Nearest)
    return finish(decoder, roundedSingle);
  if (sat)
    return finish(decoder,
                  ftz ? nearest<true, true>(op) : nearest<false, true>(op));
  return finish(decoder,
                ftz ? nearest<true, false>(op) : nearest<false, false>(op));
}

namespace {

template <bool ftz> float negative(float a) {
  return bitCast<float>(bitCast<uint32_t>(in<ftz>(a)) ^ 0x80000000);
}
template <bool ftz> float absolute(float a) {
  return bitCast<float>(bitCast<uint32_t>(in<ftz>(a)) & 0x7fffffff);
}
double negativeDouble(double a) { return -a; }
double absoluteDouble(double a) { return std::fabs(a); }

uint32_t signOf(uint32_t a, uint32_t b) {
  return (a & 0x80000000) | (b & 0x7fffffff);
}
uint64_t signOfDouble(uint64_t a, uint64_t b) {
  uint64_t sign = uint64_t(1) << 63;
  return (a & sign) | (b & ~sign);
}

bool decodeCopysign(Decoder &decoder) {
  Type type = decoder.takeType();
  using U = uint32_t;
  using W = uint64_t;
  return (type == Type::F32 || type == Type::F64) &&
         decodeOperands(decoder, type, type, type) &&
         finish(decoder, type == Type::F64
                             ? Handler(binary<W, W, W, signOfDouble>)
                             : Handler(binary<U, U, U, signOf>));
}

void testProperty(Warp &warp, const Inst &inst, uint32_t mask) {
  uint32_t result = 0;
  forLanes(mask, [&](unsigned lane) {
    bool wide = inst.bytes == 8;
    double value = wide ? warp.lanes<double>(inst.a)[lane]
                        : warp.lanes<float>(inst.a)[lane];
    double least = wide ? DBL_MIN : FLT_MIN;
    bool finite = std::isfinite(value), small = std::fabs(value) < least;
    bool holds[] = {finite,
                    std::isinf(value),
                    !std::isnan(value),
                    std::isnan(value),
                    finite && !small,
                    small && value != 0};
    result |= uint32_t(holds[inst.mode]) << lane;
  });
  warp.setPredicate(inst.dst, result, mask);
}

bool decodeTestp(Decoder &decoder) {
  int property = decoder.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Type type = decoder.takeType();
  if (property < 0 || (type != Type::F32 && type != Type::F64))
    return false;
  decoder.inst.mode = uint8_t(property);
  decoder.inst.bytes = uint8_t(bytesOf(type));
  return decodeOperands(decoder, Type::Pred, type) &&
         finish(decoder, testProperty);
}

} // namespace

bool decodeRoundedUnary(Decoder &decoder, Rounding rounding) {
  bool root = decoder.statement->parts[0] == "sqrt";
  bool ftz = decoder.take("ftz");
  Type type = decoder.takeType();
  if (!decodeOperands(decoder, type, type))
    return false;
  Inst &inst = decoder.inst;
  inst.b = inst.c = inst.a;
  inst.mode = uint8_t(rounding);
  inst.count = uint8_t(root ? DoubleOp::Sqrt : DoubleOp::Rcp);
  inst.flags = ftz ? kFtz : 0;
  if (type == Type::F64)
    return finish(decoder, ftz ? nullptr : roundedDoubles);
  return type == Type::F32 && finish(decoder, roundedSingle);
}

bool decodeFloatUnary(Decoder &decoder) {
  bool negate = decoder.statement->parts[0] == "neg";
  bool ftz = decoder.take("ftz");
  Type type = decoder.takeType();
  if (!decodeOperands(decoder, type, type))
    return false;
  using F = float;
  if (type == Type::F64)
    return finish(decoder,
                  negate ? Handler(unary<double, double, negativeDouble>)
                         : Handler(unary<double, double, absoluteDouble>));
  if (ftz)
    return finish(decoder, negate ? Handler(unary<F, F, negative<true>>)
                                  : Handler(unary<F, F, absolute<true>>));
  return finish(decoder, negate ? Handler(unary<F, F, negative<false>>)
                                : Handler(unary<F, F, absolute<false>>));
}

namespace {
constexpr Opcode kOpcodes[] = {{"copysign", decodeCopysign},
                               {"testp", decodeTestp}};
} // namespace

Family floatFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
