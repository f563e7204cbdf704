// Bytes of packed weights, operation by operation and form by form.

#include "heddle/Artifact/Packer.h"

#include "dialects/Dist/Dist.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Weights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace mlir;
using namespace heddle;

namespace {
class PackerTest : public ::testing::Test {
protected:
  PackerTest() {
    context.loadDialect<dist::DistDialect, func::FuncDialect,
                        kernel::KernelDialect, prec::PrecDialect,
                        stablehlo::StableHloDialect>();
  }

  /// A weight with the given program, which ends by naming its value %r.
  kernel::WeightOp weight(const std::string &program, const std::string &type,
                          const std::string &packing = "") {
    std::string text = "kernel.weight @w : " + type +
                       (packing.empty() ? "" : " packing \"" + packing + "\"") +
                       " {\n" + program + "\nkernel.yield %r : " + type +
                       "\n}\n";
    modules.push_back(parseSourceString<ModuleOp>(text, &context));
    EXPECT_TRUE(modules.back());
    return *modules.back()->getOps<kernel::WeightOp>().begin();
  }

  std::vector<char> pack(kernel::WeightOp op, int64_t place = 0) {
    std::vector<char> bytes;
    auto sink = [&](ArrayRef<char> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      return success();
    };
    EXPECT_TRUE(succeeded(packWeight(op, sink, place)));
    return bytes;
  }

  /// The same program as the interpreter evaluates it.
  std::vector<char> interpreted(const std::string &program,
                                const std::string &type) {
    std::string text = "func.func @main() -> " + type + " {\n" + program +
                       "\nreturn %r : " + type + "\n}\n";
    modules.push_back(parseSourceString<ModuleOp>(text, &context));
    EXPECT_TRUE(modules.back());
    auto results =
        interpret(*modules.back()->getOps<func::FuncOp>().begin(), {});
    EXPECT_TRUE(succeeded(results));
    ArrayRef<char> bytes = results->front().bytes();
    return {bytes.begin(), bytes.end()};
  }

