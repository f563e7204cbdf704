// What is said where no program keeps to the budget: the cheapest relaxation.

#include "BudgetedBuild.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// The pins alone are beyond the budget: says what would help.
bool BudgetedBuild::refusePins() {
  double most = 0;
  size_t worstProduct = 0;
  for (auto [product, choice] : llvm::enumerate(choices)) {
    if (choice.allows(0))
      continue;
    double error = worst[product][choice.allowed.front()];
    if (error >= most) {
      most = error;
      worstProduct = product;
    }
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  double needed = fromMagnitude(certificate.metric,
                                kEstimateMargin * std::sqrt(pinnedSquares()));
  os << "the error budget of " << llvm::format("%g", certificate.maxError)
     << " cannot be met: what the policy pins is estimated at "
     << llvm::format("%.3g", needed) << "; the cheapest relaxation: ";
  if (std::isfinite(needed))
    os << "--max-error " << llvm::format("%.2g", needed * 1.05) << ", or ";
  os << "no pin for " << candidates.products[worstProduct].label << " (line "
     << choices[worstProduct].rule->line << ")";
  return refuse(ErrorCode::BudgetUnmet, text);
}

/// The program with all that may be in f32 is beyond the budget.
bool BudgetedBuild::refuseMeasured() {
  std::string text;
  llvm::raw_string_ostream os(text);
  double error = worstError();
  os << "the error budget of " << llvm::format("%g", certificate.maxError)
     << " cannot be met: the program whose products are f32 wherever the "
        "policy allows it is estimated at "
     << llvm::format("%.3g", certificate.estimate()) << " and has an error of "
     << llvm::format("%.3g", certificate.validation.largest())
     << " for a held-out input; the cheapest relaxation: ";
  if (std::isfinite(error))
    os << "--max-error " << llvm::format("%.2g", error * 1.05);
  else
    os << "fewer pins";
  return refuse(ErrorCode::BudgetUnmet, text);
}
