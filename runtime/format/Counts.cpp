// Finds what of a plan follows from sizes that the program computes.

#include "runtime/format/Counts.h"

using namespace heddle;
using namespace heddle::format;

std::set<int64_t> format::symbolsOfCounts(const Program &program) {
  std::set<int64_t> symbols;
  const auto *commands = program.blocks()->Get(program.body())->commands();
  for (uint32_t i = 0; i < length(commands); ++i)
    if (const Count *count = commands->Get(i)->action_as_Count())
      symbols.insert(count->symbol());
  return symbols;
}

std::vector<bool> format::followFromCounts(const Plan &plan,
                                           const Program &program) {
  return follow(plan, symbolsOfCounts(program));
}

std::vector<bool> format::follow(const Plan &plan,
                                 const std::set<int64_t> &symbols) {
  std::vector<bool> follow;
  if (symbols.empty())
    return follow;
  for (uint32_t i = 0; i < length(plan.expressions()); ++i) {
    const Expression &expression = *plan.expressions()->Get(i);
    bool looks = false;
    if (expression.kind() == ExpressionKind::symbol)
      looks = symbols.count(expression.value());
    else if (expression.kind() != ExpressionKind::constant)
      looks = follow[expression.lhs()] || follow[expression.rhs()] ||
              (expression.kind() == ExpressionKind::select &&
               follow[static_cast<size_t>(expression.value())]);
    follow.push_back(looks);
  }
  return follow;
}
