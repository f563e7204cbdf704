// Roots that move data, windows and sorting, against plain loops.

#include "KernelRunner.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace heddle::test;

namespace {

class Data : public testing::TestWithParam<std::string> {};

std::vector<float> ramp(size_t count, float start = 0) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), start);
  return values;
}

TEST_P(Data, Concatenate) {
  for (auto [rows, first, second] :
       {std::tuple(1, 1, 1), std::tuple(3, 5, 20), std::tuple(40, 64, 1),
        std::tuple(2, 0, 9), std::tuple(2, 100000, 33)}) {
    auto type = [&, rows = rows](int columns) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
             "xf32>";
    };
    std::string a = type(first), b = type(second), c = type(first + second);
    KernelRunner runner(
        "func.func @k(%a: " + a + ", %b: " + b + ") -> " + c +
            " {\n %r = kernel.concatenate %a, %b {dimension = 1 : i64} : (" +
            a + ", " + b + ") -> " + c + "\n return %r : " + c + "\n}",
        GetParam());
    ASSERT_EQ(runner.error(), "");
    std::vector<float> x = ramp(rows * first), y = ramp(rows * second, 1e6);
    std::vector<float> out(rows * (first + second), -1), split(out);
    runner.run("k", {x.data(), y.data(), out.data()});
    runner.run("k", {x.data(), y.data(), split.data()}, 3);
    EXPECT_EQ(out, split);
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < first + second; ++column)
        ASSERT_EQ(out[row * (first + second) + column],
                  column < first ? x[row * first + column]
                                 : y[row * second + column - first]);
  }
}

TEST_P(Data, Pad) {
  struct Case {
    int in[2], low[2], high[2], interior[2];
  };
  for (const Case &test : {Case{{3, 5}, {1, 2}, {0, 3}, {0, 0}},
                           Case{{3, 40}, {2, 0}, {1, 0}, {1, 0}},
                           Case{{4, 5}, {-1, -2}, {-1, 1}, {0, 0}},
                           Case{{2, 7}, {0, 1}, {0, 2}, {0, 2}},
                           Case{{3, 4}, {-1, -1}, {2, -1}, {2, 1}},
                           Case{{2, 3}, {0, 0}, {0, 0}, {0, 0}}}) {
    int out[2];
    for (int d = 0; d < 2; ++d)
      out[d] = test.low[d] + test.high[d] + test.in[d] +
               (test.in[d] - 1) * test.interior[d];
    auto type = [](const int *shape) {
      return "tensor<" + std::to_string(shape[0]) + "x" +
             std::to_string(shape[1]) + "xf32>";
    };
    auto list = [](const int *values) {
      return "array<i64: " + std::to_string(values[0]) + ", " +
             std::to_string(values[1]) + ">";
    };
    std::string a = type(test.in), c = type(out);
    KernelRunner runner("func.func @k(%a: " + a + ") -> " + c +
                            " {\n %p = arith.constant -7.0 : f32\n %r = "
                            "kernel.pad %a, %p {low = " +
                            list(test.low) + ", high = " + list(test.high) +
                            ", interior = " + list(test.interior) + "} : " + a +
                            ", f32 -> " + c + "\n return %r : " + c + "\n}",
                        GetParam());
    ASSERT_EQ(runner.error(), "");
    std::vector<float> x = ramp(test.in[0] * test.in[1]),
                       want(out[0] * out[1], -7);
    for (int i = 0; i < test.in[0]; ++i)
      for (int j = 0; j < test.in[1]; ++j) {
        int y = test.low[0] + i * (test.interior[0] + 1),
            z = test.low[1] + j * (test.interior[1] + 1);
        if (y >= 0 && y < out[0] && z >= 0 && z < out[1])
          want[y * out[1] + z] = x[i * test.in[1] + j];
      }
    std::vector<float> got(want.size(), -1);
    runner.run("k", {x.data(), got.data()});
    EXPECT_EQ(got, want);
  }
}

