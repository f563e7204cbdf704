// Chooses types within the budget, compiles, and tries the program; again with
// less of the budget until it keeps to all of it.

#include "BudgetedBuild.h"

#include "passes/Precision/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// How often a program that turns out to be beyond the budget is chosen again
/// for a smaller one, before all that may be is left in f32.
static constexpr unsigned kMostTightenings = 4;

/// A budget is tightened by a little more than the program was beyond it.
static constexpr double kTightening = 0.9;

/// Of what the policy allows no choice for.
double BudgetedBuild::pinnedSquares() const {
  double sum = 0;
  for (auto [choice, errors] : llvm::zip_equal(choices, worst))
    if (!choice.allows(0))
      sum += errors[choice.allowed.front()] * errors[choice.allowed.front()];
  return sum;
}

/// Chooses within `scale` times the budget, as far as the pins are within that.
/// False if these are beyond the whole budget.
bool BudgetedBuild::choose(double scale) {
  double magnitude = scale * budgetMagnitude();
  double squared = magnitude * magnitude;
  if (scale < 1)
    squared = std::max(squared, pinnedSquares());
  problem = problemOf(candidates, choices, worst, squared);
  std::optional<Assignment> found = assign(problem);
  if (!found)
    return false;
  assignment = std::move(*found);
  types = typesOf(choices, assignment.choices);
  return true;
}

bool BudgetedBuild::compileChosen() {
  chosen = nullptr;
  OwningOpRef<ModuleOp> copy = graph->clone();
  assignFactors(*copy, types);
  PassManager manager(copy->getContext());
  manager.addPass(createCastProducts({"assigned"}));
  if (failed(manager.run(*copy)))
    return false;
  chosen = compile(*copy, "chosen: ");
  return chosen != nullptr;
}

/// Of the chosen program for a sample; none after an error, which has been
/// reported.
std::optional<double> BudgetedBuild::errorOf(size_t sample) {
  if (build.isCancelled && build.isCancelled()) {
    session.diagnostics.report(ErrorCode::CompileCancelled,
                               "cancelled by the caller");
    return std::nullopt;
  }
  auto inputs = data->read(session, sample);
  if (!inputs)
    return std::nullopt;
  auto wanted = exact->call(*inputs), found = chosen->call(*inputs);
  if (!wanted || !found)
    return std::nullopt;
  return fromMagnitude(certificate.metric,
                       errorMagnitude(certificate.metric, *found, *wanted));
}

bool BudgetedBuild::validate() {
  session.phases.begin("validation");
  certificate.validation.errors.clear();
  certificate.heldOut = split.heldOut;
  for (auto [place, sample] : llvm::enumerate(split.heldOut)) {
    session.phases.progress("input " + Twine(place + 1) + " of " +
                            Twine(split.heldOut.size()));
    std::optional<double> error = errorOf(sample);
    if (!error)
      return false;
    certificate.validation.errors.push_back(*error);
  }
  session.phases.end();
  return true;
}

/// What the estimate says of single samples, and what is true of them.
bool BudgetedBuild::predict() {
  session.phases.begin("prediction");
  certificate.predictions.clear();
  for (auto [sample, magnitudes] :
       llvm::zip_equal(split.calibration, sensitivities)) {
    double sum = 0;
    for (auto [type, of] : llvm::zip_equal(types, magnitudes))
      sum += type == 0 ? 0 : of[type] * of[type];
    std::optional<double> measured = errorOf(sample);
    if (!measured)
      return false;
    certificate.predictions.push_back(
        {sample, fromMagnitude(certificate.metric, std::sqrt(sum)), *measured});
  }
  session.phases.end();
  return true;
}

void BudgetedBuild::describeProducts() {
  certificate.products.clear();
  for (auto [i, candidate] : llvm::enumerate(candidates.products))
    certificate.products.push_back(
        {candidate.label, candidate.kind, types[i], worst[i],
         candidate.nanoseconds[0] - candidate.nanoseconds[types[i]],
         reasonOf(i, problem, choices, assignment.choices)});
  certificate.nanosecondsChosen = assignment.nanoseconds;
  certificate.isAssignmentExact = assignment.isExact;
  certificate.nanosecondsExact = 0;
  for (const PrecisionCandidate &candidate : candidates.products)
    certificate.nanosecondsExact += candidate.nanoseconds[0];
}

/// The larger of what is estimated and what was measured.
double BudgetedBuild::worstError() const {
  return std::max(certificate.estimate(), certificate.validation.largest());
}

/// Whether nothing is rounded but what must be.
bool BudgetedBuild::isMostExact() const {
  return llvm::all_of(llvm::zip_equal(types, choices), [](auto pair) {
    auto [type, choice] = pair;
    return type == 0 || !choice.allows(0);
  });
}

bool BudgetedBuild::chooseAndValidate() {
  exact = compile(*OwningOpRef<ModuleOp>(graph->clone()), "f32: ");
  if (!exact)
    return false;
  double scale = 1;
  while (true) {
    if (!choose(scale))
      return refusePins();
    if (!compileChosen())
      return false;
    describeProducts();
    if (!predict() || !validate())
      return false;
    if (worstError() <= certificate.maxError)
      return true;
    if (isMostExact())
      return refuseMeasured();
    scale *= kTightening *
             toMagnitude(certificate.metric, certificate.maxError) /
             toMagnitude(certificate.metric, worstError());
    if (++certificate.tightenings >= kMostTightenings)
      scale = 0;
  }
}
