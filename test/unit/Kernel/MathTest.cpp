// The error of every elementary function, over dense sweeps of its argument,
// against the C library in a wider format.

#include "KernelRunner.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace heddle::test;

namespace {

/// %y = op %x. The math dialect has no logistic function: it is recognised.
std::string unaryPayload(const std::string &op, const std::string &type) {
  if (op != "logistic")
    return "%y = " + op + " %x : " + type;
  return "%zero = arith.constant 0.0 : " + type + R"(
      %one = arith.constant 1.0 : )" +
         type + R"(
      %size = math.absf %x : )" +
         type + R"(
      %minus = arith.negf %size : )" +
         type + R"(
      %power = math.exp %minus : )" +
         type + R"(
      %negative = arith.cmpf olt, %x, %zero : )" +
         type + R"(
      %top = arith.select %negative, %power, %one : )" +
         type + R"(
      %bottom = arith.addf %one, %power : )" +
         type + R"(
      %y = arith.divf %top, %bottom : )" +
         type;
}

std::string unaryKernel(const std::string &op, const std::string &type,
                        size_t count) {
  std::string tensor = "tensor<" + std::to_string(count) + "x" + type + ">";
  return "func.func @k(%a: " + tensor + ") -> " + tensor + R"( {
    %e = tensor.empty() : )" +
         tensor + R"(
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
      ins(%a : )" +
         tensor + ") outs(%e : " + tensor + R"() {
    ^bb0(%x: )" +
         type + ", %o: " + type + "):\n      " + unaryPayload(op, type) +
         "\n      linalg.yield %y : " + type + "\n    } -> " + tensor +
         "\n    return %r : " + tensor + "\n  }";
}

/// The distance of `value` from `exact`, in units in the last place of a float
/// with `mantissa` bits and smallest exponent `least`.
double ulps(double value, long double exact, int mantissa, int least) {
  if (std::isnan(exact) || std::isnan(value))
    return std::isnan(exact) && std::isnan(value) ? 0 : 1e30;
  if (std::isinf(exact) || std::isinf(value) || exact == 0)
    return value == static_cast<double>(exact) ? 0 : 1e30;
  int exponent = std::max(std::ilogb(exact), least);
  return std::fabs(static_cast<double>((value - exact) /
                                       std::scalbn(1.0L, exponent - mantissa)));
}

struct Function {
  const char *op;
  double (*reference)(double);
  long double (*wideReference)(long double);
  double bound, boundWide;
};

const Function functions[] = {
    {"math.exp", std::exp, expl, 1.2, 0.7},
    {"math.exp2", std::exp2, exp2l, 1.2, 0.7},
    {"math.expm1", std::expm1, expm1l, 1, 0.9},
    {"math.log", std::log, logl, 1.2, 1.2},
    {"math.log2", std::log2, log2l, 0.51, 1.7},
    {"math.log10", std::log10, log10l, 0.51, 1.8},
    {"math.log1p", std::log1p, log1pl, 0.51, 1.3},
    {"math.tanh", std::tanh, tanhl, 1, 0.9},
    {"logistic", [](double x) { return 1 / (1 + std::exp(-x)); },
     [](long double x) { return 1 / (1 + expl(-x)); }, 1, 2.2},
    {"math.erf", std::erf, erfl, 1, 1.3},
    {"math.erfc", std::erfc, erfcl, 0.51, 1.3},
    {"math.sin", std::sin, sinl, 0.51, 0.85},
    {"math.cos", std::cos, cosl, 0.51, 0.85},
    {"math.tan", std::tan, tanl, 0.51, 1},
    {"math.asin", std::asin, asinl, 0.51, 0.7},
    {"math.acos", std::acos, acosl, 0.51, 0.75},
    {"math.atan", std::atan, atanl, 0.51, 0.75},
    {"math.sinh", std::sinh, sinhl, 0.51, 0.85},
    {"math.cosh", std::cosh, coshl, 0.51, 0.7},
    {"math.asinh", std::asinh, asinhl, 0.51, 1.2},
    {"math.acosh", std::acosh, acoshl, 0.51, 1.2},
    {"math.atanh", std::atanh, atanhl, 0.51, 1.2},
    {"math.cbrt", std::cbrt, cbrtl, 0.51, 0.9},
    {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); },
     [](long double x) { return 1 / sqrtl(x); }, 1.5, 1.5},
};

class Math : public testing::TestWithParam<std::string> {};

TEST_P(Math, Float32) {
  constexpr size_t count = 1 << 18;
  std::vector<float> in(count), out(count);
  // Every 16384th bit pattern, so every exponent, both signs, NaNs, infinities.
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits =
        static_cast<uint32_t>(i * 16384 + (i * 2654435761u >> 18) % 16384);
    std::memcpy(&in[i], &bits, 4);
  }
  const float special[] = {0.0f,    -0.0f,       INFINITY,    -INFINITY,
                           NAN,     1.0f,        -1.0f,       88.72283f,
                           88.8f,   -103.97f,    -104.5f,     1e-45f,
                           -1e-45f, 0.70710677f, 0.99999994f, 1.0000001f};
  std::copy(std::begin(special), std::end(special), in.begin());
  // Half of them where the functions live.
  for (size_t i = count / 2; i < count; ++i)
    in[i] = (static_cast<double>(i) / count - 0.75) * 44;
  for (const Function &function : functions) {
    KernelRunner runner(unaryKernel(function.op, "f32", count), GetParam());
    ASSERT_EQ(runner.error(), "") << function.op;
    runner.run("k", {in.data(), out.data()});
    double worst = 0, at = 0;
    for (size_t i = 0; i < count; ++i) {
      double exact = function.reference(in[i]);
      // What rounds to infinity is infinite.
      if (std::fabs(exact) >= 0x1.ffffffp127)
        exact = std::copysign(INFINITY, exact);
      if (std::fabs(exact) < 0x1p-150)
        exact = 0;
      double error = ulps(out[i], exact, 23, -126);
      if (error > worst) {
        worst = error;
        at = in[i];
      }
    }
    // Without fused operations an addition more is rounded.
    double bound = function.bound * (GetParam() == "x86-64-v2" ? 1.5 : 1);
    EXPECT_LE(worst, bound) << function.op << " at " << at;
  }
}

