// Gamma, zeta and Bessel functions, written out for one element.
//
// The tables are our own: interpolation at Chebyshev points with 60 digits,
// then powers of an argument mapped to [-1, 1].

#include "passes/Lower/Scalar/SpecialFunctions.h"

#include "dialects/Chlo/Chlo.h"
#include "passes/Lower/Scalar/InverseError.h"
#include "passes/Math/Pair.h"

#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace heddle;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// pi, and what double lacks of it.
static constexpr double kPi = 3.14159265358979323846;
static constexpr double kPiLow = 1.2246467991473532e-16;

/// lgamma(x) / ((x - 1) (x - 2)) on [1/2, 3/2], of 2x - 2, and on [3/2, 5/2],
/// of 2x - 4.
static constexpr double kLogGammaLow[] = {
    0.5772156649015329,     -0.12262568426129015,    0.038858566465987676,
    -0.014393317820482391,  0.005764938029059382,    -0.0024161927665108177,
    0.0010426832534922634,  -0.00045920266884685266, 0.0002052981459343058,
    -9.285765407966629e-05, 4.239341381088351e-05,   -1.9503582836317498e-05,
    9.030819803250651e-06,  -4.203673650909802e-06,  1.966204866612963e-06,
    -9.265615954617222e-07, 4.3753363297777573e-07,  -2.003042500535217e-07,
    9.38419520219393e-08,   -5.5375061826917735e-08, 2.7831348354862694e-08,
    -1.023691309221403e-09, -6.990919401074083e-10,  -9.367349302545864e-09,
    5.146638312048972e-09,  2.5689892189437e-09,     -1.4447501735154226e-09,
    -8.553204336173262e-10, 4.427403819949863e-10};
static constexpr double kLogGammaHigh[] = {
    0.42278433509846713,     -0.050158650837176966,  0.008241250155288966,
    -0.0015480240241709283,  0.0003124150727932429,  -6.587908856955386e-05,
    1.4302764414500334e-05,  -3.169588975938308e-06, 7.130962184970303e-07,
    -1.6229545709362817e-07, 3.7274409209018914e-08, -8.623138738014243e-09,
    2.007138673034222e-09,   -4.707445038570993e-10, 1.1067840318890105e-10,
    -2.50500703795846e-11,   5.895301086211702e-12,  -1.927209520143327e-12,
    4.659516606804278e-13};

/// digamma(x) / (x - root) on [1, 2], of 2x - 3.
static constexpr double kDigamma[] = {
    0.9510558760318328,     -0.2118137106407303,     0.060135621060196744,
    -0.018550615381735115,  0.005936795278305649,    -0.0019350666648590097,
    0.0006368880303257201,  -0.00021074841140458636, 6.995018873950506e-05,
    -2.325824239445257e-05, 7.741232223504057e-06,   -2.57809436305308e-06,
    8.589127353033379e-07,  -2.86315275846934e-07,   9.542050972688906e-08,
    -3.163020268955334e-08, 1.0542687624027994e-08,  -3.7075072647122386e-09,
    1.2358072433984831e-09, -2.7619635330317715e-10, 9.206434499177992e-11,
    -8.498137230186096e-11, 2.832706668021759e-11};

/// The positive root of digamma, in two parts.
static constexpr double kRootHigh = 1.4616321449683622;
static constexpr double kRootLow = 9.549995429965697e-17;

/// exp(-x) I1(x) / x on [0, 2.5].
static constexpr double kBesselNear[] = {
    0.17311339946719362,    -0.15278239888262987,   0.09556397292624405,
    -0.047906942504121065,  0.02014345360317689,    -0.007296215966860523,
    0.002319925712697813,   -0.0006569478673610964, 0.00016760171832893463,
    -3.888930167000052e-05, 8.27232480415525e-06,   -1.624024197216984e-06,
    2.959634833087453e-07,  -5.03243042569608e-08,  8.017629358184823e-09,
    -1.198102193971554e-09, 1.6959934678857647e-10, -2.4500455440050422e-11,
    3.095824068134933e-12};
