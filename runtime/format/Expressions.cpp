// Evaluates a table of expressions in order, and stops at what overflows.

#include "runtime/format/Expressions.h"

#include "runtime/format/ManifestTables.h"

#include <algorithm>

using namespace heddle::format;

/// Null when all is well, otherwise what is wrong.
static const char *apply(ExpressionKind kind, int64_t lhs, int64_t rhs,
                         int64_t &result) {
  switch (kind) {
  case ExpressionKind::add:
    return __builtin_add_overflow(lhs, rhs, &result) ? "overflows" : nullptr;
  case ExpressionKind::mul:
    return __builtin_mul_overflow(lhs, rhs, &result) ? "overflows" : nullptr;
  case ExpressionKind::floordiv:
  case ExpressionKind::ceildiv:
  case ExpressionKind::mod: {
    if (rhs <= 0)
      return "divides by a number that is not positive";
    // Rounded towards minus infinity; the product of quotient and divisor may
    // not be representable.
    int64_t quotient = lhs / rhs, rest = lhs % rhs;
    if (rest < 0) {
      --quotient;
      rest += rhs;
    }
    if (kind == ExpressionKind::mod)
      result = rest;
    else
      result =
          kind == ExpressionKind::ceildiv && rest ? quotient + 1 : quotient;
    return nullptr;
  }
  case ExpressionKind::min:
    result = std::min(lhs, rhs);
    return nullptr;
  case ExpressionKind::max:
    result = std::max(lhs, rhs);
    return nullptr;
  case ExpressionKind::equal:
    result = lhs == rhs;
    return nullptr;
  case ExpressionKind::less:
    result = lhs < rhs;
    return nullptr;
  case ExpressionKind::less_equal:
    result = lhs <= rhs;
    return nullptr;
  default:
    return "is of an unknown kind";
  }
}

Error heddle::format::evaluate(const ExpressionTable *table,
                               const std::vector<int64_t> &symbols,
                               heddle_code code, std::vector<int64_t> &values) {
  values.clear();
  if (!isAligned(table))
    return {code, "the expressions are not aligned"};
  uint32_t count = length(table);
  values.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const Expression &expression = *table->Get(i);
    const char *fault = nullptr;
    int64_t value = expression.value();
    if (expression.kind() == ExpressionKind::symbol) {
      if (value < 0 || static_cast<uint64_t>(value) >= symbols.size())
        fault = "names an unknown symbol";
      else
        value = symbols[static_cast<size_t>(value)];
    } else if (expression.kind() != ExpressionKind::constant) {
      bool selects = expression.kind() == ExpressionKind::select;
      if (expression.lhs() >= i || expression.rhs() >= i ||
          (selects && (value < 0 || value >= int64_t(i))))
        fault = "refers to a later one";
      else if (selects)
        value = values[values[static_cast<size_t>(value)] ? expression.lhs()
                                                          : expression.rhs()];
      else
        fault = apply(expression.kind(), values[expression.lhs()],
                      values[expression.rhs()], value);
    }
    if (fault)
      return {code, "expression " + std::to_string(i) + " " + fault};
    values.push_back(value);
  }
  return {};
}
