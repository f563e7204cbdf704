// Chooses types within the budget, compiles, and tries the program; again with
// less of the budget until it keeps to all of it.
//
// How much less follows from inputs of the calibration alone. So these say
// which programs there may be, one after the other, and held-out inputs only
// which of them is the first that keeps to the budget.

#include "BudgetedBuild.h"

#include "lib/Driver/CancelledPasses.h"
#include "passes/Precision/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// How many programs are chosen within smaller and smaller budgets, before all
/// that may be is left in f32.
static constexpr unsigned kMostChosen = 4;

/// A budget is tightened by a little more than the program was beyond it on
/// inputs of the calibration, and by a fixed part where only held-out inputs
/// were beyond it.
static constexpr double kTightening = 0.9, kFixedTightening = 0.7;

/// Below this part of the budget all is left in f32 that may be.
static constexpr double kLeastScale = 1e-3;

/// Results of the program in f32 that are kept at most; others are computed
/// again.
static constexpr size_t kMostKeptBytes = size_t(256) << 20;

/// The squares of the pins, added up in any order, are at most this many times
/// their sum in another order.
static constexpr double kAnyOrder = 1 + 1e-9;

/// Of what the policy allows no choice for.
double BudgetedBuild::pinnedSquares() const {
  double sum = 0;
  for (auto [choice, errors] : llvm::zip_equal(choices, worst))
    if (!choice.allows(0))
      sum += errors[choice.allowed.front()] * errors[choice.allowed.front()];
  return sum;
}

/// Chooses within `scale` times the budget, as far as the pins are within that;
/// for 0 it leaves all in f32 that may be, also what had no error for inputs of
/// the calibration. False if the pins are beyond the whole budget.
bool BudgetedBuild::choose(double scale) {
  double magnitude = scale * budgetMagnitude();
  double squared = magnitude * magnitude;
  if (scale > 0 && scale < 1)
    squared = std::max(squared, pinnedSquares() * kAnyOrder);
  problem = problemOf(candidates, choices, worst, squared);
  if (scale > 0) {
    std::optional<Assignment> found = assign(problem);
    if (!found)
      return false;
    assignment = std::move(*found);
  } else {
    // The first option is f32, or the pinned type.
    assignment = evaluate(problem, std::vector<unsigned>(choices.size(), 0));
    assignment.isExact = false;
  }
  types = typesOf(choices, assignment.choices);
  return true;
}

/// Chooses within `scale` times the budget, or so much less that it gives other
/// types than `tried`, which would fail again. False as `choose` is.
bool BudgetedBuild::chooseOther(double &scale, ArrayRef<unsigned> tried) {
  for (; scale >= kLeastScale; scale *= kFixedTightening) {
    if (!choose(scale))
      return false;
    if (ArrayRef(types) != tried)
      return true;
  }
  scale = 0;
  return choose(scale);
}

bool BudgetedBuild::compileChosen() {
  chosen = nullptr;
  OwningOpRef<ModuleOp> copy = graph->clone();
  std::vector<ByteScale> scales;
  for (const FactorRange &range : sensitivities.ranges)
    scales.push_back(range.scale());
  assignFactors(*copy, types, scales);
  PassManager manager(copy->getContext());
  manager.addPass(createAssignFactors());
  if (failed(manager.run(*copy)))
    return false;
  chosen = compile(*copy, "chosen: ");
  return chosen != nullptr;
}

/// What the program in f32 gives for a sample, kept for the programs that are
/// tried later; none after an error, which has been reported.
std::optional<SmallVector<HostTensor>>
BudgetedBuild::exactResults(size_t sample, ArrayRef<HostTensor> inputs) {
  if (auto known = keptResults.find(sample); known != keptResults.end())
    return known->second;
  auto results = exact->call(inputs);
  if (!results)
    return std::nullopt;
  size_t bytes = 0;
  for (const HostTensor &result : *results)
    bytes += result.bytes().size();
  if (keptBytes + bytes <= kMostKeptBytes) {
    keptBytes += bytes;
    keptResults[sample] = *results;
  }
  return results;
}

/// Of the chosen program for a sample; none after an error, which has been
/// reported.
std::optional<double> BudgetedBuild::errorOf(size_t sample) {
  if (reportIfCancelled(session, build.isCancelled))
    return std::nullopt;
  auto inputs = data->read(session, sample);
  if (!inputs)
    return std::nullopt;
  auto wanted = exactResults(sample, *inputs), found = chosen->call(*inputs);
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
       llvm::zip_equal(split.calibration, sensitivities.errors)) {
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
  for (auto [i, candidate] : llvm::enumerate(candidates.products)) {
    certificate.products.push_back(
        {candidate.label, candidate.kind, types[i], worst[i],
         candidate.nanoseconds[0] - candidate.nanoseconds[types[i]],
         reasonOf(i, problem, choices, assignment.choices)});
    if (types[i] == kBytesChoice)
      certificate.products.back().firstFactor = sensitivities.ranges[i];
  }
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
  for (unsigned number = 1;; ++number) {
    bool isWithin = number == 1
                        ? choose(scale)
                        : chooseOther(scale, std::vector<unsigned>(types));
    if (!isWithin)
      return refusePins();
    if (!compileChosen())
      return false;
    describeProducts();
    if (!predict())
      return false;
    double estimate = certificate.estimate();
    bool isEstimatedWithin = estimate <= certificate.maxError;
    if (isEstimatedWithin || isMostExact()) {
      if (!validate())
        return false;
      if (worstError() <= certificate.maxError)
        return true;
      if (isMostExact())
        return refuseMeasured();
      ++certificate.tightenings;
    }
    if (number == kMostChosen)
      scale = 0;
    else if (isEstimatedWithin)
      scale *= kFixedTightening;
    else
      scale *= kTightening *
               toMagnitude(certificate.metric, certificate.maxError) /
               toMagnitude(certificate.metric, estimate);
  }
}
