// Passes that turn the graph into kernels, launches and weights.

#ifndef HEDDLE_PASSES_DISPATCH_PASSES_H
#define HEDDLE_PASSES_DISPATCH_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "passes/Dispatch/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Dispatch/Passes.h.inc"

/// From the graph to kernel functions: what `heddle-dispatch` runs.
void buildDispatchPipeline(mlir::OpPassManager &manager);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_PASSES_H