/// sqrt(x) exp(-x) I1(x) on [2.5, 8], and of 1/x on [0, 1/8].
static constexpr double kBesselMiddle[] = {
    0.36833185671203433,     0.01748669954985923,     -0.01019033306300068,
    0.006047765633715499,    -0.0036054064661379397,  0.002107414936735265,
    -0.0011754604595378912,  0.0006107627221803497,   -0.00028960881127645065,
    0.00012263273258187246,  -4.4803006548317096e-05, 1.2982118012708201e-05,
    -2.032746808102373e-06,  -7.742171864959449e-07,  9.887598028993299e-07,
    -6.48732947194866e-07,   3.463434567820602e-07,   -1.7146872563181076e-07,
    7.674044371672878e-08,   -2.526661686926584e-08,  1.0351237981336684e-08,
    -1.1040462189539416e-08, 4.899076133874494e-09,   1.7015706105523755e-09,
    -8.257563790800064e-10,  -9.002510208429488e-10,  4.1469916968031423e-10};
static constexpr double kBesselFar[] = {
    0.38939845902587233,     -0.009749577193234856,   -0.0002192357638311702,
    -1.5038547264883471e-05, -1.8349103429663388e-06, -3.483841753091222e-07,
    -1.0000822498071297e-07, -4.314332246730572e-08,  -2.3421321386723802e-08,
    -8.34829836133379e-09,   7.0017870784877524e-09,  1.3761872558441389e-08,
    5.056045544132708e-09,   -7.045449593614895e-09,  -5.872315764049016e-09,
    2.575022015245385e-09,   3.364402906942886e-09,   -6.563550610824565e-10,
    -1.1459875492084381e-09, 8.556534373260018e-11,   1.79708076202127e-10};

static Value log(FloatBuilder &b, Value x) {
  return math::LogOp::create(b.builder, b.loc, x);
}
static Value floor(FloatBuilder &b, Value x) {
  return math::FloorOp::create(b.builder, b.loc, x);
}
static Value lessOrEqual(FloatBuilder &b, Value x, Value y) {
  return arith::CmpFOp::create(b.builder, b.loc, arith::CmpFPredicate::OLE, x,
                               y);
}

/// lgamma for x >= 0. Up to 12 the argument goes to [1/2, 5/2] in steps of one,
/// where the function is known by its roots; beyond, Stirling's series.
static Value logGammaPositive(FloatBuilder &b, Value x) {
  Value one = b.c(1), two = b.c(2);
  Value below = b.less(x, b.c(0.5));
  Value z = b.select(below, b.add(x, one), x);
  Value product = one;
  for (int step = 0; step < 10; ++step) {
    Value more = b.greater(z, b.c(2.5));
    z = b.select(more, b.sub(z, one), z);
    product = b.select(more, b.mul(product, z), product);
  }
  Value fromOne = b.select(below, x, b.sub(z, one)), fromTwo = b.sub(z, two);
  Value low = b.polynomial(b.add(fromOne, fromOne), kLogGammaLow);
  Value high = b.polynomial(b.add(fromTwo, fromTwo), kLogGammaHigh);
  Value near =
      b.mul(b.mul(fromOne, fromTwo), b.select(b.less(z, b.c(1.5)), low, high));
  Value logarithm = log(b, b.select(below, x, product));
  near = b.select(below, b.sub(near, logarithm), b.add(near, logarithm));

  // B_2k / (2k (2k - 1)).
  static constexpr double series[] = {
      1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
      1.0 / 1188, -691.0 / 360360.0, 1.0 / 156,  -3617.0 / 122400.0};
  Value reciprocal = b.div(one, x);
  Value tail =
      b.mul(reciprocal, b.polynomial(b.mul(reciprocal, reciprocal), series));
  // log(2 pi) / 2 - 1 / 2.
  tail = b.add(tail, b.c(0.41893853320467274178));
  Value far = b.fma(b.sub(x, b.c(0.5)), b.sub(log(b, x), one), tail);
  return b.select(b.less(x, b.c(12)), near, far);
}

