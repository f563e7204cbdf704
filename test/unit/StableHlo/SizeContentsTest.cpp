// What small tensors of integers hold: expressions over the sizes that calls
// choose, or nothing where that is not known.

#include "lib/Frontend/StableHlo/SizeContents.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;
using heddle::size::Expression;

namespace {

/// A body that computes %0 from %a (1 to 9), %b (0 to 12), %w (16 to 64, a
/// multiple of 8) of type tensor<i32>, and what it holds: "?" for what is not
/// known.
struct Case {
  const char *body;
  const char *type;
  const char *wanted;
};

const Case kCases[] = {
    {"%0 = stablehlo.add %a, %b : tensor<i32>", "tensor<i32>", "a + b"},
    {"%0 = stablehlo.subtract %a, %b : tensor<i32>", "tensor<i32>", "a - b"},
    {"%0 = stablehlo.multiply %a, %w : tensor<i32>", "tensor<i32>", "a * w"},
    {"%0 = stablehlo.negate %a : tensor<i32>", "tensor<i32>", "-a"},
    {"%0 = stablehlo.divide %w, %a : tensor<i32>", "tensor<i32>",
     "floordiv(w, a)"},
    // Rounded to zero.
    {"%n = stablehlo.negate %w : tensor<i32>\n"
     "%0 = stablehlo.divide %n, %a : tensor<i32>",
     "tensor<i32>", "-floordiv(w, a)"},
    // The divisor may be 0, the dividend have any sign.
    {"%0 = stablehlo.divide %w, %b : tensor<i32>", "tensor<i32>", "?"},
    {"%n = stablehlo.subtract %b, %a : tensor<i32>\n"
     "%0 = stablehlo.divide %n, %a : tensor<i32>",
     "tensor<i32>", "?"},
    {"%c = stablehlo.constant dense<8> : tensor<i32>\n"
     "%0 = stablehlo.remainder %w, %c : tensor<i32>",
     "tensor<i32>", "0"},
    {"%0 = stablehlo.maximum %a, %w : tensor<i32>", "tensor<i32>", "w"},
    {"%0 = stablehlo.minimum %a, %w : tensor<i32>", "tensor<i32>", "a"},
    {"%0 = stablehlo.sign %a : tensor<i32>", "tensor<i32>", "1"},
    {"%0 = stablehlo.compare LT, %a, %w : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>",
     "tensor<i1>", "1"},
    {"%0 = stablehlo.compare GE, %b, %a : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>",
     "tensor<i1>", "1 - is_positive(a - b)"},
    {"%c = stablehlo.constant dense<3> : tensor<i32>\n"
     "%p = stablehlo.compare EQ, %a, %c : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "%0 = stablehlo.select %p, %b, %w : tensor<i1>, tensor<i32>",
     "tensor<i32>", "(b - w) * is_zero(a - 3) + w"},
    // A bool is no number of 8 bits: 0 or 1.
    {"%0 = stablehlo.convert %b : (tensor<i32>) -> tensor<i1>", "tensor<i1>",
     "1 - is_zero(b)"},
    // 1000 * w wraps in 8 and in 16 bits.
    {"%0 = stablehlo.convert %w : (tensor<i32>) -> tensor<i8>", "tensor<i8>",
     "w"},
    {"%c = stablehlo.constant dense<1000> : tensor<i32>\n"
     "%m = stablehlo.multiply %w, %c : tensor<i32>\n"
     "%0 = stablehlo.convert %m : (tensor<i32>) -> tensor<i16>",
     "tensor<i16>", "?"},
    {"%0 = stablehlo.and %a, %b : tensor<i32>", "tensor<i32>", "?"},
    {"%x = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>\n"
     "%y = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>\n"
     "%0 = stablehlo.concatenate %x, %y, %x, dim = 0 : (tensor<1xi32>, "
     "tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>",
     "tensor<3xi32>", "a, b, a"},
    {"%x = stablehlo.reshape %a : (tensor<i32>) -> tensor<1x1xi32>\n"
     "%y = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>\n"
     "%z = stablehlo.concatenate %x, %x, dim = 0 : (tensor<1x1xi32>, "
     "tensor<1x1xi32>) -> tensor<2x1xi32>\n"
     "%0 = stablehlo.concatenate %z, %y, dim = 1 : (tensor<2x1xi32>, "
     "tensor<2x2xi32>) -> tensor<2x3xi32>",
     "tensor<2x3xi32>", "a, 1, 2, a, 3, 4"},
    {"%x = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> "
     "tensor<4xi32>\n"
     "%c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n"
     "%m = stablehlo.multiply %x, %c : tensor<4xi32>\n"
     "%0 = stablehlo.slice %m [1:4:2] : (tensor<4xi32>) -> tensor<2xi32>",
     "tensor<2xi32>", "2 * a, 4 * a"},
    // -7 % a, as Python has it.
    {"%x = stablehlo.constant dense<-7> : tensor<i32>\n"
     "%z = stablehlo.constant dense<0> : tensor<i32>\n"
     "%r = stablehlo.remainder %x, %a : tensor<i32>\n"
     "%p = stablehlo.compare NE, %r, %z : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "%q = stablehlo.compare LT, %r, %z : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "%s = stablehlo.compare LT, %a, %z : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "%d = stablehlo.compare NE, %q, %s : (tensor<i1>, tensor<i1>) -> "
     "tensor<i1>\n"
     "%c = stablehlo.and %d, %p : tensor<i1>\n"
     "%t = stablehlo.add %r, %a : tensor<i32>\n"
     "%0 = stablehlo.select %c, %t, %r : tensor<i1>, tensor<i32>",
     "tensor<i32>", "mod(-7, a)"},
    // b // a, as Python has it.
    {"%o = stablehlo.constant dense<1> : tensor<i32>\n"
     "%z = stablehlo.constant dense<0> : tensor<i32>\n"
     "%q = stablehlo.divide %b, %a : tensor<i32>\n"
     "%s = stablehlo.sign %b : tensor<i32>\n"
     "%u = stablehlo.sign %a : tensor<i32>\n"
     "%n = stablehlo.compare NE, %s, %u : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "%r = stablehlo.remainder %b, %a : tensor<i32>\n"
     "%m = stablehlo.compare NE, %r, %z : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "%c = stablehlo.and %n, %m : tensor<i1>\n"
     "%t = stablehlo.subtract %q, %o : tensor<i32>\n"
     "%0 = stablehlo.select %c, %t, %q : tensor<i1>, tensor<i32>",
     "tensor<i32>", "floordiv(b, a)"},
    // A selection that only looks like it.
    {"%o = stablehlo.constant dense<1> : tensor<i32>\n"
     "%q = stablehlo.divide %b, %a : tensor<i32>\n"
     "%c = stablehlo.compare EQ, %b, %a : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "%t = stablehlo.subtract %q, %o : tensor<i32>\n"
     "%0 = stablehlo.select %c, %t, %q : tensor<i1>, tensor<i32>",
     "tensor<i32>", "floordiv(b, a) - is_zero(a - b)"},
};

class SizeContentsTest : public testing::TestWithParam<Case> {};

TEST_P(SizeContentsTest, AreExpressions) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, quant::QuantDialect, size::SizeDialect,
                      stablehlo::StableHloDialect>();
  size::Ranges ranges;
  ranges.declare("a", {1, 9});
  ranges.declare("b", {0, 12});
  ranges.declare("w", {16, 64, 8});
  std::string text = "func.func @main(%sizes: tensor<9x12x64xf32, "
                     "#size.extents<a, b, w>>) -> ";
  text += GetParam().type;
  text += " {\n";
  const StringRef names[] = {"a", "b", "w"};
  for (auto [i, name] : llvm::enumerate(names))
    text +=
        "%" + name.str() +
        " = stablehlo.get_dimension_size %sizes, dim = " + std::to_string(i) +
        " : (tensor<9x12x64xf32, #size.extents<a, b, w>>) -> "
        "tensor<i32>\n";
  text += GetParam().body;
  text += "\nreturn %0 : " + std::string(GetParam().type) + "\n}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto main = module->lookupSymbol<func::FuncOp>("main");
  Value value = main.front().getTerminator()->getOperand(0);

