// What is fused behind a contraction, a convolution or an attention.

#include "KernelHarness.h"
#include "gtest/gtest.h"
#include <functional>

using namespace mlir;
using namespace heddle::test;

namespace {

/// `contract` is 21x70 = 21x13 * 13x70, packed; `epilogue` follows it and
/// returns. %bias is 70 and %other 21x70 elements.
std::string kernelOf(const std::string &result, const std::string &epilogue) {
  return "#mn = affine_map<(m, n) -> (m, n)>\n"
         "#nm = affine_map<(m, n) -> (n, m)>\n"
         "#n = affine_map<(m, n) -> (n)>\n"
         "func.func @k(%a: tensor<21x13xf32>, %b: tensor<3x13x32xf32>, %bias: "
         "tensor<70xf32>, %other: tensor<21x70xf32>) -> " +
         result +
         " attributes {kernel.entry} {\n"
         "  %0 = kernel.contract %a, %b {extents = array<i64: 21, 70, 13>, "
         "indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, "
         "k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = "
         "[\"parallel\", \"parallel\", \"reduction\"], rhs_packing = "
         "\"* k n -> * n/32 k n%32\"} : tensor<21x13xf32>, tensor<3x13x32xf32> "
         "-> "
         "tensor<21x70xf32>\n" +
         epilogue + "}\n";
}

/// The operands of `kernelOf`, and the sums before the epilogue.
struct Operands {
  std::vector<float> a = randomValues(21 * 13, 1);
  std::vector<float> b = randomValues(3 * 13 * 32, 2);
  std::vector<float> bias = randomValues(70, 3);
  std::vector<float> other = randomValues(21 * 70, 4);
  std::vector<double> sums;

  Operands() {
    for (int64_t m = 0; m < 21; ++m)
      for (int64_t n = 0; n < 70; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < 13; ++k)
          sum += double(a[m * 13 + k]) * b[(n / 32 * 13 + k) * 32 + n % 32];
        sums.push_back(sum);
      }
  }
};

/// `wanted` gives the result from the sum, the bias and the other operand;
/// `transposed` says that it is stored [n, m].
template <typename R>
void check(const std::string &text, bool transposed,
           std::function<double(double, double, double)> wanted,
           double tolerance = 1e-5) {
  Operands operands;
  for (const char *machine : {"x86-64-v3", "x86-64-v4"}) {
    if (!canRun(machine))
      continue;
    SCOPED_TRACE(machine);
    auto kernel = Kernel::compile(text, machine);
    ASSERT_TRUE(kernel);
    std::vector<R> out(21 * 70 + 64, R(77));
    kernel->run({operands.a.data(), operands.b.data(), operands.bias.data(),
                 operands.other.data(), out.data()},
                1);
    for (int64_t m = 0; m < 21; ++m)
      for (int64_t n = 0; n < 70; ++n)
        ASSERT_NEAR(double(out[transposed ? n * 21 + m : m * 70 + n]),
                    wanted(operands.sums[m * 70 + n], operands.bias[n],
                           operands.other[m * 70 + n]),
                    tolerance)
            << m << " " << n;
    for (int64_t i = 0; i < 64; ++i)
      ASSERT_EQ(out[21 * 70 + i], R(77)) << "past the end, " << i;
  }
}

TEST(Epilogue, BiasAndReluInRegisters) {
  check<float>(kernelOf("tensor<21x70xf32>", R"(
  %e = tensor.empty() : tensor<21x70xf32>
  %1 = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<21x70xf32>, tensor<70xf32>) outs(%e : tensor<21x70xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %x, %y : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<21x70xf32>
  return %1 : tensor<21x70xf32>
)"),
               false, [](double sum, double bias, double) {
                 return std::max(sum + bias, 0.0);
               });
}

TEST(Epilogue, ElementaryFunctionAndResidualFromMemory) {
  check<float>(kernelOf("tensor<21x70xf32>", R"(
  %e = tensor.empty() : tensor<21x70xf32>
  %1 = linalg.generic {indexing_maps = [#mn, #n, #mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias, %other : tensor<21x70xf32>, tensor<70xf32>, tensor<21x70xf32>) outs(%e : tensor<21x70xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    %t = math.tanh %s : f32
    %r = arith.addf %t, %w : f32
    linalg.yield %r : f32
  } -> tensor<21x70xf32>
  return %1 : tensor<21x70xf32>
)"),
               false, [](double sum, double bias, double other) {
                 return std::tanh(sum + bias) + other;
               });
}

TEST(Epilogue, TransposedAndNarrowed) {
  check<_Float16>(
      kernelOf("tensor<70x21xf16>", R"(
  %e = tensor.empty() : tensor<70x21xf16>
  %1 = linalg.generic {indexing_maps = [#mn, #nm], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<21x70xf32>) outs(%e : tensor<70x21xf16>) {
  ^bb0(%x: f32, %z: f16):
    %r = arith.truncf %x : f32 to f16
    linalg.yield %r : f16
  } -> tensor<70x21xf16>
  return %1 : tensor<70x21xf16>
)"),
      true, [](double sum, double, double) { return sum; }, 5e-3);
}

TEST(Epilogue, LoopsInAnotherOrder) {
  // The generic's first loop walks the columns.
  check<float>(kernelOf("tensor<21x70xf32>", R"(
  %e = tensor.empty() : tensor<21x70xf32>
  %1 = linalg.generic {indexing_maps = [#nm, #nm, #nm], iterator_types = ["parallel", "parallel"]}
      ins(%0, %other : tensor<21x70xf32>, tensor<21x70xf32>) outs(%e : tensor<21x70xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %r = arith.mulf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<21x70xf32>
  return %1 : tensor<21x70xf32>
)"),
               false,
               [](double sum, double, double other) { return sum * other; });
}

TEST(Epilogue, BesideThePlainResult) {
  Operands operands;
  auto kernel =
      Kernel::compile(kernelOf("(tensor<21x70xf32>, tensor<21x70xf32>)", R"(
  %e = tensor.empty() : tensor<21x70xf32>
  %1 = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<21x70xf32>) outs(%e : tensor<21x70xf32>) {
  ^bb0(%x: f32, %z: f32):
    %r = arith.negf %x : f32
    linalg.yield %r : f32
  } -> tensor<21x70xf32>
  return %0, %1 : tensor<21x70xf32>, tensor<21x70xf32>
)"),
                      "x86-64-v3");
  ASSERT_TRUE(kernel);
  std::vector<float> plain(21 * 70), negated(21 * 70);
  kernel->run({operands.a.data(), operands.b.data(), operands.bias.data(),
               operands.other.data(), plain.data(), negated.data()});
  for (size_t i = 0; i < plain.size(); ++i) {
    ASSERT_NEAR(plain[i], operands.sums[i], 1e-5);
    ASSERT_EQ(negated[i], -plain[i]);
  }
}

} // namespace