/// The distance of f32 `value` from `exact` as `ulps` has it, fast.
double singleUlps(float value, double exact) {
  if (std::fabs(exact) >= 0x1.ffffffp127)
    exact = std::copysign(INFINITY, exact);
  if (!std::isfinite(exact) || !std::isfinite(value))
    return ulps(value, exact, 23, -126);
  uint64_t bits;
  std::memcpy(&bits, &exact, 8);
  uint64_t exponent = std::max<uint64_t>(bits >> 52 & 2047, 1023 - 126);
  uint64_t unitBits = (exponent - 23) << 52;
  double unit;
  std::memcpy(&unit, &unitBits, 8);
  return std::fabs(value - exact) / unit;
}

/// All 2^32 values of f32, in 2^14 chunks that each reach all exponents. By
/// default a few chunks, which the compiled code's bytes choose: another sample
/// whenever the code changes. The environment's HEDDLE_SWEEP says "all", or
/// every how many chunks, and HEDDLE_SWEEP_OP one operation: math.exp and all
/// take some two minutes of an idle core.
TEST_P(Math, Float32Sweep) {
  constexpr size_t chunks = 1 << 14, count = 1 << 18;
  const char *wanted = std::getenv("HEDDLE_SWEEP");
  const char *only = std::getenv("HEDDLE_SWEEP_OP");
  size_t step = !wanted                        ? chunks / 2
                : std::string(wanted) == "all" ? 1
                                               : std::atoi(wanted);
  ASSERT_GT(step, 0u) << "HEDDLE_SWEEP is a number of chunks, or all";
  std::vector<float> in(count), out(count);
  for (const Function &function : functions) {
    if (only && std::string(only) != function.op)
      continue;
    KernelRunner runner(unaryKernel(function.op, "f32", count), GetParam());
    ASSERT_EQ(runner.error(), "") << function.op;
    size_t first = 0;
    for (char byte : runner.image())
      first = (first * 31 + static_cast<unsigned char>(byte)) % step;
    double worst = 0;
    float at = 0;
    for (size_t chunk = first; chunk < chunks; chunk += step) {
      for (size_t i = 0; i < count; ++i) {
        uint32_t bits = static_cast<uint32_t>(i * chunks + chunk);
        std::memcpy(&in[i], &bits, 4);
      }
      runner.run("k", {in.data(), out.data()});
      for (size_t i = 0; i < count; ++i) {
        double error = singleUlps(out[i], function.reference(in[i]));
        if (error > worst) {
          worst = error;
          at = in[i];
        }
      }
    }
    double bound = function.bound * (GetParam() == "x86-64-v2" ? 1.5 : 1);
    EXPECT_LE(worst, bound) << function.op << " at " << at;
    if (wanted)
      std::printf("%s on %s: %.4f ULP at %.9g\n", function.op,
                  GetParam().c_str(), worst, static_cast<double>(at));
  }
}

TEST_P(Math, Float64) {
  constexpr size_t count = 1 << 15;
  std::vector<double> in(count), out(count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = i * ((uint64_t(1) << 49) + 12345678911ull);
    std::memcpy(&in[i], &bits, 8);
  }
  const double special[] = {0.0,      -0.0,
                            INFINITY, -INFINITY,
                            NAN,      1.0,
                            -1.0,     709.78,
                            709.79,   -745.1,
                            -745.2,   5e-324,
                            -5e-324,  0.70710678118654752};
  std::copy(std::begin(special), std::end(special), in.begin());
  for (size_t i = count / 2; i < count; ++i)
    in[i] = (static_cast<double>(i) / count - 0.75) * 60;
  for (const Function &function : functions) {
    KernelRunner runner(unaryKernel(function.op, "f64", count), GetParam());
    ASSERT_EQ(runner.error(), "") << function.op;
    runner.run("k", {in.data(), out.data()});
    double worst = 0, at = 0;
    for (size_t i = 0; i < count; ++i) {
      long double exact = function.wideReference(in[i]);
      if (fabsl(exact) >= 0x1.fffffffffffffcp1023L)
        exact = copysignl(INFINITY, exact);
      if (fabsl(exact) < 0x1p-1076L)
        exact = 0;
      double error = ulps(out[i], exact, 52, -1022);
      if (error > worst) {
        worst = error;
        at = in[i];
      }
    }
    double bound = function.boundWide * (GetParam() == "x86-64-v2" ? 1.5 : 1);
    EXPECT_LE(worst, bound) << function.op << " at " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Math, testing::ValuesIn(runnableMachines()));

} // namespace
