// heddle-graph: from an imported model to StableHLO that is ready to be cut
// into dispatches.

#ifndef HEDDLE_PIPELINE_GRAPHPIPELINE_H
#define HEDDLE_PIPELINE_GRAPHPIPELINE_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace heddle {

/// Simplified StableHLO where attention is a composite; convolutions have
/// channels last.
void buildGraphPipeline(mlir::OpPassManager &manager);

/// What a caller may ask for behind these passes: that contractions and
/// convolutions of f32 multiply numbers of `precision`, bf16 or f16, or that
/// weights of such contractions are integers of 8 or 4 bits (w8a16, w4a16).
/// "f32" and "" add nothing.
void addPrecision(mlir::OpPassManager &manager, llvm::StringRef precision);

} // namespace heddle

#endif // HEDDLE_PIPELINE_GRAPHPIPELINE_H
