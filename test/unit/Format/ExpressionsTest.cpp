// Each kind of expression of a plan, and those that are refused.

#include "runtime/format/Expressions.h"

#include "gtest/gtest.h"

#include <limits>

using namespace heddle;
using namespace heddle::format;

namespace {
struct Table {
  flatbuffers::FlatBufferBuilder builder;

  /// The value of the last expression; the failure's message goes to `fault`.
  int64_t evaluateLast(const std::vector<Expression> &expressions,
                       const std::vector<int64_t> &symbols = {}) {
    builder.Clear();
    PlanT plan;
    plan.expressions = expressions;
    builder.Finish(Plan::Pack(builder, &plan));
    std::vector<int64_t> values;
    Error error = evaluate(
        flatbuffers::GetRoot<Plan>(builder.GetBufferPointer())->expressions(),
        symbols, HEDDLE_PLAN_INVALID, values);
    fault = error.message();
    return error ? -1 : values.back();
  }
  int64_t apply(ExpressionKind kind, int64_t lhs, int64_t rhs) {
    return evaluateLast({{lhs, 0, 0, ExpressionKind::constant},
                         {rhs, 0, 0, ExpressionKind::constant},
                         {0, 0, 1, kind}});
  }
  std::string fault;
};
} // namespace

static constexpr int64_t largest = std::numeric_limits<int64_t>::max();
static constexpr int64_t smallest = std::numeric_limits<int64_t>::min();

TEST(Expressions, Kinds) {
  Table table;
  EXPECT_EQ(table.apply(ExpressionKind::add, 3, -5), -2);
  EXPECT_EQ(table.apply(ExpressionKind::mul, 3, -5), -15);
  EXPECT_EQ(table.apply(ExpressionKind::min, 3, -5), -5);
  EXPECT_EQ(table.apply(ExpressionKind::max, 3, -5), 3);
  // Rounding at and beside multiples, on both sides of zero.
  int64_t floors[] = {-2, -1, -1, -1, 0, 0, 0, 1, 1};
  int64_t ceilings[] = {-1, -1, 0, 0, 0, 1, 1, 1, 2};
  for (int64_t i = -4; i <= 4; ++i) {
    EXPECT_EQ(table.apply(ExpressionKind::floordiv, i, 3), floors[i + 4]) << i;
    EXPECT_EQ(table.apply(ExpressionKind::ceildiv, i, 3), ceilings[i + 4]) << i;
    EXPECT_EQ(table.apply(ExpressionKind::mod, i, 3), i - 3 * floors[i + 4]);
  }
  EXPECT_EQ(table.apply(ExpressionKind::floordiv, smallest, 1), smallest);
  EXPECT_EQ(table.apply(ExpressionKind::ceildiv, largest, 2),
            (largest >> 1) + 1);
}

TEST(Expressions, Comparisons) {
  Table table;
  for (int64_t lhs : {smallest, int64_t(-1), int64_t(0), int64_t(1), largest})
    for (int64_t rhs :
         {smallest, int64_t(-1), int64_t(0), int64_t(1), largest}) {
      EXPECT_EQ(table.apply(ExpressionKind::equal, lhs, rhs), lhs == rhs);
      EXPECT_EQ(table.apply(ExpressionKind::less, lhs, rhs), lhs < rhs);
      EXPECT_EQ(table.apply(ExpressionKind::less_equal, lhs, rhs), lhs <= rhs);
    }
}

TEST(Expressions, Select) {
  Table table;
  auto select = [&](int64_t condition, int64_t index) {
    return table.evaluateLast({{condition, 0, 0, ExpressionKind::constant},
                               {30, 0, 0, ExpressionKind::constant},
                               {40, 0, 0, ExpressionKind::constant},
                               {index, 1, 2, ExpressionKind::select}});
  };
  EXPECT_EQ(select(1, 0), 30);
  EXPECT_EQ(select(-7, 0), 30);
  EXPECT_EQ(select(0, 0), 40);
  // The condition is an earlier entry, like the others.
  for (int64_t index : {int64_t(3), int64_t(-1), largest, smallest}) {
    select(1, index);
    EXPECT_NE(table.fault.find("later"), std::string::npos) << index;
  }
}

TEST(Expressions, Symbols) {
  Table table;
  EXPECT_EQ(table.evaluateLast({{1, 0, 0, ExpressionKind::symbol}}, {7, 9}), 9);
  table.evaluateLast({{2, 0, 0, ExpressionKind::symbol}}, {7, 9});
  EXPECT_NE(table.fault.find("unknown symbol"), std::string::npos);
  table.evaluateLast({{-1, 0, 0, ExpressionKind::symbol}}, {7, 9});
  EXPECT_NE(table.fault.find("unknown symbol"), std::string::npos);
}

TEST(Expressions, Faults) {
  Table table;
  table.apply(ExpressionKind::add, largest, 1);
  EXPECT_NE(table.fault.find("overflows"), std::string::npos);
  table.apply(ExpressionKind::mul, smallest, -1);
  EXPECT_NE(table.fault.find("overflows"), std::string::npos);
  for (int64_t divisor : {0, -1}) {
    table.apply(ExpressionKind::floordiv, smallest, divisor);
    EXPECT_NE(table.fault.find("not positive"), std::string::npos);
  }
  table.evaluateLast({{0, 0, 0, ExpressionKind::add}});
  EXPECT_NE(table.fault.find("later"), std::string::npos);
  table.apply(static_cast<ExpressionKind>(99), 1, 1);
  EXPECT_NE(table.fault.find("unknown kind"), std::string::npos);
}
