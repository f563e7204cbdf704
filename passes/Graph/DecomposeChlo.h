// CHLO's operations over parts of a dimension, as StableHLO.

#ifndef HEDDLE_PASSES_GRAPH_DECOMPOSECHLO_H
#define HEDDLE_PASSES_GRAPH_DECOMPOSECHLO_H

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// What broadcasts its operands becomes broadcasts and StableHLO's operation,
/// where sizes are known.
void populateExpandBroadcastingPatterns(mlir::RewritePatternSet &patterns);

/// chlo.scan becomes a loop, chlo.ragged_dot products that keep what lies in
/// their groups.
void populateDecomposeChloPatterns(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_DECOMPOSECHLO_H