TEST_P(Data, DynamicUpdateSliceClamps) {
  KernelRunner runner(R"(
    func.func @k(%t: tensor<6x40xf32> {kernel.tied = 0}, %u: tensor<2x40xf32>, %i: tensor<i64>, %j: tensor<i64>) -> tensor<6x40xf32> {
      %r = kernel.dynamic_update_slice %t, %u, (%i, %j) : tensor<6x40xf32>, tensor<2x40xf32>, (tensor<i64>, tensor<i64>) -> tensor<6x40xf32>
      return %r : tensor<6x40xf32>
    })",
                      GetParam());
  ASSERT_EQ(runner.error(), "");
  for (int64_t start : {-3, 0, 3, 4, 5, 100}) {
    std::vector<float> target = ramp(240), update = ramp(80, 1000),
                       want = target;
    int64_t zero = 0, at = std::clamp<int64_t>(start, 0, 4);
    std::copy(update.begin(), update.end(), want.begin() + at * 40);
    runner.run("k",
               {target.data(), update.data(), &start, &zero, target.data()});
    EXPECT_EQ(target, want);
  }
}

TEST_P(Data, ScatterAddsAndSkips) {
  KernelRunner runner(R"(
    func.func @k(%t: tensor<10x4xf32> {kernel.tied = 0}, %i: tensor<5x1xi64>, %u: tensor<5x4xf32>) -> tensor<10x4xf32> {
      %r = kernel.scatter targets(%t) indices(%i) updates(%u) {
        update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
        input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
        scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64
      } : (tensor<10x4xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<10x4xf32> {
      ^bb0(%old: f32, %new: f32):
        %s = arith.addf %old, %new : f32
        kernel.yield %s : f32
      }
      return %r : tensor<10x4xf32>
    })",
                      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<float> target = ramp(40), update = ramp(20, 100), want = target;
  std::vector<int64_t> at = {3, 3, -1, 9, 10};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j)
      if (at[i] >= 0 && at[i] < 10)
        want[at[i] * 4 + j] += update[i * 4 + j];
  runner.run("k", {target.data(), at.data(), update.data(), target.data()});
  EXPECT_EQ(target, want);
}

TEST_P(Data, SortIsStable) {
  for (int extent : {1, 2, 7, 64, 100}) {
    std::string n = std::to_string(extent), f = "tensor<3x" + n + "xf32>",
                s = "tensor<3x" + n + "xi32>";
    KernelRunner runner(
        "func.func @k(%a: " + f + ", %b: " + s + ") -> (" + f + ", " + s +
            ") {\n %r:2 = kernel.sort %a, %b {dimension = 1 : i64} : (" + f +
            ", " + s + ") -> (" + f + ", " + s + R"() {
      ^bb0(%x: f32, %y: f32, %i: i32, %j: i32):
        %less = arith.cmpf olt, %x, %y : f32
        kernel.yield %less : i1
      }
      return %r#0, %r#1 : )" +
            f + ", " + s + "\n}",
        GetParam());
    ASSERT_EQ(runner.error(), "");
    std::vector<float> keys(3 * extent), sorted(3 * extent);
    std::vector<int32_t> ids(3 * extent), order(3 * extent);
    for (int i = 0; i < 3 * extent; ++i) {
      keys[i] = i * 7919 % 13;
      ids[i] = i;
    }
    runner.run("k", {keys.data(), ids.data(), sorted.data(), order.data()}, 2);
    for (int row = 0; row < 3; ++row) {
      std::vector<int32_t> want(ids.begin() + row * extent,
                                ids.begin() + (row + 1) * extent);
      std::sort(want.begin(), want.end(), [&](int a, int b) {
        return std::pair(keys[a], a) < std::pair(keys[b], b);
      });
      for (int i = 0; i < extent; ++i) {
        ASSERT_EQ(order[row * extent + i], want[i]);
        ASSERT_EQ(sorted[row * extent + i], keys[want[i]]);
      }
    }
  }
}

TEST_P(Data, ResultsMayBeUnused) {
  KernelRunner runner(R"(
    func.func @k(%a: tensor<5xi32>, %b: tensor<5xi32>) -> tensor<5xi32> {
      %r:2 = kernel.sort %a, %b {dimension = 0 : i64} : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
      ^bb0(%x: i32, %y: i32, %i: i32, %j: i32):
        %less = arith.cmpi slt, %x, %y : i32
        kernel.yield %less : i1
      }
      return %r#1 : tensor<5xi32>
    })",
                      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<int32_t> keys = {4, 1, 3, 0, 2}, ids = {10, 11, 12, 13, 14},
                       out(5), want = {13, 11, 14, 12, 10};
  runner.run("k", {keys.data(), ids.data(), out.data()});
  EXPECT_EQ(out, want);
}

