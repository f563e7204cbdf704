// Passes over the graph IR.

#ifndef HEDDLE_PASSES_GRAPH_PASSES_H
#define HEDDLE_PASSES_GRAPH_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace heddle {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Graph/Passes.h.inc"

/// Convolutions with groups of the batch, reversed windows or no window become
/// such without.
void populateNormalizeConvolutionPatterns(mlir::RewritePatternSet &patterns);

/// Scales and biases per channel, batch norms among them, folded into the
/// weights before them.
void populateFoldScaleIntoWeightsPatterns(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_PASSES_H