  // The wanted ones are read by the same syntax that types have.
  std::string wanted = GetParam().wanted;
  SizeContents contents(ranges);
  std::optional<SizeContents::Elements> found = contents.of(value);
  if (wanted == "?") {
    EXPECT_FALSE(found);
    return;
  }
  ASSERT_TRUE(found);
  auto parsed = cast<size::ExtentsAttr>(
      parseAttribute("#size.extents<" + wanted + ">", &context));
  ASSERT_EQ(found->size(), parsed.getExtents().size());
  for (auto [expression, other] : llvm::zip_equal(*found, parsed.getExtents()))
    EXPECT_EQ(expression, ranges.simplified(Expression(other)))
        << expression.text() << " against " << Expression(other).text();
}

INSTANTIATE_TEST_SUITE_P(Programs, SizeContentsTest, testing::ValuesIn(kCases));

TEST(SizeContents, DataIsNotKnown) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, quant::QuantDialect, size::SizeDialect,
                      stablehlo::StableHloDialect>();
  // A chain from an argument, longer than recursion should be.
  std::string text = "func.func @main(%v0: tensor<i32>) -> tensor<i32> {\n";
  constexpr unsigned kLength = 20000;
  for (unsigned i = 0; i < kLength; ++i)
    text += "%v" + std::to_string(i + 1) + " = stablehlo.add %v" +
            std::to_string(i) + ", %v" + std::to_string(i) + " : tensor<i32>\n";
  text += "return %v" + std::to_string(kLength) + " : tensor<i32>\n}";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  size::Ranges ranges;
  SizeContents contents(ranges);
  auto main = module->lookupSymbol<func::FuncOp>("main");
  EXPECT_FALSE(contents.of(main.front().getTerminator()->getOperand(0)));
}

} // namespace