  void expectLikeInterpreter(const std::string &program,
                             const std::string &type) {
    EXPECT_EQ(pack(weight(program, type)), interpreted(program, type))
        << program;
  }

  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
};

/// 0, 1, 2, ... in a shape, as a constant that is no splat.
std::string counting(const std::string &name, int64_t count,
                     const std::string &shape) {
  std::string text = name + "0 = stablehlo.constant dense<[";
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(i) + ".0";
  text += "]> : tensor<" + std::to_string(count) + "xf32>\n";
  return text + name + " = stablehlo.reshape " + name + "0 : (tensor<" +
         std::to_string(count) + "xf32>) -> tensor<" + shape + "xf32>\n";
}

std::vector<float> floats(const std::vector<char> &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_F(PackerTest, Transposes) {
  expectLikeInterpreter(
      counting("%a", 24, "2x3x4") +
          "%r = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<2x3x4xf32>) "
          "-> tensor<4x2x3xf32>",
      "tensor<4x2x3xf32>");
}

TEST_F(PackerTest, SlicesWithSteps) {
  expectLikeInterpreter(
      counting("%a", 24, "4x6") +
          "%r = stablehlo.slice %a [1:4:2, 0:6:3] : (tensor<4x6xf32>) -> "
          "tensor<2x2xf32>",
      "tensor<2x2xf32>");
}

/// Each device of two times three has what a slice at its place gives, plain
/// and in panels; one dimension is cut along both axes.
TEST_F(PackerTest, PartsOfDevices) {
  const char *type = "tensor<3x4xf32>";
  std::string transposed = "%r = stablehlo.transpose %p, dims = [1, 0] : "
                           "(tensor<4x3xf32>) -> tensor<3x4xf32>";
  for (int64_t place = 0; place < 6; ++place) {
    int64_t rows = (place / 3 * 3 + place % 3) * 4, columns = place % 3 * 3;
    std::string slice = "%p = stablehlo.slice %a [" + std::to_string(rows) +
                        ":" + std::to_string(rows + 4) + ", " +
                        std::to_string(columns) + ":" +
                        std::to_string(columns + 3) +
                        "] : (tensor<24x9xf32>) -> tensor<4x3xf32>\n";
    std::string part = "%p = dist.part %a cuts [0, 2, 3, 0, 3, 1, 1, 3, 1] : "
                       "tensor<24x9xf32> -> tensor<4x3xf32>\n";
    for (const char *packing : {"", "k n -> n/2 k n%2"})
      EXPECT_EQ(pack(weight(counting("%a", 216, "24x9") + part + transposed,
                            type, packing),
                     place),
                pack(weight(counting("%a", 216, "24x9") + slice + transposed,
                            type, packing)))
          << "place " << place << " " << packing;
  }
}

TEST_F(PackerTest, Reverses) {
  expectLikeInterpreter(counting("%a", 24, "4x6") +
                            "%r = stablehlo.reverse %a, dims = [0, 1] : "
                            "tensor<4x6xf32>",
                        "tensor<4x6xf32>");
}

TEST_F(PackerTest, Concatenates) {
  expectLikeInterpreter(
      counting("%a", 6, "2x3") + counting("%b", 8, "2x4") +
          "%r = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x3xf32>, "
          "tensor<2x4xf32>) -> tensor<2x7xf32>",
      "tensor<2x7xf32>");
}

TEST_F(PackerTest, ComparesAndTakesSigns) {
  const char *numbers = "%a = stablehlo.constant dense<[2.5, -2.5, 0.0, -0.0, "
                        "0x7FC00000, 0xFF800000]> : tensor<6xf32>\n";
  expectLikeInterpreter(std::string(numbers) +
                            "%r = stablehlo.sign %a : tensor<6xf32>",
                        "tensor<6xf32>");
  for (const char *direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    expectLikeInterpreter(
        numbers + ("%b = stablehlo.negate %a : tensor<6xf32>\n"
                   "%r = stablehlo.compare " +
                   std::string(direction) +
                   ", %a, %b, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> "
                   "tensor<6xi1>"),
        "tensor<6xi1>");
    expectLikeInterpreter(
        "%a = stablehlo.constant dense<[1, 2, 255]> : tensor<3xui8>\n"
        "%b = stablehlo.constant dense<[2, 2, 1]> : tensor<3xui8>\n"
        "%r = stablehlo.compare " +
            std::string(direction) +
            ", %a, %b, UNSIGNED : (tensor<3xui8>, tensor<3xui8>) -> "
            "tensor<3xi1>",
        "tensor<3xi1>");
  }
}

TEST_F(PackerTest, PadsAndCuts) {
  expectLikeInterpreter(
      counting("%a", 6, "2x3") +
          "%p = stablehlo.constant dense<9.0> : tensor<f32>\n"
          "%r = stablehlo.pad %a, %p, low = [1, -1], high = [0, 2], interior = "
          "[0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x4xf32>",
      "tensor<3x4xf32>");
}

TEST_F(PackerTest, FoldsABatchNorm) {
  expectLikeInterpreter(
      counting("%w", 12, "3x4") + counting("%s", 4, "4") +
          "%e = stablehlo.constant dense<1.0e-5> : tensor<4xf32>\n"
          "%v = stablehlo.add %s, %e : tensor<4xf32>\n"
          "%i = stablehlo.rsqrt %v : tensor<4xf32>\n"
          "%b = stablehlo.broadcast_in_dim %i, dims = [1] : (tensor<4xf32>) -> "
          "tensor<3x4xf32>\n"
          "%r = stablehlo.multiply %w, %b : tensor<3x4xf32>",
      "tensor<3x4xf32>");
}

TEST_F(PackerTest, Dequantizes) {
  std::string parameters =
      "%s = stablehlo.constant dense<[0.1, 3.7, 0.0]> : tensor<3xf32>\n"
      "%z = stablehlo.constant dense<[0, 200, 255]> : tensor<3xui8>\n";
  for (auto [shape, axis] : {std::pair("2x3x2", "1"), std::pair("3x4", "0"),
                             std::pair("4x3", "1")}) {
    std::string type = std::string("tensor<") + shape;
    expectLikeInterpreter(
        parameters +
            "%a = stablehlo.constant dense<[0, 1, 127, 128, 255, 3, 4, 99, "
            "200, "
            "201, 7, 254]> : tensor<12xui8>\n"
            "%q = stablehlo.reshape %a : (tensor<12xui8>) -> " +
            type + "xui8>\n%r = prec.dequantize %q, %s, %z axis " + axis +
            " : " + type + "xui8>, tensor<3xf32>, tensor<3xui8> -> " + type +
            "xf32>",
        type + "xf32>");
  }
}

TEST_F(PackerTest, DequantizesBlocks) {
  for (auto [shape, axis, parameters] :
       {std::tuple("4x3x2", "0", "2x3x2"), std::tuple("2x4x3", "1", "2x2x3"),
        std::tuple("6x4", "1", "6x2")}) {
    std::string type = std::string("tensor<") + shape,
                blocks = std::string("tensor<") + parameters;
    expectLikeInterpreter(
        "%a = stablehlo.constant dense<[0, 1, 7, 8, 15, 3, 4, 9, 10, 11, 12, "
        "13, 14, 2, 5, 6, 1, 0, 15, 15, 8, 8, 7, 9]> : tensor<24xui4>\n"
        "%b = stablehlo.constant dense<[0.1, 3.7, 0.0, 2.5, -1.0, 0.3, 7.0, "
        "1.0, 4.0, 9.0, 0.6, 0.7]> : tensor<12xf32>\n"
        "%c = stablehlo.constant dense<[0, 8, 15, 7, 1, 2, 3, 4, 5, 6, 9, 10]> "
        ": tensor<12xui4>\n"
        "%q = stablehlo.reshape %a : (tensor<24xui4>) -> " +
            type + "xui4>\n%s = stablehlo.reshape %b : (tensor<12xf32>) -> " +
            blocks + "xf32>\n%z = stablehlo.reshape %c : (tensor<12xui4>) -> " +
            blocks + "xui4>\n%r = prec.dequantize %q, %s, %z axis " + axis +
            " block " + (std::string(axis) == "1" ? "3" : "2") + " : " + type +
            "xui4>, " + blocks + "xf32>, " + blocks + "xui4> -> " + type +
            "xf32>",
        type + "xf32>");
  }
}

TEST_F(PackerTest, TakesBytesApart) {
  for (auto [type, parts] :
       {std::pair("ui4", "2"), std::pair("i4", "2"), std::pair("ui2", "4")})
    expectLikeInterpreter(
        "%a = stablehlo.constant dense<[[0, 27, 255], [128, 18, 233]]> : "
        "tensor<2x3xui8>\n"
        "%r = stablehlo.bitcast_convert %a : (tensor<2x3xui8>) -> "
        "tensor<2x3x" +
            std::string(parts) + "x" + type + ">",
        std::string("tensor<2x3x") + parts + "x" + type + ">");
}

TEST_F(PackerTest, DequantizesToIntegers) {
  for (const char *scales : {"1, 1, 1", "1, -3, 16777216"})
    expectLikeInterpreter(
        std::string("%s = stablehlo.constant dense<[") + scales +
            "]> : tensor<3xi32>\n"
            "%z = stablehlo.constant dense<[0, 200, 255]> : tensor<3xui8>\n"
            "%q = stablehlo.constant dense<[[0, 1, 2], [255, 200, 255], [7, "
            "255, 0]]> : tensor<3x3xui8>\n"
            "%r = prec.dequantize %q, %s, %z axis 1 : tensor<3x3xui8>, "
            "tensor<3xi32>, tensor<3xui8> -> tensor<3x3xi32>",
        "tensor<3x3xi32>");
}

TEST_F(PackerTest, Quantizes) {
  for (const char *rounding : {"nearest_even", "nearest_away", "toward_zero"})
    for (auto [type, range] :
         {std::pair("i8", "-127 to 127"), std::pair("ui8", "3 to 255"),
          std::pair("i32", "-2147483648 to 2147483647"),
          std::pair("i64", "-9223372036854775808 to 9223372036854775807")})
      expectLikeInterpreter(
          "%s = stablehlo.constant dense<[0.5, 0.3]> : tensor<2xf32>\n"
          "%z = stablehlo.constant dense<[0, 5]> : tensor<2x" +
              std::string(type) +
              ">\n%a = stablehlo.constant dense<[[1.25, -1.25, 0.75], [300.0, "
              "-1.0e30, 1.0e30], [0x7FC00000, 0.0, -0.3]]> : tensor<3x3xf32>\n"
              "%x = stablehlo.slice %a [0:3, 0:2] : (tensor<3x3xf32>) -> "
              "tensor<3x2xf32>\n"
              "%r = prec.quantize %x, %s, %z axis 1 rounding " +
              rounding + " range " + range +
              " : tensor<3x2xf32>, tensor<2xf32>, tensor<2x" + type +
              "> -> tensor<3x2x" + type + ">",
          std::string("tensor<3x2x") + type + ">");
}

/// `count` numbers of many magnitudes, some of them equal but for the sign, as
/// a constant of f32.
std::string numbers(const std::string &name, int64_t count) {
  std::string text = name + " = stablehlo.constant dense<[";
  uint32_t state = 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    text += (i ? ", " : "") + std::to_string(int(state >> 20) - 2048) +
            (state >> 18 & 1 ? ".0" : ".0e-3");
  }
  return text + "]> : tensor<" + std::to_string(count) + "xf32>\n";
}

TEST_F(PackerTest, FitsScalesAndQuantizesByBlocks) {
  for (auto [shape, axis, parameters] :
       {std::tuple("70x6", "0", "3x6"), std::tuple("6x70", "1", "6x3"),
        std::tuple("2x70x3", "1", "2x3x3")})
    for (auto [type, integer, range, real] :
         {std::tuple("i4", "-8", "-8 to 7", "f32"),
          std::tuple("i8", "-128", "-128 to 127", "f32"),
          std::tuple("i8", "127", "-127 to 127", "bf16"),
          std::tuple("ui8", "255", "0 to 255", "f32")}) {
      std::string whole = std::string("tensor<") + shape + "x",
                  blocks = std::string("tensor<") + parameters + "x";
      std::string scale = numbers("%a", 420) +
                          "%x = stablehlo.reshape %a : (tensor<420xf32>) "
                          "-> " +
                          whole + "f32>\n%s = prec.fit_scale %x axis " + axis +
                          " block 32 integer " + integer + " : " + whole +
                          "f32> -> " + blocks + real + ">\n";
      expectLikeInterpreter(scale + "%r = stablehlo.reshape %s : (" + blocks +
                                real + ">) -> " + blocks + real + ">",
                            blocks + real + ">");
      expectLikeInterpreter(
          scale + "%z = stablehlo.constant dense<3> : " + blocks + type +
              ">\n%r = prec.quantize %x, %s, %z axis " + axis +
              " block 32 rounding nearest_even range " + range + " : " + whole +
              "f32>, " + blocks + real + ">, " + blocks + type + "> -> " +
              whole + type + ">",
          whole + type + ">");
    }
}

TEST_F(PackerTest, FitsScalesOfWhatIsNotFinite) {
  for (const char *type : {"f32", "f64"}) {
    std::string infinity =
        type == std::string("f32") ? "0x7F800000" : "0x7FF0000000000000";
    expectLikeInterpreter(
        "%x = stablehlo.constant dense<[[1.0, -2.0, " + infinity +
            "], [0.0, 0.0, 5.0], [-3.0, 3.0, -3.0]]> : tensor<3x3x" + type +
            ">\n%r = prec.fit_scale %x axis 1 block 2 integer -8 : "
            "tensor<3x3x" +
            type + "> -> tensor<3x2xf32>",
        "tensor<3x2xf32>");
  }
}

TEST_F(PackerTest, Converts) {
  std::string source = "%a = stablehlo.constant dense<[-1.5, 0.0, 2.7, "
                       "65000.0]> : tensor<4xf32>\n";
  for (const char *type : {"bf16", "f16", "f64", "i32", "i1"})
    expectLikeInterpreter(source + "%r = stablehlo.convert %a : " +
                              "(tensor<4xf32>) -> tensor<4x" + type + ">",
                          std::string("tensor<4x") + type + ">");
}

TEST_F(PackerTest, ConvertsIntegersOfEveryWidth) {
  for (const char *type : {"i8", "i16", "i32", "i64"})
    expectLikeInterpreter(
        std::string("%a = stablehlo.constant dense<[-128, -1, 0, 127]> : "
                    "tensor<4x") +
            type + ">\n%r = stablehlo.convert %a : (tensor<4x" + type +
            ">) -> tensor<4xf32>",
        "tensor<4xf32>");
}

TEST_F(PackerTest, ConversionsToIntegersSaturate) {
  // 1e30, -1e30, NaN, -1.5
  std::string source = "%a = stablehlo.constant dense<[1.0e30, -1.0e30, "
                       "0x7FC00000, -1.5]> : tensor<4xf32>\n";
  for (const char *type : {"i8", "ui8", "i16", "i32", "ui32", "i64", "ui64"})
    expectLikeInterpreter(source + "%r = stablehlo.convert %a : " +
                              "(tensor<4xf32>) -> tensor<4x" + type + ">",
                          std::string("tensor<4x") + type + ">");
}

TEST_F(PackerTest, ChoosesAndCompares) {
  expectLikeInterpreter(
      counting("%a", 6, "6") +
          "%i = stablehlo.iota dim = 0 : tensor<6xf32>\n"
          "%c = stablehlo.constant dense<3.0> : tensor<6xf32>\n"
          "%p = stablehlo.compare LT, %i, %c : (tensor<6xf32>, tensor<6xf32>) "
          "-> tensor<6xi1>\n"
          "%r = stablehlo.select %p, %a, %c : tensor<6xi1>, tensor<6xf32>",
      "tensor<6xf32>");
}

TEST_F(PackerTest, Bools) {
  expectLikeInterpreter(
      "%a = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>\n"
      "%r = stablehlo.not %a : tensor<3xi1>",
      "tensor<3xi1>");
}

/// A reshape between dimensions that do not nest, read box by box.
TEST_F(PackerTest, NarrowIntegersHoldTheirSigns) {
  for (std::string type : {"tensor<4xi4>", "tensor<4xi2>"}) {
    std::string program =
        "%r = stablehlo.constant dense<[-1, 1, -2, 0]> : " + type;
    expectLikeInterpreter(program, type);
    EXPECT_EQ(pack(weight(program, type)), (std::vector<char>{-1, 1, -2, 0}));
  }
  expectLikeInterpreter("%r = stablehlo.constant dense<-2> : tensor<4xi4>",
                        "tensor<4xi4>");
  EXPECT_EQ(
      pack(weight("%r = stablehlo.constant dense<[15, 1]> : tensor<2xui4>",
                  "tensor<2xui4>")),
      (std::vector<char>{15, 1}));
}

TEST_F(PackerTest, ReshapesAcrossDimensions) {
  std::string program =
      counting("%a", 24, "4x6") +
      "%t = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> "
      "tensor<6x4xf32>\n"
      "%s = stablehlo.reshape %t : (tensor<6x4xf32>) -> tensor<8x3xf32>\n"
      "%r = stablehlo.slice %s [1:7, 1:3] : (tensor<8x3xf32>) -> "
      "tensor<6x2xf32>";
  expectLikeInterpreter(program, "tensor<6x2xf32>");
}

/// [K, N] in panels of 32 columns, the last one filled with zeros.
TEST_F(PackerTest, PanelsOfAContraction) {
  std::string program = counting("%r", 3 * 40, "3x40");
  std::vector<float> values = floats(
      pack(weight(program, "tensor<3x40xf32>", "* k n -> * n/32 k n%32")));
  ASSERT_EQ(values.size(), 2u * 3 * 32);
  for (int64_t panel = 0; panel < 2; ++panel)
    for (int64_t k = 0; k < 3; ++k)
      for (int64_t lane = 0; lane < 32; ++lane) {
        int64_t n = panel * 32 + lane;
        EXPECT_EQ(values[(panel * 3 + k) * 32 + lane],
                  n < 40 ? float(k * 40 + n) : 0.0f);
      }
}

TEST_F(PackerTest, PanelsOfEachMatrixOfABatch) {
  std::string program = counting("%r", 2 * 3 * 5, "2x3x5");
  std::vector<float> values = floats(
      pack(weight(program, "tensor<2x3x5xf32>", "* k n -> * n/32 k n%32")));
  ASSERT_EQ(values.size(), 2u * 1 * 3 * 32);
  for (int64_t batch = 0; batch < 2; ++batch)
    for (int64_t k = 0; k < 3; ++k)
      for (int64_t n = 0; n < 32; ++n)
        EXPECT_EQ(values[(batch * 3 + k) * 32 + n],
                  n < 5 ? float((batch * 3 + k) * 5 + n) : 0.0f);
}

/// Pairs of rows lie side by side; the last row's neighbour is zero.
TEST_F(PackerTest, PanelsOfPairs) {
  std::string program = counting("%r", 3 * 20, "3x20");
  std::vector<float> values = floats(pack(
      weight(program, "tensor<3x20xf32>", "* k n -> * n/16 k/2 n%16 k%2")));
  ASSERT_EQ(values.size(), 2u * 2 * 16 * 2);
  for (int64_t panel = 0; panel < 2; ++panel)
    for (int64_t k = 0; k < 4; ++k)
      for (int64_t lane = 0; lane < 16; ++lane) {
        int64_t n = panel * 16 + lane;
        EXPECT_EQ(values[((panel * 2 + k / 2) * 16 + lane) * 2 + k % 2],
                  n < 20 && k < 3 ? float(k * 20 + n) : 0.0f);
      }
}

/// Panels start anew with each group.
TEST_F(PackerTest, PanelsOfAGroupedConvolution) {
  std::string program = counting("%r", 2 * 3 * 80, "1x2x3x80");
  std::vector<float> values = floats(pack(weight(
      program, "tensor<1x2x3x80xf32>", "* i (g=2 o) -> g o/32 * i o%32")));
  ASSERT_EQ(values.size(), 2u * 2 * 6 * 32);
  for (int64_t group = 0; group < 2; ++group)
    for (int64_t panel = 0; panel < 2; ++panel)
      for (int64_t row = 0; row < 6; ++row)
        for (int64_t lane = 0; lane < 32; ++lane) {
          int64_t channel = panel * 32 + lane;
          float expected =
              channel < 40 ? float(row * 80 + group * 40 + channel) : 0.0f;
          EXPECT_EQ(values[((group * 2 + panel) * 6 + row) * 32 + lane],
                    expected);
        }
}

/// Every layout puts each element where the grammar says.
TEST_F(PackerTest, LayoutsAreWhatTheyMean) {
  struct Case {
    const char *packing, *type;
    int64_t count;
  };
  const Case cases[] = {
      {"* k n -> * n/16 k/4 n%16 k%4", "tensor<2x6x20xi8>", 240},
      {"* k n -> * n/16 k/32 k/2%16 n%16 k%2", "tensor<40x20xbf16>", 800},
      {"* k n -> * k/2 n k%2", "tensor<5x3xf64>", 15},
      {"k n -> n/8 k/16 n%8 k/2%4 k/8%2 k%2", "tensor<20x12xf16>", 240},
      {"* i (g=3 o) -> o/2 g * i o%2", "tensor<2x5x9xf32>", 90},
      {"* i (g=2 o) -> i g o *", "tensor<2x3x4x6xf32>", 144},
      {"* k n -> * n/4 k/2 n%4 k%2 in u8", "tensor<2x5x6xi4>", 60},
      {"* k n -> * n/4 k/8 n%4 k%8 in u32 high", "tensor<9x6xui4>", 54},
      // Of more than a piece.
      {"* k n -> * n/32 k n%32", "tensor<1500x1001xf32>", 1501500},
      {"* k n -> * n/16 k/32 k/2%16 n%16 k%2", "tensor<1500x1001xf32>",
       1501500},
      {"* k n -> * k/2%16 n/16 k/32 n%16 k%2", "tensor<1500x1001xf32>",
       1501500},
      {"* i (g=7 o) -> g o/32 * i o%32", "tensor<3x500x1001xf32>", 1501500},
  };
  for (const Case &one : cases) {
    SCOPED_TRACE(one.packing);
    // 0, 1, 2, ..., as the element type holds it.
    std::string count = std::to_string(one.count);
    std::string element = one.type;
    element = element.substr(element.rfind('x') + 1);
    std::string program = "%i = stablehlo.iota dim = 0 : tensor<" + count +
                          "xi32>\n%c = stablehlo.convert %i : (tensor<" +
                          count + "xi32>) -> tensor<" + count + "x" + element +
                          "\n%r = stablehlo.reshape %c : (tensor<" + count +
                          "x" + element + ") -> " + one.type;
    kernel::WeightOp op = weight(program, one.type, one.packing);
    std::vector<char> plain = interpreted(program, one.type);
    auto value = cast<RankedTensorType>(op.getValueType());
    RankedTensorType stored = op.getStoredType();
    std::vector<char> expected(stored.getNumElements() *
                               ((stored.getElementTypeBitWidth() + 7) / 8));
    kernel::packElements(one.packing, value, plain.data(), expected.data());
    EXPECT_EQ(pack(op), expected);
    std::vector<char> back(plain.size());
    kernel::unpackElements(one.packing, value, expected.data(), back.data());
    EXPECT_EQ(back, plain);
  }
}

/// Larger than a piece: what is given in pieces is the whole.
/// Ones times a tensor of counting bytes over dimension `dim` of `shape`.
std::string sums(const std::string &shape, const std::string &wide,
                 const std::string &depth, int dim, const std::string &result) {
  return "%i = stablehlo.iota dim = " + std::to_string(dim) + " : tensor<" +
         shape + "xi8>\n%j = stablehlo.iota dim = 0 : tensor<" + shape +
         "xi8>\n%b = stablehlo.subtract %i, %j : tensor<" + shape +
         "xi8>\n%w = stablehlo.convert %b : (tensor<" + shape +
         "xi8>) -> tensor<" + wide +
         ">\n%o = stablehlo.constant dense<3> : "
         "tensor<" +
         depth +
         "xi32>\n%r = stablehlo.dot_general %o, %w, "
         "contracting_dims = [0] x [" +
         std::to_string(dim) + "] : (tensor<" + depth + "xi32>, tensor<" +
         wide + ">) -> " + result;
}

TEST_F(PackerTest, SumsOverOneDimension) {
  expectLikeInterpreter(sums("5x7x3", "5x7x3xi32", "7", 1, "tensor<5x3xi32>"),
                        "tensor<5x3xi32>");
  // The sums want more of the tensor than one piece of it.
  expectLikeInterpreter(
      sums("700x1000", "700x1000xi32", "700", 0, "tensor<1000xi32>"),
      "tensor<1000xi32>");
  expectLikeInterpreter(sums("0x4", "0x4xi32", "0", 0, "tensor<4xi32>"),
                        "tensor<4xi32>");
}

TEST_F(PackerTest, OtherProductsAreRefused) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  kernel::WeightOp op = weight(
      counting("%a", 6, "2x3") +
          "%r = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : "
          "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
      "tensor<2x2xf32>");
  EXPECT_TRUE(failed(packWeight(op, [](ArrayRef<char>) { return success(); })));
  EXPECT_NE(message.find("no vector of integers times a tensor"),
            std::string::npos)
      << message;
}

