// Products, roots, exponentials and logarithms of complex numbers. The
// trigonometric functions are in ComplexTrigonometry.cpp.

#include "passes/Lower/Complex/ComplexFunctions.h"

using namespace mlir;

namespace heddle {

static constexpr double ln2 = 0.693147180559945309417232121458;

ComplexMath::Scaled ComplexMath::scaled(Parts z) {
  if (single)
    return {z, b.c(1), b.c(1), b.c(1), b.c(0)};
  Value size = b.max(b.abs(z.re), b.abs(z.im));
  Value large = b.greater(size, b.c(0x1p500));
  Value tiny = b.less(size, b.c(0x1p-450));
  auto pick = [&](double ifLarge, double ifTiny, double otherwise) {
    return b.select(large, b.c(ifLarge),
                    b.select(tiny, b.c(ifTiny), b.c(otherwise)));
  };
  Value scale = pick(0x1p-600, 0x1p600, 1);
  return {{b.mul(z.re, scale), b.mul(z.im, scale)},
          pick(0x1p600, 0x1p-600, 1),
          pick(0x1p300, 0x1p-300, 1),
          pick(0x1p200, 0x1p-200, 1),
          pick(600 * ln2, -600 * ln2, 0)};
}

Value ComplexMath::abs(Parts z) {
  Scaled s = scaled(z);
  Value root = b.sqrt(b.add(b.square(s.z.re), b.square(s.z.im)));
  if (!single)
    root = b.mul(root, s.inverse);
  // Also where the other part is NaN.
  Value infinite = b.either(b.isInfinite(z.re), b.isInfinite(z.im));
  return b.select(infinite, b.infinity(), root);
}

/// log |z|. Near the unit circle |z|^2 - 1 is computed without cancellation.
Value ComplexMath::logOfAbs(Parts z) {
  Value x = b.abs(z.re), y = b.abs(z.im);
  Value more = b.max(x, y), less = b.min(x, y);
  Value square = b.add(b.square(x), b.square(y));
  Value excess;
  if (single) {
    // All of these are exact for parts of 24 bits, but the last sum.
    excess =
        b.add(b.mul(b.sub(more, b.c(1)), b.add(more, b.c(1))), b.square(less));
  } else {
    Pair most = add(exactProduct(more, more), pair(b.c(-1)));
    excess = evaluate(add(most, exactProduct(less, less)));
  }
  Value near = b.both(b.greater(square, b.c(0.5)), b.less(square, b.c(2)));
  Scaled s = scaled(z);
  Pair all = squares(s.z.re, s.z.im);
  Value far = b.log(all.high);
  if (all.low)
    far = b.add(far, b.div(all.low, all.high));
  far = b.mul(far, 0.5);
  if (!single)
    far = b.add(far, s.logOfInverse);
  Value infinite = b.either(b.isInfinite(z.re), b.isInfinite(z.im));
  Value zero = b.both(b.isZero(x), b.isZero(y));
  Value value = b.select(near, b.mul(b.log1p(excess), 0.5), far);
  value = b.select(zero, b.neg(b.infinity()), value);
  return b.select(infinite, b.infinity(), value);
}

ComplexParts ComplexMath::multiply(Parts z, Parts w) {
  return {b.sub(b.mul(z.re, w.re), b.mul(z.im, w.im)),
          b.add(b.mul(z.re, w.im), b.mul(z.im, w.re))};
}

ComplexParts ComplexMath::divide(Parts z, Parts w) {
  Scaled top = scaled(z), bottom = scaled(w);
  Parts a = top.z, c = bottom.z;
  Pair size = squares(c.re, c.im);
  Pair along = add(exactProduct(a.re, c.re), exactProduct(a.im, c.im));
  Pair across = add(exactProduct(a.im, c.re), negate(exactProduct(a.re, c.im)));
  Value re = evaluate(divide(along, size)), im = evaluate(divide(across, size));
  if (!single) {
    // The bottom's inverse scale is its scale here.
    Value down = b.div(b.c(1), bottom.inverse);
    Value both = b.mul(top.inverse, down);
    Value cancels = b.equal(both, b.c(1));
    auto unscale = [&](Value part) {
      return b.select(cancels, part, b.mul(b.mul(part, top.inverse), down));
    };
    re = unscale(re);
    im = unscale(im);
  }
  Parts value{re, im};

  // Annex G: a quotient of two NaN parts may still be an infinity or a zero.
  Value lost = b.both(b.isNan(re), b.isNan(im));
  Value zero = b.both(b.isZero(w.re), b.isZero(w.im));
  Value byZero = b.both(zero, b.negation(b.both(b.isNan(z.re), b.isNan(z.im))));
  Value signedInfinity = b.copySign(b.infinity(), w.re);
  Parts atZero{b.mul(signedInfinity, z.re), b.mul(signedInfinity, z.im)};
  auto unit = [&](Value part) {
    return b.copySign(b.select(b.isInfinite(part), b.c(1), b.c(0)), part);
  };
  auto anyInfinite = [&](Parts p) {
    return b.either(b.isInfinite(p.re), b.isInfinite(p.im));
  };
  auto allFinite = [&](Parts p) {
    return b.both(b.isFinite(p.re), b.isFinite(p.im));
  };
  auto combined = [&](Parts p, Parts q) {
    return Parts{b.add(b.mul(p.re, q.re), b.mul(p.im, q.im)),
                 b.sub(b.mul(p.im, q.re), b.mul(p.re, q.im))};
  };
  Parts large = combined({unit(z.re), unit(z.im)}, w);
  large = {b.mul(large.re, b.infinity()), b.mul(large.im, b.infinity())};
  Parts small = combined(z, {unit(w.re), unit(w.im)});
  small = {b.mul(small.re, b.c(0)), b.mul(small.im, b.c(0))};
  Parts special = select(b.both(anyInfinite(w), allFinite(z)), small, value);
  special = select(b.both(anyInfinite(z), allFinite(w)), large, special);
  special = select(byZero, atZero, special);
  return select(lost, special, value);
}

ComplexParts ComplexMath::sign(Parts z) {
  Scaled s = scaled(z);
  Value size = b.sqrt(b.add(b.square(s.z.re), b.square(s.z.im)));
  Value zero = b.both(b.isZero(z.re), b.isZero(z.im));
  return select(zero, z, Parts{b.div(s.z.re, size), b.div(s.z.im, size)});
}

/// t = sqrt((|x| + |z|) / 2) is the larger part of the root, y / 2t the other.
ComplexMath::PairParts ComplexMath::rootOf(Pair re, Value im) {
  auto times = [&](Pair x, Value factor) {
    return Pair{b.mul(x.high, factor), b.mul(x.low, factor)};
  };
  Value tiny, grow, shrink;
  if (!single) {
    tiny = b.less(b.max(b.abs(re.high), b.abs(im)), b.c(0x1p-450));
    grow = b.select(tiny, b.c(0x1p600), b.c(1));
    shrink = b.select(tiny, b.c(0x1p-300), b.c(1));
    re = times(re, grow);
    im = b.mul(im, grow);
  }
  Value left = b.less(re.high, b.c(0));
  Pair width = select(left, negate(re), re);
  Pair size = root(add(multiply(re, re), exactProduct(im, im)));
  Pair t = root(scaledBy(add(width, size), 0.5));
  Pair other = divide(pair(b.abs(im)), scaledBy(t, 2));
  other = select(b.isZero(t.high), pair(b.c(0)), other);
  if (!single) {
    t = times(t, shrink);
    other = times(other, shrink);
  }
  Pair height = select(left, t, other);
  Value below = b.less(b.copySign(b.c(1), im), b.c(0));
  return {select(left, other, t), select(below, negate(height), height)};
}

ComplexParts ComplexMath::sqrt(Parts z) {
  Scaled s = scaled(z);
  PairParts pairs = rootOf(pair(s.z.re), s.z.im);
  Parts root{evaluate(pairs.re), evaluate(pairs.im)};
  if (!single)
    root = {b.mul(root.re, s.rootOfInverse), b.mul(root.im, s.rootOfInverse)};
  Value left = b.less(z.re, b.c(0));
  Value zero = b.both(b.isZero(z.re), b.isZero(z.im));
  root = select(zero, Parts{b.c(0), z.im}, root);
  // An infinite real part with a finite other, then any infinite other.
  Value infiniteReal = b.isInfinite(z.re);
  Value rest = b.select(b.isNan(z.im), z.im, b.c(0));
  Parts atInfinity{
      b.select(left, rest, b.infinity()),
      b.select(left, b.copySign(b.infinity(), z.im),
               b.select(b.isNan(z.im), z.im, b.copySign(b.c(0), z.im)))};
  root = select(infiniteReal, atInfinity, root);
  return select(b.isInfinite(z.im), Parts{b.infinity(), z.im}, root);
}

/// 1 / w = conj(w) / |w|^2, with |w|^2 = |z|.
ComplexParts ComplexMath::rsqrt(Parts z) {
  Scaled s = scaled(z);
  PairParts pairs = rootOf(pair(s.z.re), s.z.im);
  Pair size = root(squares(s.z.re, s.z.im));
  Parts value{evaluate(divide(pairs.re, size)),
              b.neg(evaluate(divide(pairs.im, size)))};
  if (!single)
    value = {b.div(value.re, s.rootOfInverse),
             b.div(value.im, s.rootOfInverse)};
  Value zero = b.both(b.isZero(z.re), b.isZero(z.im));
  value = select(zero, Parts{b.infinity(), b.nan()}, value);
  Value infinite = b.either(b.isInfinite(z.re), b.isInfinite(z.im));
  return select(infinite, Parts{b.c(0), b.copySign(b.c(0), b.neg(z.im))},
                value);
}

ComplexParts ComplexMath::cbrt(Parts z) {
  Scaled s = scaled(z);
  Value size = b.cbrt(b.sqrt(b.add(b.square(s.z.re), b.square(s.z.im))));
  Value third = b.div(angle(z), b.c(3));
  Parts w{b.mul(size, b.cos(third)), b.mul(size, b.sin(third))};
  if (!single) {
    // One step of Newton's: w - (w^3 - z) / (3 w^2).
    auto product = [&](PairParts x, PairParts y) {
      return PairParts{add(multiply(x.re, y.re), negate(multiply(x.im, y.im))),
                       add(multiply(x.re, y.im), multiply(x.im, y.re))};
    };
    PairParts root{pair(w.re), pair(w.im)};
    PairParts square = product(root, root), cube = product(square, root);
    Value wrongRe = evaluate(add(cube.re, negate(pair(s.z.re))));
    Value wrongIm = evaluate(add(cube.im, negate(pair(s.z.im))));
    Value re = square.re.high, im = square.im.high;
    Value divisor = b.mul(b.add(b.square(re), b.square(im)), 3);
    Value byRe = b.add(b.mul(wrongRe, re), b.mul(wrongIm, im));
    Value byIm = b.sub(b.mul(wrongIm, re), b.mul(wrongRe, im));
    w = {b.sub(w.re, b.div(byRe, divisor)), b.sub(w.im, b.div(byIm, divisor))};
    w = {b.mul(w.re, s.cubeRootOfInverse), b.mul(w.im, s.cubeRootOfInverse)};
  }
  // Of what is not finite size and angle tell.
  Value far = b.cbrt(abs(z));
  Value finite = b.both(b.isFinite(z.re), b.isFinite(z.im));
  Parts limit{b.mul(far, b.cos(third)), b.mul(far, b.sin(third))};
  Value zero = b.both(b.isZero(z.re), b.isZero(z.im));
  return select(zero, z, select(finite, w, limit));
}

ComplexParts ComplexMath::exp(Parts z) {
  Value cos = b.cos(z.im), sin = b.sin(z.im);
  Parts value;
  if (single) {
    Value size = b.exp(b.min(z.re, b.c(700)));
    value = {b.mul(size, cos), b.mul(size, sin)};
  } else {
    // Beyond the range of exp the product with a small sine may be in it.
    Value large = b.greater(z.re, b.c(700));
    Value rest = b.sub(b.min(z.re, b.c(1500)), b.c(700));
    Value size = b.exp(b.select(large, rest, z.re));
    Value factor = b.select(large, b.c(1.0142320547350045e304), b.c(1));
    value = {b.mul(b.mul(size, cos), factor), b.mul(b.mul(size, sin), factor)};
  }
  // At infinite angles only the size counts.
  Value wild = b.negation(b.isFinite(z.im));
  Value grows = b.equal(z.re, b.infinity());
  Value fades = b.equal(z.re, b.neg(b.infinity()));
  value = select(b.both(wild, grows), Parts{b.infinity(), b.nan()}, value);
  value = select(b.both(wild, fades), Parts{b.c(0), b.c(0)}, value);
  return {b.select(b.isZero(z.im), b.exp(z.re), value.re),
          b.select(b.isZero(z.im), z.im, value.im)};
}

/// e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2).
ComplexParts ComplexMath::expm1(Parts z) {
  Value half = b.sin(b.mul(z.im, 0.5));
  Value less = b.expm1(single ? b.min(z.re, b.c(700)) : b.min(z.re, b.c(50)));
  Pair bent = scaledBy(exactProduct(half, half), 2);
  Value near = evaluate(add(exactProduct(less, b.cos(z.im)), negate(bent)));
  Parts whole = exp(z);
  Value large = b.greater(z.re, b.c(40));
  Value re = b.select(large, whole.re, near);
  return {b.select(b.isZero(z.im), b.expm1(z.re), re), whole.im};
}

ComplexParts ComplexMath::log(Parts z) { return {logOfAbs(z), angle(z)}; }

/// Near |1 + z| = 1: |1 + z|^2 - 1 = 2x + y^2 + x^2, without cancellation.
ComplexParts ComplexMath::log1p(Parts z) {
  Parts moved{b.add(z.re, b.c(1)), z.im};
  Value square = b.add(b.square(moved.re), b.square(moved.im));
  Value near = b.both(b.greater(square, b.c(0.5)), b.less(square, b.c(2)));
  Value twice = b.add(z.re, z.re), excess;
  if (single) {
    // The squares are exact.
    auto [sum, rest] = twoSum(twice, b.square(z.im));
    excess = b.add(sum, b.add(rest, b.square(z.re)));
  } else {
    excess = evaluate(add(add(pair(twice), exactProduct(z.im, z.im)),
                          exactProduct(z.re, z.re)));
  }
  Value far = logOfAbs(moved);
  if (!single) {
    // Also the sum's rounding counts.
    Pair sum = exactSum(b.c(1), z.re);
    Pair all = add(multiply(sum, sum), exactProduct(z.im, z.im));
    Value log = b.add(b.log(all.high), b.div(all.low, all.high));
    Value moderate =
        b.both(b.greater(square, b.c(0x1p-100)), b.less(square, b.c(0x1p100)));
    far = b.select(moderate, b.mul(log, 0.5), far);
  }
  Value re = b.select(near, b.mul(b.log1p(excess), 0.5), far);
  return {re, b.atan2(z.im, moved.re)};
}

/// 1 / (1 + exp(-z)) with e = exp(-|x|): for x >= 0
///   (1 + e cos y, e sin y) / |1 + e exp(-iy)|^2,
/// for x < 0 (e (e + cos y), e sin y) / the same, where
///   |1 + e exp(-iy)|^2 = (1 - e)^2 + 4 e cos^2(y / 2).
ComplexParts ComplexMath::logistic(Parts z) {
  Value size = b.neg(b.abs(z.re));
  Value e = b.exp(size), less = b.expm1(size);
  Value cosHalf = b.cos(b.mul(z.im, 0.5));
  Pair twice = scaledBy(exactProduct(cosHalf, cosHalf), 2);
  Pair half = multiply(pair(e), twice);
  Pair denominator = add(exactProduct(less, less), scaledBy(half, 2));
  // Near the poles 1 + e cos y = (1 - e) + 2 e cos^2(y / 2), and e + cos y
  // likewise.
  Value cos = b.cos(z.im), near = b.greater(e, b.c(0.5));
  Pair right = select(near, add(half, pair(b.neg(less))),
                      add(pair(b.c(1)), exactProduct(e, cos)));
  Pair sum = select(near, add(pair(less), twice), exactSum(e, cos));
  Pair left = multiply(pair(e), sum);
  Pair top = select(b.less(z.re, b.c(0)), left, right);
  Pair across = exactProduct(e, b.sin(z.im));
  Value im = evaluate(divide(across, denominator));
  return {evaluate(divide(top, denominator)),
          b.select(b.isZero(z.im), z.im, im)};
}

} // namespace heddle