static Value logGamma(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value positive = logGammaPositive(b, size);
  // lgamma(x) = log(pi / |x sin(pi x)|) - lgamma(-x)
  Value fraction = b.sub(size, floor(b, size));
  fraction = b.atMost(fraction, b.sub(b.c(1), fraction));
  Value sine = math::SinOp::create(b.builder, b.loc, b.mul(fraction, b.c(kPi)));
  Value reflected = b.sub(log(b, b.div(b.c(kPi), b.mul(size, sine))), positive);
  Value value = b.select(b.less(x, b.c(0)), reflected, positive);
  return b.select(b.equal(size, b.c(kInfinity)), b.c(kInfinity), value);
}

/// digamma for x > 0, on the way of logGammaPositive.
static Value digammaPositive(FloatBuilder &b, Value x) {
  Value one = b.c(1), two = b.c(2);
  Value reciprocal = b.div(one, x);
  Value below = b.less(x, one);
  Value z = b.select(below, b.add(x, one), x);
  Value sum = b.select(below, b.neg(reciprocal), b.c(0));
  for (int step = 0; step < 8; ++step) {
    Value more = b.greater(z, two);
    z = b.select(more, b.sub(z, one), z);
    sum = b.select(more, b.add(sum, b.div(one, z)), sum);
  }
  Value fromRoot = b.sub(b.sub(z, b.c(kRootHigh)), b.c(kRootLow));
  Value near =
      b.fma(fromRoot, b.polynomial(b.fma(z, two, b.c(-3)), kDigamma), sum);

  // B_2k / 2k.
  static constexpr double series[] = {
      1.0 / 12,  -1.0 / 120,       1.0 / 252, -1.0 / 240,
      1.0 / 132, -691.0 / 32760.0, 1.0 / 12,  -3617.0 / 8160.0};
  Value square = b.mul(reciprocal, reciprocal);
  Value tail =
      b.fma(square, b.polynomial(square, series), b.mul(reciprocal, b.c(0.5)));
  return b.select(b.less(x, b.c(10)), near, b.sub(log(b, x), tail));
}

static Value digamma(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value positive = digammaPositive(b, size);
  // digamma(x) = digamma(-x) - 1/x - pi cot(pi x), from the nearest multiple of
  // a quarter turn.
  Value whole = floor(b, x);
  Value fraction = b.sub(x, floor(b, b.add(x, b.c(0.5))));
  Value distance = b.abs(fraction), steep = b.greater(distance, b.c(0.25));
  Value angle = b.select(steep, b.sub(b.c(0.5), distance), distance);
  Pair turned = multiply(b, {angle, {}}, {b.c(kPi), b.c(kPiLow)});
  Value tangent = math::TanOp::create(b.builder, b.loc, turned.high);
  // The derivative is 1 + tan^2.
  Value slope = b.fma(tangent, tangent, b.c(1));
  tangent = b.fma(turned.low, slope, tangent);
  Value cotangent =
      b.select(steep, b.mul(b.c(kPi), tangent), b.div(b.c(kPi), tangent));
  cotangent = b.copySign(cotangent, fraction);
  Value reflected = b.sub(b.sub(positive, b.div(b.c(1), x)), cotangent);
  Value negative = b.less(x, b.c(0));
  Value value = b.select(negative, reflected, positive);
  Value pole = b.both(b.equal(x, whole), lessOrEqual(b, x, b.c(0)));
  return b.select(pole, b.c(kNan), value);
}