TEST_F(PackerTest, QuadsOfRows) {
  // Rows 4 to 7 of a column follow each other; what is no row is zero.
  std::string layout = "* k n -> * n/2 k/4 n%2 k%4";
  EXPECT_EQ(
      floats(
          pack(weight(counting("%r", 15, "5x3"), "tensor<5x3xf32>", layout))),
      (std::vector<float>{0, 3, 6, 9,  1, 4, 7, 10, 12, 0, 0, 0, 13, 0, 0, 0,
                          2, 5, 8, 11, 0, 0, 0, 0,  14, 0, 0, 0, 0,  0, 0, 0}));
}

TEST_F(PackerTest, LargeTensorsComeInPieces) {
  constexpr int64_t rows = 3000, columns = 1001;
  std::vector<char> bytes(rows * columns * sizeof(float));
  for (int64_t i = 0; i < rows * columns; ++i) {
    float value = static_cast<float>(i);
    std::memcpy(bytes.data() + i * sizeof(float), &value, sizeof(value));
  }
  auto type =
      RankedTensorType::get({rows, columns}, Float32Type::get(&context));
  Location loc = UnknownLoc::get(&context);
  modules.push_back(ModuleOp::create(loc));
  OpBuilder builder = OpBuilder::atBlockEnd(modules.back()->getBody());
  auto transposed = type.clone({columns, rows});
  auto op = kernel::WeightOp::create(builder, loc, builder.getStringAttr("w"),
                                     transposed);
  builder.createBlock(&op.getBody());
  Value value = stablehlo::ConstantOp::create(
      builder, loc, makeWeight(type, "w", std::move(bytes)));
  value = stablehlo::TransposeOp::create(builder, loc, transposed, value,
                                         ArrayRef<int64_t>{1, 0});
  kernel::YieldOp::create(builder, loc, value);

  size_t largest = 0, pieces = 0;
  std::vector<char> packed;
  ASSERT_TRUE(succeeded(packWeight(op, [&](ArrayRef<char> piece) {
    largest = std::max(largest, piece.size());
    ++pieces;
    packed.insert(packed.end(), piece.begin(), piece.end());
    return success();
  })));
  EXPECT_GT(pieces, 1u);
  EXPECT_LE(largest, size_t(4) << 20);
  std::vector<float> values = floats(packed);
  ASSERT_EQ(values.size(), size_t(rows * columns));
  for (int64_t i = 0; i < rows * columns; i += 997)
    ASSERT_EQ(values[i], float(i % rows * columns + i / rows));
}

