// sin, cos and tan of f64, for every argument.
//
// Small arguments are reduced by pi/2 in four parts. Large ones after Payne and
// Hanek (SIGNUM Newsletter, 1983): x = m 2^q with q a multiple of 54 and m an
// integer below 2^106, and then m times (2^q 2/pi mod 4) is the number of
// quarter turns, up to whole turns. No double is nearer to a multiple of pi/2
// than 2^-61 quarter turns, which the 265 bits taken of 2/pi leave exact.

#include "passes/Kernel/Math/Functions.h"
#include "passes/Math/Pair.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;

namespace heddle::float64 {

static constexpr double pi = 3.14159265358979323846;
static constexpr double halfPi = 1.57079632679489661923;
static constexpr double halfPiLow = 6.12323399573676588614e-17;

/// The bits of 2/pi behind the point.
static constexpr uint64_t twoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/// Exponents between the rows of the table, rows and parts of each.
static constexpr int step = 54, rows = 18, partCount = 5;

/// Part `part` of 2^(step row) 2/pi mod 4: 53 bits, the first of weight 2.
static double turnsPart(int row, int part) {
  int first = step * row - 1 + 53 * part;
  double value = 0;
  for (int bit = first; bit < first + 53; ++bit) {
    bool isSet =
        bit >= 1 && (twoOverPi[(bit - 1) / 64] >> (63 - (bit - 1) % 64) & 1);
    value = 2 * value + isSet;
  }
  return std::ldexp(value, 1 - 53 * part - 52);
}

/// `x` without whole turns, exactly; less than one turn.
static Value withoutTurns(FloatBuilder &b, Value x) {
  return b.sub(x, b.mul(b.trunc(b.mul(x, b.c(0.25))), b.c(4)));
}

static QuarterTurns reduceLarge(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value scale = b.c(1);
  SmallVector<Value> parts;
  for (int part = 0; part < partCount; ++part)
    parts.push_back(b.c(turnsPart(0, part)));
  for (int row = 1; row < rows; ++row) {
    // From here on x / 2^q is an integer.
    Value below = b.less(size, b.c(std::ldexp(1.0, 52 + step * row)));
    scale = b.select(below, scale, b.c(std::ldexp(1.0, -step * row)));
    for (int part = 0; part < partCount; ++part)
      parts[part] = b.select(below, parts[part], b.c(turnsPart(row, part)));
  }
  Value m = b.mul(x, scale);
  // The sum in three levels: what the first loses the second gathers.
  Value sum = b.c(0), lost = b.c(0), rest = b.c(0);
  auto add = [&](Value term) {
    auto [next, error] = exactSum(b, sum, withoutTurns(b, term));
    auto [nextLost, errorOfError] = exactSum(b, lost, error);
    sum = next;
    lost = nextLost;
    rest = b.add(rest, errorOfError);
  };
  for (Value part : parts) {
    auto [high, low] = b.exactProduct(m, part);
    add(high);
    add(low);
  }
  auto [whole, count] = b.nearest(sum, 1);
  auto [turns, tail] = exactSum(b, b.sub(sum, whole), lost);
  tail = b.add(tail, rest);
  auto [angle, error] = b.exactProduct(turns, b.c(halfPi));
  error = b.add(error,
                b.add(b.mul(turns, b.c(halfPiLow)), b.mul(tail, b.c(halfPi))));
  Pair value = orderedSum(b, angle, error);
  return {value.high, value.low, count};
}

QuarterTurns reduceQuarterTurns(FloatBuilder &b, Value x) {
  // pi/2 in four parts of 33 bits (fdlibm, e_rem_pio2.c).
  static constexpr double parts[] = {
      1.57079632673412561417e+00, 6.07710050630396597660e-11,
      2.02226624871116645580e-21, 8.47842766036889956997e-32};
  auto [whole, n] = b.nearest(x, 2 / pi);
  Value r = b.fma(whole, b.c(-parts[0]), x);
  if (!b.compensates) {
    for (int part = 1; part < 4; ++part)
      r = b.fma(whole, b.c(-parts[part]), r);
    return {r, {}, n};
  }
  // The products are exact for |n| < 2^20.
  Pair first = exactSum(b, r, b.mul(whole, b.c(-parts[1])));
  Pair second = exactSum(b, first.high, b.mul(whole, b.c(-parts[2])));
  Value rest = b.fma(whole, b.c(-parts[3]), b.add(first.low, second.low));
  Pair value = orderedSum(b, second.high, rest);
  return {value.high, value.low, n};
}

/// Sine and cosine of |r| <= pi/4 by Taylor's series: 2e-18.
static Pair sineReduced(FloatBuilder &b, QuarterTurns angle, Pair square) {
  static constexpr double series[] = {-1.0 / 6,
                                      1.0 / 120,
                                      -1.0 / 5040,
                                      1.0 / 362880,
                                      -1.0 / 39916800,
                                      1.0 / 6227020800.0,
                                      -1.0 / 1307674368000.0,
                                      1.0 / 355687428096000.0};
  Value r = angle.rest, z = square.high;
  if (!b.compensates)
    return {b.fma(b.mul(z, r), b.polynomial(z, series), r), {}};
  // The first two terms exactly.
  Pair cube = multiply(b, square, {r, {}});
  Pair sixth =
      multiply(b, cube, {b.c(series[0]), b.c(-9.25185853854297066e-18)});
  Pair value = orderedSum(b, r, sixth.high);
  Value beyond = b.polynomial(z, ArrayRef<double>(series).drop_front());
  beyond = b.fma(b.mul(cube.high, z), beyond, sixth.low);
  // The derivative is 1 - r^2/2.
  if (angle.tail)
    beyond = b.add(beyond, b.fma(b.mul(z, b.c(-0.5)), angle.tail, angle.tail));
  return orderedSum(b, value.high, b.add(value.low, beyond));
}

static Pair cosineReduced(FloatBuilder &b, QuarterTurns angle, Pair square) {
  static constexpr double series[] = {1.0 / 24,
                                      -1.0 / 720,
                                      1.0 / 40320,
                                      -1.0 / 3628800,
                                      1.0 / 479001600,
                                      -1.0 / 87178291200.0,
                                      1.0 / 20922789888000.0};
  Value z = square.high;
  Value beyond = b.mul(b.mul(z, z), b.polynomial(z, series));
  if (square.low)
    beyond = b.fma(square.low, b.c(-0.5), beyond);
  if (angle.tail)
    beyond = b.fma(b.neg(angle.rest), angle.tail, beyond);
  Pair value = orderedSum(b, b.c(1), b.mul(z, b.c(-0.5)));
  beyond = evaluate(b, {beyond, value.low});
  return orderedSum(b, value.high, beyond);
}

static Pair sinePair(FloatBuilder &b, QuarterTurns angle, int64_t shift) {
  Pair square = exactProduct(b, angle.rest, angle.rest);
  Pair sin = sineReduced(b, angle, square);
  Pair cos = cosineReduced(b, angle, square);
  Value quadrant = b.iadd(angle.count, b.i(shift));
  Value isSine = b.iequal(b.iand(quadrant, b.i(1)), b.i(0));
  Pair value = select(b, isSine, sin, cos);
  Value positive = b.iequal(b.iand(quadrant, b.i(2)), b.i(0));
  return select(b, positive, value, negate(b, value));
}

Value sineOf(FloatBuilder &b, QuarterTurns angle, int64_t shift) {
  return evaluate(b, sinePair(b, angle, shift));
}

QuarterTurns reduceAnyArgument(
    FloatBuilder &b, Value x,
    llvm::function_ref<QuarterTurns(FloatBuilder &, Value)> reduceLarge) {
  OpBuilder &builder = b.builder;
  Value large = b.less(b.c(0x1p20), b.abs(x));
  if (isa<VectorType>(large.getType()))
    large = vector::ReductionOp::create(builder, b.loc,
                                        vector::CombiningKind::OR, large);
  auto values = [](QuarterTurns angle) {
    SmallVector<Value> all = {angle.rest, angle.count};
    if (angle.tail)
      all.push_back(angle.tail);
    return all;
  };
  QuarterTurns angle = reduceQuarterTurns(b, x);
  SmallVector<Value> near = values(angle);
  auto branch =
      scf::IfOp::create(builder, b.loc, ValueRange(near).getTypes(), large,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, b.loc, near);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> far = values(reduceLarge(b, x));
  Value small = b.less(b.abs(x), b.c(0x1p20));
  SmallVector<Value> chosen;
  for (auto [ofSmall, ofLarge] : llvm::zip_equal(near, far))
    chosen.push_back(b.select(small, ofSmall, ofLarge));
  scf::YieldOp::create(builder, b.loc, chosen);
  return {branch.getResult(0), angle.tail ? branch.getResult(2) : Value(),
          branch.getResult(1)};
}

Value sin(FloatBuilder &b, Value x) {
  Value value = sineOf(b, reduceAnyArgument(b, x, reduceLarge), 0);
  return b.select(b.equal(x, b.c(0)), x, value);
}

Value cos(FloatBuilder &b, Value x) {
  return sineOf(b, reduceAnyArgument(b, x, reduceLarge), 1);
}

Value tan(FloatBuilder &b, Value x) {
  QuarterTurns angle = reduceAnyArgument(b, x, reduceLarge);
  Value value =
      evaluate(b, divide(b, sinePair(b, angle, 0), sinePair(b, angle, 1)));
  return b.select(b.equal(x, b.c(0)), x, value);
}

} // namespace heddle::float64
