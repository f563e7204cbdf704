// What integers and floats share: the words of their instructions.

#ifndef HEDDLE_TEST_EMULATOR_INSTRUCTIONS_ARITHMETIC_H
#define HEDDLE_TEST_EMULATOR_INSTRUCTIONS_ARITHMETIC_H

#include "test/emulator/instructions/Families.h"
#include "test/emulator/machine/Formats.h"

namespace heddle::emulator {

// Integer.cpp, WideInteger.cpp
bool decodeIntegerBinary(Decoder &decoder);
bool decodeIntegerMultiply(Decoder &decoder);
bool decodeWideMultiply(Decoder &decoder);
bool decodeCarry(Decoder &decoder);
bool decodeIntegerUnary(Decoder &decoder);

// Float.cpp: f32, f64, pairs of f32; Half.cpp: f16, bf16 and pairs of them.
bool decodeFloatArithmetic(Decoder &decoder);
bool decodeFloatUnary(Decoder &decoder);
/// rcp and sqrt that are not approximate.
bool decodeRoundedUnary(Decoder &decoder, Rounding rounding);
bool decodeHalfArithmetic(Decoder &decoder);
bool decodeMixedArithmetic(Decoder &decoder);

/// What modifiers say of rounding; `given` is false where none does.
Rounding takeRounding(Decoder &decoder, bool &given);

/// RoundedDouble.cpp: double arithmetic under a rounding direction.
enum class DoubleOp : uint8_t { Add, Sub, Mul, Fma, Div, Rcp, Sqrt };
double roundedDouble(DoubleOp op, double a, double b, double c,
                     Rounding rounding);

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_INSTRUCTIONS_ARITHMETIC_H
