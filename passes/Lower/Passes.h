// Passes that turn StableHLO into roots and loops on tensors.

#ifndef HEDDLE_PASSES_LOWER_PASSES_H
#define HEDDLE_PASSES_LOWER_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "passes/Lower/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Lower/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_PASSES_H
