// The assignment of types against a search through all of them.

#include "lib/Driver/Precision/Assignment.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace heddle;

namespace {
using Generator = std::mt19937;

double uniform(Generator &random, double least, double most) {
  return std::uniform_real_distribution<double>(least, most)(random);
}

/// Products with f32 and `formats` faster types each; some share casts.
AssignmentProblem randomProblem(Generator &random, unsigned products,
                                unsigned formats) {
  AssignmentProblem problem;
  double total = 0;
  for (unsigned i = 0; i < products; ++i) {
    std::vector<AssignmentOption> options = {{uniform(random, 10, 100), 0}};
    for (unsigned j = 1; j <= formats; ++j) {
      options.push_back({options.front().nanoseconds * uniform(random, 0.3, 1),
                         std::pow(10, uniform(random, -8, -4))});
      total += options.back().squaredError;
    }
    problem.products.push_back(std::move(options));
  }
  for (unsigned i = 0; i + 1 < products; i += 1 + random() % 3) {
    SharedCast cast{uniform(random, 0, 20), {}};
    unsigned option = 1 + random() % formats;
    unsigned end = i + 1 + random() % 3;
    for (unsigned user = i; user < std::min(products, end); ++user)
      cast.users.emplace_back(user, option);
    if (!cast.users.empty())
      problem.casts.push_back(std::move(cast));
  }
  problem.budget = total / formats * uniform(random, 0.05, 0.8);
  return problem;
}

/// The least time of all assignments within the budget.
double leastTime(const AssignmentProblem &problem) {
  std::vector<unsigned> choices(problem.products.size());
  double least = INFINITY;
  while (true) {
    Assignment one = evaluate(problem, choices);
    if (one.squaredError <= problem.budget)
      least = std::min(least, one.nanoseconds);
    size_t i = 0;
    while (i < choices.size() && ++choices[i] == problem.products[i].size())
      choices[i++] = 0;
    if (i == choices.size())
      return least;
  }
}
} // namespace

TEST(Assignment, IsAsFastAsTheFastestOfAll) {
  Generator random(1);
  for (unsigned trial = 0; trial < 300; ++trial) {
    unsigned formats = 1 + trial % 2;
    AssignmentProblem problem =
        randomProblem(random, 2 + random() % (formats == 1 ? 10 : 6), formats);
    std::optional<Assignment> found = assign(problem);
    ASSERT_TRUE(found) << trial;
    EXPECT_TRUE(found->isExact);
    EXPECT_LE(found->squaredError, problem.budget * (1 + 1e-12));
    EXPECT_NEAR(found->nanoseconds, leastTime(problem),
                1e-9 * found->nanoseconds)
        << trial;
    EXPECT_EQ(assign(problem)->choices, found->choices);
  }
}

// With few points and no combinations it is no longer exact, says so, keeps to
// the budget, and loses little.
TEST(Assignment, LosesLittleWithTightLimits) {
  Generator random(2);
  AssignmentLimits limits;
  limits.frontier = 32;
  double worst = 1;
  unsigned inexact = 0;
  for (unsigned trial = 0; trial < 50; ++trial) {
    AssignmentProblem problem = randomProblem(random, 15, 1);
    std::optional<Assignment> found = assign(problem, limits);
    ASSERT_TRUE(found);
    EXPECT_LE(found->squaredError, problem.budget * (1 + 1e-12));
    inexact += !found->isExact;
    worst = std::max(worst, found->nanoseconds / leastTime(problem));
  }
  EXPECT_GT(inexact, 25u);
  EXPECT_LE(worst, 1.03);
}

TEST(Assignment, CountsCastsOfManyUsersForEach) {
  AssignmentProblem problem;
  SharedCast cast{10, {}};
  for (unsigned i = 0; i < 4; ++i) {
    problem.products.push_back({{8, 0}, {4, 1}});
    cast.users.emplace_back(i, 1);
  }
  problem.casts.push_back(cast);
  problem.budget = 100;
  // Together they save 16, more than their cast takes; one by one they do not.
  EXPECT_EQ(assign(problem)->choices, std::vector<unsigned>({1, 1, 1, 1}));
  AssignmentLimits few;
  few.combinations = 8;
  std::optional<Assignment> found = assign(problem, few);
  EXPECT_EQ(found->choices, std::vector<unsigned>({0, 0, 0, 0}));
  EXPECT_FALSE(found->isExact);
}

TEST(Assignment, KeepsToABudgetOfNothing) {
  AssignmentProblem problem;
  problem.products = {{{8, 0}, {4, 1e-30}}, {{8, 0}, {5, 0}}};
  EXPECT_EQ(assign(problem)->choices, std::vector<unsigned>({0, 1}));
  // What is infinite is never taken, and what must be is refused.
  problem.budget = 1;
  problem.products = {{{8, 0}, {4, INFINITY}}};
  EXPECT_EQ(assign(problem)->choices, std::vector<unsigned>({0}));
  problem.products = {{{4, INFINITY}}};
  EXPECT_FALSE(assign(problem));
  EXPECT_TRUE(assign({})->choices.empty());
}

TEST(Assignment, HandlesManyEqualProducts) {
  AssignmentProblem problem;
  for (unsigned i = 0; i < 300; ++i)
    problem.products.push_back({{2.0 + i % 7, 0}, {1, 1.0 + i % 5}});
  problem.budget = 300;
  std::optional<Assignment> found = assign(problem);
  EXPECT_LE(found->squaredError, problem.budget);
  // The fractional relaxation bounds what any assignment takes.
  std::vector<std::pair<double, double>> ratios;
  double bound = 0, left = problem.budget;
  for (const auto &options : problem.products) {
    bound += options[0].nanoseconds;
    ratios.emplace_back((options[0].nanoseconds - 1) / options[1].squaredError,
                        options[1].squaredError);
  }
  std::sort(ratios.rbegin(), ratios.rend());
  for (auto [ratio, error] : ratios) {
    double taken = std::min(left, error);
    bound -= taken * ratio;
    left -= taken;
  }
  EXPECT_LE(found->nanoseconds, bound * 1.03);
}
