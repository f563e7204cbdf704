// --check-sizes finds a program whose rules say something else than the model.

#include "lib/Driver/CheckSizes.h"

#include "heddle/Driver/SizePoints.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;

namespace {

constexpr char sized[] = R"(
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 9 : i64, multiple = 3 : i64}]} {
  func.func @main(%x: tensor<9x4xf32, #size.extents<n, 4>> {heddle.name = "x"}) -> tensor<9xf32, #size.extents<n>> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x4xf32, #size.extents<n, 4>>, tensor<f32>) -> tensor<9xf32, #size.extents<n>> loc("sum")
    return %0 : tensor<9xf32, #size.extents<n>>
  }
})";

/// Of `n` elements the program takes as many as it computes.
constexpr char counted[] = R"(
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 6 : i64},
                                     {computed, name = "c", minimum = 0 : i64, maximum = 6 : i64}]} {
  func.func @main(%x: tensor<6xf32, #size.extents<n>> {heddle.name = "x"}, %c: tensor<i32>) -> tensor<6xf32, #size.extents<c>> {
    %0 = stablehlo.set_dimension_size %x, %c, dim = 0 : (tensor<6xf32, #size.extents<n>>, tensor<i32>) -> tensor<6xf32, #size.extents<c>> loc("cut")
    return %0 : tensor<6xf32, #size.extents<c>>
  }
})";

class CheckSizesTest : public testing::Test {
protected:
  CheckSizesTest()
      : stream(messages), session(CommonOptions(), "model", stream) {
    module = parse(sized);
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &session.context());
  }
  /// The model at the size that `options` give its input; where that is 6, its
  /// result is another.
  OwningOpRef<ModuleOp> import(const SizeOptions &options) {
    int64_t n = options.shapes.front().second.front();
    asked.push_back(n);
    std::string in = "tensor<" + std::to_string(n) + "x4xf32>",
                out = n == wrongAt ? "tensor<4xf32>"
                                   : "tensor<" + std::to_string(n) + "xf32>";
    return parse("func.func @main(%x: " + in + ") -> " + out +
                 " { %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                 "%0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add "
                 "across dimensions = [" +
                 (n == wrongAt ? "0" : "1") + "] : (" + in +
                 ", tensor<f32>) -> " + out +
                 " loc(\"sum\")\n return %0 : " + out + " }");
  }
  bool check() {
    return checkSizes(
        session, *module, SizeOptions(),
        [&](const SizeOptions &options) { return import(options); });
  }

  std::string messages;
  llvm::raw_string_ostream stream;
  Session session;
  OwningOpRef<ModuleOp> module;
  int64_t wrongAt = 0;
  std::vector<int64_t> asked;
};

TEST(SizePointsTest, AnyTwoSizesArePartedBothWays) {
  std::vector<int64_t> least, greatest;
  for (int64_t count = 0; count <= 17; ++count) {
    auto points = unequalSizes(least, greatest);
    EXPECT_LE(points.size(), 10u);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < count; ++j)
        EXPECT_TRUE(i == j || llvm::any_of(points,
                                           [&](const auto &point) {
                                             return point[i] == greatest[i] &&
                                                    point[j] == least[j];
                                           }))
            << i << " and " << j << " of " << count;
    least.push_back(count);
    greatest.push_back(count + 20);
  }
  EXPECT_TRUE(unequalSizes({2, 3}, {2, 8}).empty());
}

TEST_F(CheckSizesTest, TriesBothEndsAndMultiples) {
  EXPECT_TRUE(check()) << messages;
  ASSERT_EQ(asked.size(), 8u);
  EXPECT_EQ(asked[0], 3);
  EXPECT_EQ(asked[1], 9);
  for (int64_t n : asked)
    EXPECT_EQ(n % 3, 0);
}

TEST_F(CheckSizesTest, RefusesAnotherResult) {
  wrongAt = 6;
  EXPECT_FALSE(check());
  EXPECT_NE(messages.find("--check-sizes: with n = 6 result 0 is "
                          "tensor<4xf32>, and tensor<6xf32> by the rules"),
            std::string::npos)
      << messages;
}

TEST_F(CheckSizesTest, PassesOverSizesThatCallsMayNotHave) {
  wrongAt = 6;
  (*module)->setAttr(
      "heddle.size_assumptions",
      cast<ArrayAttr>(parseAttribute(
          R"([{zero = #size.expression<n - 3>, text = "n = 3"}])",
          &session.context())));
  EXPECT_TRUE(check()) << messages;
  for (int64_t n : asked)
    EXPECT_EQ(n, 3);
}

TEST_F(CheckSizesTest, LeavesOpenWhatTheProgramComputes) {
  module = parse(counted);
  // Where n is `wrongAt`, half of what is computed.
  auto check = [&](int64_t wrongAt) {
    return checkSizes(
        session, *module, SizeOptions(), [&](const SizeOptions &options) {
          int64_t n = options.shapes.front().second.front();
          std::string most = std::to_string(n);
          std::string type = "tensor<" + most + "xf32, #size.extents<" +
                             (n == wrongAt ? "floordiv(c, 2)" : "c") + ">>";
          return parse("module attributes {heddle.symbols = [{computed, name = "
                       "\"c\", minimum = 0 : i64, maximum = " +
                       most + " : i64}]} { func.func @main(%x: tensor<" + most +
                       "xf32>, %c: tensor<i32>) -> " + type +
                       " { %0 = stablehlo.set_dimension_size %x, %c, dim = 0 "
                       ": (tensor<" +
                       most + "xf32>, tensor<i32>) -> " + type +
                       " loc(\"cut\")\n return %0 : " + type + " } }");
        });
  };
  EXPECT_TRUE(check(0)) << messages;
  EXPECT_FALSE(check(6));
  EXPECT_NE(messages.find("--check-sizes: with n = 6, c = 6 result 0 is "
                          "tensor<6xf32, #size.extents<floordiv(c, 2)>>, and "
                          "tensor<6xf32, #size.extents<c>> by the rules"),
            std::string::npos)
      << messages;
}

} // namespace
