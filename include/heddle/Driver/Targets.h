// Which targets a model is compiled for.

#ifndef HEDDLE_DRIVER_TARGETS_H
#define HEDDLE_DRIVER_TARGETS_H

#include "heddle/Driver/DiagnosticPrinter.h"
#include "heddle/Target/Target.h"

namespace heddle {

/// Whether this process's processor has all that a loader must find.
bool runsHere(const LoaderNeeds &needs);

/// The targets that names on the command line mean, the most modest first.
/// "native" is the best one that runs here, and the common one of its
/// architecture with it, so that the artifact also runs on other machines of
/// the last ten years. None after an error, which has been reported.
std::optional<std::vector<std::shared_ptr<const Target>>>
resolveTargets(llvm::ArrayRef<std::string> names,
               DiagnosticPrinter &diagnostics);

} // namespace heddle

#endif // HEDDLE_DRIVER_TARGETS_H
