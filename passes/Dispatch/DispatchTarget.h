// The target that a module is dispatched for.

#ifndef HEDDLE_PASSES_DISPATCH_DISPATCHTARGET_H
#define HEDDLE_PASSES_DISPATCH_DISPATCHTARGET_H

#include "heddle/Target/Target.h"

namespace heddle {

/// The target that the module around `op` names; null after an error that says
/// how to name one.
std::shared_ptr<const Target> dispatchTarget(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_DISPATCHTARGET_H
