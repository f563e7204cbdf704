// Weights that a device lays out when the artifact is loaded.

#ifndef HEDDLE_LIB_ARTIFACT_LAYOUTATLOAD_H
#define HEDDLE_LIB_ARTIFACT_LAYOUTATLOAD_H

#include "Fork.h"

namespace heddle {

/// Where a module for devices with memory of their own has a weight whose
/// elements a module for processors stores in another order, or as integers
/// with scales, it reads these, and launches kernels (`kernel.at_load`) that
/// make of them what its own kernels read: the artifact stores such a weight
/// once.
void layOutAtLoad(llvm::ArrayRef<DispatchedModule> modules,
                  const CompileOptions &options);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_LAYOUTATLOAD_H
