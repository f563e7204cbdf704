// Unevaluated sums of two floats, for steps whose rounding would show.

#ifndef HEDDLE_PASSES_MATH_PAIR_H
#define HEDDLE_PASSES_MATH_PAIR_H

#include "passes/Math/FloatBuilder.h"

namespace heddle {

/// high + low, where |low| is at most a few units in high's last place. Without
/// `low` the number is high: all of these functions leave it away where the
/// builder does not compensate.
struct Pair {
  mlir::Value high, low;
};

/// x + y exactly (Knuth), for any two.
Pair exactSum(FloatBuilder &b, mlir::Value x, mlir::Value y);
/// x + y exactly (Dekker), for |x| >= |y| or x = 0.
Pair orderedSum(FloatBuilder &b, mlir::Value x, mlir::Value y);
/// x y exactly.
Pair exactProduct(FloatBuilder &b, mlir::Value x, mlir::Value y);

Pair add(FloatBuilder &b, Pair x, Pair y);
Pair multiply(FloatBuilder &b, Pair x, Pair y);
Pair divide(FloatBuilder &b, Pair x, Pair y);
Pair root(FloatBuilder &b, Pair x);
/// x plus something as small as its low part.
Pair addLow(FloatBuilder &b, Pair x, mlir::Value low);
Pair negate(FloatBuilder &b, Pair x);
Pair select(FloatBuilder &b, mlir::Value condition, Pair x, Pair y);
/// The sum, evaluated.
mlir::Value evaluate(FloatBuilder &b, Pair x);

} // namespace heddle

#endif // HEDDLE_PASSES_MATH_PAIR_H
