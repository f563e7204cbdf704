// Element types and access patterns of loop kernels, against plain loops.

#include "KernelRunner.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace heddle::test;

namespace {

class Types : public testing::TestWithParam<std::string> {};

/// One generic of one dimension: `maps` and operand types are given, inputs
/// first; `payload` computes %y from %a, %b, ...
std::string kernel1D(const std::vector<std::string> &maps,
                     const std::vector<std::string> &tensors,
                     const std::string &payload) {
  std::string text = "func.func @k(", names, types, arguments, mapText;
  for (size_t i = 0; i + 1 < tensors.size(); ++i) {
    std::string name = "%t" + std::to_string(i);
    text += (i ? ", " : "") + name + ": " + tensors[i];
    names += (i ? ", " : "") + name;
    types += (i ? ", " : "") + tensors[i];
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::string element = tensors[i].substr(tensors[i].rfind('x') + 1);
    element.pop_back();
    arguments +=
        (i ? ", %" : "%") + std::string(1, "abcdefgh"[i]) + ": " + element;
    mapText += (i ? ", " : "") + ("affine_map<(i) -> (" + maps[i] + ")>");
  }
  std::string out = tensors.back(), element = out.substr(out.rfind('x') + 1);
  element.pop_back();
  return text + ") -> " + out + " {\n  %e = tensor.empty() : " + out +
         "\n  %r = linalg.generic {indexing_maps = [" + mapText +
         "], iterator_types = [\"parallel\"]} ins(" + names + " : " + types +
         ") outs(%e : " + out + ") {\n  ^bb0(" + arguments + "):\n" + payload +
         "\n    linalg.yield %y : " + element + "\n  } -> " + out +
         "\n  return %r : " + out + "\n}";
}

template <typename T>
void checkIntegers(const std::string &machine, const std::string &type) {
  for (int count : {1, 13, 16, 100, 257}) {
    std::string tensor = "tensor<" + std::to_string(count) + "x" + type + ">";
    KernelRunner runner(kernel1D({"i", "i", "i"}, {tensor, tensor, tensor},
                                 "    %p = arith.muli %a, %b : " + type +
                                     "\n    %q = arith.divsi %p, %b : " + type +
                                     "\n    %m = arith.maxui %q, %a : " + type +
                                     "\n    %y = arith.addi %m, %b : " + type),
                        machine);
    ASSERT_EQ(runner.error(), "");
    std::vector<T> a(count), b(count), out(count);
    for (int i = 0; i < count; ++i) {
      a[i] = static_cast<T>(i * 37 - 50);
      b[i] = static_cast<T>(i % 11 - 5 ? i % 11 - 5 : 3);
    }
    runner.run("k", {a.data(), b.data(), out.data()});
    using U = std::make_unsigned_t<T>;
    for (int i = 0; i < count; ++i) {
      // In more bits: small unsigned types would become int.
      T product = static_cast<T>(uint64_t(a[i]) * uint64_t(b[i]));
      T quotient = static_cast<T>(product / b[i]);
      T larger =
          static_cast<U>(quotient) > static_cast<U>(a[i]) ? quotient : a[i];
      ASSERT_EQ(out[i], static_cast<T>(larger + b[i])) << type << " " << i;
    }
  }
}

TEST_P(Types, Integers) {
  checkIntegers<int8_t>(GetParam(), "i8");
  checkIntegers<int16_t>(GetParam(), "i16");
  checkIntegers<int32_t>(GetParam(), "i32");
  checkIntegers<int64_t>(GetParam(), "i64");
}

TEST_P(Types, Booleans) {
  KernelRunner runner(
      kernel1D({"i", "i", "i"},
               {"tensor<37xi1>", "tensor<37xf32>", "tensor<37xi1>"},
               "    %z = arith.constant 0.0 : f32\n    %p = arith.cmpf ogt, "
               "%b, %z : f32\n"
               "    %y = arith.xori %p, %a : i1"),
      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<uint8_t> a(37), out(37, 7);
  std::vector<float> b(37);
  for (int i = 0; i < 37; ++i) {
    a[i] = i % 3 == 0;
    b[i] = i % 2 ? 1 : -1;
  }
  b[5] = NAN;
  runner.run("k", {a.data(), b.data(), out.data()});
  for (int i = 0; i < 37; ++i)
    ASSERT_EQ(out[i], (b[i] > 0) != a[i]) << i;
}

float fromBFloat16(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

uint16_t toBFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value))
    return (bits >> 16) | 0x40;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

TEST_P(Types, BFloat16RoundsAfterEachOperation) {
  KernelRunner runner(
      kernel1D({"i", "i", "i"},
               {"tensor<75xbf16>", "tensor<75xbf16>", "tensor<75xbf16>"},
               "    %p = arith.mulf %a, %b : bf16\n    %q = math.exp %p : "
               "bf16\n    %y = arith.addf %q, %a : bf16"),
      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<uint16_t> a(75), b(75), out(75);
  for (int i = 0; i < 75; ++i) {
    a[i] = toBFloat16(0.037f * i - 1);
    b[i] = toBFloat16(1.5f - 0.02f * i);
  }
  a[3] = toBFloat16(NAN);
  a[7] = toBFloat16(INFINITY);
  runner.run("k", {a.data(), b.data(), out.data()});
  for (int i = 0; i < 75; ++i) {
    float p = fromBFloat16(toBFloat16(fromBFloat16(a[i]) * fromBFloat16(b[i])));
    float q = fromBFloat16(toBFloat16(std::exp(p)));
    uint16_t want = toBFloat16(q + fromBFloat16(a[i]));
    if (std::isnan(fromBFloat16(want)))
      ASSERT_TRUE(std::isnan(fromBFloat16(out[i])));
    else
      ASSERT_EQ(out[i], want) << i;
  }
}

TEST_P(Types, HalfAndDouble) {
  KernelRunner runner(
      kernel1D({"i", "i", "i"},
               {"tensor<75xf16>", "tensor<75xf64>", "tensor<75xf64>"},
               "    %w = arith.extf %a : f16 to f64\n    %p = arith.mulf %w, "
               "%b : f64\n"
               "    %n = arith.truncf %p : f64 to f16\n    %s = arith.addf %n, "
               "%a : f16\n"
               "    %y = arith.extf %s : f16 to f64"),
      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<_Float16> a(75);
  std::vector<double> b(75), out(75);
  for (int i = 0; i < 75; ++i) {
    a[i] = static_cast<_Float16>(0.37f * i - 11);
    b[i] = 1e-4 * i * i * i - 3;
  }
  b[3] = 1e9;
  b[4] = 1e-9;
  runner.run("k", {a.data(), b.data(), out.data()});
  for (int i = 0; i < 75; ++i) {
    _Float16 product = static_cast<_Float16>(static_cast<double>(a[i]) * b[i]);
    double want = static_cast<double>(static_cast<_Float16>(
        static_cast<float>(product) + static_cast<float>(a[i])));
    ASSERT_EQ(out[i], want) << i;
  }
}

TEST_P(Types, StridedAndReversedAndBroadcast) {
  KernelRunner runner(
      kernel1D(
          {"i * 3 + 2", "-i + 49", "0", "i"},
          {"tensor<152xf32>", "tensor<50xf32>", "tensor<1xf32>",
           "tensor<50xf32>"},
          "    %p = arith.mulf %a, %b : f32\n    %y = arith.addf %p, %c : f32"),
      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<float> a(152), b(50), c = {0.5f}, out(50);
  for (int i = 0; i < 152; ++i)
    a[i] = i;
  for (int i = 0; i < 50; ++i)
    b[i] = i + 1;
  runner.run("k", {a.data(), b.data(), c.data(), out.data()});
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(out[i], a[3 * i + 2] * b[49 - i] + 0.5f);
}

TEST_P(Types, Permutes) {
  for (auto [d0, d1, d2, d3] :
       {std::tuple(1, 5, 3, 64), std::tuple(2, 40, 33, 3),
        std::tuple(1, 1, 70, 50), std::tuple(2, 3, 16, 32)})
    for (const char *order : {"0, 2, 1, 3", "0, 2, 3, 1", "3, 2, 1, 0",
                              "0, 1, 3, 2", "0, 3, 1, 2"}) {
      int extents[] = {d0, d1, d2, d3}, from[4], out[4];
      std::string in = "tensor<", result = "tensor<", map;
      std::string orderText = order;
      for (int d = 0; d < 4; ++d) {
        from[d] = orderText[3 * d] - '0';
        out[d] = extents[from[d]];
        in += std::to_string(extents[d]) + "x";
        result += std::to_string(out[d]) + "x";
      }
      for (int d = 0; d < 4; ++d)
        for (int o = 0; o < 4; ++o)
          if (from[o] == d)
            map += (d ? ", d" : "d") + std::to_string(o);
      in += "f32>";
      result += "f32>";
      KernelRunner runner(
          "func.func @k(%x: " + in + ") -> " + result +
              " {\n %e = tensor.empty() : " + result +
              "\n %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, "
              "d2, d3) -> (" +
              map +
              ")>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], "
              "iterator_types = [\"parallel\", \"parallel\", "
              "\"parallel\", \"parallel\"]} ins(%x : " +
              in + ") outs(%e : " + result +
              ") {\n ^bb0(%a: f32, %o: f32):\n %y = arith.addf %a, %a : f32\n "
              "linalg.yield %y : f32\n } -> " +
              result + "\n return %r : " + result + "\n}",
          GetParam());
      ASSERT_EQ(runner.error(), "");
      size_t count = d0 * d1 * d2 * d3;
      std::vector<float> x(count);
      GuardedBuffer buffer(count * 4);
      float *got = static_cast<float *>(buffer.data());
      for (size_t i = 0; i < count; ++i)
        x[i] = i;
      runner.run("k", {x.data(), got}, 2);
      int strides[4] = {d1 * d2 * d3, d2 * d3, d3, 1};
      size_t at = 0;
      for (int i = 0; i < out[0]; ++i)
        for (int j = 0; j < out[1]; ++j)
          for (int k = 0; k < out[2]; ++k)
            for (int l = 0; l < out[3]; ++l) {
              int place = i * strides[from[0]] + j * strides[from[1]] +
                          k * strides[from[2]] + l * strides[from[3]];
              ASSERT_EQ(got[at++], 2 * x[place]) << order << " of " << in;
            }
      EXPECT_TRUE(buffer.intact());
    }
}

TEST_P(Types, GathersRows) {
  KernelRunner runner(R"(
    func.func @k(%table: tensor<50x70xf32>, %ids: tensor<9xi64>) -> tensor<9x70xf32> {
      %e = tensor.empty() : tensor<9x70xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
        ins(%ids : tensor<9xi64>) outs(%e : tensor<9x70xf32>) {
      ^bb0(%id: i64, %o: f32):
        %c0 = arith.constant 0 : i64
        %c49 = arith.constant 49 : i64
        %low = arith.maxsi %id, %c0 : i64
        %clamped = arith.minsi %low, %c49 : i64
        %row = arith.index_cast %clamped : i64 to index
        %column = linalg.index 1 : index
        %v = tensor.extract %table[%row, %column] : tensor<50x70xf32>
        linalg.yield %v : f32
      } -> tensor<9x70xf32>
      return %r : tensor<9x70xf32>
    })",
                      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<float> table(3500), out(630);
  for (int i = 0; i < 3500; ++i)
    table[i] = i;
  std::vector<int64_t> ids = {0, 49, 7, -3, 100, 12, 12, 48, 1};
  runner.run("k", {table.data(), ids.data(), out.data()});
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 70; ++j)
      ASSERT_EQ(out[i * 70 + j],
                std::min<int64_t>(std::max<int64_t>(ids[i], 0), 49) * 70 + j);
}

TEST_P(Types, GathersPerLane) {
  KernelRunner runner(R"(
    func.func @k(%table: tensor<50xi8>, %ids: tensor<37xi32>) -> tensor<37xi8> {
      %e = tensor.empty() : tensor<37xi8>
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%ids : tensor<37xi32>) outs(%e : tensor<37xi8>) {
      ^bb0(%id: i32, %o: i8):
        %at = arith.index_cast %id : i32 to index
        %v = tensor.extract %table[%at] : tensor<50xi8>
        linalg.yield %v : i8
      } -> tensor<37xi8>
      return %r : tensor<37xi8>
    })",
                      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<int8_t> table(50), out(37);
  std::vector<int32_t> ids(37);
  for (int i = 0; i < 50; ++i)
    table[i] = i * 2 + 1;
  for (int i = 0; i < 37; ++i)
    ids[i] = i * 29 % 50;
  runner.run("k", {table.data(), ids.data(), out.data()});
  for (int i = 0; i < 37; ++i)
    ASSERT_EQ(out[i], table[ids[i]]);
}

TEST_P(Types, ArgMaxTakesTheFirst) {
  KernelRunner runner(R"(
    func.func @k(%x: tensor<4x67xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
      %ninf = arith.constant 0xFF800000 : f32
      %zero = arith.constant 0 : i32
      %ef = tensor.empty() : tensor<4xf32>
      %ei = tensor.empty() : tensor<4xi32>
      %f = linalg.fill ins(%ninf : f32) outs(%ef : tensor<4xf32>) -> tensor<4xf32>
      %i = linalg.fill ins(%zero : i32) outs(%ei : tensor<4xi32>) -> tensor<4xi32>
      %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                             iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x67xf32>) outs(%f, %i : tensor<4xf32>, tensor<4xi32>) {
      ^bb0(%a: f32, %best: f32, %at: i32):
        %j = linalg.index 1 : index
        %here = arith.index_cast %j : index to i32
        %greater = arith.cmpf ogt, %a, %best : f32
        %v = arith.select %greater, %a, %best : f32
        %w = arith.select %greater, %here, %at : i32
        linalg.yield %v, %w : f32, i32
      } -> (tensor<4xf32>, tensor<4xi32>)
      return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
    })",
                      GetParam());
  ASSERT_EQ(runner.error(), "");
  std::vector<float> x(268), best(4);
  std::vector<int32_t> at(4);
  for (int i = 0; i < 268; ++i)
    x[i] = i * 31 % 17;
  runner.run("k", {x.data(), best.data(), at.data()});
  for (int row = 0; row < 4; ++row) {
    auto begin = x.begin() + row * 67,
         largest = std::max_element(begin, begin + 67);
    EXPECT_EQ(best[row], *largest);
    EXPECT_EQ(at[row], largest - begin);
  }
}

TEST_P(Types, ImagesAreEqualAndSelfContained) {
  std::string text = kernel1D(
      {"i", "i", "i"}, {"tensor<75xbf16>", "tensor<75xf32>", "tensor<75xbf16>"},
      "    %w = arith.extf %a : bf16 to f32\n    %r = arith.remf %w, %b : "
      "f32\n    %y = arith.truncf %r : f32 to bf16");
  KernelRunner first(text, GetParam()), second(text, GetParam());
  ASSERT_EQ(first.error(), "");
  EXPECT_EQ(first.image(), second.image());
  std::vector<uint16_t> a(75), out(75);
  std::vector<float> b(75);
  for (int i = 0; i < 75; ++i) {
    a[i] = toBFloat16(7.5f * i - 100);
    b[i] = 3.25f + i;
  }
  first.run("k", {a.data(), b.data(), out.data()});
  for (int i = 0; i < 75; ++i)
    ASSERT_EQ(fromBFloat16(out[i]),
              fromBFloat16(toBFloat16(std::fmod(fromBFloat16(a[i]), b[i]))));
}

INSTANTIATE_TEST_SUITE_P(Machines, Types,
                         testing::ValuesIn(runnableMachines()));

} // namespace
