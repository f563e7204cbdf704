// Elementwise kernels against plain loops.

#include "KernelRunner.h"

#include "gtest/gtest.h"

using namespace heddle::test;

namespace {

class Elementwise : public testing::TestWithParam<std::string> {};

/// A buffer of floats that can be looked at.
struct Floats {
  explicit Floats(size_t count) : buffer(count * sizeof(float)), count(count) {}
  float *data() { return static_cast<float *>(buffer.data()); }
  float &operator[](size_t i) { return data()[i]; }
  GuardedBuffer buffer;
  size_t count;
};

TEST_P(Elementwise, AddsWithBroadcast) {
  for (int columns : {1, 15, 16, 64, 65, 1000}) {
    std::string n = std::to_string(columns);
    KernelRunner runner(R"(
      func.func @k(%a: tensor<7x)" +
                            n + R"(xf32>, %b: tensor<)" + n +
                            R"(xf32>) -> tensor<7x)" + n + R"(xf32> {
        %e = tensor.empty() : tensor<7x)" +
                            n + R"(xf32>
        %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%a, %b : tensor<7x)" +
                            n + R"(xf32>, tensor<)" + n +
                            R"(xf32>) outs(%e : tensor<7x)" + n + R"(xf32>) {
        ^bb0(%x: f32, %y: f32, %o: f32):
          %s = arith.addf %x, %y : f32
          linalg.yield %s : f32
        } -> tensor<7x)" + n +
                            R"(xf32>
        return %r : tensor<7x)" +
                            n + R"(xf32>
      })",
                        GetParam());
    ASSERT_EQ(runner.error(), "");
    Floats a(7 * columns), b(columns), out(7 * columns);
    for (int i = 0; i < 7 * columns; ++i)
      a[i] = i;
    for (int j = 0; j < columns; ++j)
      b[j] = 0.5f * j;
    runner.run("k", {a.data(), b.data(), out.data()});
    for (int i = 0; i < 7 * columns; ++i)
      ASSERT_EQ(out[i], a[i] + b[i % columns]) << i << " of " << columns;
    EXPECT_TRUE(out.buffer.intact());
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Elementwise,
                         testing::ValuesIn(runnableMachines()));

} // namespace
