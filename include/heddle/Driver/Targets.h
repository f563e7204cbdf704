// Which machines a model is compiled for.

#ifndef HEDDLE_DRIVER_TARGETS_H
#define HEDDLE_DRIVER_TARGETS_H

#include "heddle/Driver/DiagnosticPrinter.h"
#include "heddle/Target/Machine.h"

namespace heddle {

/// Whether this processor has all that code for `machine` uses.
bool runsHere(const Machine &machine);

/// The machines that names on the command line mean, the most modest first.
/// "native" is the best one that runs here, and x86-64-v3 with it, so that the
/// artifact also runs on other machines of the last ten years. None after an
/// error, which has been reported.
std::optional<llvm::SmallVector<const Machine *>>
resolveTargets(llvm::ArrayRef<std::string> names,
               DiagnosticPrinter &diagnostics);

} // namespace heddle

#endif // HEDDLE_DRIVER_TARGETS_H
