// The least time within a budget: groups of products that share casts, then a
// frontier of time and error over all groups.

#include "Assignment.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

using namespace heddle;

namespace {
/// A choice for a group of products.
struct GroupChoice {
  double nanoseconds, squaredError;
  /// In the order of the group's products.
  std::vector<unsigned> options;

  bool operator<(const GroupChoice &other) const {
    return std::tie(squaredError, nanoseconds, options) <
           std::tie(other.squaredError, other.nanoseconds, other.options);
  }
};

struct Group {
  std::vector<unsigned> products;
  std::vector<GroupChoice> choices;
};

/// A choice for the groups so far: one for all groups before the last, and one
/// for the last.
struct Point {
  double nanoseconds, squaredError;
  unsigned before, choice;

  bool operator<(const Point &other) const {
    return std::tie(squaredError, nanoseconds, before, choice) <
           std::tie(other.squaredError, other.nanoseconds, other.before,
                    other.choice);
  }
};
} // namespace

/// Of items with a time and an error, those that no other beats in both, by
/// ascending error.
template <typename Item> static void keepUnbeaten(std::vector<Item> &items) {
  llvm::sort(items);
  double least = std::numeric_limits<double>::infinity();
  llvm::erase_if(items, [&](const Item &item) {
    bool beaten = item.nanoseconds >= least;
    least = std::min(least, item.nanoseconds);
    return beaten;
  });
}

Assignment heddle::evaluate(const AssignmentProblem &problem,
                            std::vector<unsigned> choices) {
  Assignment result;
  for (auto [options, choice] : llvm::zip_equal(problem.products, choices)) {
    result.nanoseconds += options[choice].nanoseconds;
    result.squaredError += options[choice].squaredError;
  }
  for (const SharedCast &cast : problem.casts)
    if (llvm::any_of(cast.users, [&](std::pair<unsigned, unsigned> user) {
          return choices[user.first] == user.second;
        }))
      result.nanoseconds += cast.nanoseconds;
  result.choices = std::move(choices);
  return result;
}

/// Products by the casts that they share.
static std::vector<Group> groupProducts(const AssignmentProblem &problem) {
  llvm::EquivalenceClasses<unsigned> classes;
  for (unsigned i = 0; i < problem.products.size(); ++i)
    classes.insert(i);
  for (const SharedCast &cast : problem.casts)
    for (auto [product, option] : cast.users)
      classes.unionSets(cast.users.front().first, product);
  std::map<unsigned, Group> byLeader;
  for (unsigned i = 0; i < problem.products.size(); ++i)
    byLeader[classes.getLeaderValue(i)].products.push_back(i);
  std::vector<Group> groups;
  for (auto &[leader, group] : byLeader)
    groups.push_back(std::move(group));
  llvm::sort(groups, [](const Group &a, const Group &b) {
    return a.products.front() < b.products.front();
  });
  return groups;
}

/// In how many ways a group can be assigned, up to `limit` + 1.
static size_t countCombinations(const AssignmentProblem &problem,
                                const Group &group, size_t limit) {
  size_t count = 1;
  for (unsigned product : group.products)
    count = std::min(count * problem.products[product].size(), limit + 1);
  return count;
}

/// Every way to assign a group that is within the budget and not beaten by
/// another.
static void tryAll(const AssignmentProblem &problem, Group &group) {
  std::map<unsigned, unsigned> place;
  for (auto [i, product] : llvm::enumerate(group.products))
    place[product] = i;
  std::vector<const SharedCast *> casts;
  for (const SharedCast &cast : problem.casts)
    if (!cast.users.empty() && place.count(cast.users.front().first))
      casts.push_back(&cast);
  std::vector<unsigned> options(group.products.size());
  while (true) {
    GroupChoice choice{0, 0, options};
    for (auto [product, option] : llvm::zip_equal(group.products, options)) {
      choice.nanoseconds += problem.products[product][option].nanoseconds;
      choice.squaredError += problem.products[product][option].squaredError;
    }
    for (const SharedCast *cast : casts)
      if (llvm::any_of(cast->users, [&](std::pair<unsigned, unsigned> user) {
            return options[place.at(user.first)] == user.second;
          }))
        choice.nanoseconds += cast->nanoseconds;
    if (choice.squaredError <= problem.budget)
      group.choices.push_back(std::move(choice));
    // The next combination, the first product's option fastest.
    size_t i = 0;
    while (i < options.size() &&
           ++options[i] == problem.products[group.products[i]].size())
      options[i++] = 0;
    if (i == options.size())
      break;
  }
  keepUnbeaten(group.choices);
}

/// A problem in which no product shares a cast: each option pays for its own.
static AssignmentProblem withoutSharing(AssignmentProblem problem,
                                        const Group &group) {
  for (SharedCast &cast : problem.casts) {
    if (cast.users.empty() ||
        !llvm::is_contained(group.products, cast.users.front().first))
      continue;
    for (auto [product, option] : cast.users)
      problem.products[product][option].nanoseconds += cast.nanoseconds;
    cast.users.clear();
  }
  return problem;
}

/// Leaves one point, the fastest, in each of `count` equal parts of the budget.
static void thinOut(std::vector<Point> &points, double budget, size_t count) {
  std::vector<Point> kept;
  double width = budget / double(count);
  double part = -1;
  for (const Point &point : points) {
    double own = std::floor(point.squaredError / width);
    // Points are in the order of falling time: the last of a part is its
    // fastest. The exact one stays, so that there is always a way on.
    if (own == part && kept.size() > 1)
      kept.back() = point;
    else
      kept.push_back(point);
    part = own;
  }
  points = std::move(kept);
}

std::optional<Assignment> heddle::assign(const AssignmentProblem &given,
                                         const AssignmentLimits &limits) {
  AssignmentProblem problem = given;
  bool isExact = true;
  for (const Group &group : groupProducts(problem))
    if (countCombinations(problem, group, limits.combinations) >
        limits.combinations) {
      problem = withoutSharing(std::move(problem), group);
      isExact = false;
    }
  std::vector<Group> groups = groupProducts(problem);
  std::vector<std::vector<Point>> layers = {{{0, 0, 0, 0}}};
  for (Group &group : groups) {
    tryAll(problem, group);
    std::vector<Point> points;
    for (auto [i, before] : llvm::enumerate(layers.back()))
      for (auto [j, choice] : llvm::enumerate(group.choices))
        if (before.squaredError + choice.squaredError <= problem.budget)
          points.push_back({before.nanoseconds + choice.nanoseconds,
                            before.squaredError + choice.squaredError,
                            unsigned(i), unsigned(j)});
    if (points.empty())
      return std::nullopt;
    keepUnbeaten(points);
    if (points.size() > limits.frontier) {
      thinOut(points, problem.budget, limits.frontier / 2);
      isExact = false;
    }
    layers.push_back(std::move(points));
  }
  // The last point takes the least time; back from there.
  std::vector<unsigned> choices(problem.products.size());
  size_t at = layers.back().size() - 1;
  for (size_t layer = groups.size(); layer > 0; --layer) {
    const Point &point = layers[layer][at];
    const Group &group = groups[layer - 1];
    for (auto [product, option] :
         llvm::zip_equal(group.products, group.choices[point.choice].options))
      choices[product] = option;
    at = point.before;
  }
  Assignment result = evaluate(given, std::move(choices));
  result.isExact = isExact;
  return result;
}
