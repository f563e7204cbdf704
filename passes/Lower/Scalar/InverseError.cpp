// The inverse error function, written out for one element. The tables are our
// own: polynomials of an argument mapped to [-1, 1].

#include "passes/Lower/Scalar/InverseError.h"

#include <limits>

using namespace mlir;

namespace heddle {

/// erf_inv(x) / x of w = -log(1 - x^2): for w in [0, 6.25], and of sqrt(w) in
/// [2.5, 4] and [4, 6.125].
static constexpr double kInverseErrorLow[] = {
    1.6536545626831027,      0.7504943200799635,     -0.05892256710377784,
    -0.022604447453449802,   0.017808361818295655,   -0.00413731437741443,
    -0.0012716922684373015,  0.0012324855686812834,  -0.0002643936684366174,
    -0.0001168888399309713,  9.33673917780479e-05,   -1.5027710420277575e-05,
    -1.1257319182677936e-05, 7.1300572630824496e-06, -6.83718721812117e-07,
    -1.059321402540731e-06,  5.394320648707009e-07,  -1.0185147576818285e-08,
    -9.867713140174249e-08,  3.915473114023045e-08,  4.792369996100387e-09,
    -8.562787796742932e-09,  1.5401738716654886e-09, 7.689312733742569e-10,
    -2.7032254091069344e-10};
static constexpr double kInverseErrorMiddle[] = {
    3.0838856104922208,     0.7539442257706194,      0.0030211394363764865,
    -0.0015825410891285008, 0.0007883078512000405,   -0.0004006357032703787,
    0.00016966502384997928, -4.739178791780613e-05,  2.405849826863639e-06,
    5.1271458282959595e-06, -2.6647290027131336e-06, 5.268978286875368e-07,
    9.272847268010501e-08,  -9.536038433614285e-08,  2.6652555523279727e-08,
    2.448720579642754e-10,  -2.6921670135260728e-09, 6.819336997989723e-10,
    -2.159829264980955e-12};
static constexpr double kInverseErrorHigh[] = {
    4.913049587233785,       1.073423220166266,       -0.00020015887269997127,
    -0.00023602855322186705, 8.933962898863039e-05,   -2.4458714550719394e-05,
    5.9208182282059965e-06,  -1.3561669261120511e-06, 3.1761971224014906e-07,
    -9.050804056236023e-08,  3.745987802022274e-08,   -1.9708309762626663e-08,
    1.08467043671306e-08,    -5.925450335941149e-09,  2.6242810499547684e-09,
    -6.178742451303861e-10,  2.457021894689546e-11};

/// The same to 7e-10: w in [0, 5] and [5, 16].
static constexpr double kInverseErrorLow32[] = {
    1.5014093511463644,     0.6166006918505723,    -0.02610823898553138,
    -0.019573561367256926,  0.0085254482360621,    -0.0004878935579118148,
    -0.0008343980392843633, 0.0002921763766275796, 2.1170468194000166e-05,
    -4.144232492691381e-05, 7.68861452075708e-06,  2.9467656147002547e-06,
    -1.1782658733363244e-06};
static constexpr double kInverseErrorHigh32[] = {
    3.07420581766841,        0.8530428462875608,      -0.10776048322243847,
    0.025871016507911893,    -0.00698168685540839,    0.0015533486073394248,
    1.2867686260460906e-05,  -0.00030764246225467774, 0.0002476418053594599,
    -0.00017014195593678246, 8.435142356580727e-05,   -3.910652936573623e-06,
    -1.0229942896424346e-05};

/// The argument of a table for [low, high].
static Value mapped(FloatBuilder &b, Value value, double low, double high) {
  double scale = 2 / (high - low);
  return b.fma(value, b.c(scale), b.c(-(low + high) / (high - low)));
}

/// The domain's ends.
static Value atLimits(FloatBuilder &b, Value x, Value value) {
  Value infinity = b.c(std::numeric_limits<double>::infinity());
  Value end = b.equal(b.abs(x), b.c(1));
  return b.select(end, b.copySign(infinity, x), value);
}

Value inverseError(FloatBuilder &b, Value x) {
  Value one = b.c(1), size = b.abs(x);
  Value logarithm = math::LogOp::create(
      b.builder, b.loc, b.mul(b.sub(one, size), b.add(one, size)));
  Value w = b.neg(logarithm), root = b.sqrt(w);
  Value low = b.polynomial(mapped(b, w, 0, 6.25), kInverseErrorLow);
  Value middle = b.polynomial(mapped(b, root, 2.5, 4), kInverseErrorMiddle);
  Value high = b.polynomial(mapped(b, root, 4, 6.125), kInverseErrorHigh);
  Value factor = b.select(b.less(w, b.c(6.25)), low,
                          b.select(b.less(root, b.c(4)), middle, high));
  // One step of Newton's on erf, or on erfc near 1.
  Value y = b.abs(b.mul(x, factor));
  Value erf = math::ErfOp::create(b.builder, b.loc, y);
  Value erfc = math::ErfcOp::create(b.builder, b.loc, y);
  Value wrong = b.select(b.less(size, b.c(0.5)), b.sub(erf, size),
                         b.sub(b.sub(one, size), erfc));
  Value slope = math::ExpOp::create(b.builder, b.loc, b.mul(y, y));
  y = b.fma(b.mul(wrong, slope), b.c(-0.88622692545275801365), y);
  return atLimits(b, x, b.copySign(y, x));
}

Value inverseErrorOfSingle(FloatBuilder &b, Value x) {
  // 1 - x^2 = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); the square is
  // exact.
  Value u = b.fma(b.neg(x), x, b.c(1));
  Value bits = b.bits(u);
  Value e = b.sar(b.isub(bits, b.i(0x3fe6a09e667f3bcd)), 52);
  Value f = b.sub(b.fromBits(b.isub(bits, b.shl(e, 52))), b.c(1));
  // log(1 + f) = f + f^2 P(f), error 1.5e-10.
  Value p = b.polynomial(f, {-0.4999999948293764, 0.3333329655032895,
                             -0.25000039830751497, 0.2000299867523788,
                             -0.16667955570637463, 0.14204515117178088,
                             -0.12393447206300237, 0.11972869047620009,
                             -0.11785022734545438, 0.06710768504869798});
  Value logarithm = b.fma(b.mul(f, f), p, f);
  Value w =
      b.neg(b.fma(b.toFloat(e), b.c(0.693147180559945309417232), logarithm));
  Value low = b.polynomial(mapped(b, w, 0, 5), kInverseErrorLow32);
  Value high = b.polynomial(mapped(b, w, 5, 16), kInverseErrorHigh32);
  Value factor = b.select(b.less(w, b.c(5)), low, high);
  // Beyond the domain the bits say nothing.
  Value value =
      b.select(b.less(u, b.c(0)), b.c(std::numeric_limits<double>::quiet_NaN()),
               b.mul(x, factor));
  return atLimits(b, x, value);
}

} // namespace heddle
