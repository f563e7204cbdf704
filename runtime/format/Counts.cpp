// Finds what of a plan follows from sizes that the program computes.

#include "runtime/format/Counts.h"

#include <optional>

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

bool PassedCounts::pass(uint32_t symbol, uint32_t queue) {
  if (!passed.emplace(symbol, queue).second)
    return false;
  std::set<int64_t> later = counted;
  for (const auto &[known, on] : passed)
    if (on == queue)
      later.erase(known);
  followsLater[queue] = follow(*plan, later);
  return true;
}

bool PassedCounts::isTold(uint32_t number, uint32_t queue) const {
  auto later = followsLater.find(queue);
  return follows(number) && later != followsLater.end() &&
         (later->second.empty() || !later->second[number]);
}

namespace {
/// Walks the blocks of a verified program as a call does.
class LaunchFinder {
public:
  LaunchFinder(const Plan &plan, const Program &program, uint32_t device)
      : plan(plan), program(program), device(device),
        follows(followFromCounts(plan, program)) {}

  void block(uint32_t index);
  std::map<uint32_t, std::vector<const Launch *>> found;

private:
  void launch(const Launch &launch);

  const Plan &plan;
  const Program &program;
  uint32_t device;
  std::vector<bool> follows;    ///< By expression: it looks at a count.
  std::optional<uint32_t> last; ///< The symbol that was counted last.
};
} // namespace

void LaunchFinder::launch(const Launch &launch) {
  bool isTold = false;
  forEachNumber(launch, [&](uint32_t number) { isTold |= follows[number]; });
  if (last && isTold)
    found[*last].push_back(&launch);
}

void LaunchFinder::block(uint32_t index) {
  const auto *commands = program.blocks()->Get(index)->commands();
  for (uint32_t i = 0; i < length(commands); ++i) {
    const Command &command = *commands->Get(i);
    if (const Branch *branch = command.action_as_Branch()) {
      for (uint32_t j = 0; j < length(branch->blocks()); ++j)
        block(branch->blocks()->Get(j));
    } else if (const Loop *loop = command.action_as_Loop()) {
      if (loop->trips() == none)
        block(loop->condition());
      block(loop->body());
    } else if (deviceOf(plan, command) != device) {
      continue;
    } else if (const Count *count = command.action_as_Count()) {
      last = count->symbol();
    } else if (const Launch *action = command.action_as_Launch()) {
      launch(*action);
    }
  }
}

std::map<uint32_t, std::vector<const Launch *>>
format::launchesByLastCount(const Plan &plan, const Program &program,
                            uint32_t device) {
  LaunchFinder finder(plan, program, device);
  finder.block(program.body());
  return std::move(finder.found);
}
