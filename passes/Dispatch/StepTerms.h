// Which products kernels take several terms of at once, side by side: fours of
// bytes (PackingFacts::quads) and twos of bf16 (PackingFacts::pairs).

#ifndef HEDDLE_PASSES_DISPATCH_STEPTERMS_H
#define HEDDLE_PASSES_DISPATCH_STEPTERMS_H

#include "dialects/Kernel/Kernel.h"
#include "heddle/Target/DispatchFacts.h"

namespace heddle {

/// Whether sums run over one dimension, whose terms follow each other on the
/// left, so that a weight on the right can be read in runs of them; each sum
/// has at least `least`.
bool hasRuns(kernel::ContractOp op, int64_t least);

/// Whether the right-hand side, if it is a weight, can be read in quads: four
/// terms of each sum must follow each other on the left.
bool readsQuads(kernel::ContractOp op, const PackingFacts &facts);
/// The same of a filter, whose input channels come in fours. No kernel over
/// images of open sizes does.
bool readsQuads(kernel::ConvolutionOp op, const PackingFacts &facts);

/// Whether both factors are bf16 and are multiplied in pairs, a weight that is
/// stored so, or an activation that kernels copy so.
bool readsPairs(kernel::ContractOp op, const PackingFacts &facts);
/// Whether both are bf16 and the filter is a weight that can be read in pairs.
bool readsPairs(kernel::ConvolutionOp op, const PackingFacts &facts);

/// The packing of a right-hand side that is a weight, and of a filter for one
/// group. Empty: it lies as the model has it.
mlir::StringRef packingOf(kernel::ContractOp op, const PackingFacts &facts);
mlir::StringRef packingOf(kernel::ConvolutionOp op, const PackingFacts &facts);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_STEPTERMS_H
