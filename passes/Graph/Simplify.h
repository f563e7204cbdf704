// Patterns that always pay: folds and canonical forms of the graph IR.

#ifndef HEDDLE_PASSES_GRAPH_SIMPLIFY_H
#define HEDDLE_PASSES_GRAPH_SIMPLIFY_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// x + 0, x * 1, select of equal values and the like.
void populateSimplifyArithmeticPatterns(mlir::RewritePatternSet &patterns);

/// Transposes, reshapes and broadcasts: identities and chains.
void populateSimplifyLayoutPatterns(mlir::RewritePatternSet &patterns);

/// Slices, concatenations, pads and gathers with known bounds.
void populateSimplifySlicingPatterns(mlir::RewritePatternSet &patterns);

/// Pads with zeros before convolutions, of any sizes.
void populateMergePadPatterns(mlir::RewritePatternSet &patterns);

/// Shapes that turn out to be known, branches whose condition is known, older
/// spellings, annotations.
void populateSimplifyFormPatterns(mlir::RewritePatternSet &patterns);

/// The older broadcast.
void populateGeneralizeBroadcastPatterns(mlir::RewritePatternSet &patterns);

/// Operations whose sizes are operands that are known: the forms that have them
/// as attributes. What would not be valid stays.
void populateKnownSizesPatterns(mlir::RewritePatternSet &patterns);

/// Sizes that follow from constant shapes and from sizes that are known.
void populateRefineResultsPatterns(mlir::RewritePatternSet &patterns);

/// Loops and branches without what they carry or return in vain, and without
/// tuples and tokens.
void populateSimplifyControlPatterns(mlir::RewritePatternSet &patterns);

/// Batch normalisation in training and its gradient, einsum, index selection:
/// what is a few other operations.
void populateDecomposeOperationPatterns(mlir::RewritePatternSet &patterns);

/// Evaluation of what has constant operands and is small.
void populateFoldConstantsPatterns(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_SIMPLIFY_H
