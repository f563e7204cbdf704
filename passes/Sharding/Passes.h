// Passes that say how tensors lie over meshes of devices.

#ifndef HEDDLE_PASSES_SHARDING_PASSES_H
#define HEDDLE_PASSES_SHARDING_PASSES_H

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Sharding/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_PASSES_SHARDING_PASSES_H