static Value besselI1e(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value near =
      b.mul(size, b.polynomial(b.fma(size, b.c(0.8), b.c(-1)), kBesselNear));
  Value middle = b.polynomial(b.fma(size, b.c(1 / 2.75), b.c(-5.25 / 2.75)),
                              kBesselMiddle);
  Value far =
      b.polynomial(b.fma(b.div(b.c(1), size), b.c(16), b.c(-1)), kBesselFar);
  Value rest = b.div(b.select(b.less(size, b.c(8)), middle, far), b.sqrt(size));
  Value value = b.select(b.less(size, b.c(2.5)), near, rest);
  return b.copySign(value, x);
}

/// (q + k)^-s, where also the sum's rounding counts, s times; and q + k.
static std::pair<Value, Value> powerOfSum(FloatBuilder &b, Value s, Value q,
                                          Value k) {
  Pair sum = exactSum(b, q, k);
  Value power = math::PowFOp::create(b.builder, b.loc, sum.high, b.neg(s));
  Value off = b.mul(s, b.div(sum.low, sum.high));
  // Far out and at poles there is nothing to correct.
  Value exact = b.fma(power, b.neg(off), power);
  return {b.select(b.less(b.abs(off), b.c(1)), exact, power), sum.high};
}

/// Terms before the series of Euler and Maclaurin, which converges from 24 + s
/// on; more would only add rounding errors.
static Value zetaTerms(FloatBuilder &b, Value s, Value q) {
  Value terms = b.neg(floor(b, b.sub(q, b.add(s, b.c(24)))));
  return b.atLeast(b.atMost(terms, b.c(kZetaTerms)), b.c(0));
}

/// What remains of zeta(s, q) after its first terms, by Euler and Maclaurin,
/// and the special cases. q must be above -12, or all digits are lost: below,
/// the result is NaN.
static Value zetaFrom(FloatBuilder &b, Value s, Value q, Value sum) {
  // B_2k / (2k)!.
  static constexpr double bernoulli[] = {1.0 / 12,
                                         -1.0 / 720,
                                         1.0 / 30240,
                                         -1.0 / 1209600,
                                         1.0 / 47900160,
                                         -691.0 / 1307674368000.0,
                                         1.0 / 74724249600.0,
                                         -3617.0 / 10670622842880000.0,
                                         43867.0 / 5109094217170944000.0};
  Value one = b.c(1);
  auto [power, a] = powerOfSum(b, s, q, zetaTerms(b, s, q));
  // From the small terms to the large ones.
  Value value = b.c(0);
  Value factor = s, exponent = s, scale = b.div(power, a);
  Value square = b.mul(a, a);
  for (double coefficient : bernoulli) {
    Value term = b.mul(b.mul(b.c(coefficient), factor), scale);
    // Far out 0 times an overflown factor.
    value = b.select(b.equal(scale, b.c(0)), value, b.add(value, term));
    factor =
        b.mul(factor, b.mul(b.add(exponent, one), b.add(exponent, b.c(2))));
    exponent = b.add(exponent, b.c(2));
    scale = b.div(scale, square);
  }
  value = b.fma(power, b.c(0.5), value);
  value = b.add(value, b.div(b.mul(a, power), b.sub(s, one)));
  value = b.add(sum, value);
  Value notPositive = lessOrEqual(b, q, b.c(0));
  Value wholeQ = b.equal(q, floor(b, q)), wholeS = b.equal(s, floor(b, s));
  Value nan = b.c(kNan), infinity = b.c(kInfinity);
  Value pole = b.select(wholeQ, infinity, b.select(wholeS, value, nan));
  value = b.select(notPositive, pole, value);
  Value tooLow =
      b.both(b.less(q, b.c(-12)), b.greater(b.sub(q, floor(b, q)), b.c(0)));
  value = b.select(tooLow, nan, value);
  value = b.select(b.equal(s, one), infinity, value);
  Value undefined = b.either(b.less(s, one), b.either(b.isNan(s), b.isNan(q)));
  return b.select(undefined, nan, value);
}

static FloatBuilder builderFor(OpBuilder &builder, Location loc, Type type) {
  return FloatBuilder(builder, loc, type, /*hasFma=*/true);
}

