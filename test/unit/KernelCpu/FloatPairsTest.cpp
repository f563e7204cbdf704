// Products of bf16 in pairs: the same bits on every machine where all numbers
// are normal, in the order fma(a0, b0, fma(a1, b1, sum)).

#include "KernelHarness.h"
#include "KernelText.h"
#include "StepCases.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace heddle::test;

namespace {

/// Every host runs the lowest level.
const char *const machines[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4",
                                "x86-64-v4-vnni", "x86-64-v4-bf16"};

bool isUsable(llvm::StringRef machine) {
  return machine == "x86-64-v2" || canRun(machine);
}

const StepTypes types{2, "bf16", "f32", ""};

uint16_t bfloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return uint16_t(bits >> 16);
}

float addTwo(float sum, const uint16_t *left, const uint16_t *right) {
  sum = std::fma(bfloatValue(left[1]), bfloatValue(right[1]), sum);
  return std::fma(bfloatValue(left[0]), bfloatValue(right[0]), sum);
}

void runAll(const std::string &text, std::vector<uint16_t> &lhs,
            std::vector<uint16_t> rhs, const std::vector<float> &wanted) {
  for (const char *machine : machines)
    if (isUsable(machine))
      runAndExpect(text, machine, lhs, rhs, wanted);
}

/// The sum of `k` products: of the last one, if it has no other beside it, then
/// of pairs, in chains of 96 if these are more than 144.
float sumOf(int64_t k, const uint16_t *left, const uint16_t *right) {
  float sum = k % 2 == 0 ? 0
                         : std::fma(bfloatValue(left[k - 1]),
                                    bfloatValue(right[k - 1]), 0.f);
  int64_t even = k / 2 * 2, chain = even > 288 ? 192 : even;
  for (int64_t begin = 0; begin < even; begin += chain) {
    float part = chain < even ? 0 : sum;
    for (int64_t j = begin; j < std::min(begin + chain, even); j += 2)
      part = addTwo(part, left + j, right + j);
    sum = chain < even ? sum + part : part;
  }
  return sum;
}

/// [m, k] times [n, k].
std::vector<float> matmulOf(int64_t m, int64_t n, int64_t k,
                            const uint16_t *lhs, const uint16_t *rhs) {
  std::vector<float> sums(m * n);
  for (int64_t i = 0; i < m * n; ++i)
    sums[i] = sumOf(k, lhs + i / n * k, rhs + i % n * k);
  return sums;
}

void checkMatmul(int64_t m, int64_t n, int64_t k) {
  std::vector<uint16_t> lhs = randomBfloats(m * k, 1),
                        rhs = randomBfloats(n * k, 2);
  runAll(matmulText(types, m, n, k), lhs, inPanels(2, n, k, rhs),
         matmulOf(m, n, k, lhs.data(), rhs.data()));
}

/// Of two activations: [m, k] times [n, k] or [k, n], or a batch of these.
void checkActivations(int64_t m, int64_t n, int64_t k, bool isTransposed,
                      int64_t batch = 1) {
  ContractionCase c = matmul(m, n, k);
  std::vector<uint16_t> lhs = randomBfloats(batch * m * k, 1),
                        rhs = randomBfloats(batch * n * k, 2), given = rhs;
  if (!isTransposed) {
    c.rhs = {k, n};
    c.rhsMap = "k, n";
    for (int64_t i = 0; i < batch * n * k; ++i)
      given[i / (n * k) * (n * k) + i % k * n + i / k % n] = rhs[i];
  }
  std::vector<float> wanted;
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<float> sums =
        matmulOf(m, n, k, &lhs[b * m * k], &rhs[b * n * k]);
    wanted.insert(wanted.end(), sums.begin(), sums.end());
  }
  if (batch > 1) {
    c.dims = "b, " + c.dims;
    c.extents.insert(c.extents.begin(), batch);
    c.reductions = "p" + c.reductions;
    for (auto *map : {&c.lhsMap, &c.rhsMap, &c.outMap})
      *map = "b, " + *map;
    for (auto *shape : {&c.lhs, &c.rhs, &c.out})
      shape->insert(shape->begin(), batch);
  }
  runAll(textOf(c, "bf16", "f32"), lhs, given, wanted);
}

TEST(FloatPairs, ShapesThatDoNotDivideTiles) {
  for (int64_t m : {1, 7, 33})
    for (int64_t n : {1, 16, 31, 33, 150})
      checkMatmul(m, n, 20);
  // The longest sum that is one chain has 144 steps.
  for (int64_t k : {2, 6, 38, 288})
    checkMatmul(5, 40, k);
}

TEST(FloatPairs, OddDepthsBeginWithTheLastTerm) {
  for (int64_t m : {1, 33})
    for (int64_t n : {16, 33, 150})
      checkMatmul(m, n, 21);
  for (int64_t k : {3, 5, 39, 289})
    checkMatmul(5, 40, k);
}

TEST(FloatPairs, Activations) {
  for (bool isTransposed : {false, true}) {
    for (int64_t m : {1, 7, 33, 64})
      for (int64_t n : {1, 16, 33, 70})
        checkActivations(m, n, 20, isTransposed);
    for (int64_t k : {2, 3, 37, 64, 65, 289})
      checkActivations(5, 40, k, isTransposed);
    checkActivations(9, 34, 19, isTransposed, /*batch=*/3);
    checkActivations(1, 48, 35, isTransposed, /*batch=*/2);
  }
}

