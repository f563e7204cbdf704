// Which types each product may get, as a problem of assignment, and why it got
// what it got.

#ifndef HEDDLE_DRIVER_PRECISION_CHOICES_H
#define HEDDLE_DRIVER_PRECISION_CHOICES_H

#include "Assignment.h"
#include "Candidates.h"
#include "Policy.h"

#include <string>
#include <vector>

namespace heddle {

/// What may become of a product.
struct ProductChoices {
  /// Null where no rule of the policy is about it.
  const PrecisionPolicy::Rule *rule = nullptr;
  /// Places in `kFactorTypes`.
  std::vector<unsigned> allowed;

  bool allows(unsigned choice) const;
};

/// By the policy, and without a rule or with `auto` f32 and each type that is
/// estimated to take less time. `policy` outlives the result.
std::vector<ProductChoices> findChoices(const PrecisionCandidates &candidates,
                                        const PrecisionPolicy &policy);

/// Of each product and type, the largest magnitude of an error; negative where
/// that was not measured.
using WorstErrors = std::vector<std::array<double, kFactorTypes.size()>>;

/// The problem of choosing within `budget`, a sum of squared magnitudes. An
/// option is a place in `ProductChoices::allowed`.
AssignmentProblem problemOf(const PrecisionCandidates &candidates,
                            llvm::ArrayRef<ProductChoices> choices,
                            const WorstErrors &errors, double budget);

/// An option of each product as a place in `kFactorTypes`.
std::vector<unsigned> typesOf(llvm::ArrayRef<ProductChoices> choices,
                              llvm::ArrayRef<unsigned> options);

/// Why product number `product` has the option that `options` say.
std::string reasonOf(size_t product, const AssignmentProblem &problem,
                     llvm::ArrayRef<ProductChoices> choices,
                     llvm::ArrayRef<unsigned> options);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_CHOICES_H
