// Expressions are canonical, mean what they were made of, and read back as they
// print.

#include "RandomExpressions.h"
#include "dialects/Size/ExpressionText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle::size;

namespace {

class ExpressionTest : public testing::Test {
protected:
  ExpressionTest() { context.loadDialect<SizeDialect>(); }

  Expression symbol(StringRef name) {
    return Expression::symbol(&context, name);
  }
  Expression number(int64_t value) {
    return Expression::constant(&context, value);
  }
  Expression parsed(StringRef text) {
    std::string problem;
    Expression result = parseExpression(&context, text, problem);
    EXPECT_EQ(problem, "") << text.str();
    return result;
  }
  std::string problemOf(StringRef text) {
    std::string problem;
    EXPECT_FALSE(parseExpression(&context, text, problem)) << text.str();
    return problem;
  }

  MLIRContext context;
};

TEST_F(ExpressionTest, EqualPolynomialsAreOne) {
  Expression a = symbol("a"), b = symbol("b");
  EXPECT_EQ((a + b) * (a - b), a * a - b * b);
  EXPECT_EQ(a * 3 - a - a - a, number(0));
  EXPECT_EQ((a * 4 + 3).floorDiv(8), a.floorDiv(2));
  EXPECT_EQ((a * 8 + b + 17).floorDiv(8), a + 2 + (b + 1).floorDiv(8));
  EXPECT_EQ(a.floorDiv(4).floorDiv(8), a.floorDiv(32));
  EXPECT_EQ((a * 8).mod(8), number(0));
  EXPECT_EQ(Expression::minimum(a, b), Expression::minimum(b, a));
  EXPECT_EQ(Expression::minimum(a * 2 + b, a * 2 + 6) - a * 2,
            Expression::minimum(b, number(6)));
  EXPECT_EQ(Expression::less(a, b), 1 - Expression::lessOrEqual(b, a));
  EXPECT_EQ(Expression::equal(a * 2, b * 2), Expression::equal(b, a));
  Expression isLess = Expression::less(a, b);
  EXPECT_EQ(isLess * isLess, isLess);
  EXPECT_EQ((a * b * 768).floorDiv(b * 12), a * 64);
  EXPECT_EQ((a * b * 3).floorDiv(b * 4), (a * 3).floorDiv(4));
  EXPECT_EQ((a * a * b + a).floorDiv(a * b + a * 2),
            (a * b + 1).floorDiv(b + 2));
}

TEST_F(ExpressionTest, PrintsInAnOrderOfNames) {
  // Made in an order in which no pointer knows the names.
  Expression z = symbol("z"), a = symbol("a"), m = symbol("m");
  EXPECT_EQ((z + m * a * 2 - a - 7).text(), "2 * a * m - a + z - 7");
  EXPECT_EQ((z.floorDiv(2) * a).text(), "a * floordiv(z, 2)");
  EXPECT_EQ(number(INT64_MIN).text(), "-9223372036854775808");
  EXPECT_EQ(Expression::symbol(&context, "x dim").text(), "\"x dim\"");
}

TEST_F(ExpressionTest, WhatIsTooLargeIsNull) {
  Expression a = symbol("a");
  EXPECT_FALSE(a * INT64_MAX * 2);
  EXPECT_FALSE((a * INT64_MAX * 2) + 1);
  EXPECT_FALSE(a.floorDiv(0));
  EXPECT_FALSE(a.floorDiv(-3));
  EXPECT_EQ((a * INT64_MAX).evaluated([](StringRef) { return 2; }),
            std::nullopt);
  EXPECT_EQ(a.floorDiv(symbol("b")).evaluated([](StringRef) { return 0; }),
            std::nullopt);
  // Shared parts that would be walked again and again.
  Expression shared = a;
  for (unsigned i = 0; shared && i < 64; ++i)
    shared = Expression::minimum(shared * a, shared + symbol("b"));
  EXPECT_FALSE(shared);
}

TEST_F(ExpressionTest, DividesExactlyOrNotAtAll) {
  Expression a = symbol("a"), b = symbol("b");
  EXPECT_EQ((a * a - b * b).dividedExactly(a + b), a - b);
  EXPECT_EQ((a * b + 1).dividedExactly(b), std::nullopt);
  EXPECT_EQ((a * 3).dividedExactly(number(2)), std::nullopt);
  EXPECT_EQ(a.dividedExactly(number(0)), std::nullopt);
}

TEST_F(ExpressionTest, QuotientsOfQuotientsAreOne) {
  // The height of an image behind two convolutions in steps of 2.
  Expression height = symbol("height");
  Expression once = (height - 1).floorDiv(2) + 1;
  EXPECT_EQ((once - 1).floorDiv(2) + 1, (height + 3).floorDiv(4));
  EXPECT_EQ((height.floorDiv(3) + 4).floorDiv(5), (height + 12).floorDiv(15));
  EXPECT_EQ((height.floorDiv(3) + 7).floorDiv(5),
            (height + 6).floorDiv(15) + 1);
  EXPECT_EQ((height.floorDiv(3) - 2).floorDiv(5),
            (height + 9).floorDiv(15) - 1);
  for (int64_t value = 0; value < 40; ++value)
    EXPECT_EQ((height.floorDiv(3) - 2).floorDiv(5).evaluated([&](StringRef) {
      return value;
    }),
              llvm::divideFloorSigned(value / 3 - 2, 5));

  // Sums of quotients, and what takes more than 64 bits, stay as they are.
  Expression sum = height.floorDiv(2) + symbol("width").floorDiv(2);
  EXPECT_EQ(sum.floorDiv(2).text(),
            "floordiv(floordiv(height, 2) + floordiv(width, 2), 2)");
  int64_t large = int64_t(1) << 40;
  EXPECT_EQ((height.floorDiv(large) + 1).floorDiv(large).text(),
            "floordiv(floordiv(height, 1099511627776) + 1, 1099511627776)");
}

TEST_F(ExpressionTest, QuotientsOfWhatIsCountedAreProducts) {
  Expression height = Expression::symbol(&context, "height", 4),
             width = Expression::symbol(&context, "width", 4);
  EXPECT_EQ(height.floorDiv(2) * width.floorDiv(2),
            (height * width).floorDiv(4));
  EXPECT_EQ(height.floorDiv(4) * 4, height);
  EXPECT_EQ((height + 3).floorDiv(4), height.floorDiv(4));
  EXPECT_EQ((height * symbol("a")).floorDiv(height * 2),
            symbol("a").floorDiv(2));
  EXPECT_EQ(height.asSymbol(), "height");
  EXPECT_EQ((height * 2).asSymbol(), std::nullopt);
  EXPECT_EQ(height.floorDiv(4).asSymbol(), std::nullopt);
  EXPECT_EQ(height.symbols(), SmallVector<StringRef>{"height"});

  // People read quotients.
  EXPECT_EQ((height * width * 3 - height).text(),
            "3 * height * width - height");
  EXPECT_EQ((height.floorDiv(2) * 3).text(), "3 * floordiv(height, 2)");
  EXPECT_EQ((height * 3).floorDiv(8).text(),
            "floordiv(height, 4) + floordiv(floordiv(height, 4), 2)");

  auto evaluated = [](Expression expression, int64_t value) {
    return expression.evaluated([&](StringRef) { return value; });
  };
  EXPECT_EQ(evaluated(height.floorDiv(2) + 1, 12), 7);
  EXPECT_EQ(evaluated(height.floorDiv(2) + 1, 10), std::nullopt);

  // Another symbol is counted in the same unit.
  auto renamed = [&](StringRef) { return symbol("h"); };
  EXPECT_EQ(height.floorDiv(2).substituted(renamed),
            Expression::symbol(&context, "h", 4).floorDiv(2));
  EXPECT_EQ(height.floorDiv(2).substituted([&](StringRef) {
    return Expression::symbol(&context, "h", 8);
  }),
            Expression::symbol(&context, "h", 8).floorDiv(2));
  EXPECT_EQ(height.floorDiv(2).substituted(
                [&](StringRef) { return symbol("h") + symbol("g"); }),
            (symbol("h") + symbol("g")).floorDiv(4) * 2);
}

TEST_F(ExpressionTest, UnitsAreSaidInIr) {
  Expression height = Expression::symbol(&context, "a height", 4);
  auto written = [](Expression expression) {
    std::string text;
    llvm::raw_string_ostream(text) << Attribute(expression.attribute());
    return text;
  };
  EXPECT_EQ(written(height.floorDiv(2) * symbol("b")),
            "#size.expression<2 * \"a height\":4 * b>");
  for (Expression each : {height, height.floorDiv(2), (height * 3).floorDiv(8),
                          height * symbol("a height") + 1})
    EXPECT_EQ(parseAttribute(written(each), &context), each.attribute());

  std::string message;
  ScopedDiagnosticHandler listen(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  for (StringRef unit : {"1", "0", "b", "99999999999999999999"}) {
    message.clear();
    EXPECT_FALSE(
        parseAttribute(("#size.expression<a:" + unit + ">").str(), &context));
    EXPECT_EQ(message, "the expression lacks a unit of 2 or more behind 'a'");
  }
  EXPECT_EQ(problemOf("a:4"), "goes on behind its end");
}

TEST_F(ExpressionTest, SaysWhyTextIsNoExpression) {
  EXPECT_EQ(parsed("2*(past + new) - 1"),
            (symbol("past") + symbol("new")) * 2 - 1);
  EXPECT_EQ(parsed("ceildiv(width, 2)"), (symbol("width") + 1).floorDiv(2));
  EXPECT_EQ(parsed("2*rows^2 + rows^0"),
            symbol("rows") * symbol("rows") * 2 + 1);
  EXPECT_EQ(problemOf("rows^-1"), "lacks an exponent from 0 to 62");
  for (StringRef name : {"params['w'].0", "a \"b\"", "x\\1"})
    EXPECT_EQ(parsed(symbol(name).text()), symbol(name));
  EXPECT_EQ(problemOf("\"rows"), "lacks a number or the name of a size");
  EXPECT_EQ(problemOf("2 +"), "lacks a number or the name of a size");
  EXPECT_EQ(problemOf("(a + 1"), "lacks a ')'");
  EXPECT_EQ(problemOf("a b"), "goes on behind its end");
  EXPECT_EQ(problemOf("mod(a, 0)"), "divides by 0");
  EXPECT_EQ(problemOf("min(a)"), "gives 'min' 1 operands; it has two");
  EXPECT_EQ(problemOf("99999999999999999999"),
            "has a number of more than 64 bits");
  EXPECT_EQ(problemOf("round(a)"),
            "uses 'round', which is none of floordiv, ceildiv, mod, min, max, "
            "is_positive, is_zero");
  EXPECT_EQ(problemOf(std::string(100, '(') + "a"), "is nested too deeply");
}

TEST_F(ExpressionTest, IsTheEncodingOfATensor) {
  Type type = parseType(
      "tensor<8x384x768xf32, #size.extents<batch, 2 * \"a b\" + 1, 768>>",
      &context);
  ASSERT_TRUE(type);
  auto tensor = cast<RankedTensorType>(type);
  EXPECT_TRUE(hasExtents(type));
  EXPECT_EQ(extentOf(tensor, 1), symbol("a b") * 2 + 1);
  EXPECT_EQ(extentOf(tensor, 2), number(768));
  std::string text;
  llvm::raw_string_ostream(text) << type;
  EXPECT_EQ(parseType(text, &context), type);
  EXPECT_EQ(withExtents(tensor, {number(8), number(384), number(768)}),
            RankedTensorType::get({8, 384, 768}, tensor.getElementType()));
  EXPECT_EQ(withExtents(tensor, extentsOf(tensor)), tensor);

  std::string message;
  ScopedDiagnosticHandler listen(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_FALSE(parseType("tensor<8xf32, #size.extents<mod(a, 0)>>", &context));
  EXPECT_EQ(message, "the expression divides by 0");
  EXPECT_FALSE(parseType("tensor<8xf32, #size.extents<a, b>>", &context));
  EXPECT_EQ(message, "2 extents for a tensor of rank 1");
}

TEST_F(ExpressionTest, MeansWhatItWasMadeOf) {
  RandomExpressions make(&context, 1);
  unsigned made = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    Sampled sampled = make.make(i % 5);
    if (!sampled.expression)
      continue;
    ++made;
    // Through text, too.
    Expression read = parsed(sampled.expression.text());
    EXPECT_EQ(read, sampled.expression) << sampled.expression.text();
    for (unsigned k = 0; k < 8; ++k) {
      Point point;
      for (unsigned s = 0; s < 4; ++s)
        point.push_back(make.number(0, 20));
      std::optional<int64_t> value = at(sampled.expression, point);
      ASSERT_EQ(value, sampled.value(point)) << sampled.expression.text();
      Expression known = sampled.expression.substituted([&](StringRef name) {
        return Expression::constant(&context, point[name[0] - 'a']);
      });
      ASSERT_TRUE(known.isConstant(*value)) << sampled.expression.text();
    }
  }
  EXPECT_GT(made, 3000u);
}

} // namespace
