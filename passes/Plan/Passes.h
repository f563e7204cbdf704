// Passes that make the host program.

#ifndef HEDDLE_PASSES_PLAN_PASSES_H
#define HEDDLE_PASSES_PLAN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "passes/Plan/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Plan/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_PASSES_H
