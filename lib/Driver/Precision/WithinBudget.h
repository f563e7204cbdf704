// `--precision auto`: compiles a model within an error budget.

#ifndef HEDDLE_DRIVER_PRECISION_WITHINBUDGET_H
#define HEDDLE_DRIVER_PRECISION_WITHINBUDGET_H

#include "heddle/Driver/Build.h"

namespace heddle {

/// Whether the options of a budget go together with the others; false after an
/// error, which has been reported.
bool checkBudget(Session &session, const ModelOptions &model,
                 const BuildOptions &build);

/// Gives each product of f32 the type that takes the least estimated time
/// within `build.budget`, tries the program on inputs that were held out, and
/// writes it with a certificate. None after an error, which has been reported,
/// also where the budget cannot be met.
std::optional<BuildResult> buildWithinBudget(Session &session,
                                             const ModelOptions &model,
                                             const BuildOptions &build,
                                             format::ArtifactWriter &writer);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_WITHINBUDGET_H