TEST_P(Data, TopKPutsNanFirst) {
  KernelRunner runner(R"(
    func.func @k(%x: tensor<2x9xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>) {
      %v, %i = kernel.top_k %x : tensor<2x9xf32> -> tensor<2x4xf32>, tensor<2x4xi32>
      return %v, %i : tensor<2x4xf32>, tensor<2x4xi32>
    })",
                      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<float> x = {1, 5,   5, 2,        9,   9, 0, -1, 5,
                          1, NAN, 3, INFINITY, NAN, 3, 3, 0,  0},
                     values(8);
  std::vector<int32_t> at(8), want = {4, 5, 1, 2, 1, 4, 3, 2};
  runner.run("k", {x.data(), values.data(), at.data()});
  EXPECT_EQ(at, want);
  EXPECT_EQ(values[3], 5);
  EXPECT_TRUE(std::isnan(values[4]));
}

/// Windows over [N, H, W, C]: sums of what lies inside.
TEST_P(Data, ReduceWindow) {
  struct Case {
    int h, w, c, window, stride, low, high, base, dilation;
  };
  for (const Case &test :
       {Case{6, 7, 3, 2, 2, 0, 0, 1, 1}, Case{5, 5, 64, 3, 2, 1, 1, 1, 1},
        Case{9, 4, 100, 3, 1, 1, 0, 1, 2}, Case{4, 4, 17, 3, 1, 2, 2, 2, 1}}) {
    auto outExtent = [&](int n) {
      return ((n - 1) * test.base + 1 + test.low + test.high -
              ((test.window - 1) * test.dilation + 1)) /
                 test.stride +
             1;
    };
    int oh = outExtent(test.h), ow = outExtent(test.w);
    auto type = [&](int h, int w) {
      return "tensor<2x" + std::to_string(h) + "x" + std::to_string(w) + "x" +
             std::to_string(test.c) + "xf32>";
    };
    auto list = [](int v) {
      return "array<i64: 1, " + std::to_string(v) + ", " + std::to_string(v) +
             ", 1>";
    };
    std::string pad =
        std::to_string(test.low) + ", " + std::to_string(test.high);
    std::string a = type(test.h, test.w), c = type(oh, ow);
    KernelRunner runner(
        "func.func @k(%a: " + a + ") -> " + c +
            " {\n %z = arith.constant 0.0 : f32\n %r = kernel.reduce_window "
            "inputs(%a) inits(%z) {window = " +
            list(test.window) + ", strides = " + list(test.stride) +
            ", padding = array<i64: 0, 0, " + pad + ", " + pad +
            ", 0, 0>, base_dilations = " + list(test.base) +
            ", window_dilations = " + list(test.dilation) + "} : (" + a +
            ", f32) -> " + c + R"( {
        ^bb0(%acc: f32, %in: f32):
          %s = arith.addf %acc, %in : f32
          kernel.yield %s : f32
        }
        return %r : )" +
            c + "\n}",
        GetParam());
    ASSERT_EQ(runner.error(), "");
    std::vector<float> x = ramp(2 * test.h * test.w * test.c),
                       out(2 * oh * ow * test.c, -1);
    runner.run("k", {x.data(), out.data()});
    size_t at = 0;
    for (int n = 0; n < 2; ++n)
      for (int y = 0; y < oh; ++y)
        for (int z = 0; z < ow; ++z)
          for (int channel = 0; channel < test.c; ++channel) {
            double sum = 0;
            for (int i = 0; i < test.window; ++i)
              for (int j = 0; j < test.window; ++j) {
                int py = y * test.stride + i * test.dilation - test.low,
                    pz = z * test.stride + j * test.dilation - test.low;
                if (py < 0 || pz < 0 || py % test.base || pz % test.base ||
                    py / test.base >= test.h || pz / test.base >= test.w)
                  continue;
                sum += x[((n * test.h + py / test.base) * test.w +
                          pz / test.base) *
                             test.c +
                         channel];
              }
            ASSERT_EQ(out[at++], static_cast<float>(sum)) << y << "," << z;
          }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Data, testing::ValuesIn(runnableMachines()));

} // namespace