TEST(FloatPairs, RepeatedTerms) {
  // Rows fill the vectors, and all terms of a row are one number.
  for (int64_t m : {3, 32, 70})
    for (int64_t k : {2, 21}) {
      ContractionCase c = matmul(m, /*n=*/1, k);
      c.lhs = {m};
      c.lhsMap = "m";
      std::vector<uint16_t> lhs = randomBfloats(m, 1),
                            rhs = randomBfloats(k, 2), repeated;
      for (uint16_t value : lhs)
        repeated.insert(repeated.end(), k, value);
      runAll(textOf(c, "bf16", "f32"), lhs, rhs,
             matmulOf(m, 1, k, repeated.data(), rhs.data()));
    }
}

TEST(FloatPairs, ManyRowsMeetManyColumns) {
  // Where there is no instruction both sides are copied as f32.
  for (int64_t k : {300, 301}) {
    checkMatmul(70, 300, k);
    checkActivations(70, 300, k, /*isTransposed=*/true);
  }
  checkMatmul(70, 1000, 65);
  checkActivations(50, 90, 287, /*isTransposed=*/false, /*batch=*/3);
}

TEST(FloatPairs, DeepSumsAreCutInChains) {
  // One row, so that no block of the depth cuts its sums, too.
  for (int64_t k : {2000, 2001}) {
    checkMatmul(1, 32, k);
    checkActivations(1, 32, k, /*isTransposed=*/true);
  }
}

TEST(FloatPairs, DeepSumsRestInMemory) {
  // Whole chains fit each machine's cache, so all give the same bits.
  checkMatmul(33, 70, 24000);
  checkMatmul(52, 70, 24001);
  checkActivations(33, 70, 24001, /*isTransposed=*/true);
}

TEST(FloatPairs, InfinitiesAndNansGoThrough) {
  int64_t m = 2, n = 3, k = 4;
  std::vector<uint16_t> lhs(m * k, bfloat(1)), rhs(n * k, bfloat(1));
  lhs[1] = bfloat(INFINITY);
  rhs[2 * k + 1] = bfloat(0);
  rhs[1 * k + 3] = 0x7fc0;
  std::vector<uint16_t> stored = inPanels(2, n, k, rhs);
  for (const char *machine : machines) {
    if (!isUsable(machine))
      continue;
    SCOPED_TRACE(machine);
    auto kernel = Kernel::compile(matmulText(types, m, n, k), machine);
    ASSERT_TRUE(kernel);
    std::vector<float> out(m * n);
    kernel->run({lhs.data(), stored.data(), out.data()});
    EXPECT_EQ(out[0], INFINITY);
    EXPECT_TRUE(std::isnan(out[1]) && std::isnan(out[2]));
    EXPECT_EQ(out[3], 4);
    EXPECT_TRUE(std::isnan(out[4]));
    EXPECT_EQ(out[5], 3);
  }
}

TEST(FloatPairs, TheInstructionTakesSubnormalNumbersForZero) {
  int64_t m = 1, n = 32, k = 2;
  // 2^-130 is subnormal as a factor; 2^-70 is only so as a product.
  for (float factor : {std::ldexp(1.0f, -130), std::ldexp(1.0f, -70)}) {
    std::vector<uint16_t> lhs(k, bfloat(factor)), rhs(n * k, bfloat(factor));
    if (factor < 1e-38f)
      rhs.assign(n * k, bfloat(1));
    for (const char *machine : machines) {
      if (!isUsable(machine))
        continue;
      bool isFlushed = machine == llvm::StringRef("x86-64-v4-bf16");
      float sum = 2 * factor * bfloatValue(rhs[0]);
      std::vector<uint16_t> stored = inPanels(2, n, k, rhs);
      runAndExpect(matmulText(types, m, n, k), machine, lhs, stored,
                   std::vector<float>(n, isFlushed ? 0 : sum));
    }
  }
}

void check(const StepConvolution &c) {
  std::vector<uint16_t> input = randomBfloats(c.height * c.width * c.inputs, 1),
                        filter =
                            randomBfloats(c.outputs * c.taps() * c.depth(), 2);
  runAll(textOf(types, c), input, inPanels(2, c, filter),
         sumsOf<uint16_t, float>(c, 2, input, filter, addTwo));
}

TEST(FloatPairs, Convolutions) {
  check({9, 17, 8, 40, 3, 1, 1});
  check({10, 15, 6, 64, 3, 2, 1});
  check({5, 6, 4, 33, 5, 1, 2});
  // Over pixels, with and without steps.
  check({7, 7, 64, 70, 1, 1, 0});
  check({8, 8, 34, 16, 1, 2, 0});
  check({6, 7, 16, 48, 3, 1, 1, /*groups=*/2});
}

TEST(FloatPairs, EachMachineUsesWhatItHas) {
  for (const char *machine : machines)
    for (const std::string &text : {matmulText(types, 40, 64, 64),
                                    textOf(matmul(40, 64, 63), "bf16", "f32"),
                                    textOf(types, {9, 17, 8, 40, 3, 1, 1})}) {
      SCOPED_TRACE(machine);
      auto kernel = Kernel::compile(text, machine);
      ASSERT_TRUE(kernel);
      auto uses = [&](const char *instruction) {
        return kernel->assembly.find(instruction) != std::string::npos;
      };
      bool isPairs = machine == llvm::StringRef("x86-64-v4-bf16");
      EXPECT_EQ(uses("vdpbf16ps"), isPairs);
      EXPECT_EQ(uses("vfmadd"),
                !isPairs && machine != llvm::StringRef("x86-64-v2"));
      // It flushes subnormal numbers.
      EXPECT_FALSE(uses("vcvtne"));
    }
}

} // namespace
