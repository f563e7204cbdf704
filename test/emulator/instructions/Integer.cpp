// Integer arithmetic whose result has the size of its operands: add, sub, mul,
// mad, div, rem, abs, neg, min, max, sad, and dot products of bytes.

#include "test/emulator/instructions/Families.h"
#include "test/emulator/instructions/Lanes.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace heddle::emulator {
namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;

template <class T> T wrap(Unsigned<T> value) { return T(value); }
template <class T> T addOf(T a, T b) {
  return T(Unsigned<T>(Unsigned<T>(a) + Unsigned<T>(b)));
}
template <class T> T subOf(T a, T b) {
  return T(Unsigned<T>(Unsigned<T>(a) - Unsigned<T>(b)));
}
template <class T> T mulOf(T a, T b) {
  // Two 16-bit operands would overflow the int they become.
  return T(uint64_t(Unsigned<T>(a)) * uint64_t(Unsigned<T>(b)));
}
template <class T> T madOf(T a, T b, T c) {
  return addOf<T>(mulOf<T>(a, b), c);
}
template <class T> T mulHighOf(T a, T b) {
  using Wide =
      std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return T((Wide(a) * Wide(b)) >> (8 * sizeof(T)));
}
template <class T> T madHighOf(T a, T b, T c) {
  return addOf<T>(mulHighOf<T>(a, b), c);
}
/// Division by zero gives all ones, the remainder the dividend: what devices
/// do where the ISA leaves it open.
template <class T> T divOf(T a, T b) {
  if (b == 0)
    return T(-1);
  if (std::is_signed_v<T> && b == T(-1))
    return T(Unsigned<T>(0) - Unsigned<T>(a));
  return T(a / b);
}
template <class T> T remOf(T a, T b) {
  if (b == 0)
    return a;
  if (std::is_signed_v<T> && b == T(-1))
    return 0;
  return T(a % b);
}
template <class T> T minOf(T a, T b) { return std::min(a, b); }
template <class T> T maxOf(T a, T b) { return std::max(a, b); }
template <class T> T minReluOf(T a, T b) {
  return std::max<T>(std::min(a, b), 0);
}
template <class T> T maxReluOf(T a, T b) {
  return std::max<T>(std::max(a, b), 0);
}
template <class T> T negOf(T a) { return T(Unsigned<T>(0) - Unsigned<T>(a)); }
template <class T> T absOf(T a) { return a < 0 ? negOf<T>(a) : a; }
template <class T> T sadOf(T a, T b, T c) {
  Unsigned<T> far =
      a < b ? Unsigned<T>(b) - Unsigned<T>(a) : Unsigned<T>(a) - Unsigned<T>(b);
  return T(Unsigned<T>(c) + far);
}
int32_t saturate(int64_t value) {
  return int32_t(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX));
}
int32_t addSaturated(int32_t a, int32_t b) { return saturate(int64_t(a) + b); }
int32_t subSaturated(int32_t a, int32_t b) { return saturate(int64_t(a) - b); }
int32_t madHighSaturated(int32_t a, int32_t b, int32_t c) {
  return saturate(((int64_t(a) * b) >> 32) + c);
}
/// A function of 16-bit halves, for both halves.
template <class T, T (*function)(T, T)>
uint32_t halves(uint32_t a, uint32_t b) {
  auto low = uint16_t(function(T(a), T(b)));
  auto high = uint16_t(function(T(a >> 16), T(b >> 16)));
  return low | uint32_t(high) << 16;
}

template <template <class> class Wrapped> Handler byType(Type type) {
  switch (type) {
  case Type::U16:
    return Wrapped<uint16_t>::run;
  case Type::S16:
    return Wrapped<int16_t>::run;
  case Type::U32:
    return Wrapped<uint32_t>::run;
  case Type::S32:
    return Wrapped<int32_t>::run;
  case Type::U64:
    return Wrapped<uint64_t>::run;
  case Type::S64:
    return Wrapped<int64_t>::run;
  default:
    return nullptr;
  }
}

template <class T> struct Add {
  static constexpr Handler run = binary<T, T, T, addOf<T>>;
};
template <class T> struct Sub {
  static constexpr Handler run = binary<T, T, T, subOf<T>>;
};
template <class T> struct Mul {
  static constexpr Handler run = binary<T, T, T, mulOf<T>>;
};
template <class T> struct MulHigh {
  static constexpr Handler run = binary<T, T, T, mulHighOf<T>>;
};
template <class T> struct Div {
  static constexpr Handler run = binary<T, T, T, divOf<T>>;
};
template <class T> struct Rem {
  static constexpr Handler run = binary<T, T, T, remOf<T>>;
};
template <class T> struct Min {
  static constexpr Handler run = binary<T, T, T, minOf<T>>;
};
template <class T> struct Max {
  static constexpr Handler run = binary<T, T, T, maxOf<T>>;
};
template <class T> struct Mad {
  static constexpr Handler run = ternary<T, T, T, T, madOf<T>>;
};
template <class T> struct MadHigh {
  static constexpr Handler run = ternary<T, T, T, T, madHighOf<T>>;
};
template <class T> struct Sad {
  static constexpr Handler run = ternary<T, T, T, T, sadOf<T>>;
};
template <class T> struct Neg {
  static constexpr Handler run = unary<T, T, negOf<T>>;
};
template <class T> struct Abs {
  static constexpr Handler run = unary<T, T, absOf<T>>;
};

} // namespace

