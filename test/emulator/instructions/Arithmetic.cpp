// The words that integers and floats share: add, sub, mul, mad, div, min, max,
// neg, abs. The type decides who decodes them.

#include "test/emulator/instructions/Arithmetic.h"
#include "test/emulator/instructions/Lanes.h"

namespace heddle::emulator {
namespace {

enum class Kind { Integer, Half, Single, Mixed };

Kind kindOf(const Decoder &decoder) {
  Kind kind = Kind::Integer;
  for (const std::string &part : decoder.statement->parts) {
    Type type = typeOfName(part);
    bool half = type == Type::F16 || type == Type::F16x2 ||
                type == Type::BF16 || type == Type::BF16x2;
    bool single = type == Type::F32 || type == Type::F32x2 || type == Type::F64;
    if (half && kind == Kind::Single)
      return Kind::Mixed;
    if (half)
      kind = Kind::Half;
    if (single)
      kind = Kind::Single;
  }
  return kind;
}

bool decodeAny(Decoder &decoder) {
  const std::string &name = decoder.statement->parts[0];
  switch (kindOf(decoder)) {
  case Kind::Half:
    return decodeHalfArithmetic(decoder);
  case Kind::Mixed:
    return decodeMixedArithmetic(decoder);
  case Kind::Single:
    return name == "neg" || name == "abs" ? decodeFloatUnary(decoder)
                                          : decodeFloatArithmetic(decoder);
  case Kind::Integer:
    break;
  }
  for (const std::string &part : decoder.statement->parts) {
    if (part == "cc")
      return decodeCarry(decoder);
    if (part == "wide")
      return decodeWideMultiply(decoder);
  }
  if (name == "neg" || name == "abs")
    return decodeIntegerUnary(decoder);
  if (name == "mul" || name == "mad")
    return decodeIntegerMultiply(decoder);
  return name != "fma" && decodeIntegerBinary(decoder);
}

constexpr Opcode kOpcodes[] = {
    {"add", decodeAny}, {"sub", decodeAny}, {"mul", decodeAny},
    {"mad", decodeAny}, {"fma", decodeAny}, {"div", decodeAny},
    {"min", decodeAny}, {"max", decodeAny}, {"neg", decodeAny},
    {"abs", decodeAny},
};

} // namespace

Rounding takeRounding(Decoder &decoder, bool &given) {
  static constexpr Rounding kModes[] = {Rounding::Nearest, Rounding::Zero,
                                        Rounding::Down, Rounding::Up,
                                        Rounding::NearestAway};
  int which = decoder.takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  given = which >= 0;
  return given ? kModes[which] : Rounding::Nearest;
}

Family arithmeticFamily() { return {std::begin(kOpcodes), std::end(kOpcodes)}; }

} // namespace heddle::emulator