static Value convert(OpBuilder &builder, Location loc, Value value, Type to) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (from == width)
    return value;
  if (from < width)
    return arith::ExtFOp::create(builder, loc, to, value);
  // By way of f32, which machines convert to 16 bits.
  if (from == 64 && width == 16)
    value = arith::TruncFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, to, value);
}

bool heddle::isSpecialFunction(Operation *op) {
  return isa<chlo::LgammaOp, chlo::DigammaOp, chlo::ErfInvOp,
             chlo::BesselI1eOp>(op);
}

Value heddle::emitSpecialFunction(OpBuilder &builder, Operation *op, Value x) {
  Type type = x.getType();
  Location loc = op->getLoc();
  if (!isa<FloatType>(type))
    return {};
  // One precision for all: half a unit of f32 is left of f64's errors.
  Type wide = builder.getF64Type();
  FloatBuilder b = builderFor(builder, loc, wide);
  Value argument = convert(builder, loc, x, wide);
  Value value =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](chlo::LgammaOp) { return logGamma(b, argument); })
          .Case([&](chlo::DigammaOp) { return digamma(b, argument); })
          .Case([&](chlo::ErfInvOp) {
            return type.isF64() ? inverseError(b, argument)
                                : inverseErrorOfSingle(b, argument);
          })
          .Case([&](chlo::BesselI1eOp) { return besselI1e(b, argument); })
          .Default([](Operation *) { return Value(); });
  return value ? convert(builder, loc, value, type) : Value();
}

Value heddle::emitZetaTerm(OpBuilder &builder, Location loc, Value s, Value q,
                           Value number) {
  Type wide = builder.getF64Type();
  FloatBuilder b = builderFor(builder, loc, wide);
  // The last and smallest one first.
  Value k = b.sub(b.c(kZetaTerms - 1),
                  arith::SIToFPOp::create(builder, loc, wide, number));
  Value from = convert(builder, loc, q, wide);
  Value exponent = convert(builder, loc, s, wide);
  Value power = powerOfSum(b, exponent, from, k).first;
  return b.select(b.less(k, zetaTerms(b, exponent, from)), power, b.c(0));
}

Value heddle::emitZeta(OpBuilder &builder, Location loc, Value s, Value q,
                       Value sum) {
  Type wide = builder.getF64Type();
  FloatBuilder b = builderFor(builder, loc, wide);
  Value value = zetaFrom(b, convert(builder, loc, s, wide),
                         convert(builder, loc, q, wide), sum);
  return convert(builder, loc, value, s.getType());
}

Value heddle::emitPolygamma(OpBuilder &builder, Location loc, Value n, Value x,
                            Value sum) {
  Type wide = builder.getF64Type();
  FloatBuilder b = builderFor(builder, loc, wide);
  Value order = convert(builder, loc, n, wide);
  Value argument = convert(builder, loc, x, wide);
  Value next = b.add(order, b.c(1));
  Value zeta = zetaFrom(b, next, argument, sum);
  // Up to 22! the factorials are exact.
  Value factorial = b.c(1);
  for (int k = 2; k <= 22; ++k)
    factorial =
        b.select(b.less(order, b.c(k)), factorial, b.mul(factorial, b.c(k)));
  Value large = math::ExpOp::create(builder, loc, logGammaPositive(b, next));
  factorial = b.select(b.greater(order, b.c(22)), large, factorial);
  Value value = b.mul(factorial, zeta);
  Value half = b.mul(order, b.c(0.5));
  value = b.select(b.equal(half, floor(b, half)), b.neg(value), value);
  Value undefined =
      b.either(b.less(order, b.c(0)),
               arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                     order, floor(b, order)));
  value = b.select(undefined, b.c(kNan), value);
  value = b.select(b.equal(order, b.c(0)), digamma(b, argument), value);
  return convert(builder, loc, value, n.getType());
}
