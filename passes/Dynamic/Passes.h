// Passes over sizes that calls choose.

#ifndef HEDDLE_PASSES_DYNAMIC_PASSES_H
#define HEDDLE_PASSES_DYNAMIC_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Dynamic/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_PASSES_H
