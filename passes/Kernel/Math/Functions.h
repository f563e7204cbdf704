// Elementary functions as arithmetic. Each is written for the FloatBuilder's
// element type: f32 in Float32.cpp and Trigonometry32.cpp, f64 in the files
// whose names end in 64. NaN gives NaN, domains and limits are those of C17
// annex F, subnormals are honoured.

#ifndef HEDDLE_PASSES_KERNEL_MATH_FUNCTIONS_H
#define HEDDLE_PASSES_KERNEL_MATH_FUNCTIONS_H

#include "passes/Math/FloatBuilder.h"

namespace heddle {

// The bounds are the largest errors measured by the unit tests, in units in the
// last place (ULP); test/unit/Kernel/MathTest.cpp holds them.
namespace float32 {
mlir::Value exp(FloatBuilder &b, mlir::Value x);   // 1 ULP
mlir::Value exp2(FloatBuilder &b, mlir::Value x);  // 1 ULP
mlir::Value expm1(FloatBuilder &b, mlir::Value x); // 1 ULP
mlir::Value log(FloatBuilder &b, mlir::Value x);   // 1 ULP
mlir::Value tanh(FloatBuilder &b, mlir::Value x);  // 1 ULP
/// 1 / (1 + exp(-x))
mlir::Value logistic(FloatBuilder &b, mlir::Value x); // 1 ULP
mlir::Value erf(FloatBuilder &b, mlir::Value x);      // 1 ULP
mlir::Value sin(FloatBuilder &b, mlir::Value x);      // 0.51 ULP
mlir::Value cos(FloatBuilder &b, mlir::Value x);      // 0.51 ULP
mlir::Value tan(FloatBuilder &b, mlir::Value x);      // 0.51 ULP
} // namespace float32

namespace float64 {
/// An angle as `count` quarters of a turn and a rest of at most half of one;
/// `tail` is what the rest lacks, if anybody asks.
struct QuarterTurns {
  mlir::Value rest, tail, count;
};
/// Exact for |x| < 2^20.
QuarterTurns reduceQuarterTurns(FloatBuilder &b, mlir::Value x);
/// The angle of any `x`: by reduceQuarterTurns, and where a lane is larger than
/// 2^20, which branches, by `reduceLarge` for those.
QuarterTurns reduceAnyArgument(
    FloatBuilder &b, mlir::Value x,
    llvm::function_ref<QuarterTurns(FloatBuilder &, mlir::Value)> reduceLarge);
/// The sine (shift 0) or cosine (shift 1) of an angle.
mlir::Value sineOf(FloatBuilder &b, QuarterTurns angle, int64_t shift);

mlir::Value exp(FloatBuilder &b, mlir::Value x);
mlir::Value exp2(FloatBuilder &b, mlir::Value x);
mlir::Value expm1(FloatBuilder &b, mlir::Value x);
mlir::Value log(FloatBuilder &b, mlir::Value x);
mlir::Value log2(FloatBuilder &b, mlir::Value x);
mlir::Value log10(FloatBuilder &b, mlir::Value x);
mlir::Value log1p(FloatBuilder &b, mlir::Value x);
mlir::Value tanh(FloatBuilder &b, mlir::Value x);
mlir::Value erf(FloatBuilder &b, mlir::Value x);
mlir::Value erfc(FloatBuilder &b, mlir::Value x);
mlir::Value sin(FloatBuilder &b, mlir::Value x);
mlir::Value cos(FloatBuilder &b, mlir::Value x);
mlir::Value tan(FloatBuilder &b, mlir::Value x);
mlir::Value asin(FloatBuilder &b, mlir::Value x);
mlir::Value acos(FloatBuilder &b, mlir::Value x);
mlir::Value atan(FloatBuilder &b, mlir::Value x);
mlir::Value atan2(FloatBuilder &b, mlir::Value y, mlir::Value x);
mlir::Value sinh(FloatBuilder &b, mlir::Value x);
mlir::Value cosh(FloatBuilder &b, mlir::Value x);
mlir::Value asinh(FloatBuilder &b, mlir::Value x);
mlir::Value acosh(FloatBuilder &b, mlir::Value x);
mlir::Value atanh(FloatBuilder &b, mlir::Value x);
mlir::Value cbrt(FloatBuilder &b, mlir::Value x);
mlir::Value pow(FloatBuilder &b, mlir::Value x, mlir::Value y);
/// The same for a result of f32's precision: 700 ULP of f64 at worst.
mlir::Value powOfSingle(FloatBuilder &b, mlir::Value x, mlir::Value y);
} // namespace float64

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_MATH_FUNCTIONS_H
