// sin, cos and tan of f64, for every argument.
//
// Small arguments are reduced by pi/2 in four parts. Large ones after Payne and
// Hanek (SIGNUM Newsletter, 1983): x = m 2^q with q a multiple of 54 and m an
// integer below 2^106, and then m times (2^q 2/pi mod 4) is the number of
// quarter turns, up to whole turns. No double is nearer to a multiple of pi/2
// than 2^-61 quarter turns, which the 265 bits taken of 2/pi leave exact.

#include "passes/Kernel/Math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>

using namespace mlir;

namespace heddle::float64 {

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

/// a + b exactly, as the rounded sum and what it lacks.
static std::pair<Value, Value> exactSum(FloatBuilder &b, Value x, Value y) {
  Value sum = b.add(x, y);
  Value second = b.sub(sum, x);
  Value first = b.sub(sum, second);
  return {sum, b.add(b.sub(x, first), b.sub(y, second))};
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
  return {b.add(angle, error), count};
}

QuarterTurns reduceAnyArgument(
    FloatBuilder &b, Value x,
    llvm::function_ref<QuarterTurns(FloatBuilder &, Value)> reduceLarge) {
  OpBuilder &builder = b.builder;
  Value large = b.less(b.c(0x1p20), b.abs(x));
  if (isa<VectorType>(large.getType()))
    large = vector::ReductionOp::create(builder, b.loc,
                                        vector::CombiningKind::OR, large);
  QuarterTurns angle = reduceQuarterTurns(b, x);
  auto branch = scf::IfOp::create(
      builder, b.loc, TypeRange{angle.rest.getType(), angle.count.getType()},
      large, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, b.loc, ValueRange{angle.rest, angle.count});
  builder.setInsertionPointToStart(branch.thenBlock());
  QuarterTurns exact = reduceLarge(b, x);
  Value small = b.less(b.abs(x), b.c(0x1p20));
  scf::YieldOp::create(builder, b.loc,
                       ValueRange{b.select(small, angle.rest, exact.rest),
                                  b.select(small, angle.count, exact.count)});
  return {branch.getResult(0), branch.getResult(1)};
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
  Value value = b.div(sineOf(b, angle, 0), sineOf(b, angle, 1));
  return b.select(b.equal(x, b.c(0)), x, value);
}

} // namespace heddle::float64
