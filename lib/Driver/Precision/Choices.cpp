// Types that products may get, and the reasons for those that they got.

#include "Choices.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace heddle;
using namespace llvm;

bool ProductChoices::allows(unsigned choice) const {
  return llvm::is_contained(allowed, choice);
}

static unsigned choiceNamed(StringRef type) {
  return llvm::find(kFactorTypes, type) - kFactorTypes.begin();
}

std::vector<ProductChoices>
heddle::findChoices(const PrecisionCandidates &candidates,
                    const PrecisionPolicy &policy) {
  std::vector<ProductChoices> choices;
  for (const PrecisionCandidate &candidate : candidates.products) {
    ProductChoices one;
    std::vector<std::string> names = candidate.nodes;
    if (names.empty())
      names.push_back(candidate.label);
    one.rule = policy.ruleFor(names);
    if (one.rule && one.rule->isPinned) {
      one.allowed = {choiceNamed(one.rule->type)};
    } else {
      one.allowed = {0};
      for (unsigned choice = 1; choice < kFactorTypes.size(); ++choice)
        if ((!one.rule || one.rule->type == kAnyFactorType ||
             one.rule->type == kFactorTypes[choice]) &&
            candidate.nanoseconds[choice] < candidate.nanoseconds[0])
          one.allowed.push_back(choice);
    }
    choices.push_back(std::move(one));
  }
  return choices;
}

AssignmentProblem heddle::problemOf(const PrecisionCandidates &candidates,
                                    ArrayRef<ProductChoices> choices,
                                    const WorstErrors &errors, double budget) {
  AssignmentProblem problem;
  problem.budget = budget;
  for (auto [candidate, choice, error] :
       llvm::zip_equal(candidates.products, choices, errors)) {
    std::vector<AssignmentOption> options;
    for (unsigned type : choice.allowed)
      options.push_back({candidate.nanoseconds[type],
                         type == 0 ? 0 : error[type] * error[type]});
    problem.products.push_back(std::move(options));
  }
  for (const SharedCast &cast : candidates.casts) {
    SharedCast one{cast.nanoseconds, {}};
    for (auto [product, type] : cast.users) {
      const std::vector<unsigned> &allowed = choices[product].allowed;
      auto option = llvm::find(allowed, type);
      if (option != allowed.end())
        one.users.emplace_back(product, unsigned(option - allowed.begin()));
    }
    if (!one.users.empty())
      problem.casts.push_back(std::move(one));
  }
  return problem;
}

std::vector<unsigned> heddle::typesOf(ArrayRef<ProductChoices> choices,
                                      ArrayRef<unsigned> options) {
  std::vector<unsigned> types;
  for (auto [choice, option] : llvm::zip_equal(choices, options))
    types.push_back(choice.allowed[option]);
  return types;
}

/// Why the option, which is f32, and none of the others, of which there are
/// some.
static std::string reasonForExact(size_t product,
                                  const AssignmentProblem &problem,
                                  const ProductChoices &choices,
                                  ArrayRef<unsigned> options) {
  // The last that is tried, with nothing rounded that may stay.
  if (problem.budget == 0)
    return "faster programs were beyond the budget when they were tried";
  double now = evaluate(problem, options.vec()).nanoseconds;
  std::string text;
  raw_string_ostream os(text);
  for (unsigned other = 1; other < choices.allowed.size(); ++other) {
    StringRef type = kFactorTypes[choices.allowed[other]];
    double squared = problem.products[product][other].squaredError;
    std::vector<unsigned> changed = options.vec();
    changed[product] = other;
    os << (other > 1 ? "; " : "");
    if (!std::isfinite(squared))
      os << type << " makes a result infinite or NaN";
    else if (evaluate(problem, changed).nanoseconds >= now)
      os << "casts to " << type << " cost more than it saves";
    else
      os << type << " would take "
         << llvm::format("%.3g", 100 * squared / problem.budget)
         << " % of the budget, which others use better";
  }
  return text;
}

std::string heddle::reasonOf(size_t product, const AssignmentProblem &problem,
                             ArrayRef<ProductChoices> choices,
                             ArrayRef<unsigned> options) {
  const ProductChoices &own = choices[product];
  std::string line =
      own.rule ? ("line " + Twine(own.rule->line) + " of the policy").str()
               : "";
  unsigned type = own.allowed[options[product]];
  if (own.rule && own.rule->isPinned)
    return line + " pins it";
  if (type != 0)
    return own.rule ? "less time, within the budget and " + line
                    : "less time, within the budget";
  if (own.rule && own.rule->type == "f32")
    return line + " says f32";
  if (own.allowed.size() == 1)
    return "no narrower type takes less time on the target";
  return reasonForExact(product, problem, own, options);
}
