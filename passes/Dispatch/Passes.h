// Passes that turn roots and loops into the kernels, launches and stored
// weights of one target.

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

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_PASSES_H