/// The stack does not grow with the program.
TEST_F(PackerTest, EvaluatesLongPrograms) {
  std::string program = counting("%v", 6, "2x3");
  program += "%n0 = stablehlo.negate %v : tensor<2x3xf32>\n";
  const int steps = 5000;
  for (int i = 0; i < steps; ++i) {
    std::string n = std::to_string(i);
    program += "%a" + n + " = stablehlo.subtract %v, %n" + n +
               " : tensor<2x3xf32>\n%b" + n + " = stablehlo.reshape %a" + n +
               " : (tensor<2x3xf32>) -> tensor<3x2xf32>\n%c" + n +
               " = stablehlo.transpose %b" + n +
               ", dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>\n%n" +
               std::to_string(i + 1) + " = stablehlo.reverse %c" + n +
               ", dims = [1] : tensor<2x3xf32>\n";
  }
  program += "%r = stablehlo.negate %n" + std::to_string(steps) +
             " : tensor<2x3xf32>\n";
  expectLikeInterpreter(program, "tensor<2x3xf32>");
}

/// Failure of the sink ends the packing.
TEST_F(PackerTest, StopsWhenTheSinkFails) {
  kernel::WeightOp op = weight(counting("%r", 6, "2x3"), "tensor<2x3xf32>");
  EXPECT_TRUE(failed(packWeight(op, [](ArrayRef<char>) { return failure(); })));
}

TEST_F(PackerTest, IdentityFollowsProgramAndPacking) {
  std::string program = counting("%r", 6, "2x3");
  std::string other = counting("%r", 6, "2x3");
  other.replace(other.find("5.0"), 3, "6.0");
  auto identity = [&](const std::string &text, const std::string &packing) {
    return weightIdentity(weight(text, "tensor<2x3xf32>", packing));
  };
  EXPECT_EQ(identity(program, ""), identity(program, ""));
  EXPECT_NE(identity(program, ""), identity(other, ""));
  EXPECT_NE(identity(program, ""), identity(program, "* k n -> * n/32 k n%32"));
}
} // namespace
