// Which type each product gets: the least time within a budget of errors.

#ifndef HEDDLE_DRIVER_PRECISION_ASSIGNMENT_H
#define HEDDLE_DRIVER_PRECISION_ASSIGNMENT_H

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace heddle {

/// One way to compute a product. Errors of different products are taken for
/// independent: their squares add up.
struct AssignmentOption {
  double nanoseconds = 0;
  double squaredError = 0;
};

/// What is paid once if any of `users`, (product, option), is chosen: a value
/// that several products read is cast once.
struct SharedCast {
  double nanoseconds = 0;
  std::vector<std::pair<unsigned, unsigned>> users;
};

struct AssignmentProblem {
  /// The options of each product, at least one.
  std::vector<std::vector<AssignmentOption>> products;
  std::vector<SharedCast> casts;
  /// Of the sum of squared errors; not negative.
  double budget = 0;
};

struct Assignment {
  /// An option of each product.
  std::vector<unsigned> choices;
  double nanoseconds = 0;
  double squaredError = 0;
  /// Whether no assignment within the budget takes less time. Otherwise one
  /// takes the least time up to what a small part of the budget would save.
  bool isExact = true;
};

/// How much work `assign` does at most.
struct AssignmentLimits {
  /// Assignments of products that share casts which are tried one by one;
  /// where there would be more, each product pays for its casts alone.
  size_t combinations = 4096;
  /// Pairs of time and error that are kept, of which none is worse than
  /// another in both.
  size_t frontier = size_t(1) << 14;
};

/// The assignment of least time whose squared errors add up to no more than the
/// budget, always the same one; none if each breaks it.
///
/// Products that share casts are tried in all combinations; what these cost is
/// merged group by group, and only what no other choice beats in time and error
/// is kept (the dynamic program of the multiple-choice knapsack).
std::optional<Assignment> assign(const AssignmentProblem &problem,
                                 const AssignmentLimits &limits = {});

/// Time and error of `choices`, casts included.
Assignment evaluate(const AssignmentProblem &problem,
                    std::vector<unsigned> choices);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_ASSIGNMENT_H
