// Products, roots, exponentials and logarithms of complex numbers. The
// trigonometric functions are in ComplexTrigonometry.cpp.

#include "passes/Dispatch/ComplexFunctions.h"

using namespace mlir;

namespace heddle {

static constexpr double ln2 = 0.693147180559945309417232121458;

/// Veltkamp's and Dekker's product (Numer. Math. 18, 1971), for |a|, |b| far
/// from the ends of the range. The graph has no fused multiply-add.
std::pair<Value, Value> ComplexMath::exactProduct(Value x, Value y) {
  auto halves = [&](Value v) {
    Value t = b.mul(v, 0x1p27 + 1);
    Value high = b.sub(t, b.sub(t, v));
    return std::pair(high, b.sub(v, high));
  };
  auto [xHigh, xLow] = halves(x);
  auto [yHigh, yLow] = halves(y);
  Value product = b.mul(x, y);
  Value rest = b.sub(b.mul(xHigh, yHigh), product);
  rest = b.add(rest, b.mul(xHigh, yLow));
  rest = b.add(rest, b.mul(xLow, yHigh));
  return {product, b.add(rest, b.mul(xLow, yLow))};
}

/// Knuth's sum of any two numbers.
std::pair<Value, Value> ComplexMath::exactSum(Value x, Value y) {
  Value sum = b.add(x, y);
  Value second = b.sub(sum, x);
  Value first = b.sub(sum, second);
  return {sum, b.add(b.sub(x, first), b.sub(y, second))};
}

/// The square root of high + low, as a root and what is missing to it.
std::pair<Value, Value> ComplexMath::exactRoot(Value high, Value low) {
  Value root = b.sqrt(high);
  auto [square, rest] = exactProduct(root, root);
  Value missing = b.add(b.sub(b.sub(high, square), rest), low);
  missing = b.div(missing, b.add(root, root));
  return {root, b.select(b.isZero(root), b.c(0), missing)};
}

ComplexMath::Scaled ComplexMath::scaled(Parts z) {
  if (single)
    return {z, b.c(1), b.c(1), b.c(0)};
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
  Value squares = b.add(b.square(x), b.square(y));
  Value excess;
  if (single) {
    // All of these are exact for parts of 24 bits, but the last sum.
    excess =
        b.add(b.mul(b.sub(more, b.c(1)), b.add(more, b.c(1))), b.square(less));
  } else {
    auto [moreHigh, moreLow] = exactProduct(more, more);
    auto [lessHigh, lessLow] = exactProduct(less, less);
    auto [first, lost] = exactSum(moreHigh, b.c(-1));
    auto [sum, rest] = exactSum(first, lessHigh);
    excess = b.add(sum, b.add(b.add(lost, rest), b.add(moreLow, lessLow)));
  }
  Value near = b.both(b.greater(squares, b.c(0.5)), b.less(squares, b.c(2)));
  Scaled s = scaled(z);
  Value scaledSquares =
      single ? squares : b.add(b.square(s.z.re), b.square(s.z.im));
  Value far = b.mul(b.log(scaledSquares), 0.5);
  if (!single)
    far = b.add(far, s.logOfInverse);
  Value infinite = b.either(b.isInfinite(z.re), b.isInfinite(z.im));
  Value value = b.select(near, b.mul(b.log1p(excess), 0.5), far);
  return b.select(infinite, b.infinity(), value);
}

ComplexParts ComplexMath::multiply(Parts z, Parts w) {
  return {b.sub(b.mul(z.re, w.re), b.mul(z.im, w.im)),
          b.add(b.mul(z.re, w.im), b.mul(z.im, w.re))};
}

ComplexParts ComplexMath::divide(Parts z, Parts w) {
  Scaled top = scaled(z), bottom = scaled(w);
  Parts a = top.z, c = bottom.z;
  Value size = b.add(b.square(c.re), b.square(c.im));
  Value re = b.div(b.add(b.mul(a.re, c.re), b.mul(a.im, c.im)), size);
  Value im = b.div(b.sub(b.mul(a.im, c.re), b.mul(a.re, c.im)), size);
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
  return select(zero, z, {b.div(s.z.re, size), b.div(s.z.im, size)});
}

/// t = sqrt((|x| + |z|) / 2) is the larger part of the root, y / 2t the other.
ComplexParts ComplexMath::sqrt(Parts z) {
  Scaled s = scaled(z);
  Value t;
  if (single) {
    Value size = b.sqrt(b.add(b.square(s.z.re), b.square(s.z.im)));
    t = b.sqrt(b.mul(b.add(b.abs(s.z.re), size), 0.5));
  } else {
    // Rounded once, so that what is made of roots keeps its digits.
    auto [squareRe, restRe] = exactProduct(s.z.re, s.z.re);
    auto [squareIm, restIm] = exactProduct(s.z.im, s.z.im);
    auto [squares, rest] = exactSum(squareRe, squareIm);
    auto [size, missing] =
        exactRoot(squares, b.add(rest, b.add(restRe, restIm)));
    auto [sum, lost] = exactSum(b.abs(s.z.re), size);
    auto [root, tail] =
        exactRoot(b.mul(sum, 0.5), b.mul(b.add(lost, missing), 0.5));
    t = b.add(root, tail);
  }
  Value other = b.div(b.abs(s.z.im), b.add(t, t));
  Value left = b.less(z.re, b.c(0));
  Parts root{b.select(left, other, t),
             b.copySign(b.select(left, t, other), z.im)};
  if (!single)
    root = {b.mul(root.re, s.rootOfInverse), b.mul(root.im, s.rootOfInverse)};
  Value zero = b.both(b.isZero(z.re), b.isZero(z.im));
  root = select(zero, {b.c(0), z.im}, root);
  // An infinite real part with a finite other, then any infinite other.
  Value infiniteReal = b.isInfinite(z.re);
  Value rest = b.select(b.isNan(z.im), z.im, b.c(0));
  Parts atInfinity{
      b.select(left, rest, b.infinity()),
      b.select(left, b.copySign(b.infinity(), z.im),
               b.select(b.isNan(z.im), z.im, b.copySign(b.c(0), z.im)))};
  root = select(infiniteReal, atInfinity, root);
  return select(b.isInfinite(z.im), {b.infinity(), z.im}, root);
}

ComplexParts ComplexMath::rsqrt(Parts z) {
  Parts root = sqrt(z);
  // 1 / w = conj(w) / |w|^2, with |w|^2 = |z|; in two steps, none of which
  // leaves the range.
  Value size = b.sqrt(abs(z));
  Parts value{b.div(b.div(root.re, size), size),
              b.neg(b.div(b.div(root.im, size), size))};
  Value zero = b.both(b.isZero(z.re), b.isZero(z.im));
  value = select(zero, {b.infinity(), b.nan()}, value);
  Value infinite = b.either(b.isInfinite(z.re), b.isInfinite(z.im));
  return select(infinite, {b.c(0), b.copySign(b.c(0), b.neg(z.im))}, value);
}

ComplexParts ComplexMath::cbrt(Parts z) {
  Value size = b.cbrt(abs(z));
  Value third = b.div(angle(z), b.c(3));
  Value zero = b.both(b.isZero(z.re), b.isZero(z.im));
  return select(zero, z,
                {b.mul(size, b.cos(third)), b.mul(size, b.sin(third))});
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
  value = select(b.both(wild, grows), {b.infinity(), b.nan()}, value);
  value = select(b.both(wild, fades), {b.c(0), b.c(0)}, value);
  return {b.select(b.isZero(z.im), b.exp(z.re), value.re),
          b.select(b.isZero(z.im), z.im, value.im)};
}

/// e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2).
ComplexParts ComplexMath::expm1(Parts z) {
  Value half = b.sin(b.mul(z.im, 0.5));
  Value less = b.expm1(single ? b.min(z.re, b.c(700)) : z.re);
  Value near = b.sub(b.mul(less, b.cos(z.im)), b.mul(b.square(half), 2));
  Parts whole = exp(z);
  Value large = b.greater(z.re, b.c(40));
  Value re = b.select(large, whole.re, near);
  return {b.select(b.isZero(z.im), b.expm1(z.re), re), whole.im};
}

ComplexParts ComplexMath::log(Parts z) { return {logOfAbs(z), angle(z)}; }

/// |1 + z|^2 - 1 = 2x + y^2 + x^2, with the cancellation of the first two
/// terms made good.
ComplexParts ComplexMath::log1p(Parts z) {
  Value twice = b.add(z.re, z.re);
  Value excess;
  if (single) {
    auto [sum, rest] = exactSum(twice, b.square(z.im));
    excess = b.add(sum, b.add(rest, b.square(z.re)));
  } else {
    auto [squareIm, restIm] = exactProduct(z.im, z.im);
    auto [squareRe, restRe] = exactProduct(z.re, z.re);
    auto [first, lost] = exactSum(twice, squareIm);
    auto [sum, lostToo] = exactSum(first, squareRe);
    excess = b.add(sum, b.add(b.add(lost, lostToo), b.add(restIm, restRe)));
  }
  Value near =
      b.both(b.less(b.abs(z.re), b.c(0.5)), b.less(b.abs(z.im), b.c(0.5)));
  Parts moved{b.add(z.re, b.c(1)), z.im};
  Value re = b.select(near, b.mul(b.log1p(excess), 0.5), logOfAbs(moved));
  return {re, b.atan2(z.im, moved.re)};
}

/// 1 / (1 + exp(-z)) with e = exp(-|x|): for x >= 0
///   (1 + e cos y, e sin y) / |1 + e exp(-iy)|^2,
/// for x < 0 (e (e + cos y), e sin y) / the same, where
///   |1 + e exp(-iy)|^2 = (1 - e)^2 + 4 e cos^2(y / 2).
ComplexParts ComplexMath::logistic(Parts z) {
  Value size = b.neg(b.abs(z.re));
  Value e = b.exp(size), less = b.expm1(size);
  Value cosHalf = b.cos(b.mul(z.im, 0.5)), cos = b.cos(z.im);
  Value half = b.mul(b.mul(e, b.square(cosHalf)), 2);
  Value denominator = b.add(b.square(less), b.add(half, half));
  // 1 + e cos y = (1 - e) + 2 e cos^2(y / 2), and e + cos y likewise.
  Value right = b.sub(half, less);
  Value left = b.mul(e, b.add(e, cos));
  Value top = b.select(b.less(z.re, b.c(0)), left, right);
  Value im = b.div(b.mul(e, b.sin(z.im)), denominator);
  return {b.div(top, denominator), b.select(b.isZero(z.im), z.im, im)};
}

ComplexParts ComplexMath::power(Parts z, Parts w) {
  Parts log{logOfAbs(z), angle(z)};
  Parts value = exp(multiply(log, w));
  Value zero = b.both(b.isZero(z.re), b.isZero(z.im));
  Value positive = b.greater(w.re, b.c(0));
  Parts ofZero{b.select(positive, b.c(0), b.nan()),
               b.select(positive, b.c(0), b.nan())};
  value = select(zero, ofZero, value);
  Value toZero = b.both(b.isZero(w.re), b.isZero(w.im));
  return select(toZero, {b.c(1), b.c(0)}, value);
}

} // namespace heddle
