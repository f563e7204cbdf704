// What ranges say of expressions holds at every point of them.

#include "dialects/Size/Ranges.h"
#include "RandomExpressions.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle::size;

namespace {

class RangesTest : public testing::Test {
protected:
  RangesTest() { context.loadDialect<SizeDialect>(); }

  Expression symbol(StringRef name) {
    return Expression::symbol(&context, name);
  }
  Expression number(int64_t value) {
    return Expression::constant(&context, value);
  }
  void expectInterval(Expression expression, int64_t low, int64_t high) {
    Interval found = ranges.interval(expression);
    EXPECT_EQ(found.low, low) << expression.text();
    EXPECT_EQ(found.high, high) << expression.text();
  }

  MLIRContext context;
  Ranges ranges;
};

TEST_F(RangesTest, IntervalsAreTightForWhatModelsHave) {
  ranges.declare("batch", {1, 8});
  ranges.declare("sequence", {1, 512});
  ranges.declare("width", {64, 512, 32});
  Expression batch = symbol("batch"), sequence = symbol("sequence"),
             width = symbol("width");
  expectInterval(batch * sequence * 768, 768, 8 * 512 * 768);
  // Rows less the last one of each sequence.
  expectInterval(batch * sequence - batch, 0, 8 * 511);
  expectInterval((width + 1).floorDiv(2), 32, 256);
  expectInterval(sequence.mod(32), 0, 31);
  // Rounded up, and what that adds.
  expectInterval(sequence.ceilDiv(32) * 32, 32, 512);
  expectInterval(sequence.ceilDiv(32) * 32 - sequence, 0, 31);
  expectInterval(Expression::minimum(sequence, number(100)), 1, 100);
  expectInterval(Expression::maximum(sequence, number(100)), 100, 512);
  expectInterval(Expression::maximum(sequence, batch) - batch, 0, 511);
  expectInterval(symbol("unknown"), 0, INT64_MAX);
  expectInterval(-symbol("unknown"), INT64_MIN, 0);
  expectInterval(symbol("unknown") - symbol("other"), INT64_MIN, INT64_MAX);
}

TEST_F(RangesTest, WhatIsTakenFromTheGreatestNumberIsLess) {
  // 7 times it is the greatest number of 64 bits.
  ranges.declare("seventh", {INT64_MAX / 7, INT64_MAX / 7});
  Expression greatest = symbol("seventh") * 7;
  EXPECT_LE(ranges.interval(greatest - 5).low, INT64_MAX - 5);
  EXPECT_GE(ranges.interval(5 - greatest).high, 5 - INT64_MAX);
  EXPECT_GE(ranges.interval(-greatest).high, -INT64_MAX);
  // Cubes from 2^63 on, less three times 2^62.
  ranges.declare("large", {int64_t(1) << 21, int64_t(1) << 22});
  Expression large = symbol("large"), rest = large * large * large;
  EXPECT_TRUE(ranges.isAlwaysPositive(rest));
  for (const char *name : {"a", "b", "c"}) {
    ranges.declare(name, {0, 1});
    rest = rest - symbol(name) * (int64_t(1) << 62);
  }
  EXPECT_FALSE(ranges.isNeverNegative(rest));
  EXPECT_FALSE(ranges.isNeverNegative(-rest));
}

TEST_F(RangesTest, MultiplesAndRangesDropFunctions) {
  ranges.declare("batch", {1, 8});
  ranges.declare("width", {64, 512, 32});
  Expression batch = symbol("batch"), width = symbol("width");
  EXPECT_EQ(ranges.divisor(width * batch * 6), 192u);
  EXPECT_EQ(ranges.divisor(width.floorDiv(4)), 8u);
  EXPECT_EQ(ranges.simplified((width + 1).floorDiv(2) * 2),
            ranges.counted(width));
  EXPECT_EQ(ranges.simplified(width.mod(16)), number(0));
  EXPECT_EQ(ranges.simplified(Expression::minimum(batch, number(8))), batch);
  EXPECT_EQ(ranges.simplified(Expression::equal(batch, width)), number(0));
  EXPECT_EQ(ranges.simplified(batch.floorDiv(9)), number(0));
  ranges.declare("batch", {3, 3});
  EXPECT_EQ(ranges.simplified(batch * width), ranges.counted(width * 3));
}

TEST_F(RangesTest, SymbolsAreCountedInWhatTheyAreMultiplesOf) {
  ranges.declare("length", {1, 64});
  ranges.declare("width", {60, 512, 32});
  Expression length = symbol("length"), width = symbol("width"),
             counted = Expression::symbol(&context, "width", 32);
  EXPECT_EQ(ranges.counted(length.floorDiv(2)), length.floorDiv(2));
  EXPECT_EQ(ranges.counted(width * length), counted * length);
  EXPECT_EQ(ranges.simplified(width.floorDiv(16) * length),
            (counted * length).floorDiv(16));
  // What was counted in less is counted anew.
  Expression pairs = Expression::symbol(&context, "width", 2);
  EXPECT_EQ(ranges.counted(pairs.floorDiv(2)), counted.floorDiv(2));
  EXPECT_EQ(ranges.simplified(pairs.floorDiv(2)), counted.floorDiv(2));
  EXPECT_EQ(ranges.isZero(pairs - width), true);
  EXPECT_EQ(ranges.isZero(pairs.floorDiv(2) - counted.floorDiv(2)), true);

  expectInterval(counted.floorDiv(32), 2, 16);
  EXPECT_EQ(ranges.divisor(counted.floorDiv(4)), 8u);
  EXPECT_EQ(ranges.improperDivisor(counted.floorDiv(4)), std::nullopt);
  EXPECT_FALSE(ranges.improperlyCounted(counted * length));
  EXPECT_FALSE(ranges.improperlyCounted(pairs));
  Expression thirds = Expression::symbol(&context, "width", 3);
  EXPECT_EQ(
      ranges.improperlyCounted(Expression::minimum(length, thirds) * length),
      SymbolAttr::get(&context, "width", 3));

  // One of two sizes that must be equal may be a multiple.
  auto tie = differingSymbols(ranges.counted(length - width));
  ASSERT_TRUE(tie);
  EXPECT_EQ(tie->first, "length");
  EXPECT_EQ(tie->second, "width");
  EXPECT_FALSE(differingSymbols(ranges.counted(length - width.floorDiv(2))));
  EXPECT_FALSE(differingSymbols(ranges.counted(length + width)));
}

TEST_F(RangesTest, ExactQuotientsAreMultipliedOut) {
  ranges.declare("height", {8, 64, 4});
  ranges.declare("width", {8, 64, 4});
  ranges.declare("length", {1, 64});
  Expression height = symbol("height"), width = symbol("width"),
             length = symbol("length");
  Expression points = height.floorDiv(2) * width.floorDiv(2);
  EXPECT_EQ(ranges.isZero(points * 4 - height * width), true);
  EXPECT_EQ(ranges.isZero(points - (height * width).floorDiv(4)), true);
  EXPECT_NE(ranges.isZero(points * 2 - height * width), true);
  EXPECT_EQ(ranges.isZero(length.floorDiv(2) * width * 2 - length * width),
            std::nullopt);
}

TEST_F(RangesTest, AssumptionsProve) {
  Expression past = symbol("past"), total = symbol("total");
  EXPECT_FALSE(ranges.isNeverNegative(total - past));
  ranges.assumeNotNegative(total - past - 1);
  EXPECT_TRUE(ranges.isNeverNegative(total - past));
  EXPECT_EQ(ranges.isZero(total - past), false);
  EXPECT_EQ(ranges.isZero(past - total), false);
  // So do multiples, and what is inside of quotients.
  EXPECT_TRUE(ranges.isNeverNegative(total * past - past * past - past));
  EXPECT_TRUE(ranges.isNeverNegative((total + past).floorDiv(2) - past));
  EXPECT_TRUE(ranges.isNeverNegative(total - (total + past).floorDiv(2)));
  EXPECT_FALSE(ranges.isNeverNegative((total + past).floorDiv(2) - past - 1));
  EXPECT_FALSE(ranges.isNeverNegative(past * past - total * past));
}

TEST_F(RangesTest, ProductsOfOneSymbolAreLookedAtOneByOne) {
  ranges.declare("count", {0, 9});
  ranges.declare("width", {0, 96, 32});
  ranges.declare("large", {0, 1 << 20});
  Expression count = symbol("count"), width = symbol("width"),
             large = symbol("large");
  expectInterval(count * 9 - count * count, 0, 20);
  expectInterval(count * count - count * 4, -4, 45);
  expectInterval(width * 96 - width * width, 0, 2048);
  EXPECT_EQ(ranges.interval(large * large - large * 2).low, -(2 << 20));
  ranges.declare("flag", {0, 1});
  Expression flag = symbol("flag");
  EXPECT_EQ(ranges.simplified(flag - flag * flag), number(0));
}

TEST_F(RangesTest, HoldAtEveryPoint) {
  RandomExpressions make(&context, 2);
  unsigned made = 0, decided = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    Ranges own;
    std::vector<SymbolFacts> facts;
    for (const char *name : kNames) {
      SymbolFacts each;
      each.multiple = make.number(1, 3);
      each.minimum = make.number(0, 9);
      // A multiple lies between.
      each.maximum = each.minimum + each.multiple + make.number(0, 9);
      facts.push_back(each);
      own.declare(name, each);
    }
    Sampled sampled = make.make(1 + i % 4);
    if (!sampled.expression)
      continue;
    ++made;
    Interval interval = own.interval(sampled.expression);
    uint64_t divisor = own.divisor(sampled.expression);
    Expression simple = own.simplified(sampled.expression),
               counted = own.counted(sampled.expression);
    if (counted) {
      ASSERT_EQ(own.counted(counted), counted) << counted.text();
    }
    std::optional<bool> zero = own.isZero(sampled.expression);
    decided += zero.has_value();
    for (unsigned k = 0; k < 40; ++k) {
      Point point;
      for (const SymbolFacts &each : facts) {
        int64_t value = make.number(each.minimum, each.maximum);
        value -= value % each.multiple;
        point.push_back(value < each.minimum ? value + each.multiple : value);
      }
      int64_t value = sampled.value(point);
      std::string text = sampled.expression.text();
      ASSERT_TRUE(interval.contains(value))
          << text << " is " << value << ", not in " << interval.low << ".."
          << interval.high;
      ASSERT_TRUE(divisor == 0 ? value == 0 : value % int64_t(divisor) == 0)
          << text << " is " << value << ", not divisible by " << divisor;
      if (simple) {
        ASSERT_EQ(at(simple, point), value) << text << " as " << simple.text();
      }
      if (counted) {
        ASSERT_EQ(at(counted, point), value)
            << text << " as " << counted.text();
      }
      if (zero) {
        ASSERT_EQ(*zero, value == 0) << text;
      }
    }
  }
  EXPECT_GT(made, 2000u);
  EXPECT_GT(decided, 300u);
}

} // namespace