bool decodeIntegerBinary(Decoder &decoder) {
  const std::string &name = decoder.statement->parts[0];
  bool saturated = decoder.take("sat");
  bool relu = decoder.take("relu");
  Type type = decoder.takeType();
  if (!decodeOperands(decoder, type, type, type))
    return false;
  if (type == Type::U16x2 || type == Type::S16x2) {
    bool isSigned = type == Type::S16x2;
    Handler handler = nullptr;
    if (name == "add")
      handler = binary<uint32_t, uint32_t, uint32_t,
                       halves<uint16_t, addOf<uint16_t>>>;
    else if (name == "min" && relu)
      handler = binary<uint32_t, uint32_t, uint32_t,
                       halves<int16_t, minReluOf<int16_t>>>;
    else if (name == "max" && relu)
      handler = binary<uint32_t, uint32_t, uint32_t,
                       halves<int16_t, maxReluOf<int16_t>>>;
    else if (name == "min")
      handler = isSigned ? binary<uint32_t, uint32_t, uint32_t,
                                  halves<int16_t, minOf<int16_t>>>
                         : binary<uint32_t, uint32_t, uint32_t,
                                  halves<uint16_t, minOf<uint16_t>>>;
    else if (name == "max")
      handler = isSigned ? binary<uint32_t, uint32_t, uint32_t,
                                  halves<int16_t, maxOf<int16_t>>>
                         : binary<uint32_t, uint32_t, uint32_t,
                                  halves<uint16_t, maxOf<uint16_t>>>;
    return finish(decoder, handler);
  }
  if (saturated || relu) {
    bool word = type == Type::S32;
    using W = int32_t;
    Handler handler = nullptr;
    if (word && saturated && name == "add")
      handler = binary<W, W, W, addSaturated>;
    if (word && saturated && name == "sub")
      handler = binary<W, W, W, subSaturated>;
    if (word && relu && name == "min")
      handler = binary<W, W, W, minReluOf<W>>;
    if (word && relu && name == "max")
      handler = binary<W, W, W, maxReluOf<W>>;
    return finish(decoder, handler);
  }
  if (name == "add")
    return finish(decoder, byType<Add>(type));
  if (name == "sub")
    return finish(decoder, byType<Sub>(type));
  if (name == "div")
    return finish(decoder, byType<Div>(type));
  if (name == "rem")
    return finish(decoder, byType<Rem>(type));
  return finish(decoder, name == "min" ? byType<Min>(type) : byType<Max>(type));
}

bool decodeIntegerMultiply(Decoder &decoder) {
  bool add = decoder.statement->parts[0] == "mad";
  bool high = decoder.take("hi");
  if (!high && !decoder.take("lo"))
    return decoder.unknown();
  bool saturated = decoder.take("sat");
  Type type = decoder.takeType();
  if (!decodeOperands(decoder, type, type, type, add ? type : Type::None))
    return false;
  if (saturated)
    return finish(
        decoder,
        add && high && type == Type::S32
            ? Handler(
                  ternary<int32_t, int32_t, int32_t, int32_t, madHighSaturated>)
            : nullptr);
  if (add)
    return finish(decoder, high ? byType<MadHigh>(type) : byType<Mad>(type));
  return finish(decoder, high ? byType<MulHigh>(type) : byType<Mul>(type));
}

bool decodeIntegerUnary(Decoder &decoder) {
  bool negate = decoder.statement->parts[0] == "neg";
  Type type = decoder.takeType();
  if (!isSigned(type))
    return decoder.unknown();
  return decodeOperands(decoder, type, type) &&
         finish(decoder, negate ? byType<Neg>(type) : byType<Abs>(type));
}

namespace {

bool decodeRem(Decoder &decoder) { return decodeIntegerBinary(decoder); }

bool decodeSad(Decoder &decoder) {
  Type type = decoder.takeType();
  return decodeOperands(decoder, type, type, type, type) &&
         finish(decoder, byType<Sad>(type));
}

constexpr Opcode kOpcodes[] = {{"rem", decodeRem}, {"sad", decodeSad}};

} // namespace

Family integerFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
