// Whether the options of an error budget can be followed.

#include "ErrorMetric.h"
#include "WithinBudget.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// What is wrong with the options; empty if they are good.
static std::string problemWith(const ModelOptions &model,
                               const BuildOptions &build) {
  const ErrorBudget &budget = build.budget;
  bool isAuto = build.precision == "auto";
  const char *given = budget.maxError != 0          ? "--max-error"
                      : !budget.calibration.empty() ? "--calibration"
                      : !budget.metric.empty()      ? "--error-metric"
                      : !budget.policy.empty()      ? "--precision-policy"
                                                    : nullptr;
  if (!isAuto)
    return given ? std::string(given) + " is for --precision auto" : "";
  if (!(budget.maxError > 0) || !std::isfinite(budget.maxError) ||
      budget.calibration.empty())
    return "--precision auto of `heddle compile` chooses types within an error "
           "budget that it measures: give it --max-error VALUE, above 0, and "
           "--calibration DATA, inputs of calls";
  if (!budget.metric.empty() && !parseErrorMetric(budget.metric))
    return "--error-metric is '" + budget.metric + "'; " + metricNames() +
           " is wanted";
  if (!build.dumpAfter.empty() || !build.stopAfter.empty() ||
      !build.startFrom.empty())
    return "--precision auto measures whole programs: it takes no "
           "--dump-after, --stop-after or --start-from";
  if (!model.entries.empty() || !model.mesh.empty() || !model.states.empty())
    return "--precision auto measures one entry on one device whose calls keep "
           "nothing: it takes no --entry, --mesh or --state";
  if (!build.placement.empty() || build.placement.tensors)
    return "--precision auto measures programs of the cpu: it takes no --place "
           "or --device-tensors";
  return "";
}

bool heddle::checkBudget(Session &session, const ModelOptions &model,
                         const BuildOptions &build) {
  std::string problem = problemWith(model, build);
  if (!problem.empty())
    session.diagnostics.report(ErrorCode::BadCommandLine, problem);
  return problem.empty();
}
