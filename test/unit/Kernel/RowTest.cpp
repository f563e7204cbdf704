// Reductions and kernels that work row by row, against plain loops.

#include "KernelRunner.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace heddle::test;

namespace {

class Rows : public testing::TestWithParam<std::string> {};

/// `text` with every `$R` and `$C` replaced.
std::string shaped(std::string text, int rows, int columns) {
  for (auto [name, value] : {std::pair("$R", rows), std::pair("$C", columns)})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, 2, std::to_string(value));
  return text;
}

const char *softmax = R"(
  #all = affine_map<(i, j) -> (i, j)>
  #row = affine_map<(i, j) -> (i)>
  func.func @k(%x: tensor<$Rx$Cxf32>) -> tensor<$Rx$Cxf32> {
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %er = tensor.empty() : tensor<$Rxf32>
    %e = tensor.empty() : tensor<$Rx$Cxf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<$Rxf32>) -> tensor<$Rxf32>
    %m = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<$Rx$Cxf32>) outs(%m0 : tensor<$Rxf32>) {
    ^bb0(%a: f32, %acc: f32):
      %v = arith.maximumf %acc, %a : f32
      linalg.yield %v : f32
    } -> tensor<$Rxf32>
    %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<$Rx$Cxf32>, tensor<$Rxf32>) outs(%e : tensor<$Rx$Cxf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %d = arith.subf %a, %b : f32
      %v = math.exp %d : f32
      linalg.yield %v : f32
    } -> tensor<$Rx$Cxf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<$Rxf32>) -> tensor<$Rxf32>
    %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<$Rx$Cxf32>) outs(%s0 : tensor<$Rxf32>) {
    ^bb0(%a: f32, %acc: f32):
      %v = arith.addf %acc, %a : f32
      linalg.yield %v : f32
    } -> tensor<$Rxf32>
    %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<$Rx$Cxf32>, tensor<$Rxf32>) outs(%e : tensor<$Rx$Cxf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %v = arith.divf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<$Rx$Cxf32>
    return %r : tensor<$Rx$Cxf32>
  })";

TEST_P(Rows, Softmax) {
  for (auto [rows, columns] :
       {std::pair(1, 1), std::pair(5, 7), std::pair(3, 16), std::pair(9, 128),
        std::pair(4, 131), std::pair(200, 197)}) {
    KernelRunner runner(shaped(softmax, rows, columns), GetParam());
    ASSERT_EQ(runner.error(), "");
    std::vector<float> x(rows * columns), once(rows * columns),
        split(rows * columns);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = std::sin(i * 0.37) * 8;
    runner.run("k", {x.data(), once.data()});
    runner.run("k", {x.data(), split.data()}, 3);
    EXPECT_EQ(once, split);
    for (int row = 0; row < rows; ++row) {
      double largest = -INFINITY, sum = 0;
      for (int column = 0; column < columns; ++column)
        largest = std::max<double>(largest, x[row * columns + column]);
      for (int column = 0; column < columns; ++column)
        sum += std::exp(x[row * columns + column] - largest);
      for (int column = 0; column < columns; ++column) {
        double want = std::exp(x[row * columns + column] - largest) / sum;
        ASSERT_NEAR(once[row * columns + column], want, 1e-6 * want + 1e-30)
            << rows << "x" << columns;
      }
    }
  }
}

/// Sums over any of three dimensions.
std::string sumKernel(int a, int b, int c, int reduced,
                      const std::string &op = "arith.addf",
                      const std::string &init = "0.0") {
  int extents[] = {a, b, c};
  std::string in = "tensor<", out = "tensor<", map, types;
  for (int d = 0; d < 3; ++d) {
    in += std::to_string(extents[d]) + "x";
    if (d != reduced) {
      out += std::to_string(extents[d]) + "x";
      map += (map.empty() ? "d" : ", d") + std::to_string(d);
    }
    types += std::string(d ? ", " : "") +
             (d == reduced ? "\"reduction\"" : "\"parallel\"");
  }
  in += "f32>";
  out += "f32>";
  return "func.func @k(%x: " + in + ") -> " + out +
         " {\n  %c = arith.constant " + init +
         " : f32\n  %e = tensor.empty() : " + out +
         "\n  %f = linalg.fill ins(%c : f32) outs(%e : " + out + ") -> " + out +
         "\n  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> "
         "(d0, d1, d2)>, "
         "affine_map<(d0, d1, d2) -> (" +
         map + ")>], iterator_types = [" + types + "]} ins(%x : " + in +
         ") outs(%f : " + out +
         ") {\n  ^bb0(%a: f32, %acc: f32):\n    %v = " + op +
         " %a, %acc : f32\n    linalg.yield %v : f32\n  } -> " + out +
         "\n  return %r : " + out + "\n}";
}

TEST_P(Rows, SumsOverAnyDimension) {
  for (auto [a, b, c] :
       {std::tuple(1, 1, 1), std::tuple(3, 5, 7), std::tuple(2, 33, 130),
        std::tuple(70, 2, 64), std::tuple(4, 0, 9)})
    for (int reduced = 0; reduced < 3; ++reduced) {
      KernelRunner runner(sumKernel(a, b, c, reduced), GetParam());
      ASSERT_EQ(runner.error(), "");
      int extents[] = {a, b, c}, strides[] = {b * c, c, 1};
      size_t results = 1;
      for (int d = 0; d < 3; ++d)
        results *= d == reduced ? 1 : extents[d];
      std::vector<float> x(a * b * c), out(results, -1), split(results, -1);
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<int>(i * 7919 % 2001) - 1000;
      runner.run("k", {x.data(), out.data()});
      runner.run("k", {x.data(), split.data()}, 2);
      EXPECT_EQ(out, split);
      size_t at = 0;
      int first = reduced == 0 ? 1 : 0, second = reduced == 2 ? 1 : 2;
      for (int i = 0; i < extents[first]; ++i)
        for (int j = 0; j < extents[second]; ++j) {
          double sum = 0;
          for (int k = 0; k < extents[reduced]; ++k)
            sum += x[i * strides[first] + j * strides[second] +
                     k * strides[reduced]];
          ASSERT_EQ(out[at++], sum)
              << a << "x" << b << "x" << c << " over " << reduced;
        }
    }
}

TEST_P(Rows, MaximumKeepsNan) {
  KernelRunner runner(sumKernel(2, 3, 40, 2, "arith.maximumf", "0xFF800000"),
                      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<float> x(240, 1.0f), out(6);
  x[45] = NAN;
  x[100] = 5;
  x[199] = INFINITY;
  runner.run("k", {x.data(), out.data()});
  EXPECT_EQ(out[0], 1);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_EQ(out[2], 5);
  EXPECT_EQ(out[4], INFINITY);
}

INSTANTIATE_TEST_SUITE_P(Machines, Rows, testing::ValuesIn(runnableMachines()));

} // namespace
