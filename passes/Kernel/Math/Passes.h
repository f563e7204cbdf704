// Passes that make elementary functions and narrow floats plain arithmetic.

#ifndef HEDDLE_PASSES_KERNEL_MATH_PASSES_H
#define HEDDLE_PASSES_KERNEL_MATH_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace heddle {

#define GEN_PASS_DECL
#include "passes/Kernel/Math/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Kernel/Math/Passes.h.inc"

/// What `heddle-expand-math` does, to everything inside `root`.
void expandMath(mlir::Operation *root, bool hasFma);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_MATH_PASSES_H
